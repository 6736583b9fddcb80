/** Attention, MultiHeadAttention and QAttention of com.microsoft: masks of all shapes, packed operands, and caches of keys and values. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { integerProduct } from "./integer-products.ts";

/** [batch, length, heads * size] as [batch, heads, length, size]. */
export const splitHeads = (x: sw.Tensor, heads: number): sw.Tensor =>
  x.reshape([x.shape[0], x.shape[1], heads, -1]).transpose(1, 2);

/** [batch, heads, length, size] as [batch, length, heads * size]. */
export const mergeHeads = (x: sw.Tensor): sw.Tensor => x.transpose(1, 2).reshape([x.shape[0], x.shape[2], -1]);

const indicesTo = (count: number): sw.Tensor => sw.arange(0, count, 1, { dtype: "int32" });

/**
 * Returns where a mask allows attention, in a shape that broadcasts with the scores [batch, heads, queries, keys].
 *
 * One axis holds lengths of the keys: [batch], with the first keys after them [2 batch], or with cumulated lengths [3 batch + 2]. More axes hold one
 * element for each key: [batch, keys], [batch, queries, keys], or for the longest sequence [batch, 1, longest, longest].
 */
function allowed(call: Call, mask: sw.Tensor, batch: number, queries: number, keys: number): sw.Tensor {
  if (mask.rank === 1 && [batch, 2 * batch, 3 * batch + 2].includes(mask.size)) {
    const bounds = (from: number): sw.Tensor => mask.narrow(0, from, batch).reshape([batch, 1, 1, 1]);
    const positions = indicesTo(keys);
    const beforeEnd = sw.lt(positions, bounds(0));
    return mask.size === 2 * batch ? sw.logicalAnd(beforeEnd, sw.ge(positions, bounds(batch))) : beforeEnd;
  }
  const isOn = sw.ne(mask, 0);
  if (mask.rank === 2) return isOn.unsqueeze(1).unsqueeze(1);
  if (mask.rank === 3) return isOn.unsqueeze(1);
  if (mask.rank === 4) return isOn.narrow(2, keys - queries, queries).narrow(3, 0, keys);
  throw call.error(`a mask of the shape [${mask.shape.join(", ")}] does not fit a batch of ${batch} and ${keys} keys`);
}

export interface AttentionParts {
  /** [batch, heads, queries, size]; keys and values alike. */
  readonly query: sw.Tensor;
  readonly key: sw.Tensor;
  readonly value: sw.Tensor;
  readonly mask: sw.Tensor | null;
  /** Is added to the scores. */
  readonly bias: sw.Tensor | null;
}

/** Returns the mask that is added to the scores; null if there is none. */
function addedToScores(call: Call, { query, key, mask, bias }: AttentionParts): sw.Tensor | null {
  const [queries, keys] = [query.shape[2], key.shape[2]];
  const dtype = query.dtype as sw.DType;
  const terms: sw.Tensor[] = bias === null ? [] : [bias];
  if (mask !== null) {
    const filter = call.float("mask_filter_value", -10000);
    terms.push(sw.where(allowed(call, mask, query.shape[0], queries, keys), 0, filter).to(dtype));
  }
  if (call.int("unidirectional", 0) !== 0) {
    const last = indicesTo(queries)
      .add(keys - queries)
      .unsqueeze(1);
    terms.push(sw.where(sw.le(indicesTo(keys), last), 0, Number.NEGATIVE_INFINITY).to(dtype));
  }
  return terms.length === 0 ? null : terms.reduce((a, b) => sw.add(a, b));
}

/** Attends, and merges the heads. */
function attended(call: Call, parts: AttentionParts): sw.Tensor {
  const scale = call.float("scale", 0) || undefined;
  const attnMask = addedToScores(call, parts);
  return mergeHeads(
    sw.scaledDotProductAttention(parts.query, parts.key, parts.value, {
      ...(attnMask === null ? {} : { attnMask }),
      ...(scale === undefined ? {} : { scale }),
    }),
  );
}

/** The scores of queries and keys before softmax. */
function scoresOf(call: Call, parts: AttentionParts): sw.Tensor {
  const scale = call.float("scale", 0) || 1 / Math.sqrt(parts.query.shape[3]);
  const scores = sw.matmul(parts.query, parts.key.transpose(2, 3)).mul(scale);
  const added = addedToScores(call, parts);
  return added === null ? scores : sw.add(scores, added);
}

/** The location of the keys and values of a sequence in a cache. */
interface Cache {
  /** The number of elements of a shared buffer, which new ones are written after; null if the cache has no others. */
  readonly length: number | null;
  /** The beam that each element belongs to, [batch / beams, beams, elements]; null if all belong to their own. */
  readonly beams: sw.Tensor | null;
}

/** The elements of a cache [batch, heads, length, size] that a search by beams selects. */
function ofBeams(past: sw.Tensor, beams: sw.Tensor): sw.Tensor {
  const [batch, heads, length, size] = past.shape;
  const width = beams.shape[1];
  const first = sw.mul(sw.floorDivide(indicesTo(batch), width), width).unsqueeze(1);
  const index = sw.add(beams.reshape([batch, -1]).narrow(1, 0, length).to("int32"), first);
  return sw.gather(past, 0, index.reshape([batch, 1, length, 1]).expand([batch, heads, length, size]));
}

/** Puts keys or values after those of a cache. */
function extended(
  past: sw.Tensor | null,
  x: sw.Tensor,
  { length, beams }: Cache,
): [all: sw.Tensor, present: sw.Tensor] {
  if (past === null) return [x, x];
  const known = length === null ? past : past.narrow(2, 0, length);
  const present = sw.cat([known, x], 2);
  const all = beams === null ? present : sw.cat([ofBeams(known, beams), x], 2);
  if (length === null) return [all, present];
  const end = present.shape[2];
  return [all, sw.cat([present, past.narrow(2, end, past.shape[2] - end)], 2)];
}

/** Attention of queries, keys and values that were projected together: [batch, length, hidden + hidden + hidden of values]. */
function projectedAttention(
  call: Call,
  projected: sw.Tensor,
  inputs: { readonly mask: number; readonly past: number; readonly bias?: number; readonly length?: number },
): readonly OnnxValue[] {
  if (call.int("do_rotary", 0) !== 0) throw call.error("do_rotary is not supported. Use RotaryEmbedding");
  const heads = call.int("num_heads");
  const third = Math.floor(projected.shape[2] / 3);
  const sizes = call.ints("qkv_hidden_sizes", [third, third, third]);
  if (sizes.length !== 3 || sizes[0] + sizes[1] + sizes[2] !== projected.shape[2])
    throw call.error(`qkv_hidden_sizes [${sizes.join(", ")}] must be three sizes whose sum is ${projected.shape[2]}`);
  const part = (k: number): sw.Tensor =>
    splitHeads(
      projected.narrow(
        2,
        sizes.slice(0, k).reduce((a, b) => a + b, 0),
        sizes[k],
      ),
      heads,
    );
  const past = call.optionalTensor(inputs.past);
  const isShared = call.int("past_present_share_buffer", 0) !== 0 && inputs.length !== undefined;
  const cache = { length: isShared && past !== null ? call.number(inputs.length as number) : null, beams: null };
  const [key, presentKey] = extended(past?.select(0, 0) ?? null, part(1), cache);
  const [value, presentValue] = extended(past?.select(0, 1) ?? null, part(2), cache);
  const parts = {
    query: part(0),
    key,
    value,
    mask: call.optionalTensor(inputs.mask),
    bias: inputs.bias === undefined ? null : call.optionalTensor(inputs.bias),
  };
  return [attended(call, parts), call.wants(1) ? sw.stack([presentKey, presentValue], 0) : null];
}

function attention(call: Call): readonly OnnxValue[] {
  const projected = sw.matmul(call.tensor(0), call.tensor(1));
  const withBias = call.has(2) ? sw.add(projected, call.tensor(2)) : projected;
  return projectedAttention(call, withBias, { mask: 3, past: 4, bias: 5, length: 6 });
}

function quantizedAttention(call: Call): readonly OnnxValue[] {
  const sums = integerProduct(call.tensor(0), call.tensor(1), call.optionalTensor(6), call.optionalTensor(7));
  const projected = sw.mul(sums.to("float32"), sw.mul(call.tensor(3), call.tensor(4)).to("float32"));
  return projectedAttention(call, sw.add(projected.to(call.tensor(2).dtype as sw.DType), call.tensor(2)), {
    mask: 5,
    past: 8,
  });
}

/** The inputs of an operator with queries, keys and values as inputs 0 to 2. */
interface Inputs {
  readonly bias: number;
  readonly mask: number;
  readonly scores: number;
  /** The keys and the values of a cache. */
  readonly past: readonly [keys: number, values: number];
  readonly length: number;
  readonly beams: number;
}

/** The queries, keys and values as [batch, heads, length, size], with their biases. */
function operands(call: Call, heads: number, k: number): [query: sw.Tensor, key: sw.Tensor, value: sw.Tensor] {
  const query = call.tensor(0);
  const bias = call.optionalTensor(k);
  /** Adds a part of the bias to [batch, length, heads * size]. */
  const biased = (x: sw.Tensor, from: number): sw.Tensor =>
    splitHeads(bias === null ? x : sw.add(x, bias.narrow(0, from, x.shape[2])), heads);
  const flat = (x: sw.Tensor): sw.Tensor => x.reshape([x.shape[0], x.shape[1], -1]);
  if (query.rank === 5) {
    const hidden = heads * query.shape[4];
    const part = (k: number): sw.Tensor => biased(flat(query.select(3, k)), k * hidden);
    return [part(0), part(1), part(2)];
  }
  if (!call.has(1)) {
    const hidden = query.shape[2] / 3;
    const part = (k: number): sw.Tensor => biased(query.narrow(2, k * hidden, hidden), k * hidden);
    return [part(0), part(1), part(2)];
  }
  const hidden = query.shape[2];
  const key = call.tensor(1);
  if (key.rank === 5) {
    const part = (k: number): sw.Tensor => biased(flat(key.select(3, k)), (k + 1) * hidden);
    return [biased(query, 0), part(0), part(1)];
  }
  const value = call.tensor(2);
  // Keys and values of cross attention may come from a cache, projected and split already.
  if (key.rank === 4) return [biased(query, 0), key, value];
  return [biased(query, 0), biased(key, hidden), biased(value, 2 * hidden)];
}

const multiHeadAttention =
  (inputs: Inputs) =>
  (call: Call): readonly OnnxValue[] => {
    const [query, newKey, newValue] = operands(call, call.int("num_heads"), inputs.bias);
    const [pastKey, pastValue] = inputs.past.map((k) => call.optionalTensor(k));
    const cache = { length: call.optionalNumber(inputs.length, null), beams: call.optionalTensor(inputs.beams) };
    const [key, presentKey] = extended(pastKey, newKey, cache);
    const [value, presentValue] = extended(pastValue, newValue, cache);
    const [mask, bias] = [call.optionalTensor(inputs.mask), call.optionalTensor(inputs.scores)];
    const parts = { query, key, value, mask, bias };
    return [attended(call, parts), presentKey, presentValue, call.wants(3) ? scoresOf(call, parts) : null];
  };

export const attentionBlocks: OperatorTable = {
  Attention: attention,
  MultiHeadAttention: multiHeadAttention({ bias: 3, mask: 4, scores: 5, past: [6, 7], length: 8, beams: 9 }),
  DecoderMaskedMultiHeadAttention: multiHeadAttention({
    mask: 3,
    scores: 4,
    past: [5, 6],
    length: 7,
    beams: 9,
    bias: 10,
  }),
  QAttention: quantizedAttention,
};
