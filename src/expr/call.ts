/** The polynomial of one call: its key, its range and its size; and the order of the arguments of a call. */
import { boundsOfCall } from "./bounds.ts";
import { checkSize, spend } from "./budget.ts";
import { atomTerm, type CallAtom, collect, depthOf, type Polynomial, polynomialKey, sizeOf } from "./polynomial.ts";

/** The call of these arguments, to which no rule applies. */
export function call(kind: CallAtom["kind"], args: readonly Polynomial[]): Polynomial {
  let size = 1;
  let depth = 0;
  for (const arg of args) {
    size += sizeOf(arg);
    depth = Math.max(depth, depthOf(arg));
  }
  checkSize(size, ++depth);
  spend(size);
  const [min, max, divisor] = boundsOfCall(kind, args);
  const key = `~${kind}(${args.map(polynomialKey).join(",")})`;
  return collect([atomTerm({ kind, args, key, min, max, divisor, size, depth })]);
}

/** The list in the order of the texts of its elements. */
export function sortBy(list: readonly Polynomial[], keyOf: (each: Polynomial) => string): readonly Polynomial[] {
  const keyed = list.map((each) => [keyOf(each), each] as const);
  return keyed.sort(([x], [y]) => (x < y ? -1 : 1)).map(([, each]) => each);
}
