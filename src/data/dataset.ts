/**
 * Data sets: anything with a length and a `get`. Those that hold tensors, one for each column, gather whole batches at once. A loader reads
 * from a data set, samples by number, or from a stream, samples as they come.
 */
import { Tensor, tensor } from "../index.ts";
import { DataError, isForeign, told } from "./checks.ts";
import type { Collated } from "./collate.ts";

/** Samples by number. */
export interface Dataset<T, B = unknown> {
  readonly length: number;
  /** Sample `index`, from 0 to length - 1. */
  get(index: number): T;
  /** Many samples at once, as a batch. Used where it is there, unless the loader has a collate function. */
  readonly gather?: (indices: readonly number[]) => B;
}

/** Tensors whose first axis counts the samples: one, a list, or a record of them. */
export type Columns = Tensor | readonly Tensor[] | Readonly<Record<string, Tensor>>;

/** The same with tensors of any shape in the places of the columns: what a sample is, and a batch. */
export type Row<C> = C extends Tensor ? Tensor : { -readonly [K in keyof C]: Tensor };

/** True if and only if this is a tensor, a list of tensors, or a plain record of them; an empty one is not. */
function isColumns(source: unknown): source is Columns {
  if (source instanceof Tensor) return true;
  if (typeof source !== "object" || source === null) return false;
  const isPlain = Array.isArray(source) || Object.getPrototypeOf(source) === Object.prototype;
  const values: readonly unknown[] = isPlain ? Object.values(source) : [];
  return values.length > 0 && values.every((value) => value instanceof Tensor);
}

/** Tensors as a data set: sample i is row i of each. */
export class TensorDataset<C extends Columns | readonly []> implements Dataset<Row<C>, Row<C>> {
  readonly columns: C;
  readonly length: number;

  constructor(columns: C) {
    if (!isColumns(columns))
      throw new DataError(
        `TensorDataset: the columns are a tensor, or a list or a record of tensors, at least one, got ${told(columns)}`,
      );
    this.columns = columns;
    this.length = lengthOf(columns);
  }

  get(index: number): Row<C> {
    if (!Number.isInteger(index) || index < 0 || index >= this.length)
      throw new DataError(`TensorDataset.get: there are samples 0 to ${this.length - 1}, got ${told(index)}`);
    return this.#each((t) => t.select(0, index));
  }

  /** One batch: a kernel for each column. */
  gather(indices: readonly number[]): Row<C> {
    const places = tensor(Int32Array.from(indices));
    const batch = this.#each((t) => t.indexSelect(0, places as never));
    places.dispose();
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
        `TensorDataset: column ${name} has no axis that counts samples; it is a 0-d tensor. Give it one: unsqueeze(0)`,
      );
    return t.shape[0];
  });
  const wrong = lengths.findIndex((length) => length !== lengths[0]);
  if (wrong >= 0)
    throw new DataError(
      `TensorDataset: size mismatch between tensors, column ${named[0]?.[0]} has ${lengths[0]} samples, column ${named[wrong]?.[0]} has ${lengths[wrong]}. All have one row for each sample`,
    );
  return lengths[0];
}

/** Samples of another data set, in a given order. */
export class Subset<T, B = unknown> implements Dataset<T, B> {
  readonly dataset: Dataset<T, B>;
  readonly indices: readonly number[];
  declare readonly gather?: (indices: readonly number[]) => B;

  constructor(dataset: Dataset<T, B>, indices: Iterable<number>) {
    this.dataset = dataset;
    if (typeof Object(indices)[Symbol.iterator] !== "function")
      throw new DataError(`Subset: needs a list of indices, got ${told(indices)}`);
    this.indices = [...indices];
    for (const index of this.indices)
      if (!Number.isInteger(index) || index < 0 || index >= dataset.length)
        throw new DataError(`Subset: an index is an integer from 0 to ${dataset.length - 1}, got ${told(index)}`);
    if (typeof dataset.gather === "function")
      this.gather = (places) => dataset.gather?.(places.map((place) => this.#inner(place))) as B;
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
      throw new DataError(`Subset.get: there are samples 0 to ${this.length - 1}, got ${told(index)}`);
    return inner;
  }
}

/** Samples as they come. */
export type Stream<T> = Iterable<T> | AsyncIterable<T>;

/**
 * What a loader can read from: tensors whose first axis counts the samples (one, a list, a record), a data set, a list of samples,
 * something to iterate over, or a function that gives such a thing anew for each epoch.
 */
export type Source = Columns | Dataset<unknown> | readonly unknown[] | Stream<unknown> | (() => Stream<unknown>);

/** A record of tensors whose type is an interface, which has no index signature. A function, which has a `call`, is none. */
export type FieldsOf<S> = object & { readonly [K in keyof S]: Tensor } & { readonly call?: never };

/** What one sample of a source is. */
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

/** What a batch of a source is, unless a collate function says otherwise. */
export type BatchOf<S> = S extends Columns
  ? Row<S>
  : S extends TensorDataset<infer C>
    ? Row<C>
    : S extends Subset<infer _T, infer B>
      ? B
      : S extends { gather(indices: readonly number[]): infer B }
        ? B
        : Collated<SampleOf<S>>;

/** A source in one of two forms. */
export type OpenSource =
  | { readonly kind: "indexed"; readonly dataset: Dataset<unknown> }
  | { readonly kind: "stream"; readonly open: () => Stream<unknown> };

const isIterable = (value: object): boolean => Symbol.iterator in value || Symbol.asyncIterator in value;

/** The form of a source. */
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
            `${who}: the source is an iterator, which runs once. Pass the function that makes it: new ${who}(() => source())`,
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
        throw new DataError(`${who}: the function gives something to iterate over, got ${told(stream)}`);
      },
    };
  throw new DataError(
    `${who}: the source is a tensor, a list or record of tensors, a data set { length, get(i) }, a list of samples, or something to iterate over, got ${told(source)}`,
  );
}

const listDataset = <T>(list: readonly T[]): Dataset<T> => ({
  get length() {
    return list.length;
  },
  get: (index) => list[index],
});

/** A source with samples by number, as a data set. */
export function datasetOf(who: string, source: unknown): Dataset<unknown> {
  const open = openSource(who, source);
  if (open.kind === "indexed") return open.dataset;
  throw new DataError(`${who}: the samples come one after the other and have no numbers. Collect them in a list first`);
}
