/**
 * Datasets: objects with a length and a `get`. Datasets of tensors, one for each column, gather whole batches at once. A loader reads from a
 * dataset by index, or from a stream in order.
 */
import { Tensor, tensor } from "../index.ts";
import { DataError, described, isForeign } from "./checks.ts";
import type { Collated } from "./collate.ts";

/** Samples by index. */
export interface Dataset<T, B = unknown> {
  readonly length: number;
  /** Sample `index`, from 0 to length - 1. */
  get(index: number): T;
  /** Returns a batch of samples. A loader calls it, if present, unless it has a collate function. */
  readonly gather?: (indices: readonly number[]) => B;
}

/** Tensors whose first axis is the sample: one, a list, or an object of them. */
export type Columns = Tensor | readonly Tensor[] | Readonly<Record<string, Tensor>>;

/** The type of a sample, and of a batch: the columns as tensors of any shape. */
export type Row<C> = C extends Tensor ? Tensor : { -readonly [K in keyof C]: Tensor };

/** True if and only if the source is a tensor, or a nonempty list or plain object of tensors. */
function isColumns(source: unknown): source is Columns {
  if (source instanceof Tensor) return true;
  if (typeof source !== "object" || source === null) return false;
  const isPlain = Array.isArray(source) || Object.getPrototypeOf(source) === Object.prototype;
  const values: readonly unknown[] = isPlain ? Object.values(source) : [];
  return values.length > 0 && values.every((value) => value instanceof Tensor);
}

/** A dataset of tensors: sample i is row i of each. */
export class TensorDataset<C extends Columns | readonly []> implements Dataset<Row<C>, Row<C>> {
  readonly columns: C;
  readonly length: number;

  constructor(columns: C) {
    if (!isColumns(columns))
      throw new DataError(
        `TensorDataset: the columns must be a tensor, or a nonempty list or object of tensors, got ${described(columns)}`,
      );
    this.columns = columns;
    this.length = lengthOf(columns);
  }

  get(index: number): Row<C> {
    if (!Number.isInteger(index) || index < 0 || index >= this.length)
      throw new DataError(`TensorDataset.get: the index must be 0 to ${this.length - 1}, got ${described(index)}`);
    return this.#each((t) => t.select(0, index));
  }

  /** Returns a batch, computed by one kernel for each column. */
  gather(indices: readonly number[]): Row<C> {
    const index = tensor(Int32Array.from(indices));
    const batch = this.#each((t) => t.indexSelect(0, index as never));
    index.dispose();
    return batch;
  }

  #each(fn: (t: Tensor) => Tensor): Row<C> {
    const columns: Columns = this.columns;
    if (columns instanceof Tensor) return fn(columns) as Row<C>;
    if (Array.isArray(columns)) return columns.map(fn) as Row<C>;
    return Object.fromEntries(Object.entries(columns).map(([name, t]) => [name, fn(t)])) as Row<C>;
  }
}

/** The size of the first axis, which all columns share. */
function lengthOf(columns: Columns): number {
  const named: [string, Tensor][] = columns instanceof Tensor ? [["0", columns]] : Object.entries(columns);
  const lengths = named.map(([name, t]) => {
    if (t.rank === 0)
      throw new DataError(
        `TensorDataset: column ${name} has no sample axis; it is a 0-d tensor. Add one: unsqueeze(0)`,
      );
    return t.shape[0];
  });
  const wrong = lengths.findIndex((length) => length !== lengths[0]);
  if (wrong >= 0)
    throw new DataError(
      `TensorDataset: all columns must have the same number of rows, got ${lengths[0]} in column ${named[0]?.[0]} and ${lengths[wrong]} in column ${named[wrong]?.[0]}. Pass samples as one tensor: stack(list)`,
    );
  return lengths[0];
}

/** Selected samples of another dataset, in the order of `indices`. */
export class Subset<T, B = unknown> implements Dataset<T, B> {
  readonly dataset: Dataset<T, B>;
  readonly indices: readonly number[];
  declare readonly gather?: (indices: readonly number[]) => B;

  constructor(dataset: Dataset<T, B>, indices: Iterable<number>) {
    this.dataset = dataset;
    if (typeof Object(indices)[Symbol.iterator] !== "function")
      throw new DataError(`Subset: needs a list of indices, got ${described(indices)}`);
    this.indices = [...indices];
    for (const index of this.indices)
      if (!Number.isInteger(index) || index < 0 || index >= dataset.length)
        throw new DataError(
          `Subset: an index must be an integer from 0 to ${dataset.length - 1}, got ${described(index)}`,
        );
    if (typeof dataset.gather === "function")
      this.gather = (batch) => dataset.gather?.(batch.map((index) => this.#inner(index))) as B;
  }

  get length(): number {
    return this.indices.length;
  }

  get(index: number): T {
    return this.dataset.get(this.#inner(index));
  }

  #inner(index: number): number {
    const inner = this.indices[index];
    if (inner === undefined)
      throw new DataError(`Subset.get: the index must be 0 to ${this.length - 1}, got ${described(index)}`);
    return inner;
  }
}

/** Samples in order. */
export type Stream<T> = Iterable<T> | AsyncIterable<T>;

/**
 * The source of a loader: tensors whose first axis is the sample (one, a list, an object), a dataset, a list of samples, an iterable, or a
 * function that returns an iterable for each epoch.
 */
export type Source = Columns | Dataset<unknown> | readonly unknown[] | Stream<unknown> | (() => Stream<unknown>);

/** An object of tensors whose type is an interface, which has no index signature. Functions, which have a `call`, are excluded. */
export type FieldsOf<S> = object & { readonly [K in keyof S]: Tensor } & { readonly call?: never };

/** The type of a sample of a source. */
export type SampleOf<S> = S extends Columns
  ? Row<S>
  : S extends Dataset<infer T>
    ? Awaited<T>
    : S extends () => infer R
      ? SampleOf<R>
      : S extends AsyncIterable<infer T> | Iterable<infer T>
        ? T
        : S extends FieldsOf<S>
          ? Row<S>
          : never;

/** The type of a batch of a source, without a collate function. */
export type BatchOf<S> = S extends Columns
  ? Row<S>
  : S extends TensorDataset<infer C>
    ? Row<C>
    : S extends Subset<infer _T, infer B>
      ? B
      : S extends { gather(indices: readonly number[]): infer B }
        ? B
        : Collated<SampleOf<S>>;

/** A source, indexed or in order. */
export type OpenSource =
  | { readonly kind: "indexed"; readonly dataset: Dataset<unknown> }
  | { readonly kind: "stream"; readonly open: () => Stream<unknown> };

const isIterable = (value: object): boolean => Symbol.iterator in value || Symbol.asyncIterator in value;

/** Recognizes a source. */
export function openSource(who: string, source: unknown): OpenSource {
  if (isColumns(source)) return { kind: "indexed", dataset: new TensorDataset(source) as Dataset<unknown> };
  if (Array.isArray(source)) return { kind: "indexed", dataset: listDataset(source) };
  if (typeof source === "object" && source !== null && !isForeign(source)) {
    if (
      "get" in source &&
      typeof source.get === "function" &&
      typeof (source as { length?: unknown }).length === "number"
    )
      return { kind: "indexed", dataset: source as Dataset<unknown> };
    if (isIterable(source)) {
      let wasOpened = false;
      const open = (): Stream<unknown> => {
        if (wasOpened && "next" in source)
          throw new DataError(
            `${who}: the source is an iterator, which runs once. Pass the function that creates it: new ${who}(() => source())`,
          );
        wasOpened = true;
        return source as Stream<unknown>;
      };
      return { kind: "stream", open };
    }
  }
  if (typeof source === "function")
    return {
      kind: "stream",
      open: () => {
        const stream = source();
        if (typeof stream === "object" && stream !== null && isIterable(stream)) return stream;
        throw new DataError(`${who}: the function must return an iterable, got ${described(stream)}`);
      },
    };
  throw new DataError(
    `${who}: the source must be a tensor, a list or object of tensors, a dataset { length, get(i) }, a list of samples, or an iterable, got ${described(source)}`,
  );
}

const listDataset = <T>(list: readonly T[]): Dataset<T> => ({
  get length() {
    return list.length;
  },
  get: (index) => list[index],
});

/** The dataset of a source; throws if its samples have no indices. */
export function datasetOf(who: string, source: unknown): Dataset<unknown> {
  const open = openSource(who, source);
  if (open.kind === "indexed") return open.dataset;
  throw new DataError(`${who}: the samples of an iterable have no indices. Collect them in a list first`);
}
