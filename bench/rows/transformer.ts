/**
 * A transformer block for all contestants: x + attention(norm(x)), then the same with a perceptron of one hidden layer
 * and gelu in its tanh form; no mask and no dropout. The parameters are parts of the input y. Libraries with a linear
 * layer use the weights as [outputs, inputs], as the layer has them; the others as [inputs, outputs].
 */
import { element, type JaxArray, type OnnxGraph, type Row, type Statements, type Stridewise } from "./row.ts";

type OurTensor = import("stridewise").Tensor;

const [width, heads, hidden] = [512, 8, 2048];
const depth = width / heads;
const scale = 0.02;
const epsilon = 1e-5;

interface Parameter {
  /** A matrix is [outputs, inputs]. */
  readonly shape: readonly number[];
  /** The value around which the elements lie: 1 for the factors of a normalization. */
  readonly base: number;
  /**
   * The index in y of the first element. Each row is followed by an element that is not used: the formula of y has the
   * period 4096, so rows of 512 elements without it would be equal.
   */
  readonly start: number;
}

const shapes = {
  factor1: [width],
  shift1: [width],
  weightQkv: [3 * width, width],
  biasQkv: [3 * width],
  weightProjection: [width, width],
  biasProjection: [width],
  factor2: [width],
  shift2: [width],
  weightUp: [hidden, width],
  biasUp: [hidden],
  weightDown: [width, hidden],
  biasDown: [width],
} as const;
type Name = keyof typeof shapes;
type Parameters<A> = Readonly<Record<Name, A>>;

const rowsOf = ({ shape }: Pick<Parameter, "shape">): number => (shape.length === 2 ? (shape[0] as number) : 1);
const columnsOf = ({ shape }: Pick<Parameter, "shape">): number => shape.at(-1) as number;

function eachShape<A>(make: (shape: readonly number[], name: Name) => A): Parameters<A> {
  const entries = (Object.entries(shapes) as [Name, readonly number[]][]).map(([name, shape]) => [
    name,
    make(shape, name),
  ]);
  return Object.fromEntries(entries) as Parameters<A>;
}

let total = 0;
const parameters: Parameters<Parameter> = eachShape((shape, name) => {
  const parameter = { shape, base: name.startsWith("factor") ? 1 : 0, start: total };
  total += rowsOf(parameter) * (columnsOf(parameter) + 1);
  return parameter;
});
/** The number of elements of y. */
const count = total;

/** Creates all parameters by name. */
const eachParameter = <A>(make: (parameter: Parameter) => A): Parameters<A> =>
  eachShape((_, name) => make(parameters[name]));

/** Computes a parameter, transposed if it is a matrix and `isTransposed`. */
function valuesOf({ shape, base, start }: Parameter, isTransposed: boolean): Float64Array {
  const [rows, columns] = [rowsOf({ shape }), columnsOf({ shape })];
  const values = new Float64Array(rows * columns);
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++)
      values[isTransposed ? c * rows + r : r * columns + c] =
        element("y", start + r * (columns + 1) + c) * scale + base;
  return values;
}

// ---- The contestants -------------------------------------------------------------------------------------------

/** The block as a function of Stridewise's ops; the elements of y are the parameters. */
export function stridewiseBlock(library: Stridewise, y: OurTensor): (x: OurTensor) => OurTensor {
  const { layerNorm, linear, gelu, scaledDotProductAttention } = library;
  const p = eachParameter((parameter): OurTensor => {
    const { shape, base, start } = parameter;
    const [rows, columns] = [rowsOf(parameter), columnsOf(parameter)];
    const part = y.narrow(0, start, rows * (columns + 1)).view(rows, columns + 1) as OurTensor;
    const values = part.narrow(1, 0, columns).mul(scale).add(base) as OurTensor;
    return values.contiguous().view(...shape) as OurTensor;
  });
  return (x) => {
    const [batch, sequence] = x.shape as [number, number];
    const normal = layerNorm(x, [width], p.factor1, p.shift1) as OurTensor;
    const qkv = linear(normal, p.weightQkv, p.biasQkv) as OurTensor;
    const parts = qkv.view(batch, sequence, 3, heads, depth).permute(2, 0, 3, 1, 4).unbind(0);
    const [query, key, value] = parts as unknown as [OurTensor, OurTensor, OurTensor];
    const attended = scaledDotProductAttention(query, key, value) as OurTensor;
    const joined = attended.transpose(1, 2).reshape(batch, sequence, width) as OurTensor;
    const h = x.add(linear(joined, p.weightProjection, p.biasProjection)) as OurTensor;
    const normal2 = layerNorm(h, [width], p.factor2, p.shift2) as OurTensor;
    const up = gelu(linear(normal2, p.weightUp, p.biasUp) as OurTensor, { approximate: "tanh" });
    return h.add(linear(up, p.weightDown, p.biasDown)) as OurTensor;
  };
}

/** PyTorch uses its own attention in versions that have it. */
const torch: Statements = {
  once: `
import torch.nn.functional as F
parts = ${JSON.stringify(parameters)}
def parameter(shape, base, start):
  rows, columns = shape if len(shape) == 2 else (1, shape[0])
  values = y[start:start + rows * (columns + 1)].reshape(rows, columns + 1)[:, :columns]
  return (values * ${scale} + base).reshape(shape).contiguous()
p = {name: parameter(**part) for name, part in parts.items()}
def composed(q, k, v):
  return torch.softmax(q @ k.transpose(-2, -1) * ${1 / Math.sqrt(depth)}, -1) @ v
attend = getattr(F, "scaled_dot_product_attention", composed)
def block(x):
  batch, sequence, _ = x.shape
  qkv = F.linear(F.layer_norm(x, [${width}], p["factor1"], p["shift1"], ${epsilon}), p["weightQkv"], p["biasQkv"])
  q, k, v = qkv.view(batch, sequence, 3, ${heads}, ${depth}).permute(2, 0, 3, 1, 4).unbind(0)
  joined = attend(q, k, v).transpose(1, 2).reshape(batch, sequence, ${width})
  h = x + F.linear(joined, p["weightProjection"], p["biasProjection"])
  normal = F.layer_norm(h, [${width}], p["factor2"], p["shift2"], ${epsilon})
  up = F.gelu(F.linear(normal, p["weightUp"], p["biasUp"]), approximate="tanh")
  return h + F.linear(up, p["weightDown"], p["biasDown"])
`,
  each: "out = block(x)",
};

const tfjs: NonNullable<Exclude<Row["does"]["tfjs-wasm"], { absent: string }>> = (tf, { x, y }) => {
  type Tensor = typeof x;
  const p = eachParameter((parameter) =>
    tf.tidy((): Tensor => {
      const { shape, base, start } = parameter;
      const [rows, columns] = [rowsOf(parameter), columnsOf(parameter)];
      const numbers = (t: Tensor): Tensor => tf.add(tf.mul(t, scale), base);
      // Its fused product accepts a bias only if the bias had one axis when it was computed.
      if (shape.length === 1) return numbers(tf.slice(y, [start], [columns]));
      const part = tf.reshape(tf.slice(y, [start], [rows * (columns + 1)]), [rows, columns + 1]);
      return tf.transpose(numbers(tf.slice(part, [0, 0], [rows, columns])));
    }),
  );
  const linear = (a: Tensor, b: Tensor, bias: Tensor): Tensor =>
    tf.fused.matMul({ a: a as never, b: b as never, bias });
  const normal = (t: Tensor, factor: Tensor, shift: Tensor): Tensor => {
    const { mean, variance } = tf.moments(t, 1, true);
    return tf.add(tf.mul(tf.div(tf.sub(t, mean), tf.sqrt(tf.add(variance, epsilon))), factor), shift);
  };
  const [batch, sequence] = x.shape as [number, number];
  return () => {
    const flat = tf.reshape(x, [batch * sequence, width]);
    const qkv = linear(normal(flat, p.factor1, p.shift1), p.weightQkv, p.biasQkv);
    const parts = tf.unstack(tf.transpose(tf.reshape(qkv, [batch, sequence, 3, heads, depth]), [2, 0, 3, 1, 4]));
    const [query, key, value] = parts as [Tensor, Tensor, Tensor];
    const scores = tf.mul(tf.matMul(query, key, false, true), 1 / Math.sqrt(depth));
    const attended = tf.transpose(tf.matMul(tf.softmax(scores), value), [0, 2, 1, 3]);
    const joined = tf.reshape(attended, [batch * sequence, width]);
    const h = tf.add(flat, linear(joined, p.weightProjection, p.biasProjection));
    const up = tfjsGelu(tf, linear(normal(h, p.factor2, p.shift2), p.weightUp, p.biasUp));
    return tf.reshape(tf.add(h, linear(up, p.weightDown, p.biasDown)), [batch, sequence, width]);
  };
};

/** gelu in its tanh form: x (1 + tanh(x (a + b x²))) / 2. */
export function tfjsGelu(
  tf: typeof import("@tensorflow/tfjs-core"),
  x: import("@tensorflow/tfjs-core").Tensor,
): import("@tensorflow/tfjs-core").Tensor {
  const inner = tf.mul(x, tf.add(tf.mul(tf.mul(x, x), geluTanh.cubic), geluTanh.linear));
  return tf.mul(tf.mul(x, tf.add(tf.tanh(inner), 1)), 0.5);
}

/** The factors of gelu's tanh form, and gelu itself. */
export const geluTanh = { linear: Math.sqrt(2 / Math.PI), cubic: Math.sqrt(2 / Math.PI) * 0.044715 } as const;
export const geluOf = (x: number): number => 0.5 * x * (1 + Math.tanh(x * (geluTanh.linear + geluTanh.cubic * x * x)));

const jax: NonNullable<Exclude<Row["does"]["jax-js"], { absent: string }>> = (library, { x, y }) => {
  const { jit, nn, numpy: np, tree } = library;
  type P = Record<Name, JaxArray>;
  const p = eachParameter((parameter) => {
    const { shape, base, start } = parameter;
    const [rows, columns] = [rowsOf(parameter), columnsOf(parameter)];
    const part = y.ref.slice([start, start + rows * (columns + 1)]).reshape([rows, columns + 1]);
    const values = part.slice([], [0, columns]).mul(scale).add(base);
    // Multiplied after the transposition, so that the elements are in this order in memory.
    return shape.length === 2 ? np.transpose(values).mul(1) : values.reshape([...shape]);
  }) as P;
  const [batch, sequence] = x.shape as [number, number];
  const normal = (t: JaxArray, factor: JaxArray, shift: JaxArray): JaxArray =>
    nn.standardize(t, -1, { epsilon }).mul(factor).add(shift);
  const block = jit((p: P, x: JaxArray): JaxArray => {
    const qkv = np.matmul(normal(x.ref, p.factor1, p.shift1), p.weightQkv).add(p.biasQkv);
    const heads5 = np.transpose(qkv.reshape([batch, sequence, 3, heads, depth]), [2, 0, 3, 1, 4]);
    const [query, key, value] = np.split(heads5, 3, 0).map((part) => part.reshape([batch, heads, sequence, depth])) as [
      JaxArray,
      JaxArray,
      JaxArray,
    ];
    const scores = np.matmul(query, np.transpose(key, [0, 1, 3, 2])).mul(1 / Math.sqrt(depth));
    const attended = np.transpose(np.matmul(nn.softmax(scores, -1), value), [0, 2, 1, 3]);
    const joined = attended.reshape([batch, sequence, width]);
    const h = x.add(np.matmul(joined, p.weightProjection).add(p.biasProjection));
    const up = nn.gelu(np.matmul(normal(h.ref, p.factor2, p.shift2), p.weightUp).add(p.biasUp));
    return h.add(np.matmul(up, p.weightDown).add(p.biasDown));
  }) as unknown as (p: P, x: JaxArray) => JaxArray;
  return () => block(tree.ref(p) as P, x.ref);
};

/** The weights are constants of the model, [inputs, outputs] as MatMul has them. */
function onnxBlock(batch: number, sequence: number): OnnxGraph {
  const linear = (from: string, weight: Name, bias: Name, to: string): OnnxGraph["nodes"] => [
    { op: "MatMul", from: [from, weight], to: `${to}Product` },
    { op: "Add", from: [`${to}Product`, bias], to },
  ];
  const headsOf = (name: string, perm: readonly number[]): OnnxGraph["nodes"] => [
    { op: "Reshape", from: [name, "apart"], to: `${name}Apart` },
    { op: "Transpose", from: [`${name}Apart`], to: `${name}Heads`, attributes: { perm } },
  ];
  return {
    nodes: [
      { op: "LayerNormalization", from: ["x", "factor1", "shift1"], to: "normal1" },
      ...linear("normal1", "weightQkv", "biasQkv", "qkv"),
      { op: "Split", from: ["qkv", "widths"], to: ["query", "key", "value"], attributes: { axis: 2 } },
      ...headsOf("query", [0, 2, 1, 3]),
      ...headsOf("key", [0, 2, 3, 1]),
      ...headsOf("value", [0, 2, 1, 3]),
      { op: "MatMul", from: ["queryHeads", "keyHeads"], to: "products" },
      { op: "Mul", from: ["products", "root"], to: "scores" },
      { op: "Softmax", from: ["scores"], to: "weights" },
      { op: "MatMul", from: ["weights", "valueHeads"], to: "attended" },
      { op: "Transpose", from: ["attended"], to: "attendedRows", attributes: { perm: [0, 2, 1, 3] } },
      { op: "Reshape", from: ["attendedRows", "together"], to: "joined" },
      ...linear("joined", "weightProjection", "biasProjection", "projected"),
      { op: "Add", from: ["x", "projected"], to: "h" },
      { op: "LayerNormalization", from: ["h", "factor2", "shift2"], to: "normal2" },
      ...linear("normal2", "weightUp", "biasUp", "up"),
      { op: "Gelu", from: ["up"], to: "active", attributes: { approximate: "tanh" } },
      ...linear("active", "weightDown", "biasDown", "down"),
      { op: "Add", from: ["h", "down"], to: "out" },
    ],
    floats: { root: 1 / Math.sqrt(depth) },
    integers: {
      widths: [width, width, width],
      apart: [batch, sequence, heads, depth],
      together: [batch, sequence, width],
    },
    tensors: eachParameter((parameter) => ({
      shape: parameter.shape.toReversed(),
      values: () => Float32Array.from(valuesOf(parameter, true)),
    })),
  };
}

/** The inputs, the expected value and all contestants but Stridewise. */
export function transformerBlock(
  batch: number,
  sequence: number,
): Omit<Row, "name" | "title" | "unit" | "does"> & {
  readonly peers: Omit<Row["does"], "stridewise">;
} {
  const graph = onnxBlock(batch, sequence);
  const output = plainBlock(sequence);
  return {
    inputs: { x: [batch, sequence, width], y: [count] },
    result: [batch, sequence, width],
    tolerance: 1e-5,
    expected: ([b = 0, t = 0, i = 0]) => output(b, t)[i] as number,
    peers: { torch, "tfjs-wasm": tfjs, "jax-js": jax, "ort-web": graph, "ort-node": graph },
  };
}

// ---- Plain loops -----------------------------------------------------------------------------------------------

/**
 * Returns a function that computes the output at a position of a sequence. The formula of x has the period 4096: rows
 * that begin at equal remainders are equal, and are computed once.
 */
function plainBlock(sequence: number): (batch: number, token: number) => Float64Array {
  const p = cached((name: Name) => valuesOf(parameters[name], false));
  const linear = (input: Float64Array, weight: Name, bias: Name): Float64Array => {
    const matrix = p(weight);
    return p(bias).map((b, o) => {
      let sum = b;
      for (let i = 0; i < input.length; i++) sum += (input[i] as number) * (matrix[o * input.length + i] as number);
      return sum;
    });
  };
  const normal = (row: Float64Array, factor: Name, shift: Name): Float64Array => {
    const mean = row.reduce((sum, v) => sum + v, 0) / width;
    const variance = row.reduce((sum, v) => sum + (v - mean) ** 2, 0) / width;
    return row.map(
      (v, i) => ((v - mean) / Math.sqrt(variance + epsilon)) * (p(factor)[i] as number) + (p(shift)[i] as number),
    );
  };
  const inputAt = (start: number): Float64Array =>
    Float64Array.from({ length: width }, (_, i) => element("x", start + i));
  const qkvAt = cached((start: number) => linear(normal(inputAt(start), "factor1", "shift1"), "weightQkv", "biasQkv"));
  const attend = (start: number, first: number): Float64Array => {
    const result = new Float64Array(width);
    const query = qkvAt(start);
    for (let head = 0; head < heads; head++) {
      const scores = Array.from({ length: sequence }, (_, t) => {
        const key = qkvAt((first + t * width) & 4095);
        let sum = 0;
        for (let d = head * depth; d < (head + 1) * depth; d++)
          sum += (query[d] as number) * (key[width + d] as number);
        return sum / Math.sqrt(depth);
      });
      const max = Math.max(...scores);
      const weights = scores.map((score) => Math.exp(score - max));
      const all = weights.reduce((sum, weight) => sum + weight, 0);
      weights.forEach((weight, t) => {
        const value = qkvAt((first + t * width) & 4095);
        for (let d = head * depth; d < (head + 1) * depth; d++)
          result[d] = (result[d] as number) + (weight / all) * (value[2 * width + d] as number);
      });
    }
    return result;
  };
  const outputAt = cached((where: string) => {
    const [start = 0, first = 0] = where.split(" ").map(Number);
    const projected = linear(attend(start, first), "weightProjection", "biasProjection");
    const h = inputAt(start).map((v, i) => v + (projected[i] as number));
    const up = linear(normal(h, "factor2", "shift2"), "weightUp", "biasUp").map(geluOf);
    const down = linear(up, "weightDown", "biasDown");
    return h.map((v, i) => v + (down[i] as number));
  });
  return (batch, token) => {
    const first = batch * sequence * width;
    return outputAt(`${(first + token * width) & 4095} ${first & 4095}`);
  };
}

/** The same function, which computes each value once. */
function cached<K, V>(compute: (key: K) => V): (key: K) => V {
  const values = new Map<K, V>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) {
      value = compute(key);
      values.set(key, value);
    }
    return value;
  };
}
