/** Recorded cases of attention and of rotary embeddings. */
import { pad, type Tensor } from "../../../src/index.ts";
import type { NodeAttribute, NodeCase } from "../../support/onnx-node.ts";
import { inputsFrom, list, scalar } from "./numbers.ts";

const { real, integers } = inputsFrom(4);
const [batch, length, heads, size] = [2, 4, 2, 16];
const hidden = heads * size;

const node = (
  op: string,
  inputs: readonly (Tensor | null)[],
  attributes: Readonly<Record<string, NodeAttribute>> = {},
  outputs = 1,
): NodeCase => ({ op, domain: "com.microsoft", inputs, attributes, outputs });

const sequence = (): Tensor => real(batch, length, hidden);
const tables = [real(16, size / 2), real(16, size / 2)];
const mask = list([
  [1, 1, 1, 0],
  [1, 1, 0, 0],
]);

/** GroupQueryAttention of `count` new elements after a cache of `past` ones. */
function grouped(
  count: number,
  past: number,
  attributes: Readonly<Record<string, NodeAttribute>>,
  { isPacked = false, isShared = false, more = [] as readonly (Tensor | null)[] } = {},
): NodeCase {
  const total = past + count;
  // The recorded implementation has a batch of 1 for several elements after a cache.
  const batches = past > 0 && count > 1 ? 1 : batch;
  // Elements of a shared buffer after those in use may be anything, and are 0 here.
  const cache = (): Tensor | null =>
    past === 0 ? null : pad(real(batches, 1, past, size), [0, 0, 0, isShared ? count + 3 : 0]);
  const isRotary = attributes["do_rotary"] === 1;
  return node(
    "GroupQueryAttention",
    [
      real(batches, count, isPacked ? (heads + 2) * size : hidden),
      isPacked ? null : real(batches, count, size),
      isPacked ? null : real(batches, count, size),
      cache(),
      cache(),
      list(new Array<number>(batches).fill(total - 1)),
      scalar(total, "int32"),
      ...(isRotary || more.length > 0 ? (isRotary ? tables : [null, null]) : []),
      ...more,
    ],
    { num_heads: heads, kv_num_heads: 1, ...attributes },
    3,
  );
}

const multiHead = (
  inputs: readonly (Tensor | null)[],
  attributes: Readonly<Record<string, NodeAttribute>> = {},
  outputs = 1,
): NodeCase => node("MultiHeadAttention", inputs, { num_heads: heads, ...attributes }, outputs);

const decoded = (
  more: readonly (Tensor | null)[],
  attributes: Readonly<Record<string, NodeAttribute>> = {},
): NodeCase =>
  node(
    "DecoderMaskedMultiHeadAttention",
    [real(4, 1, hidden), real(4, 1, hidden), real(4, 1, hidden), ...more],
    { num_heads: heads, past_present_share_buffer: 1, ...attributes },
    3,
  );
const caches = [real(4, heads, 6, size), real(4, heads, 6, size)];
const ones = integers("int32", 1, 1, 4, 4);

const linear = (
  rule: string,
  queries: number,
  decay: readonly number[] | null,
  rate: readonly number[] | null,
  past = true,
): NodeCase =>
  node(
    "LinearAttention",
    [
      real(batch, 3, queries * 4),
      real(batch, 3, 2 * 4),
      real(batch, 3, 2 * 6),
      past ? real(batch, 2, 4, 6) : null,
      decay === null ? null : real(...decay),
      rate === null ? null : real(...rate),
    ],
    { update_rule: rule, q_num_heads: queries, kv_num_heads: 2 },
    2,
  );

export const attention: Readonly<Record<string, NodeCase>> = {
  "Attention with a mask of lengths": node(
    "Attention",
    [real(batch, length, 12), real(12, 3 * hidden), real(3 * hidden), list([4, 2])],
    { num_heads: heads },
  ),
  "Attention in one direction with a cache": node(
    "Attention",
    [real(batch, length, 12), real(12, 3 * hidden), real(3 * hidden), null, real(2, batch, heads, 3, size)],
    { num_heads: heads, unidirectional: 1 },
    2,
  ),
  "Attention with a mask and a bias of scores": node(
    "Attention",
    [real(batch, length, 12), real(12, 3 * hidden), real(3 * hidden), mask, null, real(batch, heads, length, length)],
    { num_heads: heads, scale: { float: 0.5 } },
  ),
  MultiHeadAttention: multiHead([sequence(), sequence(), sequence(), real(3 * hidden), mask]),
  "MultiHeadAttention in one direction with a cache": multiHead(
    [sequence(), sequence(), sequence(), null, null, null, real(batch, heads, 3, size), real(batch, heads, 3, size)],
    { unidirectional: 1 },
    3,
  ),
  "MultiHeadAttention with scores": {
    ...multiHead([sequence(), sequence(), sequence(), null, mask, real(1, heads, length, length)], {}, 4),
    outputTypes: { 3: 1 },
  },
  DecoderMaskedMultiHeadAttention: decoded([null, null, ...caches, scalar(3, "int32")]),
  "DecoderMaskedMultiHeadAttention with a mask, biases and a bias of scores": decoded([
    ones,
    real(1, heads, 1, 4),
    ...caches,
    scalar(3, "int32"),
    null,
    null,
    real(3 * hidden),
  ]),
  "DecoderMaskedMultiHeadAttention of beams": decoded([
    null,
    null,
    ...caches,
    scalar(3, "int32"),
    scalar(2, "int32"),
    list([
      [
        [0, 1, 1, 0, 0, 0],
        [1, 0, 1, 0, 0, 0],
      ],
      [
        [1, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
      ],
    ]),
  ]),
  "DecoderMaskedMultiHeadAttention of keys from a cache": node(
    "DecoderMaskedMultiHeadAttention",
    [real(4, 1, hidden), ...caches],
    { num_heads: heads },
  ),
  "GroupQueryAttention of a prompt": grouped(4, 0, {}),
  "GroupQueryAttention of a prompt, rotary": grouped(4, 0, { do_rotary: 1 }),
  "GroupQueryAttention after a cache, rotary in pairs": grouped(1, 5, { do_rotary: 1, rotary_interleaved: 1 }),
  "GroupQueryAttention of packed operands after a cache": grouped(1, 5, { do_rotary: 1 }, { isPacked: true }),
  "GroupQueryAttention with a shared buffer": grouped(1, 5, { do_rotary: 1 }, { isShared: true }),
  "GroupQueryAttention of several elements after a cache": grouped(3, 5, { do_rotary: 1 }),
  "GroupQueryAttention with a local window": grouped(1, 6, { local_window_size: 3 }),
  "GroupQueryAttention of a prompt with a local window": grouped(6, 0, { local_window_size: 3 }),
  "GroupQueryAttention with capped scores": grouped(2, 3, { softcap: { float: 2 }, scale: { float: 1.5 } }),
  "GroupQueryAttention with a smooth softmax": grouped(2, 3, { smooth_softmax: 1 }),
  "GroupQueryAttention with a bias of scores": grouped(2, 3, {}, { more: [null, real(1, heads, 2, 5)] }),
  "GroupQueryAttention with sinks": grouped(2, 3, {}, { more: [null, null, real(heads)] }),
  RotaryEmbedding: node("RotaryEmbedding", [
    real(batch, heads, length, size),
    list(
      [
        [0, 1, 2, 3],
        [5, 6, 7, 8],
      ],
      "int64",
    ),
    ...tables,
  ]),
  "RotaryEmbedding in pairs from one position": node(
    "RotaryEmbedding",
    [real(batch, length, hidden), list([3], "int64"), ...tables],
    { interleaved: 1 },
  ),
  MRotaryEmbedding: node(
    "MRotaryEmbedding",
    [real(batch, heads, length, size), integers("int64", 0, 15, 3, batch, length), ...tables],
    { mrope_section: [4, 2, 2] },
  ),
  "MRotaryEmbedding, interleaved": node(
    "MRotaryEmbedding",
    [real(batch, length, hidden), integers("int64", 0, 15, 3, batch, length), ...tables],
    { mrope_section: [4, 2, 2], mrope_layout: 1, num_heads: heads, rotary_embedding_dim: size },
  ),
  LinearAttention: linear("linear", 2, null, null, false),
  "LinearAttention with a decay": linear("gated", 4, [batch, 3, 2 * 4], null),
  "LinearAttention that corrects": linear("delta", 2, null, [batch, 3, 2]),
  "LinearAttention that corrects, with a decay": linear("gated_delta", 2, [batch, 3, 2], [batch, 3, 1]),
  "LinearAttention of more heads of values than of queries": linear("gated_delta", 1, [batch, 3, 2], [batch, 3, 2]),
  LinearAttentionGate: node("LinearAttentionGate", [real(batch, 3, 2), real(2), real(2), real(batch, 3, 2)], {}, 2),
  CausalConvWithState: node(
    "CausalConvWithState",
    [real(batch, 3, 5), real(3, 1, 4), real(3), real(batch, 3, 3)],
    { activation: "silu" },
    2,
  ),
};
