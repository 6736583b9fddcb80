/**
 * The kernel of an elementwise spec for one form of operands.
 *
 * A line visits one mode in blocks. A plane visits tiles of its two innermost modes (n, m) and walks all further modes, whose
 * number and sizes are arguments. In the innermost mode an operand stands still, steps by one, or by an argument: this is the form's
 * `classes`, and all that the code depends on. `../program/lower-map.ts` gives the sizes in the order in which they are listed here.
 */
import { once } from "../../base/remember.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import { KernelError } from "../ir/error.ts";
import type { Kernel, LetStatement, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { cast, indexScalar, loadScalar, namedScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "../ir/symbols.ts";
import { classOf, type Form } from "../plan/form.ts";
import { lanesFor, type MapSpec, namesOf } from "./spec.ts";

const largest = 2 ** 31 - 1;
const atLeast = (name: string, min: number): SizeParameter => ({ name, min, max: largest });
const anyStride = (name: string): SizeParameter => ({ name, min: -largest - 1, max: largest });

/** The sizes that a line takes before its strides, and a plane before its own. */
const lineSizes = [atLeast("n", 0), atLeast("block", 1)];
const planeSizes = [
  atLeast("n", 0),
  atLeast("m", 0),
  atLeast("tile_n", 1),
  atLeast("tile_m", 1),
  atLeast("tiles_n", 1),
  atLeast("tiles", 1),
  atLeast("units", 0),
];

interface Parts {
  readonly sizes: readonly SizeParameter[];
  /** Where operand k is at the present round. */
  readonly indexOf: (operand: number) => Expr;
  /** The number of the present round, where there is one. */
  readonly number: () => Scalar;
  readonly around: (body: Statement[], lanes: number) => Statement[];
}

/** The kernel that computes a spec over operands of this form. */
export function buildMap(spec: MapSpec, form: Form): Kernel {
  const names = namesOf(spec);
  const operandNames = [...names.outputs, ...names.inputs];
  const operandTypes = [...spec.outputs, ...spec.inputs];
  const parts = form.kind === "line" ? lineParts(operandNames, form) : planeParts(operandNames, form);
  const outputCount = spec.outputs.length;
  const load = (dtype: DType, k: number, mask?: Scalar): Scalar =>
    loadScalar(dtype, names.inputs[k], parts.indexOf(outputCount + k), mask);
  const last = spec.inputs.length - 1;
  const mask = spec.isMasked ? cast("bool", load(spec.inputs[last], last)) : undefined;
  const inputs = spec.inputs.map((dtype, k) => load(dtype, k, k === last ? undefined : mask));
  const scalars = spec.scalars.map((dtype, k) => parameterScalar(dtype, names.scalars[k]));
  const values = spec.body(inputs, scalars, parts.number);
  // An output may lie on an input: all values, and the mask, are known before the first is stored.
  const [first, ...further] = values as [Scalar, ...Scalar[]];
  const known = further.map(
    (value, k): LetStatement => ({ kind: "let", name: `${names.outputs[k + 1]}_value`, value }),
  );
  let storeMask = mask;
  if (mask !== undefined && further.length > 0) {
    const name = `${names.outputs[0]}_mask`;
    known.push({ kind: "let", name, value: mask });
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
    name: `${spec.name}_${form.kind}_${operandTypes.map((_, k) => "01s"[classOf(form.classes, k)]).join("")}`,
    buffers: operandTypes.map((dtype, k) => ({
      name: operandNames[k],
      dtype,
      access: k < outputCount ? "write" : "read",
    })),
    scalars: spec.scalars.map((dtype, k) => ({ name: names.scalars[k], dtype })),
    sizes: parts.sizes,
    modes: form.kind === "line" ? [] : [{ name: "rest", buffers: operandNames }],
    body: parts.around([...known, ...stores], lanesFor(operandTypes, values)),
  };
}

/** step * index, where the step is what the operand's class says. */
function innerTerm(form: Form, operand: number, name: string, index: Expr): Expr {
  const kind = classOf(form.classes, operand);
  return kind === 0 ? constant(0) : kind === 1 ? index : sizeSymbol(anyStride(`${name}_n`)).mul(index);
}

const innerStrides = (names: readonly string[], form: Form): SizeParameter[] =>
  names.flatMap((name, k) => (classOf(form.classes, k) === 2 ? [anyStride(`${name}_n`)] : []));

/** The bounds of a line's loops. The same in all kernels, and dear to derive, so kept. */
interface LineBounds {
  readonly i: Expr;
  readonly units: Expr;
  readonly from: Expr;
  readonly to: Expr;
}

const lineBounds = /* @__PURE__ */ once(boundsOfLine);

function boundsOfLine(): LineBounds {
  const [n, block] = lineSizes.map(sizeSymbol) as [Expr, Expr];
  const from = block.mul(loopSymbol("u"));
  return { i: loopSymbol("i"), units: n.ceilDiv(block), from, to: n.min(from.add(block)) };
}

function lineParts(names: readonly string[], form: Form): Parts {
  const { i, units, from, to } = lineBounds();
  return {
    sizes: [...lineSizes, ...innerStrides(names, form)],
    indexOf: (operand) => innerTerm(form, operand, names[operand], i),
    number: () => indexScalar("int32", i),
    around: (body, by) => [loop("parallel", "u", constant(0), units, [loop("vector", "i", from, to, body, by)])],
  };
}

/** The same for a plane: `plane` is which plane a unit is in, `tile` which of its tiles. */
interface PlaneBounds {
  readonly i: Expr;
  readonly j: Expr;
  readonly units: Expr;
  readonly plane: Expr;
  readonly tile: Expr;
  readonly j0: Expr;
  readonly i0: Expr;
  readonly fromJ: Expr;
  readonly toJ: Expr;
  readonly fromI: Expr;
  readonly toI: Expr;
}

const planeBounds = /* @__PURE__ */ once(boundsOfPlane);

function boundsOfPlane(): PlaneBounds {
  const sizes = new Map(planeSizes.map((size) => [size.name, sizeSymbol(size)]));
  const size = (name: string): Expr => sizes.get(name) as Expr;
  const [u, tile, fromJ, fromI] = ["u", "tile", "j0", "i0"].map(loopSymbol) as [Expr, Expr, Expr, Expr];
  return {
    i: loopSymbol("i"),
    j: loopSymbol("j"),
    units: size("units"),
    plane: u.floorDiv(size("tiles")),
    tile: u.mod(size("tiles")),
    j0: size("tile_m").mul(tile.floorDiv(size("tiles_n"))),
    i0: size("tile_n").mul(tile.mod(size("tiles_n"))),
    fromJ,
    toJ: size("m").min(fromJ.add(size("tile_m"))),
    fromI,
    toI: size("n").min(fromI.add(size("tile_n"))),
  };
}

function planeParts(names: readonly string[], form: Form): Parts {
  const { i, j, units, plane, tile, j0, i0, fromJ, toJ, fromI, toI } = planeBounds();
  const strideM = (name: string): SizeParameter => anyStride(`${name}_m`);
  return {
    sizes: [...planeSizes, ...names.map(strideM), ...innerStrides(names, form)],
    indexOf: (operand) => {
      const name = names[operand];
      const row = offsetSymbol(`${name}_at`).add(sizeSymbol(strideM(name)).mul(j));
      return row.add(innerTerm(form, operand, name, i));
    },
    number: () => {
      throw new KernelError("map: elements are numbered in a line only, and these operands need a plane.");
    },
    around: (body, by) => [
      loop("parallel", "u", constant(0), units, [
        { kind: "walk", modes: "rest", position: plane, offsets: names.map((name) => `${name}_at`) },
        { kind: "index", name: "tile", value: tile },
        { kind: "index", name: "j0", value: j0 },
        { kind: "index", name: "i0", value: i0 },
        loop("serial", "j", fromJ, toJ, [loop("vector", "i", fromI, toI, body, by)]),
      ]),
    ],
  };
}
