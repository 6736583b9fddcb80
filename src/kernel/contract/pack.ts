/**
 * Packing a block of a factor: the elements of some lines (rows of the left factor, columns of the right one) in panels, as tiles read
 * them. A panel holds `width` lines, all their elements of one k side by side, and then those of the next k; complex numbers
 * as the real parts of these and then the imaginary parts. Lines that are missing in the last panel are 0.
 *
 * A unit packs some panels: two at once where lines are neighbours in memory, so that whole cache lines are read. Elements
 * change to the dtype that is computed in on the way.
 */
import { gcd } from "../../base/ints.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { call, cast, constantScalar, loadScalar, type Scalar } from "../ir/scalar.ts";
import { offsetSymbol } from "../ir/symbols.ts";
import { shortName } from "../map/short-name.ts";
import type { ElementStorage } from "../operand.ts";
import type { ProgramBuilder } from "../program/builder.ts";
import { anyStride, bufferOf, sizeFrom, symbolsOf, type Tables, tableOf } from "./parameters.ts";
import type { Matrix } from "./product.ts";
import { workingOf } from "./working.ts";

const kernels: Tables = new Map();

const sizes: readonly SizeParameter[] = [
  ...["units", "groups", "panels", "lines", "depth"].map((name) => sizeFrom(name, 1)),
  anyStride("x_line"),
  anyStride("x_k"),
  sizeFrom("first", 0),
];

/** Panels that are packed at once. */
const panelsAtOnce = (isLineNext: boolean): number => (isLineNext ? 2 : 1);

function buildPack(dtype: DType, width: number, isLineNext: boolean, isDepthNext: boolean): Kernel {
  const working = workingOf(dtype);
  const { parts } = working;
  const lanes = gcd(working.lanes, width);
  const group = panelsAtOnce(isLineNext);
  const symbol = symbolsOf(sizes);
  const [u, panel0, all] = ["u", "panel0", "all"].map(symbol) as [Expr, Expr, Expr];
  const [p, found, whole] = ["p", "found", "whole"].map(symbol) as [Expr, Expr, Expr];
  const index = (name: string, value: Expr): Statement => ({ kind: "index", name, value });
  const step = (isNext: boolean, stride: string, by: Expr): Expr => (isNext ? by : symbol(stride).mul(by));
  /** Element k of a line of a panel, or 0. */
  const move = (panel: Expr, line: Expr, k: Expr, isThere = true): Statement[] => {
    const place = symbol("before")
      .add(panel)
      .mul(symbol("depth"))
      .add(k)
      .mul(width * parts)
      .add(line);
    const x = loadScalar(
      dtype,
      "x",
      offsetSymbol("x_at")
        .add(step(isLineNext, "x_line", panel.mul(width).add(line)))
        .add(step(isDepthNext, "x_k", k)),
    );
    return Array.from({ length: parts }, (_, part) => {
      const found: Scalar = parts === 1 ? cast(working.dtype, x) : call(part === 0 ? "real" : "imag", x);
      const value = isThere ? found : constantScalar(working.dtype, 0);
      return { kind: "store", buffer: "packed", index: place.add(part * width), value };
    });
  };
  /** Whole panels: the lines of a vector side by side, through all of k. */
  const panelsFrom = (name: string, first: Expr, count: number): Statement => {
    const [lane, k] = [symbol(`lane_${name}`), symbol(`k_${name}`)];
    const moves = Array.from({ length: count * (width / lanes) }, (_, at) => {
      const line = (at * lanes) % width;
      return move(first.add(Math.floor((at * lanes) / width)), lane.add(line), k);
    });
    const body = loop("serial", `k_${name}`, constant(0), symbol("depth"), moves.flat());
    return loop("vector", `lane_${name}`, constant(0), constant(lanes), [body], lanes);
  };
  const lineOf = (name: string, isThere: boolean): Statement =>
    loop("serial", `k_${name}`, constant(0), symbol("depth"), move(p, symbol(name), symbol(`k_${name}`), isThere));
  return {
    name: `${shortName(dtype)}_pack_${width}`,
    buffers: [
      { name: "packed", dtype: working.dtype, access: "write" },
      { name: "x", dtype, access: "read" },
    ],
    scalars: [],
    sizes,
    modes: [{ name: "batch", buffers: ["x"] }],
    body: [
      loop("parallel", "u", constant(0), symbol("units"), [
        {
          kind: "walk",
          modes: "batch",
          position: u.floorDiv(symbol("groups")).add(symbol("first")),
          offsets: ["x_at"],
        },
        index("before", u.floorDiv(symbol("groups")).mul(symbol("panels"))),
        index("panel0", u.mod(symbol("groups")).mul(group)),
        // 1 where a whole group of whole panels is left, else 0.
        index("all", group === 1 ? constant(0) : symbol("lines").floorDiv(panel0.add(group).mul(width)).min(1)),
        loop("serial", "fast", constant(0), all, [panelsFrom("group", panel0, group)]),
        loop("serial", "p", panel0.add(all.mul(group)), symbol("panels").min(panel0.add(group)), [
          index("found", symbol("lines").sub(p.mul(width)).min(width)),
          index("whole", found.floorDiv(width)),
          loop("serial", "full", constant(0), whole, [panelsFrom("panel", p, 1)]),
          loop("serial", "last", whole, constant(1), [
            loop("serial", "line", constant(0), found, [lineOf("line", true)]),
            loop("serial", "none", found, constant(width), [lineOf("none", false)]),
          ]),
        ]),
      ]),
    ],
  };
}

/** A block of a factor: how its lines and elements lie, and of which products, given as rows of (size, step), the fastest first. */
export interface Block {
  readonly dtype: DType;
  readonly x: Matrix;
  readonly lines: number;
  readonly depth: number;
  readonly first: number;
  readonly count: number;
  readonly batch: readonly number[];
}

/** Adds what packs a block, whose rows are the lines, to a place given by its first element, counted in the dtype that is computed in. */
export function lowerPack(
  builder: ProgramBuilder,
  block: Block,
  width: number,
  to: ElementStorage,
  place: number,
): void {
  const { dtype, x, lines, depth, first, count, batch } = block;
  const isLineNext = x.row === 1;
  const isDepthNext = x.column === 1;
  const panels = Math.ceil(lines / width);
  const group = panelsAtOnce(isLineNext);
  const groups = Math.ceil(panels / group);
  const key = width * 4 + (isLineNext ? 1 : 0) + (isDepthNext ? 2 : 0);
  builder.launch({
    kernel: tableOf(kernels, dtype).entry(key, () => buildPack(dtype, width, isLineNext, isDepthNext)),
    buffers: [{ storage: to, start: place, itemsize: dtypes[workingOf(dtype).dtype].itemsize }, bufferOf(x, dtype)],
    sizes: [count * groups, groups, panels, lines, depth, x.row, x.column, first],
    modes: [batch],
    units: count * groups,
    unitSize: group * width * depth,
  });
}
