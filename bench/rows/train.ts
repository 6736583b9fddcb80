/**
 * Training: one step of Adam on a batch, from the forward pass to the new parameters. All contestants start from the
 * same parameters and return the loss. The learning rate is so small that the loss does not depend on the number of
 * steps taken; the work is the same.
 */
import { element, type JaxArray, product, type Row, warm } from "./row.ts";

/**
 * A layer: a matrix product, or a 3 x 3 convolution followed by 2 x 2 max pooling. Each layer except the last is
 * followed by a ReLU.
 */
interface Layer {
  readonly kind: "linear" | "conv";
  /** The shape of the weight, outputs first. The bias has as many elements as there are outputs. */
  readonly shape: readonly number[];
}

const rate = 1e-9;
const scale = 0.05;
const labelOf = (sample: number): number => sample % 10;

/** The offsets in the input y at which the weights of the layers begin, and the end of the last. */
function startsOf(layers: readonly Layer[]): number[] {
  const starts = [0];
  for (const { shape } of layers) starts.push((starts.at(-1) as number) + product(shape));
  return starts;
}

/** A network, and the batch that it is trained on. */
interface Net {
  readonly batch: number;
  /** The shape of a sample. */
  readonly input: readonly number[];
  readonly layers: readonly Layer[];
  readonly starts: readonly number[];
}

function trainingRow(
  name: string,
  title: string,
  input: readonly number[],
  layers: readonly Layer[],
  { batch = 128, isCompiled = false } = {},
): Row {
  const starts = startsOf(layers);
  const total = starts.at(-1) as number;
  const net: Net = { batch, input, layers, starts };
  let loss: number | undefined;
  return {
    name,
    title,
    unit: "ms",
    inputs: { x: [batch, ...input], y: [total] },
    result: [1],
    tolerance: 2e-4,
    // The engine needs thousands of eager steps to optimize their code.
    ...(isCompiled ? { warmMilliseconds: 1500 } : {}),
    expected() {
      loss ??= plainLoss(net);
      return loss;
    },
    does: {
      stridewise: stridewiseBody(net, isCompiled),
      ...(isCompiled ? { eager: stridewiseBody(net, false) } : {}),
      torch: { once: pythonOnce(net), each: "out = step()" },
      "tfjs-wasm": layers.some(({ kind }) => kind === "conv")
        ? { absent: "its WebAssembly backend has no gradient of convolutions (Conv2DBackpropFilter)" }
        : tfjsBody(net),
      "tfjs-cpu": tfjsBody(net),
      "jax-js": ({ jit, valueAndGrad, numpy: np, nn, lax, tree }, { x, y }) => {
        const weights = layers.map(({ shape }, k) =>
          y.ref
            .slice([starts[k] as number, starts[k + 1] as number])
            .reshape([...shape])
            .mul(scale),
        );
        const biases = layers.map(({ shape }) => np.zeros([shape[0] as number]));
        const labels = nn.oneHot(
          np.array(
            Int32Array.from({ length: batch }, (_, k) => labelOf(k)),
            { dtype: np.int32 },
          ),
          10,
        );
        type Parameters = { weights: JaxArray[]; biases: JaxArray[] };
        const lossOf = ({ weights, biases }: Parameters, x: JaxArray, labels: JaxArray): JaxArray => {
          let h = x;
          layers.forEach(({ kind, shape }, k) => {
            const [weight, bias] = [weights[k] as JaxArray, biases[k] as JaxArray];
            if (kind === "conv") {
              h = lax.conv(h, weight, [1, 1], "SAME").add(bias.reshape([1, shape[0] as number, 1, 1]));
              h = lax.reduceWindow(nn.relu(h), np.max, [2, 2], [2, 2]);
            } else {
              if (h.ndim > 2) h = h.reshape([batch, -1]);
              h = np.matmul(h, np.transpose(weight)).add(bias);
              if (k < layers.length - 1) h = nn.relu(h);
            }
          });
          return np.mean(np.sum(nn.logSoftmax(h).mul(labels), 1)).mul(-1);
        };
        type State = { p: Parameters; m: Parameters; v: Parameters };
        const step = jit(({ p, m, v }: State, x: JaxArray, labels: JaxArray, first: JaxArray, second: JaxArray) => {
          const [value, g] = valueAndGrad(lossOf)(tree.ref(p), x, labels) as unknown as [JaxArray, Parameters];
          const moved = (beta: number) => (m: JaxArray, g: JaxArray) => m.mul(beta).add(g.mul(1 - beta));
          const means = tree.map(moved(0.9), m, tree.ref(g)) as Parameters;
          const squares = tree.map((v: JaxArray, g: JaxArray) => moved(0.999)(v, np.square(g)), v, g) as Parameters;
          const params = tree.map(
            (p: JaxArray, m: JaxArray, v: JaxArray) =>
              p.sub(
                m
                  .div(first.ref)
                  .mul(rate)
                  .div(np.sqrt(v.div(second.ref)).add(1e-8)),
              ),
            p,
            tree.ref(means),
            tree.ref(squares),
          ) as Parameters;
          first.dispose();
          second.dispose();
          return [value.reshape([1]), { p: params, m: means, v: squares }];
        }) as unknown as (...args: unknown[]) => [JaxArray, State];
        const params: Parameters = { weights, biases };
        const none = (): Parameters => tree.map((t: JaxArray) => np.zeros(t.shape), params) as Parameters;
        let state: State = { p: params, m: none(), v: none() };
        let steps = 0;
        return () => {
          steps++;
          const [value, next] = step(
            state,
            x.ref,
            labels.ref,
            np.array(1 - 0.9 ** steps),
            np.array(1 - 0.999 ** steps),
          );
          state = next;
          return value;
        };
      },
    },
  };
}

/** Stridewise. The eager step frees its temporaries in a scope; the compiled one is a program with the optimizer's update. */
function stridewiseBody({ batch, layers, starts }: Net, isCompiled: boolean): Row["does"]["stridewise"] {
  return (library, { x, y }) => {
    const { nn, optim, scope, noGrad, crossEntropy, arange, compile } = library;
    type Tensor = typeof y;
    const labels = arange(batch, { dtype: "int64" }).remainder(10);
    const modules = layers.flatMap(({ kind, shape }, k) => {
      const [outputs = 0, inputs = 0] = shape;
      const isLast = k === layers.length - 1;
      const layer =
        kind === "linear" ? new nn.Linear(inputs, outputs) : new nn.Conv2d(inputs, outputs, 3, { padding: 1 });
      noGrad(() => {
        layer.weight.copy_(
          y
            .narrow(0, starts[k] as number, product(shape))
            .view(...shape)
            .mul(scale) as Tensor,
        );
        layer.bias?.zero_();
      });
      const flattens = kind === "conv" && layers[k + 1]?.kind === "linear" ? [new nn.Flatten()] : [];
      return [
        layer,
        ...(isLast ? [] : [new nn.ReLU()]),
        ...(kind === "conv" ? [new nn.MaxPool2d(2)] : []),
        ...flattens,
      ];
    });
    const net = new nn.Sequential(...modules);
    const optimizer = new optim.Adam(net.parameters(), { lr: rate });
    const lossOf = (x: Tensor): Tensor => {
      optimizer.zeroGrad();
      const loss = crossEntropy(net.forward(x) as Tensor, labels);
      loss.backward();
      return loss.detach().view(1);
    };
    if (isCompiled) {
      const step = warm(
        compile((x: Tensor) => {
          const loss = lossOf(x);
          optimizer.step();
          return loss;
        }),
        x,
      );
      return () => step(x);
    }
    return () => {
      const loss = scope(() => lossOf(x));
      optimizer.step();
      return loss;
    };
  };
}

/** TensorFlow.js, whose optimizer finds the variables that the loss depends on. */
function tfjsBody({ batch, layers, starts }: Net): NonNullable<Row["does"]["tfjs-cpu"]> {
  return (tf, { x, y }) => {
    const variables = layers.map(({ kind, shape }, k) =>
      tf.tidy(() => {
        const weight = tf.mul(tf.reshape(tf.slice(y, [starts[k] as number], [product(shape)]), [...shape]), scale);
        return [
          tf.variable(kind === "conv" ? tf.transpose(weight, [2, 3, 1, 0]) : weight),
          tf.variable(tf.zeros([shape[0] as number])),
        ] as const;
      }),
    );
    const labels = tf.oneHot(
      tf.tensor1d(
        Int32Array.from({ length: batch }, (_, k) => labelOf(k)),
        "int32",
      ),
      10,
    );
    const images = layers[0]?.kind === "conv" ? tf.transpose(x, [0, 2, 3, 1]) : x;
    const optimizer = tf.train.adam(rate);
    const forward = (): import("@tensorflow/tfjs-core").Tensor => {
      let h = images;
      layers.forEach(({ kind }, k) => {
        const [weight, bias] = variables[k] as (typeof variables)[number];
        if (kind === "conv") {
          h = tf.relu(tf.add(tf.conv2d(h as never, weight as never, 1, "same"), bias));
          h = tf.maxPool(h as never, 2, 2, "valid");
          // The linear layers take channels first.
          if (layers[k + 1]?.kind === "linear") h = tf.reshape(tf.transpose(h, [0, 3, 1, 2]), [batch, -1]);
        } else {
          h = tf.add(tf.matMul(h as never, weight as never, false, true), bias);
          if (k < layers.length - 1) h = tf.relu(h);
        }
      });
      return h;
    };
    return () =>
      tf.reshape(optimizer.minimize(() => tf.losses.softmaxCrossEntropy(labels, forward()), true) as never, [1]);
  };
}

const pythonOnce = ({ batch, layers, starts }: Net): string => `
import torch.nn.functional as F
kinds = ${JSON.stringify(layers.map(({ kind }) => kind))}
shapes = ${JSON.stringify(layers.map(({ shape }) => shape))}
starts = ${JSON.stringify(starts)}
weights = [(y[starts[k]:starts[k + 1]].reshape(shapes[k]) * ${scale}).requires_grad_() for k in range(len(kinds))]
biases = [torch.zeros(shape[0], requires_grad=True) for shape in shapes]
optimizer = torch.optim.Adam(weights + biases, lr=${rate})
labels = torch.arange(${batch}) % 10
def step():
  h = x
  for k, kind in enumerate(kinds):
    if kind == "conv":
      h = F.max_pool2d(F.relu(F.conv2d(h, weights[k], biases[k], padding=1)), 2)
    else:
      h = F.linear(h.flatten(1), weights[k], biases[k])
      if k < len(kinds) - 1: h = F.relu(h)
  loss = F.cross_entropy(h, labels)
  optimizer.zero_grad()
  loss.backward()
  optimizer.step()
  return loss.detach().reshape(1)
`;

/** Computes the loss with plain loops. */
function plainLoss({ batch, input, layers, starts }: Net): number {
  let sum = 0;
  for (let sample = 0; sample < batch; sample++) {
    const size = product(input);
    let values: Float64Array = Float64Array.from({ length: size }, (_, i) => element("x", sample * size + i));
    let side = input.length === 3 ? (input[1] as number) : 0;
    layers.forEach(({ kind, shape }, k) => {
      const [outputs = 0, inputs = 0] = shape;
      const weight = (i: number): number => element("y", (starts[k] as number) + i) * scale;
      if (kind === "conv") {
        values = largest(convolved(values, side, outputs, inputs, weight), side, outputs);
        side /= 2;
      } else {
        const result = new Float64Array(outputs);
        for (let o = 0; o < outputs; o++)
          for (let i = 0; i < inputs; i++)
            result[o] = (result[o] as number) + (values[i] as number) * weight(o * inputs + i);
        values = k < layers.length - 1 ? result.map((v) => Math.max(v, 0)) : result;
      }
    });
    const max = Math.max(...values);
    sum +=
      max + Math.log(values.reduce((total, v) => total + Math.exp(v - max), 0)) - (values[labelOf(sample)] as number);
  }
  return sum / batch;
}

/** A 3 x 3 convolution with zero padding, and a ReLU. */
function convolved(
  values: Float64Array,
  side: number,
  outputs: number,
  inputs: number,
  weight: (i: number) => number,
): Float64Array {
  const result = new Float64Array(outputs * side * side);
  const at = (c: number, i: number, j: number): number =>
    i < 0 || j < 0 || i >= side || j >= side ? 0 : (values[(c * side + i) * side + j] as number);
  for (let index = 0; index < result.length; index++) {
    const [o, i, j] = [Math.floor(index / side / side), Math.floor(index / side) % side, index % side];
    let sum = 0;
    for (let c = 0; c < inputs; c++)
      for (let n = 0; n < 9; n++)
        sum += at(c, i + Math.floor(n / 3) - 1, j + (n % 3) - 1) * weight((o * inputs + c) * 9 + n);
    result[index] = Math.max(sum, 0);
  }
  return result;
}

/** 2 x 2 max pooling. */
function largest(values: Float64Array, side: number, channels: number): Float64Array {
  const half = side / 2;
  return Float64Array.from({ length: channels * half * half }, (_, index) => {
    const [c, i, j] = [Math.floor(index / half / half), Math.floor(index / half) % half, index % half];
    const corner = (c * side + 2 * i) * side + 2 * j;
    return Math.max(...[0, 1, side, side + 1].map((step) => values[corner + step] as number));
  });
}

const linear = (...shape: number[]): Layer => ({ kind: "linear", shape });
const conv = (outputs: number, inputs: number): Layer => ({ kind: "conv", shape: [outputs, inputs, 3, 3] });

/** The same with fused multiply-add, if the engine has it, compared with PyTorch, which also uses it. */
function relaxed(row: Row): Row {
  const { stridewise, torch } = row.does;
  return {
    ...row,
    name: `${row.name}-relaxed`,
    title: `${row.title}, relaxed SIMD`,
    does: {
      stridewise(library, arrays) {
        library.configure({ relaxedSimd: true });
        return stridewise(library, arrays);
      },
      ...(torch === undefined ? {} : { torch }),
    },
  };
}

const steps: readonly Row[] = [
  trainingRow(
    "train-mlp",
    "a step of Adam: 784-512-512-10, batch of 128",
    [784],
    [linear(512, 784), linear(512, 512), linear(10, 512)],
  ),
  trainingRow(
    "train-convnet",
    "a step of Adam: 2 convolutions and 2 layers over 8 x 8 digits, batch of 128",
    [1, 8, 8],
    [conv(16, 1), conv(32, 16), linear(64, 128), linear(10, 64)],
  ),
];

export const training: readonly Row[] = [...steps, ...steps.map(relaxed)];

/** Training steps that are compiled: forward pass, backward pass and update as one program. */
export const compiledTraining: readonly Row[] = [
  trainingRow(
    "mlp-step-compiled",
    "a compiled step of Adam: 32-64-10, batch of 64",
    [32],
    [linear(64, 32), linear(10, 64)],
    { batch: 64, isCompiled: true },
  ),
  trainingRow(
    "train-mlp-compiled",
    "a compiled step of Adam: 784-512-512-10, batch of 128",
    [784],
    [linear(512, 784), linear(512, 512), linear(10, 512)],
    { isCompiled: true },
  ),
];
