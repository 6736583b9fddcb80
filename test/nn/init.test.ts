/** Initialization: bounds, means and spreads, and the defaults of layers. */
import { empty, Generator, manualSeed, matmul, type Tensor, zeros } from "stridewise";
import { Conv2d, Embedding, GRU, init, Linear, MultiheadAttention, parameter } from "stridewise/nn";
import { beforeEach, describe, expect, test } from "vitest";

// A fixed seed: the claims about means hold for these numbers, and for nearly all others.
beforeEach(() => {
  manualSeed(3);
});

const generator = (): Generator => new Generator(5);
const large = (): Tensor => empty([200, 300]);
const numbers = (t: Tensor): { min: number; greatest: number; mean: number; std: number } => {
  const values = t.detach().to("float64");
  return {
    min: values.min().item() as number,
    greatest: values.max().item() as number,
    mean: values.mean().item() as number,
    std: values.std().item() as number,
  };
};

/** Uniform in [-bound, bound]: within it, nearly reaching it, centered. */
function expectUniform(t: Tensor, bound: number): void {
  const { min, greatest, mean, std } = numbers(t);
  expect(min).toBeGreaterThanOrEqual(-bound);
  expect(greatest).toBeLessThanOrEqual(bound);
  expect(greatest - min).toBeGreaterThan(1.9 * bound);
  expect(Math.abs(mean)).toBeLessThan(0.1 * bound);
  expect(std / (bound / Math.sqrt(3))).toBeCloseTo(1, 1);
}
function expectNormal(t: Tensor, std: number): void {
  const found = numbers(t);
  expect(Math.abs(found.mean)).toBeLessThan(0.04 * std);
  expect(found.std / std).toBeCloseTo(1, 1);
  expect(found.greatest).toBeGreaterThan(3 * std);
}

describe("values are drawn", () => {
  test("uniform and normal", () => {
    expectUniform(init.uniform_(large(), { a: -2, b: 2, generator: generator() }), 2);
    expectUniform(init.uniform_(large(), -2, 2, { generator: generator() }), 2);
    expectNormal(init.normal_(large(), { std: 3, generator: generator() }), 3);
    expectNormal(init.normal_(large(), 0, 3, { generator: generator() }), 3);
  });

  test("by Glorot: from both fans", () => {
    expectUniform(init.xavierUniform_(large(), { gain: 2 }), 2 * Math.sqrt(6 / 500));
    expectNormal(init.xavierNormal_(large()), Math.sqrt(2 / 500));
    expectNormal(init.xavierNormal_(empty([20, 30, 5, 5])), Math.sqrt(2 / (50 * 25)));
  });

  test("by He: from one fan, with the gain of the following activation", () => {
    expectUniform(init.kaimingUniform_(large(), { nonlinearity: "relu" }), Math.sqrt(6 / 300));
    expectNormal(init.kaimingNormal_(large(), { mode: "fanOut", a: 1 }), Math.sqrt(1 / 200));
  });

  test("normal, truncated", () => {
    const { min, greatest, mean, std } = numbers(init.truncNormal_(large(), { mean: 1, std: 2, a: 0, b: 3 }));
    expect([min >= 0, greatest <= 3, min < 0.01, greatest > 2.99]).toEqual([true, true, true, true]);
    expect(mean).toBeCloseTo(1.447, 1);
    expect(std).toBeCloseTo(0.848, 1);
  });

  test("orthogonal, tall, wide and with a kernel", () => {
    for (const shape of [
      [6, 4],
      [4, 6],
      [4, 2, 3],
    ]) {
      const t = init.orthogonal_(empty(shape, { dtype: "float64" }) as Tensor, { gain: 2 }).reshape([shape[0]!, -1]);
      const square = (t.shape[0]! <= t.shape[1]! ? matmul(t, t.T) : matmul(t.T, t)) as Tensor;
      const size = square.shape[0]!;
      const expected = init.eye_(empty([size, size], { dtype: "float64" })).mul(4) as Tensor;
      expect(square.sub(expected).abs().max().item()).toBeLessThan(1e-12);
    }
  });

  test("sparse: as many zeros in each column", () => {
    const t = init.sparse_(empty([10, 6]), 0.25);
    expect(((t as Tensor).eq(0).sum(0).toArray() as number[]).map(Number)).toEqual([3, 3, 3, 3, 3, 3]);
  });

  test("again with the same generator", () => {
    const draw = (): unknown => init.kaimingNormal_(empty([3, 3]), { generator: generator() }).toArray();
    expect(draw()).toEqual(draw());
  });
});

test("values are set", () => {
  expect(init.constant_(empty([2]), 3).toArray()).toEqual([3, 3]);
  expect(init.ones_(empty([2])).toArray()).toEqual([1, 1]);
  expect(init.zeros_(empty([2])).toArray()).toEqual([0, 0]);
  expect(init.eye_(empty([2, 3])).toArray()).toEqual([
    [1, 0, 0],
    [0, 1, 0],
  ]);
});

test("parameters are written to without a record", () => {
  const weight = parameter(zeros([2, 2]));
  expect(init.xavierUniform_(weight)).toBe(weight);
  expect([weight.requiresGrad, weight.isLeaf]).toEqual([true, true]);
});

test("gains are PyTorch's, and mistakes throw", () => {
  const gains = (["linear", "conv2d", "sigmoid", "tanh", "relu", "selu"] as const).map((name) =>
    init.calculateGain(name),
  );
  expect(gains).toEqual([1, 1, 1, 5 / 3, Math.SQRT2, 3 / 4]);
  expect(init.calculateGain("leakyRelu", 0.2)).toBeCloseTo(Math.sqrt(2 / 1.04), 12);
  expect(() => init.calculateGain("gelu" as "relu")).toThrow(
    'calculateGain: Unsupported nonlinearity "gelu". Use linear',
  );
  expect(() => init.xavierUniform_(empty([3]))).toThrow("fan in and fan out need at least 2 axes");
  expect(() => init.kaimingNormal_(empty([3, 3]), { mode: "fan" as "fanIn" })).toThrow('Mode "fan" not supported');
  expect(() => init.orthogonal_(empty([3]))).toThrow("orthogonal_: the tensor must have at least 2 axes");
  expect(() => init.eye_(empty([3]))).toThrow("eye_: the tensor must have 2 axes");
  expect(() => init.sparse_(empty([3]), 0.1)).toThrow("sparse_: the tensor must have 2 axes");
  expect(() => init.truncNormal_(empty([3]), { a: 1, b: 1 })).toThrow("a must be less than b, got a 1 and b 1");
});

describe("layers are initialized like PyTorch's", () => {
  test("with bounds by the inputs", () => {
    const linear = new Linear(100, 80);
    expectUniform(linear.weight, 0.1);
    expectUniform(linear.bias!, 0.1);
    expectUniform(new Conv2d(8, 40, 5).weight, 1 / Math.sqrt(200));
    expectUniform(new GRU(30, 64)["weightIhL0"]!, 1 / 8);
  });

  test("attention by Glorot, with biases of 0", () => {
    const attention = new MultiheadAttention(60, 3);
    expectUniform(attention.inProjWeight!, Math.sqrt(6 / 240));
    expect(attention.inProjBias?.abs().max().item()).toBe(0);
    expect(attention.outProj.bias?.abs().max().item()).toBe(0);
  });

  test("tables with normal numbers, and zeros for the padding", () => {
    const table = new Embedding(200, 50, { paddingIdx: -1 });
    expectNormal(table.weight.narrow(0, 0, 199), 1);
    expect(table.weight.select(0, 199).abs().max().item()).toBe(0);
    expect(table.paddingIdx).toBe(199);
  });
});
