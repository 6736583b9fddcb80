/**
 * Scaled dot product attention, for some rows of queries at a time: their scores against all keys, the softmax of those, and the product
 * with the values. `attention-parts.ts` divides the work into tiles.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import type { Int } from "../../layout/int.ts";
import { DTypeError, dtypes, isFloatDType } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll, lowerReshape, scratchTensor } from "../../tensor/lowering.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { tryView } from "../../tensor/views/views-shape.ts";
import { matmul } from "../contract/matmul.ts";
import { add } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp, fresh, lowerOp, structuredOp } from "../op.ts";
import { broadcastSizes, mayEqual, shapeOf, show } from "../shape-rules.ts";
import { lowerSumTo, sumTo } from "../sum-to.ts";
import { copy_, narrow, reshape, to } from "../views.ts";
import {
  type AttentionOptions,
  arrange,
  cutOperands,
  factorOf,
  inTiles,
  keysBefore,
  lowerWeights,
  type Operands,
  scaled,
  transposed,
  weightsOf,
} from "./attention-parts.ts";
import type { Maybe } from "./composite-types.ts";
import { dropout } from "./dropout.ts";
import { checkFloat, composedForGradients } from "./rows.ts";
import { softmaxBackward } from "./softmax-form.ts";

// The gradient of attention. Weights are recomputed tile by tile, so that the backward pass needs no more memory than the forward pass.
// With weights P and the gradient g of the result, the gradient of the values is P' g. With the gradient S of the scores, which is that of
// softmax from g V', the gradient of the queries is S K and that of the keys S' Q.

/** The options that both passes need. */
interface Settings extends Pick<AttentionOptions, "isCausal" | "scale" | "enableGqa"> {
  /** Computes the gradient of the mask, too. */
  readonly needsMask?: boolean;
}
type BackwardArguments = [g: Tensor, query: Tensor, key: Tensor, value: Tensor, mask: Maybe, settings: Settings];
interface AttentionBackward extends OpFunction {
  (...args: BackwardArguments): readonly Tensor[];
}

const who = "scaledDotProductAttention";

const product = (a: Tensor, b: Tensor): Tensor => matmul(a, b);

/** Operands with accumulators for the gradients of queries, keys, values and, if requested, scores. */
interface WithSums extends Operands {
  readonly sums: readonly Tensor[];
}

/** Adds the steps that add the contributions of some queries to all gradients; `o` is the gradient of the result. */
function lowerTile(
  builder: ProgramBuilder,
  { sums, ...operands }: WithSums,
  isCausal: boolean,
  first: number,
  count: number,
): void {
  const { q, k, v, o } = operands;
  const keyCount = keysBefore(operands, isCausal, first + count);
  const weights = lowerWeights(builder, operands, isCausal, first, count, keyCount);
  const rows = (t: Tensor): Tensor => narrow(t, -2, first, count);
  const keys = (t: Tensor): Tensor => narrow(t, -2, 0, keyCount);
  const [toQ, toK, toV, toScores] = sums as [Tensor, Tensor, Tensor, Tensor?];
  const addTo = (total: Tensor, a: Tensor, b: Tensor): void => {
    if (count === sizeAt(q, q.rank - 2) && keyCount === sizeAt(k, k.rank - 2))
      lowerOp(builder, matmul, a, b, { out: total });
    else lowerOp(builder, add, keys(total), lowerOp(builder, matmul, a, b), { out: keys(total) });
  };
  addTo(toV, transposed(weights), rows(o));
  const products = lowerOp(builder, matmul, rows(o), transposed(keys(v)));
  const scores = lowerOp(builder, softmaxBackward, products, weights, weights.rank - 1, false);
  lowerOp(builder, matmul, scores, keys(k), { out: rows(toQ) });
  addTo(toK, transposed(scores), rows(q));
  if (toScores) lowerCopyAll(builder, scores, narrow(rows(toScores), -1, 0, keyCount), who);
}

/** The gradients of queries, keys, values, and of the mask if requested. */
const attentionBackward: AttentionBackward = /* @__PURE__ */ composedForGradients(
  /* @__PURE__ */ structuredOp<AttentionBackward, BackwardArguments>(
    "attentionBackward(g: Tensor, query: Tensor, key: Tensor, value: Tensor, ...; isCausal, scale, enableGqa, needsMask)",
    "composite",
    {
      batch: "last 2",
      infer: (_, query, key, value, mask, { needsMask }) =>
        [query, key, value, ...(needsMask && mask ? [mask] : [])].map((t) => ({
          dtype: t.dtype,
          shape: shapeOf(t),
        })),
      lower(builder, results, g, query, key, value, attnMask, settings) {
        const factor = factorOf(query, settings);
        const operands = arrange(lowerOp(builder, scaled, query, factor), key, value, g, { ...settings, attnMask });
        const { q, k, v, mask, shapes } = operands;
        const sums = [q, k, v, ...(results.length > 3 && mask ? [mask] : [])].map((t, at) => {
          const sizes = sizesOf(t);
          const isWhole = String(sizes) === String(shapes[at]) && results[at].dtype === q.dtype;
          const total = (isWhole ? tryView(results[at], who, sizes) : null) ?? scratchTensor(builder, q.dtype, sizes);
          lowerFillAll(builder, total, 0, who);
          return total;
        });
        inTiles(
          builder,
          { ...operands, sums },
          (all, each) => ({ ...cutOperands(all, each), sums: all.sums.map(each) }),
          (all, first, count) => lowerTile(builder, all, settings.isCausal === true, first, count),
        );
        lowerOp(builder, scaled, sums[0], factor, { out: sums[0] });
        results.forEach((result, at) => {
          if (sums[at].source === result.source) return;
          const total = lowerSumTo(builder, sums[at], shapes[at] as number[]);
          lowerCopyAll(builder, lowerReshape(builder, total, sizesOf(result), who), result, who);
        });
      },
    },
  ),
  (...[g, query, key, value, attnMask, settings]: BackwardArguments) => {
    const factor = factorOf(query, settings);
    const operands = arrange(scaled(query, factor), key, value, g, { ...settings, attnMask });
    const { q, k, v, o, shapes } = operands;
    const weights = weightsOf(operands, settings.isCausal === true, 0, sizeAt(q, q.rank - 2), sizeAt(k, k.rank - 2));
    const scores = softmaxBackward(product(o, transposed(v)), weights, weights.rank - 1, false);
    const all = [
      scaled(product(scores, k), factor),
      product(transposed(scores), q),
      product(transposed(weights), o),
      scores,
    ];
    const inputs = [query, key, value, ...(settings.needsMask && attnMask ? [attnMask] : [])];
    return inputs.map((t, at) => to(reshape(sumTo(all[at], shapes[at] as number[]), sizesOf(t)), t.dtype));
  },
);

const attentionGradient: GradientRule = (call) => {
  const [query, key, value, attnMask, settings] = call.args as AttendArguments;
  const saved = [query, key, value].map((t) => call.save(t)) as [() => Tensor, () => Tensor, () => Tensor];
  const mask = attnMask ? call.save(attnMask) : null;
  const needsMask = call.needs(attnMask);
  return ([g]) => {
    const own = { ...settings, needsMask };
    return attentionBackward(g, saved[0](), saved[1](), saved[2](), mask?.() ?? null, own);
  };
};

export { type AttentionOptions, safeSoftmax } from "./attention-parts.ts";

interface Attention extends OpFunction {
  <Q extends Tensor>(query: Q, key: Tensor, value: Tensor, options?: AttentionOptions): Tensor<Q["shape"], Q["dtype"]>;
}

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
    throw new StridewiseError(`${who}: attnMask and isCausal are mutually exclusive. Pass one of them`);
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

type AttendArguments = [query: Tensor, key: Tensor, value: Tensor, mask: Maybe, settings: Settings];
interface Attend extends OpFunction {
  (...args: AttendArguments): Tensor;
}

/** Attention in tiles. */
const attend: Attend = /* @__PURE__ */ structuredOp<Attend, AttendArguments>(
  "attend(query: Tensor, key: Tensor, value: Tensor, ...; isCausal, scale, enableGqa)",
  "composite",
  {
    batch: "attention",
    infer: (query, key, value, attnMask, settings) => infer(query, key, value, { ...settings, attnMask }),
    lower(builder, [out], query, key, value, attnMask, settings) {
      const { isCausal = false } = settings;
      const q = lowerOp(builder, scaled, query, factorOf(query, settings));
      const operands = arrange(q, key, value, out, { ...settings, attnMask });
      inTiles(builder, operands, cutOperands, (all, first, count) => {
        const keys = keysBefore(all, isCausal, first + count);
        const weights = lowerWeights(builder, all, isCausal, first, count, keys);
        lowerOp(builder, matmul, weights, narrow(all.v, -2, 0, keys), { out: narrow(all.o, -2, first, count) });
      });
    },
    gradient: attentionGradient,
  },
);

/** Returns scaled dot product attention, softmax(query @ key.mT * scale) @ value. In a bool attnMask, true allows attention (the opposite of MultiheadAttention); numbers are added to the scores. */
export const scaledDotProductAttention: Attention = /* @__PURE__ */ compositeOp(
  "scaledDotProductAttention(query: Tensor, key: Tensor, value: Tensor; attnMask: Tensor, dropoutP, isCausal, scale, enableGqa, out)",
  (query: Tensor, key: Tensor, value: Tensor, options: AttentionOptions = {}) => {
    const { dropoutP = 0, isCausal = false, scale, enableGqa, attnMask, out } = options;
    const own = query.dtype;
    // Scores may exceed the largest half-precision number, so they are computed in float32.
    if (dtypes[own]?.itemsize === 2 && key.dtype === own && value.dtype === own) {
      const wide = (t: Tensor): Tensor => to(t, "float32");
      return to(scaledDotProductAttention(wide(query), wide(key), wide(value), options), own);
    }
    if (dropoutP === 0) {
      const settings = { isCausal, scale, enableGqa, ...(out === undefined ? {} : { out }) };
      return attend(query, key, value, attnMask ?? null, settings);
    }
    // Dropped weights cannot be recomputed, so all weights are kept.
    const { dtype, shape } = infer(query, key, value, options);
    const like = fresh(dtype, shape);
    const operands = arrange(scaled(query, factorOf(query, options)), key, value, like, options);
    const { q, k, v } = operands;
    const weights = weightsOf(operands, isCausal, 0, sizeAt(q, q.rank - 2), sizeAt(k, k.rank - 2));
    const result = reshape(matmul(dropout(weights, dropoutP), v), like.shape as number[]);
    return out ? copy_(out, result) : result;
  },
);
