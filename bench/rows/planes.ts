/**
 * Work on 4096 x 4096 float32 that depends on strides: a transposed copy, every second row and third column, an outer
 * sum. Views are created once, before the measurement.
 */
import { type JaxArray, type Row, side } from "./row.ts";

const n = side(4096);
const rowsKept = Math.ceil(n / 2);
const columnsKept = Math.ceil(n / 3);

const transposeGraph = { nodes: [{ op: "Transpose", from: ["x"], to: "out", attributes: { perm: [1, 0] } }] };
const stridedGraph = {
  nodes: [{ op: "Slice", from: ["x", "starts", "ends", "axes", "steps"], to: "out" }],
  integers: { starts: [0, 0], ends: [n, n], axes: [0, 1], steps: [2, 3] },
};
const addGraph = { nodes: [{ op: "Add", from: ["x", "y"], to: "out" }] };

const transpose: Row = {
  name: "transpose-4096",
  title: "the transpose, copied to contiguous memory",
  unit: "ms",
  inputs: { x: [n, n] },
  result: [n, n],
  expected: ([i = 0, j = 0], input) => input("x", [j, i]),
  does: {
    stridewise: (_, { x, out }) => {
      const turned = x.T;
      return () => out.copy_(turned);
    },
    numpy: { once: "turned = x.T", each: "np.copyto(out, turned)" },
    torch: { once: "turned = x.t()", each: "out.copy_(turned)" },
    "tfjs-wasm":
      (tf, { x }) =>
      () =>
        tf.transpose(x),
    "tfjs-cpu":
      (tf, { x }) =>
      () =>
        tf.transpose(x),
    "jax-js": ({ jit, numpy }, { x }) => {
      const turn = jit((x: JaxArray) => numpy.transpose(x));
      return () => turn(x.ref);
    },
    "ort-web": transposeGraph,
    "ort-node": transposeGraph,
    "numpy-ts": (_, { x }) => {
      const turned = x.T;
      return () => turned.copy();
    },
    js:
      (_, { x, out }) =>
      () => {
        const tile = 32;
        for (let top = 0; top < n; top += tile)
          for (let left = 0; left < n; left += tile)
            for (let i = top; i < Math.min(n, top + tile); i++)
              for (let j = left; j < Math.min(n, left + tile); j++) out[j * n + i] = x[i * n + j]!;
        return out;
      },
  },
};

const strided: Row = {
  name: "strided-4096",
  title: "[::2, ::3], copied to contiguous memory",
  unit: "ms",
  inputs: { x: [n, n] },
  result: [rowsKept, columnsKept],
  expected: ([i = 0, j = 0], input) => input("x", [2 * i, 3 * j]),
  does: {
    stridewise: ({ range }, { x, out }) => {
      const sliced = x.at(range(0, n, 2), range(0, n, 3));
      return () => out.copy_(sliced);
    },
    numpy: { once: "kept = x[::2, ::3]", each: "np.copyto(out, kept)" },
    torch: { once: "kept = x[::2, ::3]", each: "out.copy_(kept)" },
    "tfjs-wasm":
      (tf, { x }) =>
      () =>
        tf.stridedSlice(x, [0, 0], [n, n], [2, 3]),
    "tfjs-cpu":
      (tf, { x }) =>
      () =>
        tf.stridedSlice(x, [0, 0], [n, n], [2, 3]),
    "jax-js": { absent: "slices take no step" },
    "ort-web": stridedGraph,
    "ort-node": stridedGraph,
    "numpy-ts": (_, { x }) => {
      const sliced = x.slice("::2", "::3");
      return () => sliced.copy();
    },
    js:
      (_, { x, out }) =>
      () => {
        for (let i = 0; i < rowsKept; i++)
          for (let j = 0; j < columnsKept; j++) out[i * columnsKept + j] = x[2 * i * n + 3 * j]!;
        return out;
      },
  },
};

const broadcastAdd: Row = {
  name: "broadcast-add-4096",
  title: "a column plus a row, (4096, 1) + (1, 4096)",
  unit: "ms",
  inputs: { x: [n, 1], y: [1, n] },
  result: [n, n],
  expected: ([i = 0, j = 0], input) => input("x", [i, 0]) + input("y", [0, j]),
  does: {
    stridewise: ({ elementwise }, { x, y, out }) => {
      const add = elementwise("x + y");
      return () => add({ x, y }, { out });
    },
    numpy: { each: "np.add(x, y, out=out)" },
    torch: { each: "torch.add(x, y, out=out)" },
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
      (_, { x, y, out }) =>
      () => {
        const width = n;
        for (let i = 0; i < width; i++) {
          const xi = x[i]!;
          for (let j = 0; j < width; j++) out[i * width + j] = xi + y[j]!;
        }
        return out;
      },
  },
};

export const planes: readonly Row[] = [transpose, strided, broadcastAdd];
