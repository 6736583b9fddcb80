/** Biases of attention by the distance of queries and keys. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { splitHeads } from "./microsoft-attention.ts";

/** The bucket of a distance from a query to a key: near ones have a bucket each, others share it by the logarithm of the distance. */
function bucketOf(distance: number, buckets: number, isBidirectional: boolean, maxDistance: number): number {
  const count = isBidirectional ? Math.floor(buckets / 2) : buckets;
  const first = isBidirectional && distance > 0 ? count : 0;
  const length = isBidirectional ? Math.abs(distance) : Math.max(0, -distance);
  const exact = Math.floor(count / 2);
  if (length < exact) return first + length;
  const part = Math.log(length / exact) / Math.log(maxDistance / exact);
  return first + Math.min(exact + Math.trunc(part * (count - exact)), count - 1);
}

/** Returns the biases [1, heads, queries, keys] of a table, whose elements are ordered by heads although its shape is [buckets, heads]. */
function relativePositionBias(call: Call): sw.Tensor {
  const table = call.tensor(0);
  const [buckets, heads] = table.shape;
  const [queries, keys] = [call.number(1), call.number(2)];
  const [isBidirectional, maxDistance] = [call.int("is_bidirectional", 0) !== 0, call.int("max_distance")];
  const index = Array.from({ length: queries * keys }, (_, k) =>
    bucketOf((k % keys) - Math.floor(k / keys), buckets, isBidirectional, maxDistance),
  );
  const rows = table.reshape([heads, buckets]).indexSelect(1, sw.tensor(index, { dtype: "int64" }));
  return rows.reshape([1, heads, queries, keys]);
}

/** Multiplies biases by gates of the queries. */
function gatedRelativePositionBias(call: Call): sw.Tensor {
  if (call.has(6)) throw call.error("packed sequences are not supported");
  const query = splitHeads(sw.add(call.tensor(0), call.tensor(1)), call.int("num_heads"));
  const projected = sw.add(sw.matmul(query, call.tensor(3)), call.tensor(4));
  const halves = projected.reshape([...projected.shape.slice(0, 3), 2, -1]);
  const [update, reset] = sw.sigmoid(sw.sum(halves, -1)).split(1, -1) as unknown as [sw.Tensor, sw.Tensor];
  return sw.elementwise("(u * (r * a - 1.0) + 2.0) * bias", {
    u: update,
    r: reset,
    a: call.tensor(5),
    bias: call.tensor(2),
  });
}

export const positionBiases: OperatorTable = {
  RelativePositionBias: relativePositionBias,
  GatedRelativePositionBias: gatedRelativePositionBias,
};
