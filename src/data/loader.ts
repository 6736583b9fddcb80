/**
 * The data loader: batches from a source. Each iteration is an epoch: every sample once, in a new order if shuffled.
 *
 * Columns of tensors are gathered, one kernel for each column; other samples are collated. Nothing is prefetched: a batch is created on
 * demand, and a stream is read no further than the batch needs.
 */
import type { Generator } from "../index.ts";
import { checkOptions, DataError, described } from "./checks.ts";
import { collate as defaultCollate } from "./collate.ts";
import { type BatchOf, type FieldsOf, type OpenSource, openSource, type SampleOf, type Source } from "./dataset.ts";
import { generatorOf, orderOf, type RandomSource } from "./split.ts";

export interface LoaderOptions<T, B> extends RandomSource {
  /** The number of samples in a batch. Default: 1. */
  readonly batchSize?: number;
  /** Shuffles the samples in each epoch. */
  readonly shuffle?: boolean;
  /** Drops the last batch if it is incomplete. */
  readonly dropLast?: boolean;
  /** Creates a batch from samples. By default tensors are stacked and numbers become tensors, including those inside lists and objects. */
  readonly collate?: (samples: T[]) => B;
}

const isPromise = (value: unknown): boolean => typeof (value as { then?: unknown } | null)?.then === "function";

/** Batches from a source: `for (const batch of loader)`, or `for await` if samples are asynchronous. */
export class DataLoader<S extends Source | FieldsOf<S> | readonly [], B = BatchOf<S>>
  implements Iterable<B>, AsyncIterable<Awaited<B>>
{
  readonly batchSize: number;
  readonly dropLast: boolean;
  readonly #source: OpenSource;
  readonly #generator: Generator | null;
  readonly #collate: ((samples: never[]) => unknown) | null;

  constructor(source: S, options: LoaderOptions<SampleOf<S>, B> = {}) {
    const who = "DataLoader";
    checkOptions(who, options, { batchSize: 0, shuffle: 0, dropLast: 0, collate: 0, seed: 0, generator: 0 });
    const { batchSize = 1, shuffle = false, dropLast = false, collate = null } = options;
    if (!Number.isInteger(batchSize) || batchSize < 1)
      throw new DataError(`${who}: batchSize must be a positive integer, got ${described(batchSize)}`);
    if (collate !== null && typeof collate !== "function")
      throw new DataError(`${who}: collate must be a function from samples to a batch, got ${described(collate)}`);
    this.batchSize = batchSize;
    this.dropLast = dropLast;
    this.#source = openSource(who, source);
    this.#collate = collate;
    this.#generator = shuffle ? generatorOf(who, options) : null;
    if (shuffle && this.#source.kind === "stream")
      throw new DataError(`${who}: the samples of an iterable cannot be shuffled. Collect them in a list first`);
  }

  /** The number of batches in an epoch; Infinity if unknown. */
  get length(): number {
    if (this.#source.kind === "stream") return Infinity;
    const batches = this.#source.dataset.length / this.batchSize;
    return this.dropLast ? Math.floor(batches) : Math.ceil(batches);
  }

  *[Symbol.iterator](): globalThis.Generator<B, void, undefined> {
    const source = this.#source;
    if (source.kind === "indexed") {
      for (const indices of this.#batches(source.dataset.length)) {
        const gathered = this.#gathered(indices);
        if (gathered !== undefined) yield gathered;
        else {
          const samples = indices.map((index) => source.dataset.get(index));
          if (samples.some(isPromise))
            throw new DataError("DataLoader: the dataset returns promises. Write for await (const batch of loader)");
          yield this.#batch(samples);
        }
      }
      return;
    }
    const stream = source.open();
    if (!(Symbol.iterator in stream))
      throw new DataError("DataLoader: the samples are asynchronous. Write for await (const batch of loader)");
    let samples: unknown[] = [];
    for (const sample of stream) {
      samples.push(sample);
      if (samples.length < this.batchSize) continue;
      yield this.#batch(samples);
      samples = [];
    }
    if (samples.length > 0 && !this.dropLast) yield this.#batch(samples);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Awaited<B>, void, undefined> {
    const source = this.#source;
    if (source.kind === "indexed") {
      for (const indices of this.#batches(source.dataset.length)) {
        const gathered = this.#gathered(indices);
        yield await (gathered ?? this.#batch(await Promise.all(indices.map((index) => source.dataset.get(index)))));
      }
      return;
    }
    let samples: unknown[] = [];
    for await (const sample of source.open()) {
      samples.push(sample);
      if (samples.length < this.batchSize) continue;
      yield await this.#batch(samples);
      samples = [];
    }
    if (samples.length > 0 && !this.dropLast) yield await this.#batch(samples);
  }

  /** The indices of the samples in each batch of an epoch. */
  *#batches(count: number): Iterable<readonly number[]> {
    const order = orderOf(count, this.#generator);
    const { batchSize } = this;
    const end = this.dropLast ? count - (count % batchSize) : count;
    for (let start = 0; start < end; start += batchSize) yield order.slice(start, start + batchSize);
  }

  /** The batch that the dataset gathers; undefined if it does not. */
  #gathered(indices: readonly number[]): B | undefined {
    if (this.#source.kind !== "indexed" || this.#collate !== null) return undefined;
    return this.#source.dataset.gather?.(indices) as B | undefined;
  }

  #batch(samples: unknown[]): B {
    return (this.#collate ?? defaultCollate)(samples as never[]) as B;
  }
}
