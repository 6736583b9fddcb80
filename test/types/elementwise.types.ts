/**
 * The compiler's knowledge of formulas: one tensor, or a record with the names of the outputs in the text or the
 * function.
 */
import { elementwise, type Tensor } from "stridewise";
import type { Equal, Expect } from "../support/types.ts";

declare const x: Tensor;
declare const text: string;

const plain = elementwise("a * x + b", { a: 1, x, b: 2n });
const compared = elementwise("x == 1 ? x : x <= 2 ? 1 : 0", { x });
const several = elementwise("let t = x * x; s = t + 1;\n d=t - 1", { x });
const named = elementwise("s = x == 1", { x });
const unknown = elementwise(text, { x });
const later = elementwise("s = x + y; d = x - y");
const laterDone = later({ x, y: 1 }, { out: { s: x, d: x } });
const built = elementwise(({ x, a }) => x.mul(a).relu(), { x, a: 2 });
const builtSeveral = elementwise(({ x }) => ({ s: x.exp(), d: x.log().add(1) }), { x });

// @ts-expect-error out of several outputs is a record
elementwise("s = x; d = x", { x }, { out: x });
// @ts-expect-error an array is not an operand
elementwise("x + 1", { x: [1, 2] });
// @ts-expect-error there is no such function
elementwise(({ x }) => x.frobnicate(), { x });
// @ts-expect-error there is no such operand
elementwise(({ x, y }) => x.add(y), { x });

export type Statements = [
  Expect<Equal<typeof plain, Tensor>>,
  Expect<Equal<typeof compared, Tensor>>,
  Expect<Equal<keyof typeof several, "s" | "d">>,
  Expect<Equal<typeof named, { readonly s: Tensor }>>,
  Expect<Equal<typeof unknown, Tensor>>,
  Expect<Equal<typeof laterDone, { readonly s: Tensor; readonly d: Tensor }>>,
  Expect<Equal<typeof built, Tensor>>,
  Expect<Equal<typeof builtSeveral, { readonly s: Tensor; readonly d: Tensor }>>,
];
