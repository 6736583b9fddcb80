/**
 * Layers that PyTorch's records do not cover: random ones, options that exist only here, dtypes, and error messages.
 */
import { mul, ones, randn, type Tensor, tensor, zeros } from "stridewise";
import * as nn from "stridewise/nn";
import { describe, expect, test } from "vitest";

const share = (t: Tensor, value: number): number => Number(t.eq(value).to("float32").mean().item());
const near = (a: Tensor, b: Tensor): number => a.sub(b).abs().max().item() as number;

describe("dropout", () => {
  test("drops elements, and keeps the mean", () => {
    const y = new nn.Dropout(0.25).forward(ones([100, 100]));
    expect(share(y, 0)).toBeCloseTo(0.25, 1);
    expect(y.max().item()).toBeCloseTo(4 / 3, 5);
  });

  test.each([
    [new nn.Dropout1d(), [20, 30, 4]],
    [new nn.Dropout2d(), [20, 30, 4, 2]],
    [new nn.Dropout3d(), [20, 30, 2, 2, 2]],
    [new nn.FeatureAlphaDropout(), [20, 30, 4, 2]],
  ])("%s drops whole channels", (layer: nn.Module, shape: number[]) => {
    const y: Tensor = layer.forward(ones(shape));
    const channels = y.reshape([20 * 30, -1]);
    expect(near(channels.amax(1), channels.amin(1))).toBe(0);
    expect(new Set(channels.select(1, 0).toArray()).size).toBe(2);
  });

  test("alpha dropout keeps mean and variance", () => {
    const y = new nn.AlphaDropout(0.3).forward(randn([200, 200]));
    expect(y.mean().item()).toBeCloseTo(0, 1);
    expect(y.std().item()).toBeCloseTo(1, 1);
  });

  test("of a recurrent network is between its layers, only in training", () => {
    const rnn = new nn.RNN(2, 3, { numLayers: 2, dropout: 1, bias: false });
    const x = ones([4, 1, 2]);
    expect(rnn.forward(x).output.abs().max().item()).toBe(0);
    expect(rnn.forward(x).hidden.select(0, 0).abs().max().item()).toBeGreaterThan(0);
    expect(rnn.eval().forward(x).output.abs().max().item()).toBeGreaterThan(0);
  });

  test("of attention drops weights in training", () => {
    const attention = new nn.MultiheadAttention(4, 2, { dropout: 1 });
    const x = randn([3, 1, 4]);
    for (const needWeights of [true, false]) {
      const { output } = attention.train().forward(x, x, x, { needWeights });
      expect(near(output, zeros([3, 1, 4]))).toBe(0);
      expect(attention.eval().forward(x, x, x, { needWeights }).output.abs().max().item()).toBeGreaterThan(0);
    }
  });

  test("throws unless p is a probability", () => {
    expect(() => new nn.Dropout(1.5)).toThrow("dropout probability has to be between 0 and 1, but got 1.5");
    expect(() => new nn.GRU(1, 1, { dropout: -1 })).toThrow("dropout should be a number in range [0, 1], got -1");
  });
});

describe("values", () => {
  test("RMSNorm divides by the root mean square", () => {
    const norm = new nn.RMSNorm(2, { eps: 0 });
    norm.loadStateDict({ weight: tensor([1, 2]) });
    const y = norm.forward(tensor([[3, 4]])).detach();
    expect(near(y, tensor([[3 / Math.sqrt(12.5), 8 / Math.sqrt(12.5)]]))).toBeLessThan(1e-6);
    expect(new nn.RMSNorm([2], { elementwiseAffine: false }).parameters()).toEqual([]);
  });

  test("a layer norm without a bias", () => {
    expect(new nn.LayerNorm(2, { bias: false }).namedParameters().map(([name]) => name)).toEqual(["weight"]);
  });

  test("circular borders, shuffled channels, volumes", () => {
    expect(new nn.CircularPad2d([1, 0, 0, 0]).forward(tensor([[[[1, 2, 3]]]])).toArray()).toEqual([[[[3, 1, 2, 3]]]]);
    expect(new nn.ChannelShuffle(2).forward(tensor([[[1], [2], [3], [4]]])).toArray()).toEqual([[[1], [3], [2], [4]]]);
    expect(
      new nn.AdaptiveMaxPool3d(1)
        .forward(
          tensor([
            [
              [
                [
                  [1, 5],
                  [2, 3],
                ],
              ],
            ],
          ]),
        )
        .toArray(),
    ).toEqual([[[[[5]]]]]);
    const volume = new nn.InstanceNorm3d(1).forward(randn([1, 1, 2, 2, 4]));
    expect(volume.mean().item()).toBeCloseTo(0, 5);
  });

  test("CTC of one label in one step is its negative log-probability", () => {
    const logProbs = tensor([[[0.3, 0.7]]]).log();
    const loss = new nn.CTCLoss().forward(logProbs, tensor([[1n]]), tensor([1n]), tensor([1n]));
    expect(loss.item()).toBeCloseTo(-Math.log(0.7), 5);
  });

  test("weights of classes are buffers of a loss, and are converted with it", () => {
    const loss = new nn.CrossEntropyLoss({ weight: tensor([1, 3]), reduction: "sum" }).to("float64");
    expect(Object.entries(loss.stateDict()).map(([name, t]) => [name, t.dtype])).toEqual([["weight", "float64"]]);
    const scores = zeros([2, 2], { dtype: "float64" });
    expect(loss.forward(scores, tensor([0n, 1n])).item()).toBeCloseTo(4 * Math.LN2, 10);
    expect(new nn.MSELoss().parameters()).toEqual([]);
  });

  test("isCausal and a padding mask combine", () => {
    const attention = new nn.MultiheadAttention(4, 2, { batchFirst: true });
    const x = randn([1, 3, 4]);
    const keyPaddingMask = tensor([[true, false, false]]);
    const { weights } = attention.forward(x, x, x, { isCausal: true, keyPaddingMask });
    const seen = weights!.gt(0).toArray();
    expect(seen).toEqual([
      [
        [false, false, false],
        [false, true, false],
        [false, true, true],
      ],
    ]);
    const without = attention.forward(x, x, x, { isCausal: true, keyPaddingMask, needWeights: false });
    expect(without.weights).toBeNull();
    const numbers = { isCausal: true, keyPaddingMask: mul(keyPaddingMask.to("float32"), -1e9) } as const;
    expect(
      near(attention.forward(x, x, x, numbers).output.narrow(1, 1, 2), without.output.narrow(1, 1, 2)),
    ).toBeLessThan(1e-5);
  });

  test("a sequence in two halves equals the whole", () => {
    for (const rnn of [new nn.LSTM(2, 3), new nn.GRU(2, 3)] as const) {
      const x = randn([6, 2, 2]);
      const whole = rnn.forward(x);
      const first = rnn.forward(x.narrow(0, 0, 2));
      const second = rnn.forward(x.narrow(0, 2, 4), first as never);
      expect(near(whole.output.narrow(0, 2, 4), second.output)).toBeLessThan(1e-6);
      expect(near(whole.hidden, second.hidden)).toBeLessThan(1e-6);
    }
  });

  test("a transposed convolution reaches a requested size", () => {
    const layer = new nn.ConvTranspose2d(1, 1, 3, { stride: 2, padding: 1 });
    expect(layer.forward(ones([1, 1, 4, 4])).shape).toEqual([1, 1, 7, 7]);
    expect(layer.forward(ones([1, 1, 4, 4]), [8, 7]).shape).toEqual([1, 1, 8, 7]);
    expect(() => layer.forward(ones([1, 1, 4, 4]), [9, 7])).toThrow(
      "outputSize [9, 7] is not possible: axis 0 can be 7 to 8",
    );
  });

  test("parameters of a different dtype", () => {
    expect(new nn.Linear(2, 1, { dtype: "float64" }).forward(ones([1, 2], { dtype: "float64" })).dtype).toBe("float64");
    expect(new nn.LSTM(2, 1, { dtype: "float64" }).parameters().every(({ dtype }) => dtype === "float64")).toBe(true);
  });
});

test("errors name the layer, the expectation, the argument and the remedy", () => {
  const mistakes: Record<string, () => unknown> = {
    "an image for Linear": () => new nn.Linear(784, 10).forward(zeros([5, 28, 28])),
    "zero features": () => new nn.Linear(0, 10),
    "other channels": () => new nn.Conv2d(3, 8, 3).forward(zeros([1, 1, 8, 8])),
    "an image without channels": () => new nn.Conv2d(1, 8, 3).forward(zeros([8, 8])),
    "groups that do not divide": () => new nn.Conv2d(3, 8, 3, { groups: 2 }),
    "a kernel with too many sizes": () => new nn.Conv1d(3, 8, [3, 3]),
    "same with strides": () => new nn.Conv2d(3, 8, 3, { stride: 2, padding: "same" }),
    "an unknown border": () => new nn.Conv2d(3, 8, 3, { paddingMode: "mirror" as "reflect" }),
    "a batch norm of images for rows": () => new nn.BatchNorm1d(3).forward(zeros([1, 3, 2, 2])),
    "a batch norm of other channels": () => new nn.BatchNorm2d(3).forward(zeros([1, 4, 2, 2])),
    "a layer norm of other sizes": () => new nn.LayerNorm([2, 3]).forward(zeros([2, 4])),
    "groups of channels": () => new nn.GroupNorm(2, 3),
    "padding outside the table": () => new nn.Embedding(4, 2, { paddingIdx: 4 }),
    "features of a sequence": () => new nn.LSTM(3, 2).forward(zeros([4, 1, 2])),
    "a state of another batch": () => new nn.GRU(3, 2).forward(zeros([4, 1, 3]), { hidden: zeros([1, 2, 2]) }),
    "no steps": () => new nn.RNN(3, 2).forward(zeros([0, 1, 3])),
    "an unknown nonlinearity": () => new nn.RNN(3, 2, { nonlinearity: "gelu" as "relu" }),
    "a state of a cell": () => new nn.GRUCell(3, 2).forward(zeros([4, 3]), zeros([4, 3])),
    "heads that do not divide": () => new nn.MultiheadAttention(6, 4),
    "a mask of a different size": () => {
      const x = zeros([3, 1, 4]);
      return new nn.MultiheadAttention(4, 2).forward(x, x, x, { attnMask: zeros([2, 2]) });
    },
    "an unknown activation": () => new nn.TransformerEncoderLayer(4, 2, { activation: "tanh" as "relu" }),
    "zero layers": () => new nn.TransformerEncoder(new nn.TransformerEncoderLayer(4, 2), 0),
  };
  const texts = Object.entries(mistakes).map(([name, make]) => {
    try {
      make();
    } catch (error) {
      return `${name}\n    ${(error as Error).name}: ${(error as Error).message}`;
    }
    throw new Error(`${name} is not refused`);
  });
  expect(texts.join("\n")).toMatchInlineSnapshot(`
    "an image for Linear
        ShapeError: Linear(784, 10): the input has size 28 at the last axis, expected 784 (input shape [5, 28, 28]). Flatten it first: new Flatten()
    zero features
        StridewiseError: Linear(0, 10): inFeatures must be a positive integer, got 0
    other channels
        ShapeError: Conv2d(3, 8, 3): the input has size 1 at axis 1, expected 3 (input shape [1, 1, 8, 8]). This is the axis of channels.
    an image without channels
        ShapeError: Conv2d(1, 8, 3): the input has rank 2, expected 3 or 4: [N, C, H, W], or one sample of it (input shape [8, 8]).
    groups that do not divide
        StridewiseError: Conv2d(3, 8, 3, { groups: 2 }): inChannels 3 is not divisible by groups 2. Use a divisor of 3
    a kernel with too many sizes
        ShapeError: Conv1d(3, 8, [3, 3]): kernelSize must be a number or a list of 1, got [3, 3]
    same with strides
        StridewiseError: Conv2d(3, 8, 3, { stride: 2, padding: "same" }): padding "same" is not supported for strided convolutions, got stride 2. Pass the number of elements to add to both sides
    an unknown border
        StridewiseError: Conv2d(3, 8, 3, { paddingMode: "mirror" }): paddingMode must be one of zeros, reflect, replicate, circular, got "mirror"
    a batch norm of images for rows
        ShapeError: BatchNorm1d(3): the input has rank 4, expected 2 or 3: [N, C] or [N, C, L] (input shape [1, 3, 2, 2]).
    a batch norm of other channels
        ShapeError: BatchNorm2d(3): the input has size 4 at axis 1, expected 3 (input shape [1, 4, 2, 2]). This is the axis of channels.
    a layer norm of other sizes
        ShapeError: LayerNorm([2, 3]): the last axes of the input are not [2, 3]: the input has shape [2, 4].
    groups of channels
        StridewiseError: GroupNorm(2, 3): numChannels 3 is not divisible by numGroups 2. Use a divisor of 3
    padding outside the table
        StridewiseError: Embedding(4, 2, { paddingIdx: 4 }): paddingIdx must be within numEmbeddings: -4 to 3, got 4
    features of a sequence
        ShapeError: LSTM(3, 2): the input has size 2 at the last axis, expected 3 (input shape [4, 1, 2]).
    a state of another batch
        ShapeError: GRU(3, 2): Expected hidden size [1, 1, 2], got [1, 2, 2]
    no steps
        ShapeError: RNN(3, 2): Expected sequence length to be larger than 0 in RNN, got shape [0, 1, 3]. Remove empty sequences
    an unknown nonlinearity
        StridewiseError: RNN: Unknown nonlinearity "gelu". Use "tanh" or "relu"
    a state of a cell
        ShapeError: GRUCell(3, 2): Expected hidden size [4, 2], got [4, 3]
    heads that do not divide
        StridewiseError: MultiheadAttention(6, 4): embedDim 6 is not divisible by numHeads 4. Use a divisor of 6
    a mask of a different size
        ShapeError: MultiheadAttention(4, 2): the shape of attnMask is [2, 2], but should be [3, 3]
    an unknown activation
        StridewiseError: TransformerEncoderLayer(4, 2, { activation: "tanh" }): activation must be "relu", "gelu" or a function, got "tanh"
    zero layers
        StridewiseError: TransformerEncoder: numLayers must be a positive integer, got 0"
  `);
});
