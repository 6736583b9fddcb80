/**
 * What a call costs when there is next to nothing to compute: 16 elements, with a new result each time, its objects and its memory.
 * Stridewise and js leave the results to garbage collection; libraries that ask for it get each result freed, as Python's count of
 * references does it for numpy and torch.
 */
import type { JaxArray, Row } from "./row.ts";

const addGraph = { nodes: [{ op: "Add", from: ["x", "y"], to: "out" }], fresh: true };

const add: Row = {
  name: "add-16",
  title: "x + y of 16 elements, a new result each time",
  unit: "ns",
  inputs: { x: [16], y: [16] },
  result: [16],
  expected: (at, input) => input("x", at) + input("y", at),
  does: {
    stridewise:
      (_, { x, y }) =>
      () =>
        x.add(y),
    numpy: { each: "out = x + y" },
    torch: { each: "out = x + y" },
    "tfjs-wasm":
      (tf, { x, y }) =>
      () =>
        tf.add(x, y),
    "tfjs-cpu":
      (tf, { x, y }) =>
      () =>
        tf.add(x, y),
    "jax-js": ({ jit }, { x, y }) => {
      const add = jit((x: JaxArray, y: JaxArray) => x.add(y));
      return () => add(x.ref, y.ref);
    },
    "ort-web": addGraph,
    "ort-node": addGraph,
    "numpy-ts":
      (np, { x, y }) =>
      () =>
        np.add(x, y),
    js:
      (_, { x, y }) =>
      () => {
        const sum = new Float32Array(x.length);
        for (let i = 0; i < sum.length; i++) sum[i] = x[i]! + y[i]!;
        return sum;
      },
  },
};

/** Each call makes a formula that nobody has seen: parsed, planned, emitted, compiled, run. */
const newKernel: Row = {
  name: "new-kernel",
  title: "the first call of a kernel that is new, on 16 elements",
  unit: "ms",
  inputs: { x: [16] },
  result: [16],
  expected: (at, input) => input("x", at) * 0 + 1,
  does: {
    stridewise: ({ elementwise }, { x, out }) => {
      let made = 0;
      return () => elementwise(`x * 0.0 + ${++made}.5 / ${made}.5`)({ x }, { out });
    },
  },
};

export const calls: readonly Row[] = [add, newKernel];
