/**
 * Maps over 16M float32, each as fast as its library can run them on one thread: written to existing memory if the
 * library can, in one pass if it can, otherwise in as few as possible. The hand-written loops contain literal numbers:
 * with module variables V8 makes them up to three times as slow.
 */
import { elements, type JaxArray, type Row } from "./row.ts";

const n = elements(16 * 2 ** 20);
const a = 2.5;
const b = 1.25;
const c = 0.5;
const d = 0.75;
const line: Pick<Row, "inputs" | "result" | "unit"> = { inputs: { x: [n] }, result: [n], unit: "ms" };

const axpbGraph = {
  nodes: [
    { op: "Mul", from: ["x", "a"], to: "ax" },
    { op: "Add", from: ["ax", "b"], to: "out" },
  ],
  floats: { a, b },
};
const fusedGraph = {
  nodes: [
    { op: "Mul", from: ["x", "a"], to: "ax" },
    { op: "Add", from: ["ax", "b"], to: "axb" },
    { op: "Relu", from: ["axb"], to: "relu" },
    { op: "Mul", from: ["relu", "c"], to: "scaled" },
    { op: "Sub", from: ["scaled", "d"], to: "out" },
  ],
  floats: { a, b, c, d },
};
const expGraph = { nodes: [{ op: "Exp", from: ["x"], to: "out" }] };
const copyGraph = { nodes: [{ op: "Identity", from: ["x"], to: "out" }] };

const axpb: Row = {
  ...line,
  name: "axpb-16M",
  title: "a * x + b",
  expected: (at, input) => a * input("x", at) + b,
  does: {
    stridewise: ({ elementwise }, { x, out }) => {
      const axpb = elementwise("a * x + b");
      return () => axpb({ x, a, b }, { out });
    },
    numpy: { each: `np.multiply(x, ${a}, out=out); np.add(out, ${b}, out=out)` },
    torch: { once: `b = torch.tensor(${b})`, each: `torch.add(b, x, alpha=${a}, out=out)` },
    "tfjs-wasm":
      (tf, { x }) =>
      () =>
        tf.add(tf.mul(x, a), b),
    "tfjs-cpu":
      (tf, { x }) =>
      () =>
        tf.add(tf.mul(x, a), b),
    "jax-js": ({ jit }, { x }) => {
      const axpb = jit((x: JaxArray) => x.mul(a).add(b));
      return () => axpb(x.ref);
    },
    "ort-web": axpbGraph,
    "ort-node": axpbGraph,
    "numpy-ts":
      (np, { x }) =>
      () => {
        const ax = np.multiply(x, a);
        const axb = np.add(ax, b);
        ax.dispose();
        return axb;
      },
    js:
      (_, { x, out }) =>
      () => {
        for (let i = 0; i < out.length; i++) out[i] = 2.5 * x[i]! + 1.25;
        return out;
      },
  },
};

export const fused: Row = {
  ...line,
  name: "fused-16M",
  title: "relu(a * x + b) * c - d",
  expected: (at, input) => Math.max(a * input("x", at) + b, 0) * c - d,
  does: {
    stridewise: ({ elementwise }, { x, out }) => {
      const chain = elementwise("max(a * x + b, 0) * c - d");
      return () => chain({ x, a, b, c, d }, { out });
    },
    numpy: {
      each:
        `np.multiply(x, ${a}, out=out); np.add(out, ${b}, out=out); np.maximum(out, 0, out=out); ` +
        `np.multiply(out, ${c}, out=out); np.subtract(out, ${d}, out=out)`,
    },
    torch: {
      once: `b = torch.tensor(${b})`,
      each: `torch.add(b, x, alpha=${a}, out=out).relu_().mul_(${c}).sub_(${d})`,
    },
    "tfjs-wasm":
      (tf, { x }) =>
      () =>
        tf.sub(tf.mul(tf.relu(tf.add(tf.mul(x, a), b)), c), d),
    "tfjs-cpu":
      (tf, { x }) =>
      () =>
        tf.sub(tf.mul(tf.relu(tf.add(tf.mul(x, a), b)), c), d),
    "jax-js": ({ jit, numpy }, { x }) => {
      const chain = jit((x: JaxArray) => numpy.maximum(x.mul(a).add(b), 0).mul(c).sub(d));
      return () => chain(x.ref);
    },
    "ort-web": fusedGraph,
    "ort-node": fusedGraph,
    "numpy-ts":
      (np, { x }) =>
      () => {
        const ax = np.multiply(x, a);
        const axb = np.add(ax, b);
        ax.dispose();
        const relu = np.maximum(axb, 0);
        axb.dispose();
        const scaled = np.multiply(relu, c);
        relu.dispose();
        const result = np.subtract(scaled, d);
        scaled.dispose();
        return result;
      },
    js:
      (_, { x, out }) =>
      () => {
        for (let i = 0; i < out.length; i++) out[i] = Math.max(2.5 * x[i]! + 1.25, 0) * 0.5 - 0.75;
        return out;
      },
  },
};

const copy: Row = {
  ...line,
  name: "copy-16M",
  title: "a contiguous copy; js is TypedArray.set",
  expected: (at, input) => input("x", at),
  does: {
    stridewise:
      (_, { x, out }) =>
      () =>
        out.copy_(x),
    numpy: { each: "np.copyto(out, x)" },
    torch: { each: "out.copy_(x)" },
    "tfjs-wasm":
      (tf, { x }) =>
      () =>
        tf.clone(x),
    "tfjs-cpu": { absent: "no op copies: clone, slice and concat of one share the data" },
    "jax-js": { absent: "no op copies" },
    "ort-web": copyGraph,
    "ort-node": copyGraph,
    "numpy-ts":
      (_, { x }) =>
      () =>
        x.copy(),
    js:
      (_, { x, out }) =>
      () => {
        out.set(x);
        return out;
      },
  },
};

const exp: Row = {
  ...line,
  name: "exp-16M",
  title: "exp(x)",
  expected: (at, input) => Math.exp(input("x", at)),
  does: {
    stridewise: ({ elementwise }, { x, out }) => {
      const exp = elementwise("exp(x)");
      return () => exp({ x }, { out });
    },
    numpy: { each: "np.exp(x, out=out)" },
    torch: { each: "torch.exp(x, out=out)" },
    "tfjs-wasm":
      (tf, { x }) =>
      () =>
        tf.exp(x),
    "tfjs-cpu":
      (tf, { x }) =>
      () =>
        tf.exp(x),
    "jax-js": ({ jit, numpy }, { x }) => {
      const exp = jit((x: JaxArray) => numpy.exp(x));
      return () => exp(x.ref);
    },
    "ort-web": expGraph,
    "ort-node": expGraph,
    "numpy-ts":
      (np, { x }) =>
      () =>
        np.exp(x),
    js:
      (_, { x, out }) =>
      () => {
        for (let i = 0; i < out.length; i++) out[i] = Math.exp(x[i]!);
        return out;
      },
  },
};

const million = elements(2 ** 20);
/** gelu of the values that inputs have, which are at most 2 in size: 0.5 x (1 + erf(x / sqrt(2))) by the series of erf. */
function geluOf(x: number): number {
  const z = (x * x) / 2;
  let [sum, term] = [0, x * Math.SQRT1_2];
  for (let k = 0; k < 40; k++) {
    sum += term / (2 * k + 1);
    term *= -z / (k + 1);
  }
  return 0.5 * x * (1 + (2 / Math.sqrt(Math.PI)) * sum);
}

const gelu: Row = {
  name: "gelu-1M",
  title: "gelu(x) of 1M elements",
  unit: "ms",
  inputs: { x: [million] },
  result: [million],
  expected: (at, input) => geluOf(input("x", at)),
  does: {
    stridewise:
      ({ gelu }, { x, out }) =>
      () =>
        gelu(x, { out }),
    torch: { each: "out = torch.nn.functional.gelu(x)" },
  },
};

export const maps: readonly Row[] = [axpb, fused, copy, exp, gelu];
