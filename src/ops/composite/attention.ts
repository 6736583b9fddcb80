/**
 * Scaled dot product attention, for some rows of queries at a time: their scores against all keys, the softmax of those, and the product
 * with the values. `attention-parts.ts` divides the work into tiles.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import type { Int } from "../../layout/int.ts";
import { DTypeError, dtypes, isFloatDType } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { keyShift } from "../../tensor/dispatch/keys.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { callBits, type Tensor } from "../../tensor/tensor.ts";
import { matmul } from "../contract/matmul.ts";
import { add } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp, fresh, structuredOp } from "../op.ts";
import { broadcastSizes, mayEqual, shapeOf, show } from "../shape-rules.ts";
import { sumTo } from "../sum-to.ts";
import { copy_, fill_, narrow, reshape, to } from "../views.ts";
import {
  type AttentionOptions,
  arrange,
  cutOperands,
  factorOf,
  inTiles,
  keysBefore,
  type Operands,
  scaled,
  transposed,
  weightsOf,
} from "./attention-parts.ts";
import { dropout } from "./dropout.ts";
import { checkFloat, composedForGradients } from "./rows.ts";
import { softmaxBackward } from "./softmax-form.ts";

// The gradient of attention. Weights are recomputed tile by tile, so that the backward pass needs no more memory than the forward pass.
// With weights P and the gradient g of the result, the gradient of the values is P' g. With the gradient S of the scores, which is that of
// softmax from g V', the gradient of the queries is S K and that of the keys S' Q.

interface BackwardOptions extends AttentionOptions {
  /** Computes the gradient of the mask, too. */
  readonly needsMask: boolean;
}
type BackwardArguments = [g: Tensor, query: Tensor, key: Tensor, value: Tensor, options: BackwardOptions];
interface AttentionBackward extends OpFunction {
  (...args: BackwardArguments): readonly Tensor[];
}

const product = (a: Tensor, b: Tensor): Tensor => matmul(a, b);

/** Operands with accumulators for the gradients of queries, keys, values and, if requested, scores. */
interface WithSums extends Operands {
  readonly sums: readonly Tensor[];
}

/** Adds the contributions of some queries to all gradients; `o` is the gradient of the result. */
function addTile({ sums, ...operands }: WithSums, isCausal: boolean, first: number, count: number): void {
  const { q, k, v, o } = operands;
  const keyCount = keysBefore(operands, isCausal, first + count);
  const weights = weightsOf(operands, isCausal, first, count, keyCount);
  const rows = (t: Tensor): Tensor => narrow(t, -2, first, count);
  const keys = (t: Tensor): Tensor => narrow(t, -2, 0, keyCount);
  const [toQ, toK, toV, toScores] = sums as [Tensor, Tensor, Tensor, Tensor?];
  const addTo = (total: Tensor, a: Tensor, b: Tensor): void => {
    if (count === sizeAt(q, q.rank - 2) && keyCount === sizeAt(k, k.rank - 2)) matmul(a, b, { out: total });
    else add(keys(total), product(a, b), { out: keys(total) } as never);
  };
  addTo(toV, transposed(weights), rows(o));
  const scores = softmaxBackward(product(rows(o), transposed(keys(v))), weights, weights.rank - 1, false);
  matmul(scores, keys(k), { out: rows(toQ) });
  addTo(toK, transposed(scores), rows(q));
  if (toScores) copy_(narrow(rows(toScores), -1, 0, keyCount), scores);
}

/** The gradients of queries, keys, values, and of the mask if requested. */
const attentionBackward: AttentionBackward = /* @__PURE__ */ composedForGradients(
  /* @__PURE__ */ structuredOp<AttentionBackward, BackwardArguments>(
    "attentionBackward(g: Tensor, query: Tensor, key: Tensor, value: Tensor, ...; attnMask: Tensor, isCausal, scale, enableGqa, needsMask)",
    "composite",
    {
      batch: "last 2",
      infer: (_, query, key, value, { attnMask, needsMask }) =>
        [query, key, value, ...(needsMask && attnMask ? [attnMask] : [])].map((t) => ({
          dtype: t.dtype,
          shape: shapeOf(t),
        })),
      fill(results, g, query, key, value, options) {
        const factor = factorOf(query, options);
        const operands = arrange(scaled(query, factor), key, value, g, options);
        const { q, k, v, mask, shapes } = operands;
        const sums = [q, k, v, ...(results.length > 3 && mask ? [mask] : [])].map((t, at) => {
          const sizes = sizesOf(t);
          const result = results[at];
          const isWhole = String(sizes) === String(shapes[at]) && result.dtype === q.dtype;
          return fill_(isWhole ? reshape(result, sizes) : fresh(q.dtype, sizes), 0);
        });
        inTiles(
          { ...operands, sums },
          (all, each) => ({ ...cutOperands(all, each), sums: all.sums.map(each) }),
          (all, first, count) => addTile(all, options.isCausal === true, first, count),
        );
        scaled(sums[0], factor, { out: sums[0] });
        results.forEach((result, at) => {
          const total = sums[at];
          if (String(sizesOf(total)) !== String(shapes[at]) || total.dtype !== result.dtype)
            copy_(result, reshape(sumTo(total, shapes[at] as number[]), sizesOf(result)));
        });
      },
    },
  ),
  (...[g, query, key, value, options]: BackwardArguments) => {
    const factor = factorOf(query, options);
    const operands = arrange(scaled(query, factor), key, value, g, options);
    const { q, k, v, o, shapes } = operands;
    const weights = weightsOf(operands, options.isCausal === true, 0, sizeAt(q, q.rank - 2), sizeAt(k, k.rank - 2));
    const scores = softmaxBackward(product(o, transposed(v)), weights, weights.rank - 1, false);
    const all = [
      scaled(product(scores, k), factor),
      product(transposed(scores), q),
      product(transposed(weights), o),
      scores,
    ];
    const inputs = [query, key, value, ...(options.needsMask && options.attnMask ? [options.attnMask] : [])];
    return inputs.map((t, at) => to(reshape(sumTo(all[at], shapes[at] as number[]), sizesOf(t)), t.dtype));
  },
);

const attentionGradient: GradientRule = (call) => {
  const [query, key, value, options = {}] = call.args as [Tensor, Tensor, Tensor, AttentionOptions?];
  const { attnMask, isCausal, scale, enableGqa } = options;
  const kept = [query, key, value].map((t) => call.save(t)) as [() => Tensor, () => Tensor, () => Tensor];
  const mask = attnMask ? call.save(attnMask) : null;
  const needsMask = call.needs(attnMask);
  return ([g]) => {
    const [toQ, toK, toV, toMask] = attentionBackward(g, kept[0](), kept[1](), kept[2](), {
      attnMask: mask?.(),
      isCausal,
      scale,
      enableGqa,
      needsMask,
    });
    return [toQ, toK, toV, { attnMask: toMask }];
  };
};

export { type AttentionOptions, safeSoftmax } from "./attention-parts.ts";

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

/** Throws unless the heads of keys and values divide those of queries. */
function checkHeads(...tensors: readonly Tensor[]): void {
  const [heads, own, others] = tensors.map((t) => (t.rank < 3 ? 0 : sizeAt(t, t.rank - 3))) as [number, number, number];
  if (own === others && own > 0 && heads % own === 0) return;
  throw new ShapeError(
    `${who}: the heads of key and value must divide those of query, got ${own}, ${others} and ${heads}`,
  );
}

function infer(query: Tensor, key: Tensor, value: Tensor, { attnMask, isCausal, enableGqa }: AttentionOptions = {}) {
  for (const t of [query, key, value]) {
    checkTensor(who, t);
    if (t.rank < 2)
      throw new ShapeError(
        `${who}: query, key and value must have at least 2 axes, got ${query.rank}, ${key.rank} and ${value.rank}`,
      );
    if (t.dtype !== query.dtype)
      throw new DTypeError(
        `${who}: query, key and value must have the same dtype, got ${query.dtype}, ${key.dtype} and ${value.dtype}`,
      );
  }
  if (attnMask && attnMask.dtype !== "bool" && !isFloatDType(attnMask.dtype))
    throw new DTypeError(
      `${who}: attnMask must be bool or floats, got ${attnMask.dtype}. Write mask.to("bool") if it selects keys`,
    );
  if (attnMask && isCausal === true)
    throw new StridewiseError(`${who}: attnMask and isCausal exclude each other. Pass one of them`);
  const [q, k, v] = [query, key, value].map(shapeOf) as [readonly Int[], readonly Int[], readonly Int[]];
  const at = (shape: readonly Int[], axis: number): Int => shape[shape.length + axis];
  if (!mayEqual(at(q, -1), at(k, -1)) || !mayEqual(at(k, -2), at(v, -2)))
    throw new ShapeError(
      `${who}: query, key and value must be [*, L, E], [*, S, E] and [*, S, Ev], got ${show(q)}, ${show(k)} and ${show(v)}`,
    );
  const heads = enableGqa === true ? 3 : 2;
  if (enableGqa === true) checkHeads(query, key, value);
  const batch = broadcastSizes(who, broadcastSizes(who, q.slice(0, -heads), k.slice(0, -heads)), v.slice(0, -heads));
  return {
    dtype: checkFloat(who, query.dtype),
    shape: [...batch, ...q.slice(q.length - heads, -1), at(v, -1)],
  };
}

/** Attention in tiles; its gradient ignores dropout. */
const attend: Attention = /* @__PURE__ */ structuredOp<Attention, Arguments>(
  "attend(query: Tensor, key: Tensor, value: Tensor; attnMask: Tensor, dropoutP, isCausal, scale, enableGqa)",
  "composite",
  {
    batch: "attention",
    infer,
    fill([out], query, key, value, options = {}) {
      const { dropoutP = 0, isCausal = false } = options;
      const operands = arrange(scaled(query, factorOf(query, options)), key, value, out, options);
      inTiles(operands, cutOperands, (all, first, count) => {
        const keys = keysBefore(all, isCausal, first + count);
        let weights = weightsOf(all, isCausal, first, count, keys);
        if (dropoutP > 0) weights = dropout(weights, dropoutP);
        matmul(weights, narrow(all.v, -2, 0, keys), { out: narrow(all.o, -2, first, count) });
      });
    },
    gradient: attentionGradient,
  },
);

/** Returns scaled dot product attention, softmax(query @ key.mT * scale) @ value. In a bool attnMask, true allows attention (the opposite of MultiheadAttention); numbers are added to the scores. */
export const scaledDotProductAttention: Attention = /* @__PURE__ */ compositeOp(
  `${who}(query: Tensor, key: Tensor, value: Tensor; attnMask: Tensor, dropoutP, isCausal, scale, enableGqa, out)`,
  (query: Tensor, key: Tensor, value: Tensor, options: AttentionOptions = {}) => {
    const { dropoutP = 0, isCausal = false, attnMask } = options;
    const own = query.dtype;
    // Scores may exceed the largest half-precision number, so they are computed in float32.
    if (dtypes[own]?.itemsize === 2 && key.dtype === own && value.dtype === own) {
      const wide = (t: Tensor): Tensor => to(t, "float32");
      return to(scaledDotProductAttention(wide(query), wide(key), wide(value), options), own);
    }
    const isRecorded = [query, key, value, attnMask].some((t) => t && callBits(t) >>> keyShift !== 0);
    if (!(dropoutP > 0 && isRecorded)) return attend(query, key, value, options);
    // Dropped weights cannot be recomputed, so all weights are kept.
    const { dtype, shape } = infer(query, key, value, options);
    const like = fresh(dtype, shape);
    const operands = arrange(scaled(query, factorOf(query, options)), key, value, like, options);
    const { q, k, v } = operands;
    const weights = weightsOf(operands, isCausal, 0, sizeAt(q, q.rank - 2), sizeAt(k, k.rank - 2));
    return reshape(matmul(dropout(weights, dropoutP), v), like.shape as number[]);
  },
);
