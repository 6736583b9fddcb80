/**
 * What an adapter gives: its library, ready to do one row. `serve.ts` calls it, times it and reads its result; an adapter
 * holds no clock. A library that cannot be loaded throws, and the message becomes the reason why it is absent.
 */
import type { Row } from "../rows/row.ts";

/** A library that is ready for a row. */
export interface Ready {
  readonly version: string;
  /** The work, once; the result is kept until the next call. A promise is waited for. */
  call(): unknown;
  /** The values of the last result, row-major. */
  read(): Float32Array | Promise<Float32Array>;
}

export type Prepare = (row: Row) => Promise<Ready>;

/** The entry of a row for one contestant; `start` has already asked those that are absent. */
export function entryOf<Name extends keyof Row["does"]>(
  row: Row,
  name: Name,
): Exclude<NonNullable<Row["does"][Name]>, { absent: string }> {
  return row.does[name] as Exclude<NonNullable<Row["does"][Name]>, { absent: string }>;
}

/** Calls that make a new result each time: the last one is freed before the next is made, and kept for reading. */
export function keepingLast<R>(make: () => R, free: (result: R) => void): { call(): void; last(): R } {
  let last: R | undefined;
  return {
    call() {
      if (last !== undefined) free(last);
      last = make();
    },
    last: () => last as R,
  };
}
