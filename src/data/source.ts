/**
 * What a loader can read from, and which of its forms a value is: samples by number, or samples as they come.
 */
import type { Tensor } from "../index.ts";
import { DataError, isForeign, told } from "./checks.ts";
import type { Collated } from "./collate.ts";
import { type Columns, type Dataset, isColumns, type Row, type Subset, TensorDataset } from "./dataset.ts";

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
        const stream = (source as () => Stream<unknown>)();
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
  get: (index) => list[index] as T,
});

/** A source with samples by number, as a data set. */
export function datasetOf(who: string, source: unknown): Dataset<unknown> {
  const open = openSource(who, source);
  if (open.kind === "indexed") return open.dataset;
  throw new DataError(`${who}: the samples come one after the other and have no numbers. Collect them in a list first`);
}
