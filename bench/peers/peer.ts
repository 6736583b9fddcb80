/**
 * The interface of an adapter: its library, ready to run one row. `serve.ts` calls it, times it and reads its result;
 * an adapter measures nothing. A library that cannot be loaded throws, and the message becomes the reason for its
 * absence.
 */
import type { Row } from "../rows/row.ts";

/** A library that is ready for a row. */
export interface Ready {
  readonly version: string;
  /** Runs the work once. The result is kept until the next call; a promise is awaited. */
  call(): unknown;
  /** The values of the last result, row-major. */
  read(): Float32Array | Promise<Float32Array>;
}

export type Prepare = (row: Row) => Promise<Ready>;

/** Returns the entry of a row for one contestant; `start` has already handled absent ones. */
export function entryOf<Name extends keyof Row["does"]>(
  row: Row,
  name: Name,
): Exclude<NonNullable<Row["does"][Name]>, { absent: string }> {
  return row.does[name] as Exclude<NonNullable<Row["does"][Name]>, { absent: string }>;
}

/** Calls that return a new result each time: the last result is kept for reading and freed before the next call. */
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
