/**
 * Parts that attention and its gradient share: operands with common axes, the scores of some queries, and the division into tiles. Only
 * one tile of the scores exists at any time, a few megabytes for any lengths. With a causal mask, keys after the last query of a tile are
 * skipped.
 */
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { arange, lowerIntegers } from "../../tensor/create/ranges.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { matmul } from "../contract/matmul.ts";
import { map } from "../elementwise/map.ts";
import { lowerOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { expand, narrow, select, transpose, unflatten, unsqueeze } from "../views.ts";
import type { Maybe, Part } from "./composite-types.ts";
import { type Softmax, softmaxOf } from "./softmax-form.ts";

/** The number of scores in a tile. */
const tileScores = 2 ** 19;
/** The smallest number of rows in a tile, so that the matrix products are not too small. */
const minRows = 16;

export interface AttentionOptions extends OutOption {
  /** True where a query may attend to a key (the opposite of MultiheadAttention), or numbers that are added to the scores. */
  readonly attnMask?: Maybe;
  /** The dropout probability of the weights. Default: 0. */
  readonly dropoutP?: number | undefined;
  /** Query i attends to keys 0 to i only. Default: false. */
  readonly isCausal?: boolean | undefined;
  /** The factor of the scores. Default: `1 / sqrt(query.shape.at(-1))`. */
  readonly scale?: number | undefined;
  /** Keys and values may have fewer heads than queries; each serves several query heads. Default: false. */
  readonly enableGqa?: boolean | undefined;
}

export const scaled = /* @__PURE__ */ map<Part>("scaled(x, factor)", "x * factor");
const masked = /* @__PURE__ */ map<Part>("masked(x, mask)", ({ mask }) =>
  (mask as Tensor).dtype === "bool" ? "mask ? x : like(-inf, x)" : "like(x + mask, x)",
);
const upTo = /* @__PURE__ */ map<Part>("upTo(x, row, column)", "column > row ? like(-inf, x) : x");
/** Returns softmax along an axis, with zeros where all elements are -Infinity. */
export const safeSoftmax: Softmax = /* @__PURE__ */ softmaxOf<Softmax>("safeSoftmax", "safe");

/** Returns the factor of the scores. */
export const factorOf = (query: Tensor, { scale }: AttentionOptions): number =>
  scale ?? 1 / Math.sqrt(sizeAt(query, query.rank - 1));

export const transposed = (t: Tensor): Tensor => transpose(t, -2, -1);

/** Queries, keys, values and results with the same leading axes, and their shapes before they were expanded. */
export interface Operands {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
  readonly o: Tensor;
  readonly mask: Maybe;
  readonly shapes: readonly (readonly number[])[];
}

/** Brings heads, batch and mask to common axes; `result` is the result of the call, or a tensor of its shape. */
export function arrange(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  result: Tensor,
  { attnMask, enableGqa = false }: AttentionOptions,
): Operands {
  let [q, k, v, o, mask] = [query, key, value, result, attnMask];
  if (enableGqa && sizeAt(q, q.rank - 3) !== sizeAt(k, k.rank - 3)) {
    const own = sizeAt(k, k.rank - 3);
    const heads = sizeAt(q, q.rank - 3);
    const split = (t: Tensor): Tensor => unflatten(t, -3, [own, heads / own]);
    [q, o] = [split(q), split(o)];
    [k, v] = [unsqueeze(k, -3), unsqueeze(v, -3)];
    if (mask && mask.rank > 2) mask = sizeAt(mask, mask.rank - 3) === heads ? split(mask) : unsqueeze(mask, -3);
  }
  const batch = sizesOf(o).slice(0, -2);
  const whole = (t: Tensor): Tensor => expand(t, [...batch, ...sizesOf(t).slice(-2)]);
  const shapes = [q, k, v, ...(mask ? [mask] : [])].map(sizesOf);
  if (mask) mask = expand(mask, [...batch, sizeAt(q, q.rank - 2), sizeAt(k, k.rank - 2)]);
  return { q: whole(q), k: whole(k), v: whole(v), o, mask, shapes };
}

/** Returns the number of keys that the queries before `query` attend to. */
export const keysBefore = ({ k }: Operands, isCausal: boolean, query: number): number => {
  const keys = sizeAt(k, k.rank - 2);
  return isCausal ? Math.min(keys, query) : keys;
};

/** Returns the weights of the first `keys` keys for `count` queries from `first` on. */
export function weightsOf(
  { q, k, mask }: Operands,
  isCausal: boolean,
  first: number,
  count: number,
  keys: number,
): Tensor {
  let scores = matmul(narrow(q, -2, first, count), narrow(transposed(k), -1, 0, keys)) as Tensor;
  if (isCausal) {
    const row = unsqueeze(arange(first, first + count, 1, { dtype: "int32" }), 1);
    scores = upTo(scores, row, arange(0, keys, 1, { dtype: "int32" }));
  }
  if (mask) scores = masked(scores, narrow(narrow(mask, -2, first, count), -1, 0, keys));
  return safeSoftmax(scores, -1) as Tensor;
}

/** Adds the steps that compute the same weights in the workspace. */
export function lowerWeights(
  builder: ProgramBuilder,
  { q, k, mask }: Operands,
  isCausal: boolean,
  first: number,
  count: number,
  keys: number,
): Tensor {
  const out = lowerOp(builder, matmul, narrow(q, -2, first, count), narrow(transposed(k), -1, 0, keys));
  if (isCausal) {
    const numbers = lowerIntegers(builder, Math.max(first + count, keys));
    const row = unsqueeze(narrow(numbers, 0, first, count), 1);
    lowerOp(builder, upTo, out, row, narrow(numbers, 0, 0, keys), { out });
  }
  if (mask) lowerOp(builder, masked, out, narrow(narrow(mask, -2, first, count), -1, 0, keys), { out });
  return lowerOp(builder, safeSoftmax, out, -1);
}

/** Calls `work` with tiles of queries, each with a workspace of its own; operands are split along their leading axes while a tile is too large. */
export function inTiles<T extends Operands>(
  builder: ProgramBuilder,
  operands: T,
  cut: (operands: T, each: (t: Tensor) => Tensor) => T,
  work: (operands: T, first: number, count: number) => void,
): void {
  const { q, k } = operands;
  const sizes = sizesOf(q);
  const [rows, keys] = [sizeAt(q, q.rank - 2), sizeAt(k, k.rank - 2)];
  const heads = sizes.slice(0, -2).reduce((count, size) => count * size, 1);
  if (heads > 1 && heads * minRows * keys > tileScores) {
    for (let at = 0; at < sizes[0]; at++)
      inTiles(
        builder,
        cut(operands, (t) => select(t, 0, at)),
        cut,
        work,
      );
    return;
  }
  const block = Math.max(minRows, Math.floor(tileScores / Math.max(1, heads * keys)));
  for (let first = 0; first < rows; first += block)
    builder.workspace(0, () => work(operands, first, Math.min(block, rows - first)));
}

/** Applies `each` to all operands, to select one index of the first axis. */
export const cutOperands = (operands: Operands, each: (t: Tensor) => Tensor): Operands => {
  const { q, k, v, o, mask } = operands;
  return { ...operands, q: each(q), k: each(k), v: each(v), o: each(o), mask: mask && each(mask) };
};
