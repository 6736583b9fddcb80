/** TfIdfVectorizer: counts the n-grams of a pool, with gaps, in each row of its input. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { TextTensor } from "../values.ts";

/** The coordinates in the output by n-gram, for each n. */
type Pool = ReadonlyMap<number, ReadonlyMap<string, readonly number[]>>;

/** A text for an n-gram that other n-grams do not have. */
const gramKey = (items: readonly (string | number)[]): string => JSON.stringify(items);

/** The n-grams of the pool: `ngram_counts[n - 1]` is where those of n items start. An index in the pool's order belongs to each of them. */
function poolOf(call: Call): Pool {
  const items = call.hasAttribute("pool_strings")
    ? call.strings<string[]>("pool_strings")
    : call.ints<number[]>("pool_int64s");
  const starts = call.ints<number[]>("ngram_counts");
  const pool = new Map<number, Map<string, number[]>>();
  let gram = 0;
  for (const [k, start] of starts.entries()) {
    const end = starts[k + 1] ?? items.length;
    const length = k + 1;
    if (start < 0 || end < start || end > items.length || (end - start) % length !== 0)
      throw call.error(`ngram_counts [${starts}] does not divide a pool of ${items.length} items`);
    const grams = new Map<string, number[]>();
    for (let at = start; at < end; at += length, gram++) {
      const key = gramKey(items.slice(at, at + length));
      grams.set(key, [...(grams.get(key) ?? []), gram]);
    }
    pool.set(length, grams);
  }
  return pool;
}

export function tfIdfVectorizer(call: Call): sw.Tensor {
  const value = call.inputs[0];
  const items: readonly (string | number)[] = value instanceof TextTensor ? value.data : call.numbers(0);
  const shape = value instanceof TextTensor ? value.shape : call.tensor(0).shape;
  if (shape.length !== 1 && shape.length !== 2) throw call.error(`the input must have 1 or 2 axes, got [${shape}]`);
  const pool = poolOf(call);
  const indices = call.ints<number[]>("ngram_indexes");
  const weights = call.floats(
    "weights",
    indices.map(() => 1),
  );
  const mode = call.string("mode");
  if (!["TF", "IDF", "TFIDF"].includes(mode)) throw call.error(`mode must be TF, IDF or TFIDF, got "${mode}"`);
  const width = indices.reduce((most, each) => Math.max(most, each), -1) + 1;
  let grams = 0;
  for (const each of pool.values()) for (const list of each.values()) grams += list.length;
  if (indices.some((each) => each < 0) || indices.length < grams || weights.length !== indices.length)
    throw call.error(
      `the pool has ${grams} n-grams, with ${indices.length} ngram_indexes and ${weights.length} weights`,
    );
  const length = shape[shape.length - 1];
  const rows = shape.length === 2 ? shape[0] : 1;
  const result = new Float64Array(call.count(rows * width, "the number of outputs"));
  for (let row = 0; row < rows; row++)
    for (const gram of gramsIn(call, items.slice(row * length, (row + 1) * length), pool))
      result[row * width + indices[gram]] += 1;
  for (const [gram, index] of indices.entries())
    for (let row = 0; row < rows && mode !== "TF"; row++) {
      const at = row * width + index;
      if (result[at] > 0) result[at] = (mode === "IDF" ? 1 : result[at]) * weights[gram];
    }
  return sw.tensor(Float32Array.from(result)).reshape(shape.length === 2 ? [rows, width] : [width]);
}

/** The n-grams of the pool that occur in a row, each as often as it occurs. */
function* gramsIn(call: Call, row: readonly (string | number)[], pool: Pool): Generator<number> {
  const [from, to] = [call.int("min_gram_length"), call.int("max_gram_length")];
  const skips = call.int("max_skip_count");
  for (let length = Math.max(1, from); length <= to && length <= row.length; length++) {
    const grams = pool.get(length);
    if (grams === undefined) continue;
    // One item has no gaps. A gap that is longer than the row fits nowhere.
    const gaps = length === 1 ? 0 : Math.min(skips, row.length);
    for (let step = 1; step <= gaps + 1; step++)
      for (let start = 0; start + (length - 1) * step < row.length; start++) {
        const gram = Array.from({ length }, (_, k) => row[start + k * step]);
        yield* grams.get(gramKey(gram)) ?? [];
      }
  }
}
