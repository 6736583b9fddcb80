/**
 * Functions compiled by `compile`, compared with the same functions without it, with a kernel fused by hand, and with
 * other libraries. Results are checked in calls that run the program. One thread unless a row says otherwise.
 */
import { fused } from "./maps.ts";
import { type JaxArray, type Row, type Stridewise, side, warm } from "./row.ts";
import { compiledTraining } from "./train.ts";
import { geluOf, geluTanh, stridewiseBlock, tfjsGelu, transformerBlock } from "./transformer.ts";

type Tensor = import("stridewise").Tensor;
/** Creates the function of a row, with what it captures. */
type Make = (library: Stridewise, y: Tensor) => (x: Tensor) => Tensor;

/** The function of a row, compiled. */
const compiled =
  (make: Make, threads = 1): Row["does"]["stridewise"] =>
  (library, { x, y }) => {
    library.configure({ threads });
    const run = warm(library.compile(make(library, y)), x);
    return () => run(x);
  };

/** The same function as it is; temporaries are freed at its end. */
const eager =
  (make: Make): Row["does"]["stridewise"] =>
  (library, { x, y }) => {
    const run = make(library, y);
    return () => library.scope(() => run(x));
  };

const both = (make: Make): Pick<Row["does"], "stridewise" | "eager"> => ({
  stridewise: compiled(make),
  eager: eager(make),
});

// ---- A chain of maps -------------------------------------------------------------------------------------------

const { stridewise: kernel, ...chainPeers } = fused.does;
const chain: Row = {
  ...fused,
  name: "compiled-chain-16M",
  title: `${fused.title}, compiled from ops`,
  does: {
    ...chainPeers,
    ...both(
      ({ relu }) =>
        (x) =>
          relu(x.mul(2.5).add(1.25)).mul(0.5).sub(0.75) as Tensor,
    ),
    kernel,
  },
};

// ---- A map after a normalization -------------------------------------------------------------------------------

const [rows, columns] = [side(4096), 1024];
const geluGraph = {
  nodes: [
    { op: "LayerNormalization", from: ["x", "ones"], to: "normal", attributes: { axis: 1 } },
    { op: "Gelu", from: ["normal"], to: "out", attributes: { approximate: "tanh" } },
  ],
  tensors: { ones: { shape: [columns], values: () => new Float32Array(columns).fill(1) } },
};
const geluLayerNorm: Row = {
  name: "gelu-layernorm",
  title: `gelu(layerNorm(x)) of ${rows} x ${columns}, gelu in its tanh form`,
  unit: "ms",
  inputs: { x: [rows, columns] },
  result: [rows, columns],
  tolerance: 1e-5,
  expected([i = 0, j = 0], input) {
    let [sum, squares] = [0, 0];
    for (let k = 0; k < columns; k++) sum += input("x", [i, k]);
    const mean = sum / columns;
    for (let k = 0; k < columns; k++) squares += (input("x", [i, k]) - mean) ** 2;
    return geluOf((input("x", [i, j]) - mean) / Math.sqrt(squares / columns + 1e-5));
  },
  does: {
    ...both(
      ({ gelu, layerNorm }) =>
        (x) =>
          gelu(layerNorm(x, [columns]), { approximate: "tanh" }) as Tensor,
    ),
    numpy: {
      once: "t = np.empty_like(x)",
      each:
        "m = x.mean(axis=1, keepdims=True); v = x.var(axis=1, keepdims=True); np.subtract(x, m, out=out); " +
        "out /= np.sqrt(v + np.float32(1e-5)); np.multiply(out, out, out=t); " +
        `t *= np.float32(${geluTanh.cubic}); t += np.float32(${geluTanh.linear}); t *= out; np.tanh(t, out=t); ` +
        "t += 1; out *= t; out *= np.float32(0.5)",
    },
    torch: {
      once: "import torch.nn.functional as F",
      each: `out = F.gelu(F.layer_norm(x, [${columns}]), approximate="tanh")`,
    },
    "tfjs-wasm":
      (tf, { x }) =>
      () => {
        const { mean, variance } = tf.moments(x, 1, true);
        return tfjsGelu(tf, tf.div(tf.sub(x, mean), tf.sqrt(tf.add(variance, 1e-5))));
      },
    "jax-js": ({ jit, nn }, { x }) => {
      const run = jit((x: JaxArray) => nn.gelu(nn.standardize(x, 1, { epsilon: 1e-5 })));
      return () => run(x.ref);
    },
    "ort-web": geluGraph,
    "ort-node": geluGraph,
  },
};

// ---- A transformer block ---------------------------------------------------------------------------------------

const sequence = side(256);
const blocks = [1, 8].map((batch): Row => {
  const { peers, ...block } = transformerBlock(batch, sequence);
  return {
    ...block,
    name: `transformer-block-b${batch}`,
    title: `a pre-norm transformer block, batch of ${batch}, sequence of ${sequence}, width 512, 8 heads`,
    unit: "ms",
    does: { ...both(stridewiseBlock), ...peers },
  };
});
const onTwoThreads = ({ does, ...row }: Row): Row => ({
  ...row,
  name: `${row.name}-2threads`,
  title: `${row.title}, two threads and one`,
  does: { stridewise: compiled(stridewiseBlock, 2), "one-thread": compiled(stridewiseBlock) },
});

// ---- The overhead of a call ------------------------------------------------------------------------------------

const repeats = 5;
const call: Row = {
  name: "compiled-call-10",
  title: "10 ops on 16 elements, compiled: h * 0.5 + y five times",
  unit: "ns",
  inputs: { x: [16], y: [16] },
  result: [16],
  expected(at, input) {
    let h = input("x", at);
    for (let k = 0; k < repeats; k++) h = h * 0.5 + input("y", at);
    return h;
  },
  does: {
    ...both((_, y) => (x) => {
      let h = x;
      for (let k = 0; k < repeats; k++) h = h.mul(0.5).add(y) as Tensor;
      return h;
    }),
    "jax-js": ({ jit }, { x, y }) => {
      const run = jit((x: JaxArray, y: JaxArray) => {
        let h = x;
        for (let k = 0; k < repeats; k++) h = h.mul(0.5).add(y.ref);
        y.dispose();
        return h;
      });
      return () => run(x.ref, y.ref);
    },
  },
};

export const compiledRows: readonly Row[] = [
  chain,
  geluLayerNorm,
  ...blocks,
  ...blocks.map(onTwoThreads),
  ...compiledTraining,
  call,
];
