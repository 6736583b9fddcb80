/**
 * How type tests are written, by testing their own tools. A file `*.types.ts` is never run: it passes when it compiles.
 * True claims are in an exported tuple; invalid code is under `@ts-expect-error`.
 */
import type { Equal, Expect } from "../support/types.ts";

export type Holds = [
  Expect<Equal<[2, 3], [2, 3]>>,
  Expect<Equal<1 | 2, 2 | 1>>,
  Expect<Equal<readonly number[], ReadonlyArray<number>>>,
];

export type Refused = [
  // @ts-expect-error: a literal is narrower than its base type
  Expect<Equal<2, number>>,
  // @ts-expect-error: any is not every type
  // biome-ignore lint/suspicious/noExplicitAny: that any is distinguished is the point
  Expect<Equal<any, number>>,
  // @ts-expect-error: readonly makes another type
  Expect<Equal<readonly number[], number[]>>,
  // @ts-expect-error: a union is not one of its members
  Expect<Equal<1 | 2, 1>>,
];
