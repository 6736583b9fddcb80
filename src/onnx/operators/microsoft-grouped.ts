/** GroupQueryAttention and rotary embeddings of com.microsoft. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { mergeHeads, splitHeads } from "./microsoft-attention.ts";

/** Returns the rows of a table of cosines or sines for positions [batch, length]. */
const rowsAt = (positions: sw.Tensor, table: sw.Tensor): sw.Tensor => sw.embedding(positions, table);

/**
 * Rotates pairs of elements of [batch, heads, length, size] by angles, whose cosines and sines are [batch, length, pairs]. Elements of further pairs
 * are unchanged.
 */
function rotated(x: sw.Tensor, cosines: sw.Tensor, sines: sw.Tensor, interleaved: boolean): sw.Tensor {
  const pairs = cosines.shape[2];
  const [c, s] = [cosines.unsqueeze(1), sines.unsqueeze(1)];
  const head: sw.Tensor = x.narrow(3, 0, 2 * pairs);
  const rest: sw.Tensor = x.narrow(3, 2 * pairs, x.shape[3] - 2 * pairs);
  const shape = head.shape.slice(0, 3);
  const split: sw.Tensor = interleaved ? head.reshape([...shape, pairs, 2]) : head.reshape([...shape, 2, pairs]);
  const [a, b] = [split.select(interleaved ? 4 : 3, 0), split.select(interleaved ? 4 : 3, 1)];
  const first = sw.sub(sw.mul(a, c), sw.mul(b, s));
  const second = sw.add(sw.mul(a, s), sw.mul(b, c));
  const turned = sw.stack([first, second], interleaved ? 4 : 3).reshape(head.shape);
  return rest.size === 0 ? turned : sw.cat([turned, rest], 3);
}

/** Rotates the heads of input 0. `rowsOf` returns the cosines or sines of a table for a number of elements. */
function embedRotary(call: Call, rowsOf: (table: sw.Tensor, length: number) => sw.Tensor): sw.Tensor {
  const [x, cosines, sines] = [call.tensor(0), call.tensor(2), call.tensor(3)];
  if (call.int("is_packed_batching", 0) !== 0) throw call.error("packed batches are not supported");
  const size = call.int("rotary_embedding_dim", 0) > 0 ? x.shape[2] / call.int("num_heads") : 2 * cosines.shape[1];
  const heads: sw.Tensor = x.rank === 4 ? x : splitHeads(x, x.shape[2] / size);
  const length = heads.shape[2];
  const isInterleaved = call.int("interleaved", 0) !== 0;
  const scale = call.float("scale", 1);
  const result = rotated(heads, rowsOf(cosines, length), rowsOf(sines, length), isInterleaved);
  const scaled = scale === 1 ? result : result.mul(scale);
  return x.rank === 4 ? scaled : mergeHeads(scaled);
}

function rotaryEmbedding(call: Call): sw.Tensor {
  const ids = call.tensor(1);
  // A single position is the position of the first element of every sequence.
  return embedRotary(call, (table, length) => rowsAt(ids.size === 1 ? indices(length, ids).unsqueeze(0) : ids, table));
}

/** Each pair has an angle of one of three positions [3, batch, length]: time, height and width. */
function rotaryByAxes(call: Call): sw.Tensor {
  const positions = call.tensor(1);
  const [time, height, width] = call.ints("mrope_section");
  const isInterleaved = call.int("mrope_layout", 0) !== 0;
  const kindOf = (pair: number): number => {
    if (!isInterleaved) return pair < time ? 0 : pair < time + height ? 1 : 2;
    const kind = pair % 3;
    return pair < 3 * [0, height, width][kind] ? kind : 0;
  };
  return embedRotary(call, (table) => {
    const [pairs, rows] = [table.shape[1], rowsAt(positions, table)];
    if (time + height + width !== pairs || positions.rank !== 3 || positions.shape[0] !== 3)
      throw call.error(
        `mrope_section [${[time, height, width]}] must add up to ${pairs}, and positions be [3, batch, length], got [${positions.shape}]`,
      );
    const kinds = sw.tensor(
      Array.from({ length: pairs }, (_, pair) => kindOf(pair)),
      { dtype: "int64" },
    );
    return sw.gather(rows, 0, kinds.expand([1, ...rows.shape.slice(1)])).squeeze(0);
  });
}

const indices = (count: number, from: sw.Tensor): sw.Tensor =>
  sw.add(sw.arange(0, count, 1, { dtype: from.dtype as sw.DType }), from.reshape([]));

/** Queries, keys and values [batch, heads, length, size] of a node, which may be packed along the last axis. */
function operands(call: Call): [query: sw.Tensor, key: sw.Tensor, value: sw.Tensor] {
  const [heads, keyHeads] = [call.int("num_heads"), call.int("kv_num_heads")];
  const query = call.tensor(0);
  if (call.has(1))
    return [splitHeads(query, heads), splitHeads(call.tensor(1), keyHeads), splitHeads(call.tensor(2), keyHeads)];
  const size = query.shape[2] / (heads + 2 * keyHeads);
  const part = (from: number, count: number): sw.Tensor =>
    splitHeads(query.narrow(2, from * size, count * size), count);
  return [part(0, heads), part(heads, keyHeads), part(heads + keyHeads, keyHeads)];
}

function groupQueryAttention(call: Call): readonly OnnxValue[] {
  for (const name of ["k_quant_type", "v_quant_type"])
    if (!["NONE", ""].includes(call.string(name, "NONE"))) throw call.error("quantized caches are not supported");
  if (call.int("sliding_window_cache", 0) !== 0) throw call.error("caches of a sliding window are not supported");
  const isCausal = call.int("causal", 1) !== 0;
  const [projected, newKey, value] = operands(call);
  let [query, key] = [projected, newKey];
  const [batch, , count, size] = projected.shape;
  const total = call.number(6);
  const pastKey = call.optionalTensor(3);
  const pastCount = pastKey?.shape[2] ?? 0;
  if (call.has(14)) {
    const eps = call.float("qk_norm_epsilon", 1e-6);
    query = sw.rmsNorm(query, [size], call.tensor(14), { eps });
    key = sw.rmsNorm(key, [size], call.tensor(15), { eps });
  }
  // The number of elements in the cache of each sequence. A prompt has none, and may be padded on the right.
  const lengths = call.tensor(5).reshape([batch, 1]).to("int32");
  const before = count === total ? sw.zerosLike(lengths) : sw.clampMin(lengths.add(1 - count), 0);
  const steps = sw.arange(0, count, 1, { dtype: "int32" });
  if (call.int("do_rotary", 0) !== 0) {
    const positions = call.optionalTensor(9) ?? sw.add(before, steps);
    const isInterleaved = call.int("rotary_interleaved", 0) !== 0;
    const [cosines, sines] = [rowsAt(positions, call.tensor(7)), rowsAt(positions, call.tensor(8))];
    query = rotated(query, cosines, sines, isInterleaved);
    key = rotated(key, cosines, sines, isInterleaved);
  }
  // A cache is as long as the longest sequence; new elements follow those of each sequence.
  const length = Math.max(total, pastCount);
  const slots = sw.arange(0, length, 1, { dtype: "int32" }).unsqueeze(0);
  const offset = sw.sub(slots, before);
  const isNew = sw.logicalAnd(sw.ge(offset, 0), sw.lt(offset, count));
  const source = sw.where(isNew, sw.add(offset, pastCount), sw.clampMax(slots, pastCount + count - 1));
  const present = (past: sw.Tensor | null, x: sw.Tensor): sw.Tensor => {
    const all: sw.Tensor = past === null ? x : sw.cat([past, x], 2);
    const index = source.reshape([batch, 1, length, 1]).expand([batch, all.shape[1], length, all.shape[3]]);
    return sw.gather(all, 2, index);
  };
  const [keys, values] = [present(pastKey, key), present(call.optionalTensor(4), value)];
  // Queries of a sequence see the elements up to their own, those of the window.
  const own = sw.add(before, steps).reshape([batch, 1, count, 1]);
  const last = lengths.reshape([batch, 1, 1, 1]);
  const at = slots.reshape([1, 1, 1, length]);
  const known = sw.le(at, isCausal ? sw.minimum(own, last) : last);
  const window = call.int("local_window_size", -1);
  const visible = window > 0 ? sw.logicalAnd(known, sw.gt(at, sw.minimum(own, last).sub(window))) : known;
  const [result, scores] = attend(call, query, keys, values, visible);
  return [mergeHeads(result), keys, values, scores];
}

/** Attention of groups of query heads, each with one head of keys and values; the second result is output_qk, if requested. */
function attend(
  call: Call,
  query: sw.Tensor,
  keys: sw.Tensor,
  values: sw.Tensor,
  visible: sw.Tensor,
): [result: sw.Tensor, scores: OnnxValue] {
  const dtype = query.dtype as sw.DType;
  const scale = call.float("scale", 0) || 1 / Math.sqrt(query.shape[3]);
  const hidden = sw.where(visible, 0, Number.NEGATIVE_INFINITY).to(dtype);
  const bias = call.optionalTensor(10);
  const attnMask = bias === null ? hidden : sw.add(bias.narrow(3, 0, keys.shape[2]), hidden);
  const cap = call.float("softcap", 0);
  const sink = call.optionalTensor(11);
  const isSmooth = sink !== null || call.int("smooth_softmax", 0) > 0;
  if (cap === 0 && !isSmooth && call.int("qk_output", 0) === 0)
    return [sw.scaledDotProductAttention(query, keys, values, { attnMask, scale, enableGqa: true }), null];
  const [batch, heads, count, size] = query.shape;
  const groups = keys.shape[1];
  const grouped = (x: sw.Tensor): sw.Tensor => x.reshape([batch, groups, heads / groups, x.shape[2], x.shape[3]]);
  const products = sw
    .matmul(grouped(query), keys.unsqueeze(2).transpose(3, 4))
    .reshape([batch, heads, count, -1])
    .mul(scale);
  const capped = cap === 0 ? products : sw.tanh(products.div(cap)).mul(cap);
  const scores = sw.add(capped, attnMask);
  const weights = isSmooth ? smoothSoftmax(scores, sink) : sw.softmax(scores, -1);
  const result = sw.matmul(grouped(weights), values.unsqueeze(2)).reshape([batch, heads, count, size]);
  const kind = call.int("qk_output", 0);
  return [result, kind === 0 ? null : kind === 1 ? scores : weights];
}

/** Softmax with one more score in the denominator: 0, or that of each head. */
function smoothSoftmax(scores: sw.Tensor, sink: sw.Tensor | null): sw.Tensor {
  const [batch, heads, count, keys] = scores.shape;
  const shape = [batch, heads, count, 1];
  const more =
    sink === null ? sw.zeros(shape, { dtype: scores.dtype as sw.DType }) : sink.reshape([1, heads, 1, 1]).expand(shape);
  return sw.softmax(sw.cat([scores, more], 3), -1).narrow(3, 0, keys);
}

export const groupedAttention: OperatorTable = {
  GroupQueryAttention: groupQueryAttention,
  RotaryEmbedding: rotaryEmbedding,
  MRotaryEmbedding: rotaryByAxes,
};
