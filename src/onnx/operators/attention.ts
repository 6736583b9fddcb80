/**
 * Attention and rotary embeddings. Attention is the library's tiled op; scores as an output, or capped ones, are computed as a whole.
 */
import * as sw from "../../index.ts";
import { computedAs } from "../../storage/dtype.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { dtypeOfElement } from "../value-type.ts";

/** Splits [batch, length, heads * size] into [batch, heads, length, size]. */
export function splitHeads(call: Call, x: sw.Tensor, heads: number): sw.Tensor {
  const [batch, length, size] = x.shape;
  if (!(heads > 0) || size % heads !== 0)
    throw call.error(`${heads} heads do not divide the last axis of [${x.shape}]`);
  return x.reshape([batch, length, heads, size / heads]).transpose(1, 2);
}

/** The inverse of `splitHeads`. */
export function joinHeads(x: sw.Tensor): sw.Tensor {
  const [batch, heads, length, size] = x.shape;
  return x.transpose(1, 2).reshape([batch, length, heads * size]);
}

/** Repeats the heads of keys or values, so that there is one for each head of the queries. */
export function repeatHeads(call: Call, x: sw.Tensor, heads: number): sw.Tensor {
  const own = x.shape[1];
  if (own === heads) return x;
  if (own === 0 || heads % own !== 0)
    throw call.error(`${own} heads of keys and values must divide ${heads} heads of queries`);
  return sw.repeatInterleave(x, heads / own, 1);
}

/** Joins a mask with one that is true where attention is allowed. */
export function allowedBy(mask: sw.Tensor | null, allowed: sw.Tensor): sw.Tensor {
  if (mask === null) return allowed;
  return mask.dtype === "bool" ? sw.logicalAnd(mask, allowed) : sw.where(allowed, mask, -Infinity).to(mask.dtype);
}

/** True for the keys up to a query, where query 0 is at index `past` of the keys. */
export function causalMask(queries: number, keys: number, past: number): sw.Tensor {
  const row = sw.arange(past, past + queries, 1, { dtype: "int64" }).reshape([queries, 1]);
  return sw.ge(row, sw.arange(0, keys, 1, { dtype: "int64" }));
}

/** The mask of a call over keys of this length, null if all keys are allowed; causality is included only if `withCausal`. */
function maskOf(call: Call, query: sw.Tensor, keys: number, past: number, withCausal: boolean): sw.Tensor | null {
  let mask = call.optionalTensor(3);
  if (mask !== null && mask.dtype !== "bool" && mask.dtype !== query.dtype) mask = mask.to(query.dtype);
  const missing = mask === null ? 0 : keys - (mask.shape.at(-1) as number);
  if (mask !== null && missing > 0 && (mask.shape.at(-1) as number) !== 1)
    mask =
      mask.dtype === "bool"
        ? sw.pad(mask.to("uint8"), [0, missing]).to("bool")
        : sw.pad(mask, [0, missing], { value: -Infinity });
  if (withCausal) mask = allowedBy(mask, causalMask(query.shape[2], keys, past));
  const lengths = call.version < 24 ? null : call.optionalTensor(6);
  if (lengths === null) return mask;
  const inside = sw.lt(sw.arange(0, keys, 1, { dtype: "int64" }), lengths.to("int64").reshape([-1, 1, 1, 1]));
  return allowedBy(mask, inside);
}

function attend(call: Call): readonly sw.Tensor[] {
  const isFlat = call.tensor(0).rank === 3;
  const heads = (k: number, name: string): sw.Tensor =>
    isFlat ? splitHeads(call, call.tensor(k), call.int(name)) : call.tensor(k);
  const query = heads(0, "q_num_heads");
  const [ownKey, ownValue] = [heads(1, "kv_num_heads"), heads(2, "kv_num_heads")];
  const [pastKey, pastValue] = [call.optionalTensor(4), call.optionalTensor(5)];
  if ((pastKey === null) !== (pastValue === null)) throw call.error("past_key and past_value must be used together");
  const key: sw.Tensor = pastKey === null ? ownKey : sw.cat([pastKey, ownKey], 2);
  const value: sw.Tensor = pastValue === null ? ownValue : sw.cat([pastValue, ownValue], 2);
  const past = pastKey?.shape[2] ?? 0;
  const keys = key.shape[2];
  const scale = call.float("scale", 1 / Math.sqrt(query.shape[3]));
  const softcap = call.float("softcap", 0);
  // A single last query may attend to all keys.
  const isCausal = call.int("is_causal", 0) !== 0 && past < keys - 1;
  const finished = (result: sw.Tensor, ...scores: sw.Tensor[]): readonly sw.Tensor[] => [
    (isFlat ? joinHeads(result) : result).to(call.tensor(0).dtype),
    key,
    value,
    ...scores,
  ];
  if (softcap === 0 && !call.wants(3)) {
    const mask = maskOf(call, query, keys, past, isCausal && (past > 0 || call.has(3) || call.has(6)));
    return finished(
      sw.scaledDotProductAttention(query, key, value, {
        scale,
        enableGqa: key.shape[1] !== query.shape[1],
        ...(mask === null ? { isCausal } : { attnMask: mask }),
      }),
    );
  }
  const wide = call.hasAttribute("softmax_precision") ? dtypeOfElement[call.int("softmax_precision")] : null;
  const dtype = wide ?? computedAs(query.dtype);
  const [k, v] = [key, value].map((t) => repeatHeads(call, t, query.shape[1]).to(dtype)) as [sw.Tensor, sw.Tensor];
  const products = sw.matmul(sw.mul(query.to(dtype), scale), k.transpose(2, 3));
  const capped = softcap === 0 ? products : sw.elementwise("cap * tanh(x / cap)", { x: products, cap: softcap });
  const mask = maskOf(call, query, keys, past, isCausal);
  const masked =
    mask === null
      ? capped
      : mask.dtype === "bool"
        ? sw.where(mask, capped, -Infinity).to(dtype)
        : sw.add(capped, mask.to(dtype));
  const weights = sw.safeSoftmax(masked, -1);
  const mode = call.int("qk_matmul_output_mode", 0);
  const scores = [products, capped, masked, weights][mode];
  if (scores === undefined) throw call.error(`qk_matmul_output_mode must be 0, 1, 2 or 3, got ${mode}`);
  return finished(sw.matmul(weights, v), scores.to(query.dtype));
}

/** Rotates pairs of elements of x [batch, length, heads, size] by angles [batch, length, 1, pairs]; elements beyond the pairs are kept. */
export function rotatePairs(x: sw.Tensor, cos: sw.Tensor, sin: sw.Tensor, interleaved: boolean): sw.Tensor {
  const pairs = cos.shape.at(-1) as number;
  const head: sw.Tensor = x.narrow(3, 0, 2 * pairs);
  const [batch, length, heads, size] = x.shape;
  const [a, b] = interleaved
    ? head.reshape([batch, length, heads, pairs, 2]).unbind(-1)
    : [head.narrow(3, 0, pairs), head.narrow(3, pairs, pairs)];
  const operands = { a, b, cos, sin } as { a: sw.Tensor; b: sw.Tensor; cos: sw.Tensor; sin: sw.Tensor };
  const { first, second } = sw.elementwise("first = cos * a - sin * b; second = sin * a + cos * b", operands);
  const rotated: sw.Tensor = interleaved
    ? sw.stack([first, second], -1).reshape([batch, length, heads, 2 * pairs])
    : sw.cat([first, second], 3);
  return size === 2 * pairs ? rotated : sw.cat([rotated, x.narrow(3, 2 * pairs, size - 2 * pairs)], 3);
}

function rotaryEmbedding(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const heads = x.rank === 4 ? x.transpose(1, 2) : splitHeads(call, x, call.int("num_heads")).transpose(1, 2);
  const positions = call.optionalTensor(3);
  const size = call.int("rotary_embedding_dim", 0) || heads.shape[3];
  const angles = (k: number): sw.Tensor => {
    const cache = call.tensor(k);
    if (cache.shape.at(-1) !== size / 2)
      throw call.error(`the last axis of input ${k} must have ${size / 2} elements, got [${cache.shape}]`);
    return (positions === null ? cache : sw.embedding(positions, cache)).unsqueeze(2);
  };
  const result = rotatePairs(heads, angles(1), angles(2), call.int("interleaved", 0) !== 0);
  return x.rank === 4 ? result.transpose(1, 2) : result.reshape(x.shape);
}

/** Attention with graphs that modify the scores and the weights. */
function flexAttention(call: Call): sw.Tensor {
  const query = call.tensor(0);
  const dtype = call.hasAttribute("softmax_precision")
    ? dtypeOfElement[call.int("softmax_precision")]
    : query.dtype === "float64"
      ? "float64"
      : "float32";
  const modified = (name: string, t: sw.Tensor): sw.Tensor => {
    if (!call.hasAttribute(name)) return t;
    const [result] = call.runGraph(call.graph(name), [t]);
    if (!(result instanceof sw.Tensor) || `${result.shape}` !== `${t.shape}`)
      throw call.error(`the graph ${name} must return one tensor [${t.shape}]`);
    return result;
  };
  const [key, value] = [1, 2].map((k) => repeatHeads(call, call.tensor(k), query.shape[1])) as [sw.Tensor, sw.Tensor];
  const scale = call.float("scale", 1 / Math.sqrt(query.shape[3]));
  const scores = sw.mul(sw.matmul(query.to(dtype), key.to(dtype).transpose(2, 3)), scale);
  const weights = modified("prob_mod", sw.softmax(modified("score_mod", scores), -1));
  return sw.matmul(weights, value.to(dtype)).to(query.dtype);
}

export const attention: OperatorTable = { Attention: attend, RotaryEmbedding: rotaryEmbedding };

/** The operators of the domain ai.onnx.preview. */
export const preview: OperatorTable = { FlexAttention: flexAttention };
