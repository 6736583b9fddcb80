/**
 * Gather and scatter along an axis, over strided operands.
 *
 * The three operands values, index and indexed have one shape. Each element of values corresponds to the element of indexed that is `step`
 * times the index further on: values = indexed ("take"), indexed = values ("set"), or indexed = fn(indexed, values). A unit moves some rows
 * of the innermost mode, or a piece of one; a row is a vector loop where the index does not move in it. Threads share reads. Writes are
 * sequential, in the order of the plan, so that repeated indices are always written in the same order.
 *
 * The caller makes sure that indices are in range, that the written operand overlaps no other, and that its elements have distinct offsets.
 */

import { getOrCompute } from "../base/lazy.ts";
import { listOf } from "../base/list-of.ts";
import { constant, type Expr } from "../expr/expr.ts";
import { reachOf, simplifyFlat } from "../layout/flat.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import type { Kernel, Statement } from "./ir/kernel.ts";
import { call, cast, constantScalar, loadScalar, parameterScalar, type Scalar } from "./ir/scalar.ts";
import { indexStatement, loop, store, suffixed, walk } from "./ir/statements.ts";
import { anyStride, loopSymbol, offsetSymbol, sizeFrom, sizeSymbol } from "./ir/symbols.ts";
import { bitTypes } from "./map/copy-kernel.ts";
import { shortName } from "./map/short-name.ts";
import { computedSize } from "./map/spec.ts";
import type { Operand } from "./operand.ts";
import { classOf, classText, stepClass, stepped, steppedSizes } from "./plan/step-classes.ts";
import type { Buffer, ProgramBuilder } from "./program/builder.ts";
import { KernelTable } from "./program/kernels.ts";
import { lowerInHeap } from "./program/lower-in-heap.ts";
import { execute } from "./program/run-program.ts";

/** The operation on an element of values and the element of indexed at its index. */
export type IndexedMove = "take" | "set" | "add" | "mul" | "max" | "min";

/** An operand whose elements are `step` times an index further on, where indices are less than `length`. */
export interface IndexedOperand extends Operand {
  readonly step: number;
  readonly length: number;
  /** True if negative indices count from `length` down. */
  readonly wraps?: boolean;
}

const tables = /* @__PURE__ */ new Map<string, KernelTable>();

/** Elements that one round of a loop over indices moves. */
const unrolled = 4;
/** Elements that one unit moves. */
const unitElements = 8192;

/** Moves every element of values to or from the element of indexed at its index. */
export function moveIndexed(move: IndexedMove, indexed: IndexedOperand, values: Operand, index: Operand): void {
  const [to, ...from] = move === "take" ? [values, index, indexed] : [indexed, values, index];
  execute([to], from, (builder) => lowerIndexed(builder, move, indexed, values, index));
}

/** Adds the steps of such a move. */
export function lowerIndexed(
  builder: ProgramBuilder,
  move: IndexedMove,
  indexed: IndexedOperand,
  values: Operand,
  index: Operand,
): void {
  if (values.shape.includes(0)) return;
  // The written operand is the first, as in the kernel.
  const operands = move === "take" ? [values, index, indexed] : [indexed, values, index];
  /** Brings the operands from `k` on into addressable memory, one by one, and launches the kernel over all of them. */
  const lowerFrom = (k: number, buffers: readonly Buffer[]): void => {
    if (k === operands.length) {
      launchIndexed(builder, move, operands, indexed, index.dtype, buffers);
      return;
    }
    const { storage, offset: start, dtype, shape, stride } = operands[k];
    const buffer = { storage, start, itemsize: dtypes[dtype].itemsize };
    const reach =
      operands[k] === indexed ? reachOf([...shape, indexed.length], [...stride, indexed.step]) : reachOf(shape, stride);
    lowerInHeap(builder, buffer, dtype, reach, k === 0, (next) => lowerFrom(k + 1, [...buffers, next]));
  };
  lowerFrom(0, []);
}

/** Adds the launches over buffers that are all addressable. */
function launchIndexed(
  builder: ProgramBuilder,
  move: IndexedMove,
  operands: readonly Operand[],
  { step, length, wraps: mayWrap = false }: IndexedOperand,
  indexDType: DType,
  buffers: readonly Buffer[],
): void {
  // Elements that only move are moved as bits. The first operand is values or indexed, which have one dtype.
  const own = operands[0].dtype;
  const dtype = move === "take" || move === "set" ? (bitTypes[dtypes[own].itemsize] ?? own) : own;
  const plan = simplifyFlat(
    operands[0].shape,
    buffers.map(({ start }) => start),
    operands.map(({ stride }) => stride),
  );
  let [classes, rows] = [0, 1];
  const inner: number[] = [];
  for (let k = 2; k >= 0; k--) {
    const stride = plan.sizes.length === 0 ? 0 : plan.strides[k][0];
    const kind = stepClass(stride);
    if (kind === 2) inner.unshift(stride);
    classes = classes * 4 + kind;
  }
  const modes: number[] = [];
  for (let d = 1; d < plan.sizes.length; d++) {
    rows *= plan.sizes[d];
    modes.push(plan.sizes[d]);
    for (let k = 0; k < 3; k++) modes.push(plan.strides[k][d]);
  }
  const n = plan.sizes[0] ?? 1;
  const width = Math.min(n, unitElements);
  const cuts = Math.ceil(n / width);
  const block = cuts > 1 ? 1 : Math.min(rows, Math.ceil(unitElements / n));
  const units = Math.ceil(rows / block) * cuts;
  const together = move === "take" ? units : 1;
  // Indices are in range, so the low word of a longer one is enough. Those without a sign are not negative.
  const wraps = !mayWrap || indexDType.startsWith("u") ? null : length < 2 ** 31 ? "int32" : "int64";
  const table = getOrCompute(tables, `${move} ${dtype} ${indexDType} ${wraps}`, () => new KernelTable());
  const kernel = table.entry(classes, () => indexedKernel(move, dtype, indexDType, classes, wraps));
  const moved = buffers.map((buffer, k) => ({ ...buffer, start: plan.starts[k] }));
  for (let unit = 0; unit < units; unit += together)
    builder.launch({
      kernel,
      buffers: moved,
      sizes: [n, rows, block, width, cuts, together, unit, step, ...inner],
      scalars: wraps === null ? [] : [wraps === "int64" ? BigInt(length) : length],
      modes: [modes],
      units: together,
      unitSize: block * width,
    });
}

/** fn(a, b): bools are combined by or and and, halves as float32. */
function combined(move: IndexedMove, dtype: DType, a: Scalar, b: Scalar): Scalar {
  if (move === "take" || move === "set") return b;
  const { category, itemsize } = dtypes[dtype];
  if (category === "bool") return call(move === "add" || move === "max" ? "or" : "and", a, b);
  const wide = category === "float" && itemsize === 2 ? "float32" : dtype;
  return cast(dtype, call(move, cast(wide, a), cast(wide, b)));
}

/** The dtype in which negative indices count from the length down. */
export type WrapDType = "int32" | "int64";

/** The index, or if it is negative its sum with the length. */
function wrapped(index: Scalar, dtype: WrapDType): Scalar {
  const [own, zero] = [cast(dtype, index), constantScalar(dtype, dtype === "int64" ? 0n : 0)];
  return call("add", own, call("select", call("lt", own, zero), parameterScalar(dtype, "length"), zero));
}

/** Returns the kernel for elements and indices of these dtypes; `classes` are the step classes of its operands. */
export function indexedKernel(
  move: IndexedMove,
  dtype: DType,
  indexDType: DType,
  classes: number,
  wraps: WrapDType | null = null,
): Kernel {
  const names = move === "take" ? ["values", "index", "indexed"] : ["indexed", "values", "index"];
  const fixed = ["n", "rows", "block", "width", "cuts", "units"].map((name) => sizeFrom(name, 1));
  const [n, rows, block, width, cuts, units] = fixed.map(sizeSymbol);
  const [first, step] = [sizeFrom("first", 0), anyStride("step")];
  const [u, k, g, i, unit, row, column] = ["u", "k", "g", "i", "unit", "row", "column"].map(loopSymbol);
  const isRow = classOf(classes, names.indexOf("index")) === 0;
  const [from, to] = move === "take" ? ["indexed", "values"] : ["values", "indexed"];
  /** The move of the element at an index of the line; the name of the fetched index ends with `end`. */
  const moveOne = (at: Expr, end = ""): { readonly fetch: Statement; readonly move: Statement } => {
    const indexOf = (name: string): Expr =>
      offsetSymbol(`${name}_at`).add(stepped(classes, names.indexOf(name), name, at));
    const stored = loadScalar(indexDType, "index", indexOf("index"));
    const indexed = indexOf("indexed").add(sizeSymbol(step).mul(offsetSymbol(`position${end}`)));
    const [source, target] = move === "take" ? [indexed, indexOf("values")] : [indexOf("values"), indexed];
    const value = combined(move, dtype, loadScalar(dtype, to, target), loadScalar(dtype, from, source));
    return {
      fetch: { kind: "fetch", name: `position${end}`, value: wraps === null ? stored : wrapped(stored, wraps) },
      move: store(to, target, value),
    };
  };
  const end = n.min(column.add(width));
  const groups = end.sub(column).floorDiv(unrolled);
  const lineOfRow = (): Statement[] => {
    const { fetch, move } = moveOne(i);
    // Rounds that write to one element cannot be a vector loop.
    if (classOf(classes, 0) === 0) return [fetch, loop("serial", "i", column, end, [move])];
    return [fetch, loop("vector", "i", column, end, [move], 16 / Math.max(computedSize(dtype), 1))];
  };
  const lineOfIndices = (): Statement[] => {
    const both = (at: Expr, end = ""): Statement[] => Object.values(moveOne(at, end));
    const rounds = listOf(unrolled, (k) => both(column.add(g.mul(unrolled)).add(k), `${k}`)).flat();
    return [
      loop("serial", "g", constant(0), groups, rounds),
      loop("serial", "i", column.add(groups.mul(unrolled)), end, both(i)),
    ];
  };
  return {
    name: `${shortName(dtype)}_${move}_indexed_${wraps === null ? "" : "wrapped_"}${classText(classes, names.length)}`,
    buffers: names.map((name) => ({
      name,
      dtype: name === "index" ? indexDType : dtype,
      access: name !== to ? "read" : move === "take" || move === "set" ? "write" : "readwrite",
    })),
    scalars: wraps === null ? [] : [{ name: "length", dtype: wraps }],
    sizes: [...fixed, first, step, ...steppedSizes(classes, names)],
    modes: [{ name: "rest", buffers: names }],
    body: [
      loop("parallel", "u", constant(0), units, [
        indexStatement("unit", sizeSymbol(first).add(u)),
        indexStatement("row", unit.floorDiv(cuts).mul(block)),
        indexStatement("column", unit.mod(cuts).mul(width)),
        loop("serial", "k", row, rows.min(row.add(block)), [
          walk("rest", k, suffixed(names, "_at")),
          ...(isRow ? lineOfRow() : lineOfIndices()),
        ]),
      ]),
    ],
  };
}
