/**
 * Scaled dot product attention, some rows of queries at a time: their scores against all keys, the softmax of those, and the product with
 * the values. Only a tile of the scores exists at any time, a few megabytes, whatever the lengths are. With a causal mask, keys
 * behind the last query of a tile are left out.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import type { Int } from "../../layout/int.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { arange } from "../../tensor/create/ranges.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { scope } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { matmul } from "../contract/matmul.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { broadcastSizes, mayEqual, shapeOf, show } from "../shape-rules.ts";
import { expand, narrow, select, transpose, unflatten, unsqueeze } from "../views.ts";
import type { Maybe, Part } from "./composite-types.ts";
import { dropout } from "./dropout.ts";
import { checkFloat } from "./rows.ts";
import { type Softmax, softmaxOf } from "./softmax-form.ts";

/** Scores of one tile. */
const tileScores = 2 ** 19;
/** Rows of a tile, at least, so that a product is worth its start. */
const fewestRows = 16;

export interface AttentionOptions extends OutOption {
  /** True where a query may see a key; or numbers that are added to the scores. */
  readonly attnMask?: Maybe;
  /** The probability with which weights are dropped. */
  readonly dropoutP?: number | undefined;
  /** Query i sees keys 0 to i only. */
  readonly isCausal?: boolean | undefined;
  /** The factor of the scores: 1 / sqrt(size of a key) unless given. */
  readonly scale?: number | undefined;
  /** Keys and values may have fewer heads, each of which serves several of the queries'. */
  readonly enableGqa?: boolean | undefined;
}
type Arguments = [query: Tensor, key: Tensor, value: Tensor, options?: AttentionOptions];
interface Attention extends OpFunction {
  <Q extends Tensor>(
    query: Q,
    key: Tensor,
    value: Tensor,
    options?: AttentionOptions,
  ): Tensor<Q["shape"], Q["dtype"], "none">;
}

const who = "scaledDotProductAttention";
const scaled = /* @__PURE__ */ map<Part>("scaled(x, factor)", "x * factor");
const masked = /* @__PURE__ */ map<Part>("masked(x, mask)", ({ mask }) =>
  (mask as Tensor).dtype === "bool" ? "mask ? x : like(-inf, x)" : "like(x + mask, x)",
);
const upTo = /* @__PURE__ */ map<Part>("upTo(x, row, column)", "column > row ? like(-inf, x) : x");
/** softmax along an axis, with zeros where all elements are -infinity. */
export const safeSoftmax: Softmax = /* @__PURE__ */ softmaxOf<Softmax>("safeSoftmax", "safe");

/** Refuses heads of queries that those of keys and values do not divide. */
function checkHeads(...tensors: readonly Tensor[]): void {
  const [heads, own, others] = tensors.map((t) => (t.rank < 3 ? 0 : sizeAt(t, t.rank - 3))) as [number, number, number];
  if (own === others && own > 0 && heads % own === 0) return;
  throw new ShapeError(
    `${who}: Number of heads in key and value must divide the number of heads in query, got ${own}, ${others} and ${heads}`,
  );
}

function infer(query: Tensor, key: Tensor, value: Tensor, { attnMask, isCausal, enableGqa }: AttentionOptions = {}) {
  for (const t of [query, key, value]) {
    checkTensor(who, t);
    if (t.rank < 2)
      throw new ShapeError(
        `${who}: Expected query, key, and value to all be at least 2 dimensional, but got ${query.rank}, ${key.rank} and ${value.rank}`,
      );
    if (t.dtype !== query.dtype)
      throw new DTypeError(
        `${who}: Expected query, key, and value to have the same dtype, but got ${query.dtype}, ${key.dtype} and ${value.dtype}`,
      );
  }
  if (attnMask && isCausal === true)
    throw new StridewiseError(`${who}: Explicit attn_mask should not be set when is_causal=True. Give one of them`);
  const [q, k, v] = [query, key, value].map(shapeOf) as [readonly Int[], readonly Int[], readonly Int[]];
  const at = (shape: readonly Int[], axis: number): Int => shape[shape.length + axis] as Int;
  if (!mayEqual(at(q, -1), at(k, -1)) || !mayEqual(at(k, -2), at(v, -2)))
    throw new ShapeError(
      `${who}: a query [*, L, E] needs keys [*, S, E] and values [*, S, Ev], got ${show(q)}, ${show(k)} and ${show(v)}`,
    );
  const heads = enableGqa === true ? 3 : 2;
  if (enableGqa === true) checkHeads(query, key, value);
  const batch = broadcastSizes(who, broadcastSizes(who, q.slice(0, -heads), k.slice(0, -heads)), v.slice(0, -heads));
  return {
    dtype: checkFloat(who, query.dtype),
    shape: [...batch, ...q.slice(q.length - heads, -1), at(v, -1)],
  };
}

/** What does not change from tile to tile. */
interface Tiles {
  readonly mask: Maybe;
  readonly isCausal: boolean;
  readonly dropoutP: number;
}

/** Fills `out` from operands whose first axes are the same; tiles are cut from axes in front as long as one is too large. */
function attend(out: Tensor, query: Tensor, key: Tensor, value: Tensor, tiles: Tiles): void {
  const sizes = sizesOf(query);
  const rows = sizeAt(query, query.rank - 2);
  const keys = sizeAt(key, key.rank - 2);
  const heads = sizes.slice(0, -2).reduce((count, size) => count * size, 1);
  if (heads > 1 && heads * fewestRows * keys > tileScores) {
    for (let k = 0; k < (sizes[0] as number); k++) {
      const [o, q, one, other] = [out, query, key, value].map((t) => select(t, 0, k)) as [
        Tensor,
        Tensor,
        Tensor,
        Tensor,
      ];
      attend(o, q, one, other, { ...tiles, mask: tiles.mask && select(tiles.mask, 0, k) });
    }
    return;
  }
  const block = Math.max(fewestRows, Math.floor(tileScores / Math.max(1, heads * keys)));
  const turned = transpose(key, -2, -1) as Tensor;
  for (let first = 0; first < rows; first += block)
    scope(() => fillTile(out, query, turned, value, first, Math.min(block, rows - first), tiles));
}

/** Fills `count` rows of the result. */
function fillTile(
  out: Tensor,
  query: Tensor,
  turned: Tensor,
  value: Tensor,
  first: number,
  count: number,
  { mask, isCausal, dropoutP }: Tiles,
): void {
  const keys = sizeAt(value, value.rank - 2);
  const seen = isCausal ? Math.min(keys, first + count) : keys;
  let scores = matmul(narrow(query, -2, first, count), narrow(turned, -1, 0, seen)) as Tensor;
  if (isCausal) {
    const row = unsqueeze(arange(first, first + count, 1, { dtype: "int32" }), 1);
    scores = upTo(scores, row, arange(0, seen, 1, { dtype: "int32" }));
  }
  if (mask) scores = masked(scores, narrow(mask, -2, first, count));
  let weights = safeSoftmax(scores, -1) as Tensor;
  if (dropoutP > 0) weights = dropout(weights, dropoutP) as Tensor;
  matmul(weights, narrow(value, -2, 0, seen), { out: narrow(out, -2, first, count) });
}

/** The heads, the batch and the mask brought to common axes, then all tiles. */
function fillAll(target: Tensor, query: Tensor, key: Tensor, value: Tensor, options: AttentionOptions): void {
  const { attnMask, dropoutP = 0, isCausal = false, scale, enableGqa = false } = options;
  const factor = scale ?? 1 / Math.sqrt(sizeAt(query, query.rank - 1));
  let [q, k, v, o] = [scaled(query, factor), key, value, target];
  let mask = attnMask;
  if (enableGqa && sizeAt(q, q.rank - 3) !== sizeAt(k, k.rank - 3)) {
    const own = sizeAt(k, k.rank - 3);
    const heads = sizeAt(q, q.rank - 3);
    const split = (t: Tensor): Tensor => unflatten(t, -3, [own, heads / own]);
    [q, o] = [split(q), split(target)];
    [k, v] = [unsqueeze(k, -3), unsqueeze(v, -3)];
    if (mask && mask.rank > 2) mask = sizeAt(mask, mask.rank - 3) === heads ? split(mask) : unsqueeze(mask, -3);
  }
  const batch = sizesOf(o).slice(0, -2);
  const whole = (t: Tensor): Tensor => expand(t, [...batch, ...sizesOf(t).slice(-2)]);
  const rows = sizeAt(q, q.rank - 2);
  if (mask) mask = expand(mask, [...batch, rows, sizeAt(k, k.rank - 2)]);
  attend(o, whole(q), whole(k), whole(v), { mask, isCausal, dropoutP });
}

/** softmax(query @ key.mT * scale) @ value: for each query the mean of the values, weighted by how well their keys fit. */
export const scaledDotProductAttention: Attention = /* @__PURE__ */ structuredOp<Attention, Arguments>(
  `${who}(query, key, value); 3 attnMask? dropoutP isCausal scale enableGqa`,
  "composite",
  {
    infer,
    fill([out], query, key, value, options = {}) {
      scope(() => fillAll(out as Tensor, query, key, value, options));
    },
  },
);
