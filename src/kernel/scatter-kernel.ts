/**
 * The kernel that takes elements from indexed places, or writes to them.
 *
 * Three operands have one shape: near, index and far. Each element of near meets the element of far that lies `step` times the index
 * further: near = far ("take"), far = near ("set"), or far = fn(far, near). A unit does some rows of the innermost mode, or a piece of
 * one. Where the index stands still in that mode, a row is a vector loop. Indices are trusted to be in range.
 */

import { constant, type Expr } from "../expr/expr.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "./ir/kernel.ts";
import { loop } from "./ir/loop.ts";
import { call, cast, loadScalar, type Scalar } from "./ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "./ir/symbols.ts";
import { shortName } from "./map/short-name.ts";
import { computedSize } from "./map/spec.ts";
import { classOf } from "./plan/form.ts";

/** What happens where an element and its indexed place meet. */
export type IndexedMove = "take" | "set" | "add" | "mul" | "max" | "min";

/** The operands in the order of the call: what is written first. */
export const indexedOperands = (move: IndexedMove): readonly string[] =>
  move === "take" ? ["near", "index", "far"] : ["far", "near", "index"];

const largest = 2 ** 31 - 1;
const size = (name: string, min: number): SizeParameter => ({ name, min, max: largest });
const stride = (name: string): SizeParameter => size(name, -largest - 1);

/** fn(a, b): bools are joined by or and and, halves as float32. */
function combined(move: IndexedMove, dtype: DType, a: Scalar, b: Scalar): Scalar {
  if (move === "take" || move === "set") return b;
  const { category, itemsize } = dtypes[dtype];
  if (category === "bool") return call(move === "add" || move === "max" ? "or" : "and", a, b);
  const wide = category === "float" && itemsize === 2 ? "float32" : dtype;
  return cast(dtype, call(move, cast(wide, a), cast(wide, b)));
}

/** The kernel for elements and indices of these dtypes, whose operands step in the innermost mode by 0, 1 or another number. */
export function indexedKernel(move: IndexedMove, dtype: DType, indexDType: DType, classes: number): Kernel {
  const names = indexedOperands(move);
  const fixed = ["n", "rows", "block", "width", "cuts", "units"].map((name) => size(name, 1));
  const [n, rows, block, width, cuts, units] = fixed.map(sizeSymbol) as [Expr, Expr, Expr, Expr, Expr, Expr];
  const first = size("first", 0);
  const step = stride("step");
  const inner = names.flatMap((name, k) => (classOf(classes, k) === 2 ? [stride(`${name}_n`)] : []));
  const [u, k, i] = ["u", "k", "i"].map(loopSymbol) as [Expr, Expr, Expr];
  const [unit, row, column] = ["unit", "row", "column"].map(loopSymbol) as [Expr, Expr, Expr];
  const placeOf = (name: string): Expr => {
    const kind = classOf(classes, names.indexOf(name));
    const moved = kind === 0 ? constant(0) : kind === 1 ? i : sizeSymbol(stride(`${name}_n`)).mul(i);
    return offsetSymbol(`${name}_at`).add(moved);
  };
  const isRow = classOf(classes, names.indexOf("index")) === 0;
  const fetch: Statement = { kind: "fetch", name: "place", value: loadScalar(indexDType, "index", placeOf("index")) };
  const far = placeOf("far").add(sizeSymbol(step).mul(offsetSymbol("place")));
  const [from, to] = move === "take" ? ["far", "near"] : ["near", "far"];
  const [at, target] = move === "take" ? [far, placeOf("near")] : [placeOf("near"), far];
  const value = combined(move, dtype, loadScalar(dtype, to, target), loadScalar(dtype, from, at));
  const store: Statement = { kind: "store", buffer: to, index: target, value };
  // Rounds that write to one place are no vector loop.
  const isVector = isRow && classOf(classes, 0) !== 0;
  const end = n.min(column.add(width));
  const line = (body: Statement[]): Statement =>
    loop(isVector ? "vector" : "serial", "i", column, end, body, isVector ? 16 / Math.max(computedSize(dtype), 1) : 1);
  return {
    name: `${shortName(dtype)}_${move}_indexed_${names.map((_, of) => "01s"[classOf(classes, of)]).join("")}`,
    buffers: names.map((name) => ({
      name,
      dtype: name === "index" ? indexDType : dtype,
      access: name !== to ? "read" : move === "take" || move === "set" ? "write" : "readwrite",
    })),
    scalars: [],
    sizes: [...fixed, first, step, ...inner],
    modes: [{ name: "rest", buffers: names }],
    body: [
      loop("parallel", "u", constant(0), units, [
        { kind: "index", name: "unit", value: sizeSymbol(first).add(u) },
        { kind: "index", name: "row", value: unit.floorDiv(cuts).mul(block) },
        { kind: "index", name: "column", value: unit.mod(cuts).mul(width) },
        loop("serial", "k", row, rows.min(row.add(block)), [
          { kind: "walk", modes: "rest", position: k, offsets: names.map((name) => `${name}_at`) },
          ...(isRow ? [fetch, line([store])] : [line([fetch, store])]),
        ]),
      ]),
    ],
  };
}
