/**
 * The option `blas` in a bundle for browsers, which have no native libraries: bundlers put this file in the place of `settle-blas.ts`
 * ("browser" in package.json), so that a page does not load what only Node can use.
 */
import type { BlasFound, settleBlas as settle } from "./settle-blas.ts";

let found: BlasFound | undefined;

export const blasFound = (): BlasFound | undefined => found;

export const settleBlas: typeof settle = (isAsked) => {
  const now = { library: null, why: isAsked ? "a bundle for browsers calls no native libraries" : "not asked for" };
  found = isAsked ? now : undefined;
  return now;
};
