/**
 * Time as a function of size: add, sum and matmul from 10^2 to 10^7 elements (or multiplications), on one thread. Shows
 * that there is no cliff: each step up in size should cost per element at most as much as the step before, or as memory
 * access.
 *
 *   npm run bench scaling
 */
import { add, configure, full, matmul, scope, sum } from "../src/index.ts";
import { describeMachine, median } from "./harness.ts";

configure({ threads: 1 });
console.log(describeMachine());

/** Nanoseconds of one call, warm: the median of several runs, each long enough for the clock. */
function timeOf(call: () => unknown): number {
  let warm = 0;
  // The engine needs time to compile the planning code of larger calls.
  for (const end = performance.now() + 600; performance.now() < end; warm++) call();
  const calls = Math.max(1, Math.ceil(warm / 60));
  const samples = Array.from({ length: 9 }, () => {
    const begun = performance.now();
    for (let i = 0; i < calls; i++) call();
    return ((performance.now() - begun) / calls) * 1e6;
  });
  return median(samples);
}

interface Line {
  readonly title: string;
  readonly unit: string;
  /** Returns the call for about `work` units of work, and their exact number. */
  prepare(work: number): readonly [call: () => unknown, units: number];
}

const lines: readonly Line[] = [
  {
    title: "add, into a tensor that exists",
    unit: "element",
    prepare(work) {
      const [x, y, out] = [full([work], 1.5), full([work], 2.5), full([work], 0)];
      return [() => add(x, y, { out }), work];
    },
  },
  {
    title: "sum of all",
    unit: "element",
    prepare(work) {
      const x = full([work], 1.5);
      return [() => sum(x), work];
    },
  },
  {
    title: "matmul of square matrices",
    unit: "multiplication",
    prepare(work) {
      const n = Math.round(Math.cbrt(work));
      const [x, y, out] = [full([n, n], 1.5), full([n, n], 2.5), full([n, n], 0)];
      return [() => matmul(x, y, { out }), n ** 3];
    },
  },
];

const sizes = [1e2, 3e2, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7];
for (const { title, unit, prepare } of lines) {
  console.log(`\n${title}`);
  let before = Number.POSITIVE_INFINITY;
  for (const size of sizes) {
    // Results that are kept would push later tensors out of the heap.
    const [nanoseconds, units] = scope(() => {
      const [call, units] = prepare(size);
      return [timeOf(() => scope(() => void call())), units] as const;
    });
    const each = nanoseconds / units;
    const note = each > 1.5 * before ? `  ${(each / before).toFixed(1)}x the size before` : "";
    console.log(
      `${String(units).padStart(9)}  ${(nanoseconds / 1000).toFixed(2).padStart(10)} us  ${each.toFixed(3).padStart(9)} ns a ${unit}${note}`,
    );
    before = each;
  }
}
