/**
 * The kernel of an elementwise spec for one loop nest.
 *
 * A line visits one mode in blocks. A plane visits tiles of its two innermost modes (n, m) and walks the other modes, whose number and sizes
 * are arguments. The code depends on the kind of the loop nest and step classes only. `../program/lower-map.ts` passes the sizes in the order
 * in which they are listed here.
 */
import { once } from "../../base/lazy.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import { KernelError } from "../ir/error.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { cast, indexScalar, loadScalar, namedScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { indexStatement, letStatement, loop, suffixed, walk } from "../ir/statements.ts";
import { anyStride, loopSymbol, offsetSymbol, sizeFrom, sizeSymbol } from "../ir/symbols.ts";
import type { LoopNest } from "../plan/loop-nest.ts";
import { classText, stepped, steppedSizes } from "../plan/step-classes.ts";
import { lanesFor, type MapSpec, namesOf } from "./spec.ts";

/** The sizes of a line and of a plane, before the strides. */
const sizes1d = [sizeFrom("n", 0), sizeFrom("block", 1)];
const sizes2d = [
  sizeFrom("n", 0),
  sizeFrom("m", 0),
  sizeFrom("tile_n", 1),
  sizeFrom("tile_m", 1),
  sizeFrom("tiles_n", 1),
  sizeFrom("tiles", 1),
  sizeFrom("units", 0),
];

interface Parts {
  readonly sizes: readonly SizeParameter[];
  /** The index of operand k in the current iteration. */
  readonly indexOf: (operand: number) => Expr;
  /** The number of the current iteration; throws in a plane. */
  readonly number: () => Scalar;
  readonly wrapInLoops: (body: Statement[], lanes: number) => Statement[];
}

/** Returns the kernel that computes a spec in this loop nest. */
export function buildMap(spec: MapSpec, nest: LoopNest): Kernel {
  const names = namesOf(spec);
  const operandNames = [...names.outputs, ...names.inputs];
  const operandTypes = [...spec.outputs, ...spec.inputs];
  const parts = nest.kind === "line" ? parts1d(operandNames, nest) : parts2d(operandNames, nest);
  const outputCount = spec.outputs.length;
  const load = (dtype: DType, k: number, mask?: Scalar): Scalar =>
    loadScalar(dtype, names.inputs[k], parts.indexOf(outputCount + k), mask);
  const last = spec.inputs.length - 1;
  const mask = spec.isMasked ? cast("bool", load(spec.inputs[last], last)) : undefined;
  const inputs = spec.inputs.map((dtype, k) => load(dtype, k, k === last ? undefined : mask));
  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, names.scalars[k]));
  const values = spec.body(inputs, scalars, parts.number);
  // An output may share its memory with an input, so all values and the mask are computed before the first store.
  const [first, ...further] = values;
  const known = further.map((value, k) => letStatement(`${names.outputs[k + 1]}_value`, value));
  let storeMask = mask;
  if (mask !== undefined && further.length > 0) {
    const name = `${names.outputs[0]}_mask`;
    known.push(letStatement(name, mask));
    storeMask = namedScalar("bool", name);
  }
  const store = (value: Scalar, k: number): Statement => ({
    kind: "store",
    buffer: names.outputs[k],
    index: parts.indexOf(k),
    value,
    ...(storeMask && { mask: storeMask }),
  });
  const named = further.map((value, k) => namedScalar(value.dtype, `${names.outputs[k + 1]}_value`));
  const stores = [first, ...named].map(store);
  return {
    name: `${spec.name}_${nest.kind}_${classText(nest.classes, operandTypes.length)}`,
    buffers: operandTypes.map((dtype, k) => ({
      name: operandNames[k],
      dtype,
      access: k < outputCount ? "write" : "read",
    })),
    scalars: spec.scalars.map((dtype, k) => ({ name: names.scalars[k], dtype })),
    sizes: parts.sizes,
    modes: nest.kind === "line" ? [] : [{ name: "rest", buffers: operandNames }],
    body: parts.wrapInLoops([...known, ...stores], lanesFor(operandTypes, values)),
  };
}

/** The bounds of a line's loops, cached because they are the same in all kernels and expensive to simplify. */
const bounds1d = /* @__PURE__ */ once(() => {
  const [n, block] = sizes1d.map(sizeSymbol);
  const from = block.mul(loopSymbol("u"));
  return { i: loopSymbol("i"), units: n.ceilDiv(block), from, to: n.min(from.add(block)) };
});

function parts1d(names: readonly string[], nest: LoopNest): Parts {
  const { i, units, from, to } = bounds1d();
  return {
    sizes: [...sizes1d, ...steppedSizes(nest.classes, names)],
    indexOf: (operand) => stepped(nest.classes, operand, names[operand], i),
    number: () => indexScalar("int32", i),
    wrapInLoops: (body, by) => [loop("parallel", "u", constant(0), units, [loop("vector", "i", from, to, body, by)])],
  };
}

/** The bounds of a plane's loops: `plane` is the index of a unit's plane, `tile` the index of its tile in the plane. */
const bounds2d = /* @__PURE__ */ once(() => {
  const [n, m, tileN, tileM, tilesN, tiles, units] = sizes2d.map(sizeSymbol);
  const [u, tile, fromJ, fromI] = ["u", "tile", "j0", "i0"].map(loopSymbol);
  return {
    i: loopSymbol("i"),
    j: loopSymbol("j"),
    units,
    outer: u.floorDiv(tiles),
    tile: u.mod(tiles),
    j0: tileM.mul(tile.floorDiv(tilesN)),
    i0: tileN.mul(tile.mod(tilesN)),
    fromJ,
    toJ: m.min(fromJ.add(tileM)),
    fromI,
    toI: n.min(fromI.add(tileN)),
  };
});

function parts2d(names: readonly string[], nest: LoopNest): Parts {
  const { i, j, units, outer, tile, j0, i0, fromJ, toJ, fromI, toI } = bounds2d();
  const strideM = (name: string): SizeParameter => anyStride(`${name}_m`);
  return {
    sizes: [...sizes2d, ...names.map(strideM), ...steppedSizes(nest.classes, names)],
    indexOf: (operand) => {
      const name = names[operand];
      const row = offsetSymbol(`${name}_at`).add(sizeSymbol(strideM(name)).mul(j));
      return row.add(stepped(nest.classes, operand, name, i));
    },
    number: () => {
      throw new KernelError("map: the element index is available only if all operands coalesce to one mode.");
    },
    wrapInLoops: (body, by) => [
      loop("parallel", "u", constant(0), units, [
        walk("rest", outer, suffixed(names, "_at")),
        indexStatement("tile", tile),
        indexStatement("j0", j0),
        indexStatement("i0", i0),
        loop("serial", "j", fromJ, toJ, [loop("vector", "i", fromI, toI, body, by)]),
      ]),
    ],
  };
}
