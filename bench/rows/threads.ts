/**
 * Two threads compared with one, for memory-bound and compute-bound work. Reports the speedup and shows that a second
 * thread never costs time: the row's value is with two threads, the peer is Stridewise with one.
 */
import { type Body, elements, type Row } from "./row.ts";

const n = elements(16 * 2 ** 20);

/** One formula in x, written to out, on this number of threads. */
const withThreads =
  (threads: number, formula: string): Body<typeof import("stridewise"), import("stridewise").Tensor> =>
  ({ configure, elementwise }, { x, out }) => {
    configure({ threads });
    const map = elementwise(formula);
    return () => map({ x }, { out });
  };

const threadsRow = (name: string, formula: string, expected: (x: number) => number): Row => ({
  name,
  title: `${formula}, two threads and one`,
  unit: "ms",
  inputs: { x: [n] },
  result: [n],
  expected: (at, input) => expected(input("x", at)),
  does: { stridewise: withThreads(2, formula), "one-thread": withThreads(1, formula) },
});

export const threads: readonly Row[] = [
  threadsRow("threads-memory", "2.5 * x + 1.25", (x) => 2.5 * x + 1.25),
  threadsRow("threads-compute", "tanh(exp(x) * sin(x))", (x) => Math.tanh(Math.exp(x) * Math.sin(x))),
];
