/**
 * Ops: matrix products, reductions, normalization, convolution, attention, sorting. Each contestant uses its own op for
 * the job, or the usual composition of ops if it has none. One thread unless a row says otherwise.
 */
import { type Body, elements, type JaxArray, type Row, side } from "./row.ts";

type Ours = Body<typeof import("stridewise"), import("stridewise").Tensor>;

// ---- Matrix products -------------------------------------------------------------------------------------------

const productGraph = { nodes: [{ op: "MatMul", from: ["x", "y"], to: "out" }] };

const matmulRow = (name: string, title: string, n: number, ours: Ours, peers: Partial<Row["does"]>): Row => ({
  name,
  title,
  unit: "ms",
  inputs: { x: [n, n], y: [n, n] },
  result: [n, n],
  tolerance: 1e-4,
  expected([i = 0, j = 0], input) {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += input("x", [i, k]) * input("y", [k, j]);
    return sum;
  },
  does: { stridewise: ours, ...peers },
});

const ourMatmul: Ours =
  ({ matmul }, { x, y, out }) =>
  () =>
    matmul(x, y, { out });

const numpyMatmul = { numpy: { each: "np.matmul(x, y, out=out)" } };

const everyone: Partial<Row["does"]> = {
  ...numpyMatmul,
  torch: { each: "torch.matmul(x, y, out=out)" },
  "tfjs-wasm":
    (tf, { x, y }) =>
    () =>
      tf.matMul(x as never, y as never),
  "tfjs-cpu":
    (tf, { x, y }) =>
    () =>
      tf.matMul(x as never, y as never),
  "jax-js": ({ jit, numpy }, { x, y }) => {
    const multiply = jit((x: JaxArray, y: JaxArray) => numpy.matmul(x, y));
    return () => multiply(x.ref, y.ref);
  },
  "ort-web": productGraph,
  "ort-node": productGraph,
  "numpy-ts":
    (np, { x, y }) =>
    () =>
      np.matmul(x, y),
};

/** One product of this size takes it seconds, which the others need. */
const slowAt1024 = { "tfjs-cpu": { absent: "it takes seconds for one; see matmul-512" } };
const matmuls = [64, 256, 512, 1024].map((n) =>
  matmulRow(`matmul-${n}`, `the product of two ${n} x ${n} matrices`, n, ourMatmul, {
    ...everyone,
    ...(n === 1024 ? slowAt1024 : {}),
  }),
);

const relaxed = matmulRow(
  "matmul-512-relaxed",
  "the same with relaxed SIMD switched on",
  512,
  (library, arrays) => {
    library.configure({ relaxedSimd: true });
    return ourMatmul(library, arrays);
  },
  numpyMatmul,
);

const revectorized: Row = {
  ...matmulRow(
    "matmul-512-node24",
    "the same on Node 24 with the revectorize option",
    512,
    (library, arrays) => {
      library.configure({ relaxedSimd: true, revectorize: true });
      return ourMatmul(library, arrays);
    },
    numpyMatmul,
  ),
  node: 24,
};

// ---- Reductions over many elements ------------------------------------------------------------------------------

const many = elements(16 * 2 ** 20);
let total: number | undefined;

const sumRow: Row = {
  name: "sum-16M",
  title: "the sum of 16M elements",
  unit: "ms",
  inputs: { x: [many] },
  result: [1],
  tolerance: 1e-3,
  expected(_at, input) {
    if (total === undefined) {
      total = 0;
      for (let i = 0; i < many; i++) total += input("x", [i]);
    }
    return total;
  },
  does: {
    stridewise:
      ({ sum }, { x, out }) =>
      () =>
        sum(x, 0, { keepdims: true, out }),
    numpy: { each: "out = np.sum(x, keepdims=True)" },
    torch: { each: "out = x.sum(0, keepdim=True)" },
    "tfjs-wasm":
      (tf, { x }) =>
      () =>
        tf.sum(x, 0, true),
    "jax-js": ({ jit, numpy }, { x }) => {
      const add = jit((x: JaxArray) => numpy.sum(x, 0, { keepdims: true }));
      return () => add(x.ref);
    },
    "numpy-ts":
      (np, { x }) =>
      () =>
        np.sum(x, 0, true) as never,
    js:
      (_, { x, out }) =>
      () => {
        let sum = 0;
        for (let i = 0; i < x.length; i++) sum += x[i]!;
        out[0] = sum;
        return out;
      },
  },
};

/** The same over memory of the user: as it is, which copies it at every call, or after one copy. */
const wrappedRows = (["wrapped", "resident"] as const).map(
  (kind): Row => ({
    ...sumRow,
    name: `sum-16M-${kind}`,
    title: kind === "wrapped" ? "the same over a wrapped typed array" : "the same after resident()",
    does: {
      stridewise: ({ fromBuffer, sum }, { x, out }) => {
        const wrapped = fromBuffer(x.toTypedArray() as Float32Array);
        const operand = kind === "wrapped" ? wrapped : wrapped.resident();
        return () => sum(operand, 0, { keepdims: true, out });
      },
      numpy: { each: "out = np.sum(x, keepdims=True)" },
    },
  }),
);

// ---- Rows ------------------------------------------------------------------------------------------------------

const width = side(4096);

const softmaxRow: Row = {
  name: "softmax-4096",
  title: "softmax along the rows of 4096 x 4096",
  unit: "ms",
  inputs: { x: [width, width] },
  result: [width, width],
  tolerance: 2e-6,
  expected([i = 0, j = 0], input) {
    let sum = 0;
    for (let k = 0; k < width; k++) sum += Math.exp(input("x", [i, k]));
    return Math.exp(input("x", [i, j])) / sum;
  },
  does: {
    stridewise:
      ({ softmax }, { x, out }) =>
      () =>
        softmax(x, 1, { out }),
    numpy: {
      each: "np.subtract(x, x.max(axis=1, keepdims=True), out=out); np.exp(out, out=out); out /= out.sum(axis=1, keepdims=True)",
    },
    torch: { each: "out = torch.softmax(x, 1)" },
    "tfjs-wasm":
      (tf, { x }) =>
      () =>
        tf.softmax(x, 1),
    "jax-js": ({ jit, nn }, { x }) => {
      const soft = jit((x: JaxArray) => nn.softmax(x, 1));
      return () => soft(x.ref);
    },
    "ort-web": { nodes: [{ op: "Softmax", from: ["x"], to: "out" }] },
    "ort-node": { nodes: [{ op: "Softmax", from: ["x"], to: "out" }] },
  },
};

const layerNormRow: Row = {
  name: "layernorm-4096",
  title: "layer normalization of the rows of 4096 x 4096",
  unit: "ms",
  inputs: { x: [width, width] },
  result: [width, width],
  tolerance: 1e-5,
  expected([i = 0, j = 0], input) {
    let [sum, squares] = [0, 0];
    for (let k = 0; k < width; k++) sum += input("x", [i, k]);
    const mean = sum / width;
    for (let k = 0; k < width; k++) squares += (input("x", [i, k]) - mean) ** 2;
    return (input("x", [i, j]) - mean) / Math.sqrt(squares / width + 1e-5);
  },
  does: {
    stridewise:
      ({ layerNorm }, { x }) =>
      () =>
        layerNorm(x, [width]),
    numpy: {
      each: "m = x.mean(axis=1, keepdims=True); v = x.var(axis=1, keepdims=True); np.subtract(x, m, out=out); out /= np.sqrt(v + 1e-5)",
    },
    torch: { each: `out = torch.nn.functional.layer_norm(x, [${width}])` },
    "tfjs-wasm":
      (tf, { x }) =>
      () =>
        tf.tidy(() => {
          const { mean, variance } = tf.moments(x, 1, true);
          return tf.div(tf.sub(x, mean), tf.sqrt(tf.add(variance, 1e-5)));
        }),
    "jax-js": ({ jit, nn }, { x }) => {
      const normal = jit((x: JaxArray) => nn.standardize(x, 1, { epsilon: 1e-5 }));
      return () => normal(x.ref);
    },
  },
};

// ---- Convolution: 3 x 3 over 64 channels of 56 x 56, as in a residual network ------------------------------------

const [channels, area] = [64, side(56)];
const convRow: Row = {
  name: "conv2d-3x3",
  title: "a 3 x 3 convolution, 64 to 64 channels, 56 x 56",
  unit: "ms",
  inputs: { x: [1, channels, area, area], y: [channels, channels, 3, 3] },
  result: [1, channels, area, area],
  tolerance: 1e-4,
  expected([, o = 0, i = 0, j = 0], input) {
    let sum = 0;
    for (let c = 0; c < channels; c++)
      for (let a = 0; a < 3; a++)
        for (let b = 0; b < 3; b++) {
          const [row, column] = [i + a - 1, j + b - 1];
          if (row >= 0 && row < area && column >= 0 && column < area)
            sum += input("x", [0, c, row, column]) * input("y", [o, c, a, b]);
        }
    return sum;
  },
  does: {
    stridewise:
      ({ conv2d }, { x, y }) =>
      () =>
        conv2d(x, y, null, { padding: 1 }),
    torch: { each: "out = torch.nn.functional.conv2d(x, y, padding=1)" },
    "tfjs-wasm": (tf, { x, y }) => {
      const image = tf.transpose(x, [0, 2, 3, 1]);
      const filters = tf.transpose(y, [2, 3, 1, 0]);
      return () => tf.tidy(() => tf.transpose(tf.conv2d(image as never, filters as never, 1, "same"), [0, 3, 1, 2]));
    },
    "jax-js": ({ jit, lax }, { x, y }) => {
      const convolve = jit((x: JaxArray, y: JaxArray) =>
        lax.convGeneralDilated(
          x,
          y,
          [1, 1],
          [
            [1, 1],
            [1, 1],
          ],
        ),
      );
      return () => convolve(x.ref, y.ref);
    },
    "ort-web": { nodes: [{ op: "Conv", from: ["x", "y"], to: "out", attributes: { pads: [1, 1, 1, 1] } }] },
    "ort-node": { nodes: [{ op: "Conv", from: ["x", "y"], to: "out", attributes: { pads: [1, 1, 1, 1] } }] },
  },
};

// ---- Attention: 8 heads of 2048 x 64, keys and queries the same ---------------------------------------------------

const [heads, length, depth] = [8, side(2048), 64];
const attentionRow: Row = {
  name: "attention-2048",
  title: "scaled dot-product attention, 8 heads of 2048 x 64",
  unit: "ms",
  inputs: { x: [heads, length, depth], y: [heads, length, depth] },
  result: [heads, length, depth],
  tolerance: 1e-4,
  expected([h = 0, i = 0, d = 0], input) {
    let [sum, weighted] = [0, 0];
    for (let k = 0; k < length; k++) {
      let score = 0;
      for (let c = 0; c < depth; c++) score += input("x", [h, i, c]) * input("x", [h, k, c]);
      const weight = Math.exp(score / Math.sqrt(depth) - 20);
      sum += weight;
      weighted += weight * input("y", [h, k, d]);
    }
    return weighted / sum;
  },
  does: {
    stridewise:
      ({ scaledDotProductAttention }, { x, y }) =>
      () =>
        scaledDotProductAttention(x, x, y),
    numpy: {
      each: "s = np.matmul(x, x.transpose(0, 2, 1)) * np.float32(0.125); s -= s.max(axis=-1, keepdims=True); np.exp(s, out=s); s /= s.sum(axis=-1, keepdims=True); np.matmul(s, y, out=out)",
    },
    torch: { each: "out = torch.matmul(torch.softmax(torch.matmul(x, x.transpose(1, 2)) * 0.125, -1), y)" },
    "tfjs-wasm":
      (tf, { x, y }) =>
      () =>
        tf.tidy(() => tf.matMul(tf.softmax(tf.mul(tf.matMul(x as never, x as never, false, true), 0.125)), y as never)),
    "jax-js": ({ jit, nn, numpy }, { x, y }) => {
      const attend = jit((x: JaxArray, y: JaxArray) => {
        const scores = numpy.matmul(x.ref, numpy.transpose(x, [0, 2, 1])).mul(0.125);
        return numpy.matmul(nn.softmax(scores, -1), y);
      });
      return () => attend(x.ref, y.ref);
    },
  },
};

// ---- A chain of products, in the order that each chooses ----------------------------------------------------------

const [long, short] = [side(512), side(256)];
const chain = "ab,bc,cd->ad";
const einsumRow: Row = {
  name: "einsum-chain",
  title: `einsum ${chain} of ${long} x ${short}, ${short} x ${long} and the first again`,
  unit: "ms",
  inputs: { x: [long, short], y: [short, long] },
  result: [long, short],
  // Two sums over hundreds of terms that cancel.
  tolerance: 1e-3,
  expected([i = 0, j = 0], input) {
    let sum = 0;
    for (let b = 0; b < short; b++) {
      let inner = 0;
      for (let c = 0; c < long; c++) inner += input("y", [b, c]) * input("x", [c, j]);
      sum += input("x", [i, b]) * inner;
    }
    return sum;
  },
  does: {
    stridewise:
      ({ einsum }, { x, y }) =>
      () =>
        einsum(chain, x, y, x),
    numpy: { each: `out = np.einsum('${chain}', x, y, x, optimize=True)` },
    torch: { each: `out = torch.einsum('${chain}', x, y, x)` },
    "tfjs-wasm":
      (tf, { x, y }) =>
      () =>
        // Its WebAssembly backend has no einsum.
        tf.tidy(() => tf.matMul(x as never, tf.matMul(y as never, x as never))),
    "jax-js": ({ jit, numpy }, { x, y }) => {
      // Its einsum calls a method of iterators that Node 20 does not have.
      const multiply = jit((x: JaxArray, y: JaxArray) => numpy.matmul(x.ref, numpy.matmul(y, x)));
      return () => multiply(x.ref, y.ref);
    },
  },
};

// ---- Sorting ----------------------------------------------------------------------------------------------------

const sorted = elements(2 ** 20);
let order: Float32Array | undefined;
const sortRow: Row = {
  name: "sort-1M",
  title: "1M elements sorted",
  unit: "ms",
  inputs: { x: [sorted] },
  result: [sorted],
  expected([i = 0], input) {
    order ??= Float32Array.from({ length: sorted }, (_, k) => input("x", [k])).sort();
    return order[i] as number;
  },
  does: {
    stridewise:
      ({ sort }, { x }) =>
      () =>
        sort(x).values,
    numpy: { each: "out = np.sort(x)" },
    torch: { each: "out = torch.sort(x)[0]" },
    "tfjs-wasm": {
      absent: "it has no sort; topk of all elements takes minutes",
    },
    "jax-js": ({ jit, numpy }, { x }) => {
      const sort = jit((x: JaxArray) => numpy.sort(x));
      return () => sort(x.ref);
    },
    "numpy-ts":
      (np, { x }) =>
      () =>
        np.sort(x),
    js:
      (_, { x, out }) =>
      () => {
        out.set(x);
        return out.sort();
      },
  },
};

export const ops: readonly Row[] = [
  ...matmuls,
  relaxed,
  revectorized,
  sumRow,
  ...wrappedRows,
  softmaxRow,
  layerNormRow,
  convRow,
  attentionRow,
  einsumRow,
  sortRow,
];
