/**
 * A million views of every rank up to five, alive at once: the heap bytes that one holds, and whether all of them have one hidden
 * class. Run with --expose-gc --allow-natives-syntax; prints one line of JSON.
 */
import { arange } from "../../../src/api.ts";
import type { Tensor } from "../../../src/tensor/tensor.ts";

const count = 1_000_000;
const gc = (globalThis as unknown as { gc: () => void }).gc;
// The syntax is V8's own; no parser of TypeScript reads it.
const haveSameMap = new Function("a", "b", "return %HaveSameMap(a, b)") as (a: object, b: object) => boolean;

const base: Tensor = arange(2 * 3 * 4 * 5 * 6);
const whole: Tensor = base.view(2, 3, 4, 5, 6);
const pieces = whole.split([1, 1], 0);
const part = pieces[1] as Tensor;

/** Views of all ranks, by all ways that make one. */
const ways: readonly ((i: number) => Tensor)[] = [
  (i) => whole.select(1, i % 3),
  (i) => whole.narrow(2, i % 4, 1),
  () => whole.permute(4, 3, 2, 1, 0),
  (i) =>
    whole
      .select(0, i % 2)
      .select(0, i % 3)
      .select(0, i % 4),
  () => part.expand(7, 3, 4, 5, 6),
  (i) => base.slice(0, i % 720, null, -1),
  (i) => base.select(0, i % 720),
  (i) => whole.at(i % 2, i % 3),
  () => base.view(24, 30),
  () => whole.transpose(1, 2).detach(),
  () => base.unfold(0, 3, 2),
  () => whole.diagonal(0, 1, 2),
  (i) => whole.unbind(1)[i % 3] as Tensor,
  () => whole.squeeze().unsqueeze(0).flatten(0, 1),
];

const views = new Array<Tensor>(count);
for (let i = 0; i < 2000; i++) views[i] = (ways[i % ways.length] as (typeof ways)[number])(i);
views.fill(whole);
gc();
gc();
const before = process.memoryUsage().heapUsed;
for (let i = 0; i < count; i++) views[i] = (ways[i % ways.length] as (typeof ways)[number])(i);
gc();
gc();
const bytes = (process.memoryUsage().heapUsed - before) / count;

const first = views[0] as Tensor;
let others = 0;
for (let i = 0; i < count; i += 7) if (!haveSameMap(first, views[i] as Tensor)) others++;
// A look at a view's flags and layout must not change its class either.
void first.isContiguous();
void first.overlap;
void first.version;
console.log(
  JSON.stringify({
    bytes,
    others,
    withBase: haveSameMap(first, base),
    afterUse: haveSameMap(first, views[1] as Tensor),
  }),
);
