/**
 * The errors of ops, and that nothing is written then. Read the text file in this folder as a user would; `-u` updates
 * it.
 */
import { expect, test } from "vitest";
import * as s from "../../src/index.ts";
import { type Tensor, tensor } from "../../src/index.ts";

/** Input that the types reject: users of plain JavaScript can still pass it. */
const wrong = <T>(value: unknown): T => value as T;
const gone = (): Tensor => {
  const t = tensor([1, 2]);
  t.dispose();
  return t;
};
const ints = (...values: number[]): Tensor => tensor(values, { dtype: "int32" }) as Tensor;
const any = (value: unknown): never => value as never;

/** Errors name the caller of dispose(), which differs between machines. */
const withoutLocations = (message: string): string => message.replaceAll(/, at [^;]*;/g, ", at <call site>;");

const mistakes: Readonly<Record<string, () => unknown>> = {
  "shapes that do not broadcast": () => s.add(tensor([1, 2, 3]), any(tensor([1, 2]))),
  "an operand that was not awaited": () => s.add(tensor([1, 2]), any(Promise.resolve(tensor([1, 2])))),
  "in place, a result that is larger": () => tensor([1, 2]).add_(any(tensor([[1], [2]]))),
  "in place, a dtype that cannot hold the result": () => ints(1, 2).add_(tensor([0.5, 1])),
  "in place, a constant": () => (s.constant(1, [3]) as Tensor).mul_(2),
  "in place, elements that share an address": () => (tensor([1]).expand(3) as Tensor).add_(1),
  "out of a different shape": () => s.mul(tensor([1, 2]), 2, { out: tensor([1, 2, 3]) }),
  "out that overlaps an input": () => {
    const base = tensor([1, 2, 3, 4]);
    return s.mul(base.narrow(0, 0, 3), 2, { out: base.narrow(0, 1, 3) as Tensor });
  },
  "out that is not a tensor": () => s.mul(tensor([1]), 2, { out: wrong([1]) }),
  "an option that does not exist": () => s.add(tensor([1]), 1, wrong({ alpa: 2 })),
  "an axis among the options": () => s.sum(tensor([[1, 2]]), wrong({ axis: 1 })),
  "an argument too many": () => wrong<(...args: unknown[]) => unknown>(s.exp)(tensor([1]), tensor([2])),
  "an argument that is missing": () => wrong<(x: Tensor) => unknown>(s.mul)(tensor([1])),
  "an array instead of a tensor": () => s.exp(any([1, 2])),
  "ragged rows as an operand": () => s.add(tensor([1, 2]), any([[1, 2], [3]])),
  "a typed array as an operand": () => s.add(tensor([1, 2]), any(new Float32Array(2))),
  "no tensor among the arguments": () => s.add(1, 2),
  "a disposed tensor": () => s.add(gone(), 1),
  "a disposed tensor of a reduction": () => s.sum(gone()),
  "bools subtracted": () => s.sub(tensor([true]), tensor([true])),
  "bits of floats": () => s.bitwiseAnd(tensor([1]), tensor([2])),
  "an order of complex numbers": () => s.lt(tensor([s.complex(1, 2)]), 3),
  "a fraction for integers": () => s.add(ints(1), 0.5),
  "an integer to a negative power": () => s.pow(ints(2), -1),
  "a condition that is not bool": () => s.where(any(tensor([1, 0])), 1, tensor([2, 3])),
  "clamp without bounds": () => s.clamp(tensor([1])),
  "a rounding that does not exist": () => s.div(tensor([1]), 2, wrong({ rounding: "up" })),
  "an axis that does not exist": () => s.sum(tensor([[1, 2]]), any(2)),
  "an axis twice": () => s.sum(tensor([[1, 2]]), any([0, 0])),
  "an axis by a wrong name": () => tensor([[1, 2]], { names: ["batch", "time"] }).sum("tine"),
  "the mean of integers": () => s.mean(ints(1, 2)),
  "the maximum of an empty tensor": () => s.amax(s.zeros([0])),
  "the maximum along an empty axis": () => s.max(s.zeros([2, 0]), 1),
  "the variance of integers": () => s.std(ints(1, 2)),
  "inner sizes of a product": () => s.matmul(s.ones([2, 3]), any(s.ones([4, 5]))),
  "batches of a product": () => s.matmul(s.ones([2, 3, 4]), s.ones([5, 4, 3])),
  "a product of two dtypes": () => s.matmul(s.ones([2, 2]), s.ones([2, 2], { dtype: "float64" })),
  "a product with a number": () => s.matmul(s.ones([2, 2]), any(tensor(2))),
  "mm of batches": () => s.mm(s.ones([2, 2, 2]), s.ones([2, 2])),
  "an equation with different sizes of a letter": () => s.einsum("ij,jk->ik" as string, s.ones([2, 3]), s.ones([4, 5])),
  "an equation with an unknown output letter": () => s.einsum("ij->ik", s.ones([2, 3])),
  "channels of a convolution": () => s.conv2d(s.ones([1, 3, 4, 4]), any(s.ones([2, 4, 3, 3]))),
  "a kernel larger than the image": () => s.conv2d(s.ones([1, 1, 2, 2]), s.ones([1, 1, 3, 3])),
  "padding of more than half a window": () => s.maxPool2d(s.ones([1, 4, 4]), 2, { padding: 2 }),
  "a transform of no points": () => s.fft.fft(s.ones([4]), 0),
  "tensors on two devices": () => s.add(s.ones([2]), s.ones([2], { device: "meta" })),
  "elements of the meta device": () => s.ones([2], { device: "meta" }).toArray(),
  "an op that is not defined": () => s.operatorNamed("mine.twice"),
  "a missing argument of a composite op": () => wrong<(x: Tensor) => unknown>(s.kron)(tensor([1])),
  "a shape that is missing": () => wrong<(x: Tensor) => unknown>(s.layerNorm)(s.ones([2, 3])),
  "a number for a shape": () => s.layerNorm(s.ones([2, 3]), any(3)),
  "neither size nor scaleFactor": () => wrong<(x: Tensor) => unknown>(s.interpolate)(s.ones([1, 1, 2, 2])),
  "a tensor instead of a list of tensors": () => s.multiDot(any(s.ones([2, 2]))),
  "no list of tensors": () => s.cat(any(s.ones([2]))),
  "null where something is needed": () => s.quantile(tensor([1, 2]), any(null)),
  "a typed array instead of a tensor": () => s.add(tensor([1, 2]), any(new Float32Array(2))),
  "a typed array for a matrix": () => s.matmul(s.ones([2, 2]), any(new Float32Array(4))),
  "an axis that is a tensor": () => s.sum(s.ones([2, 2]), any(tensor([0]))),
  "an option that is not a tensor": () => s.batchNorm(s.ones([2, 2]), { training: true, weight: wrong(2) }),
  "an option that is not a dtype": () => s.mean(ints(1), { dtype: wrong("float") }),
  "an option that is not a generator": () => s.dropout(s.ones([2]), 0.5, { generator: wrong(7) }),
  "options twice": () =>
    wrong<(...args: unknown[]) => unknown>(s.sum)(s.ones([2]), { keepdims: true }, { dtype: "int32" }),
  "an argument after the options": () => wrong<(...args: unknown[]) => unknown>(s.sum)(s.ones([2]), 0, {}, 1),
  "decimals that are not an integer": () => s.round(tensor([1]), { decimals: wrong("two") }),
  "an unknown class": () => s.crossEntropy(s.ones([2, 3]), ints(0, 3)),
  "a class below 0": () => s.nllLoss(s.ones([2, 3]), ints(0, -1)),
  "a class with no weight": () => s.nllLoss(s.ones([2, 3]), ints(0, 5), { weight: s.ones([3]) }),
  "a class of a margin loss": () => s.multiMarginLoss(s.ones([2, 3]), ints(0, 4)),
  "an embedding index out of bounds": () => s.embedding(ints(0, 7), s.ones([3, 2])),
  "an index out of bounds in a bag": () => s.embeddingBag(ints(0, 7).reshape(1, 2), s.ones([3, 2])),
  "a class past the classes of oneHot": () => s.oneHot(ints(0, 3), 3),
  "the scores of classes as integers": () => s.crossEntropy(ints(1, 2, 3).reshape(1, 3), ints(0)),
  "a bias for other channels": () => s.conv2d(s.ones([1, 1, 3, 3]), s.ones([2, 1, 3, 3]), s.ones([3])),
  "a stride that is not a number": () =>
    s.conv2d(s.ones([1, 1, 3, 3]), s.ones([2, 1, 3, 3]), null, { stride: any({}) }),
  "a bias for other outputs": () => s.linear(s.ones([2, 3]), s.ones([4, 3]), s.ones([3])),
  "a weight for other features": () => s.linear(s.ones([2, 3]), any(s.ones([3, 4]))),
  "means of integers by a pool": () => s.adaptiveAvgPool1d(ints(1, 2).reshape(1, 2), 1),
  "an image of integers in batches": () => s.batchNorm(ints(1, 2).reshape(2, 1), { training: true }),
  "matrices of a chain": () => s.multiDot([s.ones([2, 3]), s.ones([4, 5])]),
  "batches that are added": () => s.addbmm(s.ones([3, 2]), s.ones([2, 3, 4]), s.ones([3, 4, 2])),
  "an error of an inner op": () => s.baddbmm(s.ones([2, 3, 2]), s.ones([2, 3, 4]), s.ones([2, 5, 2])),
  "a disposed tensor of a composite op": () => s.kron(gone(), s.ones([2])),
  "keys that are excluded": () => {
    const x = tensor([1]);
    return s.withKeys({ exclude: s.keySet("cpu") }, () => s.add(x, 1));
  },
  "a mode without a function": () => s.withMode({ call: (_op, _args, next) => next() }, any(undefined)),
  "an unknown mode": () =>
    s.withMode(
      any(() => 1),
      () => 1,
    ),
  "a dispatch key that does not exist": () => s.keySet(wrong("gpu")),
};

test("messages", async () => {
  const lines = Object.entries(mistakes).map(([name, make]) => {
    try {
      make();
    } catch (error) {
      const { name: kind, message } = error as Error;
      return `${name}\n  ${kind}: ${withoutLocations(message).replaceAll("\n", "\n  ")}\n`;
    }
    return `${name}\n  NOT REFUSED\n`;
  });
  expect(lines.filter((line) => line.includes("NOT REFUSED"))).toEqual([]);
  await expect(lines.join("\n")).toMatchFileSnapshot("op-errors.txt");
});

test("a call that throws writes nothing and does not bump the version", () => {
  const x = tensor([1, 2, 3]);
  const whole = ints(1, 2, 3);
  const refused: readonly (() => unknown)[] = [
    () => x.add_(any(tensor([[1], [2]]))),
    () => whole.add_(tensor([0.5, 1, 2])),
    () => s.add(tensor([1, 2]), 1, { out: x }),
    () => s.sum(s.ones([2, 2]), 0, { out: x }),
    () => s.matmul(s.ones([2, 2]), s.ones([2, 2]), { out: x }),
  ];
  for (const call of refused) expect(call).toThrow();
  expect([x.toArray(), x.version, whole.toArray(), whole.version]).toEqual([[1, 2, 3], 0, [1, 2, 3], 0]);
});
