/**
 * The overhead of a call with next to nothing to compute: 16 elements and a new result each time, with its objects and
 * memory. Stridewise and js leave the results to garbage collection; for libraries that require it each result is
 * freed, as Python's reference counting does for numpy and torch.
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

/** Each call compiles a new formula: it is parsed, planned, emitted, compiled and run. */
const newKernel: Row = {
  name: "new-kernel",
  title: "the first call of a kernel that is new, on 16 elements",
  unit: "ms",
  inputs: { x: [16] },
  result: [16],
  expected: (at, input) => input("x", at) * 0 + 1,
  does: {
    stridewise: ({ elementwise }, { x, out }) => {
      let count = 0;
      return () => elementwise(`x * 0.0 + ${++count}.5 / ${count}.5`)({ x }, { out });
    },
  },
};

/** Sums of the rows of a matrix whose number of rows changes with every call: no program is used twice in a row. */
const changingSize: Row = {
  name: "changing-size",
  title: "sums of the rows of 1 to 64 x 16 elements, another number of rows in each call",
  unit: "ns",
  inputs: { x: [64, 16] },
  result: [1],
  expected: (_, input) => {
    let sum = 0;
    for (let column = 0; column < 16; column++) sum += input("x", [0, column]);
    return sum;
  },
  does: {
    stridewise: (_, { x }) => {
      let rows = 0;
      return () => {
        rows = (rows % 64) + 1;
        return x.narrow(0, 0, rows).sum(1).narrow(0, 0, 1);
      };
    },
    numpy: { once: "rows = 0", each: "rows = rows % 64 + 1; out = x[:rows].sum(1)[:1]" },
    torch: { once: "rows = 0", each: "rows = rows % 64 + 1; out = x[:rows].sum(1)[:1]" },
  },
};

/** A step of gradient descent whose learning rate changes with every call: numbers are not part of a program's key. */
const changingRate: Row = {
  name: "changing-rate",
  title: "x - rate * y of 16 elements, another rate in each call",
  unit: "ns",
  inputs: { x: [16], y: [16] },
  result: [16],
  expected: (at, input) => input("x", at) - 0 * input("y", at),
  does: {
    stridewise: (_, { x, y }) => {
      let rate = 1;
      return () => {
        rate *= 0.5;
        return x.sub(y.mul(rate));
      };
    },
    numpy: { once: "rate = np.float32(1)", each: "rate = rate * np.float32(0.5); out = x - y * rate" },
    torch: { once: "rate = 1.0", each: "rate = rate * 0.5; out = x - y * rate" },
  },
};

export const calls: readonly Row[] = [add, newKernel, changingSize, changingRate];
