/**
 * Packing a block of a factor into panels, in the order in which tiles read them. A panel holds `width` lines (rows of the left factor,
 * columns of the right one): all their elements of one k, then those of the next k. Complex elements are stored as real parts, then
 * imaginary parts. Missing lines of the last panel are 0.
 *
 * A unit packs some panels: two at once where lines are adjacent in memory, so that whole cache lines are read. Elements are converted to
 * the working dtype. Factors of 8 or 16 bits in pairs (`pairs` in accumulator.ts) have two elements of adjacent k in each int32, the first in the low
 * half; the second of a last k without a next one is 0.
 */
import { gcd } from "../../base/ints.ts";
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { call, cast, constantScalar, loadScalar, type Scalar } from "../ir/scalar.ts";
import { indexStatement, loop, store, walk } from "../ir/statements.ts";
import { anyStride, offsetSymbol, sizeFrom } from "../ir/symbols.ts";
import { shortName } from "../map/short-name.ts";
import type { ElementStorage } from "../operand.ts";
import type { ProgramBuilder } from "../program/builder.ts";
import type { AccumulatorType } from "./accumulator.ts";
import { bufferOf, symbolsOf, type Tables, tableOf } from "./parameters.ts";
import type { StridedMatrix } from "./product.ts";

const kernels: Tables = new Map();

const sizes: readonly SizeParameter[] = [
  ...["units", "groups", "panels", "lines", "depth"].map((name) => sizeFrom(name, 1)),
  anyStride("x_line"),
  anyStride("x_k"),
  sizeFrom("first", 0),
  sizeFrom("whole_k", 0),
];

/** The number of panels that are packed at once. */
const panelsAtOnce = (isLineDense: boolean): number => (isLineDense ? 2 : 1);

function buildPack(
  dtype: DType,
  accumulator: AccumulatorType,
  width: number,
  isLineDense: boolean,
  isDepthDense: boolean,
): Kernel {
  const { parts, terms } = accumulator;
  const lanes = gcd(accumulator.lanes, width);
  const group = panelsAtOnce(isLineDense);
  const symbol = symbolsOf(sizes);
  const [u, panel0, all] = ["u", "panel0", "all"].map(symbol);
  const [p, inBounds, whole] = ["p", "inBounds", "whole"].map(symbol);
  const step = (isDense: boolean, stride: string, by: Expr): Expr => (isDense ? by : symbol(stride).mul(by));
  /** Element k of a line of a panel in the working dtype. */
  const elementOf = (panel: Expr, line: Expr, k: Expr, part: number): Scalar => {
    const x = loadScalar(
      dtype,
      "x",
      offsetSymbol("x_at")
        .add(step(isLineDense, "x_line", panel.mul(width).add(line)))
        .add(step(isDepthDense, "x_k", k)),
    );
    return parts === 1 ? cast(accumulator.dtype, x) : call(part === 0 ? "real" : "imag", x);
  };
  /** The packed element k: one element, or two of which the second may be missing. */
  const packedOf = (panel: Expr, line: Expr, k: Expr, part: number, isWhole: boolean): Scalar => {
    if (terms === 1) return elementOf(panel, line, k, part);
    const low = call("and", elementOf(panel, line, k.mul(2), part), constantScalar("int32", 0xffff));
    if (!isWhole) return low;
    const high = elementOf(panel, line, k.mul(2).add(1), part);
    return call("or", low, call("shiftLeft", high, constantScalar("int32", 16)));
  };
  /** Stores the packed element k of a line of a panel, or 0 for a missing line. */
  const move = (panel: Expr, line: Expr, k: Expr, isWhole: boolean, isPresent = true): Statement[] => {
    const index = symbol("before")
      .add(panel)
      .mul(symbol("depth"))
      .add(k)
      .mul(width * parts)
      .add(line);
    return listOf(parts, (part) =>
      store(
        "packed",
        index.add(part * width),
        isPresent ? packedOf(panel, line, k, part, isWhole) : constantScalar(accumulator.dtype, 0),
      ),
    );
  };
  /** Loops over all packed k; the last of an odd number of terms has a separate loop. */
  const overDepth = (name: string, body: (k: Expr, isWhole: boolean) => Statement[]): Statement[] => {
    const over = (index: string, from: Expr, to: Expr, isWhole: boolean): Statement =>
      loop("serial", index, from, to, body(symbol(index), isWhole));
    if (terms === 1) return [over(name, constant(0), symbol("depth"), true)];
    return [
      over(name, constant(0), symbol("whole_k"), true),
      over(`${name}_last`, symbol("whole_k"), symbol("depth"), false),
    ];
  };
  /** Packs whole panels: the lines of a vector at once, for all of k. */
  const panelsFrom = (name: string, first: Expr, count: number): Statement => {
    const lane = symbol(`lane_${name}`);
    const body = overDepth(`k_${name}`, (k, isWhole) =>
      listOf(count * (width / lanes), (at) => {
        const line = (at * lanes) % width;
        return move(first.add(Math.floor((at * lanes) / width)), lane.add(line), k, isWhole);
      }).flat(),
    );
    return loop("vector", `lane_${name}`, constant(0), constant(lanes), body, lanes);
  };
  const lineOf = (name: string, isPresent: boolean): Statement[] =>
    overDepth(`k_${name}`, (k, isWhole) => move(p, symbol(name), k, isWhole, isPresent));
  return {
    name: `${shortName(dtype)}_${terms === 2 ? "pair" : "pack"}_${width}`,
    buffers: [
      { name: "packed", dtype: accumulator.dtype, access: "write" },
      { name: "x", dtype, access: "read" },
    ],
    scalars: [],
    sizes,
    modes: [{ name: "batch", buffers: ["x"] }],
    body: [
      loop("parallel", "u", constant(0), symbol("units"), [
        walk("batch", u.floorDiv(symbol("groups")).add(symbol("first")), ["x_at"]),
        indexStatement("before", u.floorDiv(symbol("groups")).mul(symbol("panels"))),
        indexStatement("panel0", u.mod(symbol("groups")).mul(group)),
        // 1 where a whole group of whole panels is left, else 0.
        indexStatement(
          "all",
          group === 1 ? constant(0) : symbol("lines").floorDiv(panel0.add(group).mul(width)).min(1),
        ),
        loop("serial", "fast", constant(0), all, [panelsFrom("group", panel0, group)]),
        loop("serial", "p", panel0.add(all.mul(group)), symbol("panels").min(panel0.add(group)), [
          indexStatement("inBounds", symbol("lines").sub(p.mul(width)).min(width)),
          indexStatement("whole", inBounds.floorDiv(width)),
          loop("serial", "full", constant(0), whole, [panelsFrom("panel", p, 1)]),
          loop("serial", "last", whole, constant(1), [
            loop("serial", "line", constant(0), inBounds, lineOf("line", true)),
            loop("serial", "none", inBounds, constant(width), lineOf("none", false)),
          ]),
        ]),
      ]),
    ],
  };
}

/** A block of a factor. `batch` has rows of (size, stride), the fastest first, of which `count` products from `first` on are packed. */
interface PackedBlock {
  readonly dtype: DType;
  readonly accumulator: AccumulatorType;
  readonly x: StridedMatrix;
  readonly lines: number;
  readonly depth: number;
  readonly first: number;
  readonly count: number;
  readonly batch: readonly number[];
}

/** Adds the packing of a block, whose rows are the lines, to `to` from element `start` of the working dtype on. */
export function lowerPack(
  builder: ProgramBuilder,
  block: PackedBlock,
  width: number,
  to: ElementStorage,
  start: number,
): void {
  const { dtype, accumulator, x, lines, depth, first, count, batch } = block;
  const isLineDense = x.row === 1;
  const isDepthDense = x.column === 1;
  const panels = Math.ceil(lines / width);
  const group = panelsAtOnce(isLineDense);
  const groups = Math.ceil(panels / group);
  const packedDepth = Math.ceil(depth / accumulator.terms);
  const key = width * 8 + (isLineDense ? 1 : 0) + (isDepthDense ? 2 : 0) + (accumulator.terms === 2 ? 4 : 0);
  builder.launch({
    kernel: tableOf(kernels, dtype).entry(key, () => buildPack(dtype, accumulator, width, isLineDense, isDepthDense)),
    buffers: [{ storage: to, start, itemsize: dtypes[accumulator.dtype].itemsize }, bufferOf(x, dtype)],
    sizes: [
      count * groups,
      groups,
      panels,
      lines,
      packedDepth,
      x.row,
      x.column,
      first,
      Math.floor(depth / accumulator.terms),
    ],
    modes: [batch],
    units: count * groups,
    unitSize: group * width * depth,
  });
}
