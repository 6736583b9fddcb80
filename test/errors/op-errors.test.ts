/** What ops say when they say no, and that nothing was written then. Read the file beside this one as a user would; `-u` renews it. */
import { expect, test } from "vitest";
import * as s from "../../src/index.ts";
import { type Tensor, tensor } from "../../src/index.ts";

/** Input that the types would refuse: users of plain JavaScript can still give it. */
const wrong = <T>(value: unknown): T => value as T;
const gone = (): Tensor => {
  const t = tensor([1, 2]);
  t.dispose();
  return t;
};
const ints = (...values: number[]): Tensor => tensor(values, { dtype: "int32" }) as Tensor;
const any = (value: unknown): never => value as never;

/** Errors name where dispose() was called; that place differs from machine to machine. */
const withoutPlaces = (message: string): string => message.replaceAll(/, at [^;]*;/g, ", at <place>;");

const mistakes: Readonly<Record<string, () => unknown>> = {
  "shapes that do not broadcast": () => s.add(tensor([1, 2, 3]), any(tensor([1, 2]))),
  "in place, a result that is larger": () => tensor([1, 2]).add_(any(tensor([[1], [2]]))),
  "in place, a dtype that does not hold it": () => ints(1, 2).add_(tensor([0.5, 1])),
  "in place, a constant": () => (s.constant(1, [3]) as Tensor).mul_(2),
  "in place, elements that share a place": () => (tensor([1]).expand(3) as Tensor).add_(1),
  "out of another shape": () => s.mul(tensor([1, 2]), 2, { out: tensor([1, 2, 3]) }),
  "out across an input": () => {
    const base = tensor([1, 2, 3, 4]);
    return s.mul(base.narrow(0, 0, 3), 2, { out: base.narrow(0, 1, 3) as Tensor });
  },
  "out that is no tensor": () => s.mul(tensor([1]), 2, { out: wrong([1]) }),
  "an option that does not exist": () => s.add(tensor([1]), 1, wrong({ alpa: 2 })),
  "an argument too many": () => wrong<(...args: unknown[]) => unknown>(s.exp)(tensor([1]), tensor([2])),
  "an argument that is missing": () => wrong<(x: Tensor) => unknown>(s.mul)(tensor([1])),
  "an array instead of a tensor": () => s.add(tensor([1, 2]), any([1, 2])),
  "no tensor at all": () => s.add(1, 2),
  "a tensor that is gone": () => s.add(gone(), 1),
  "another one that is gone": () => s.sum(gone()),
  "bools subtracted": () => s.sub(tensor([true]), tensor([true])),
  "bits of floats": () => s.bitwiseAnd(tensor([1]), tensor([2])),
  "an order of complex numbers": () => s.lt(tensor([s.complex(1, 2)]), 3),
  "a fraction for integers": () => s.add(ints(1), 0.5),
  "an integer to a negative power": () => s.pow(ints(2), -1),
  "a condition that is no bool": () => s.where(tensor([1, 0]), 1, tensor([2, 3])),
  "clamp without bounds": () => s.clamp(tensor([1])),
  "a rounding that does not exist": () => s.div(tensor([1]), 2, wrong({ rounding: "up" })),
  "an axis that does not exist": () => s.sum(tensor([[1, 2]]), any(2)),
  "an axis twice": () => s.sum(tensor([[1, 2]]), any([0, 0])),
  "an axis by a wrong name": () => tensor([[1, 2]], { names: ["batch", "time"] }).sum("tine"),
  "the mean of integers": () => s.mean(ints(1, 2)),
  "the largest of nothing": () => s.amax(s.zeros([0])),
  "the largest along an empty axis": () => s.max(s.zeros([2, 0]), 1),
  "the variance of integers": () => s.std(ints(1, 2)),
  "inner sizes of a product": () => s.matmul(s.ones([2, 3]), any(s.ones([4, 5]))),
  "batches of a product": () => s.matmul(s.ones([2, 3, 4]), s.ones([5, 4, 3])),
  "a product of two dtypes": () => s.matmul(s.ones([2, 2]), s.ones([2, 2], { dtype: "float64" })),
  "a product with a number": () => s.matmul(s.ones([2, 2]), any(tensor(2))),
  "mm of batches": () => s.mm(s.ones([2, 2, 2]), s.ones([2, 2])),
  "an equation with a size too many": () => s.einsum("ij,jk->ik", s.ones([2, 3]), s.ones([4, 5])),
  "an equation with a letter from nowhere": () => s.einsum("ij->ik", s.ones([2, 3])),
  "channels of a convolution": () => s.conv2d(s.ones([1, 3, 4, 4]), s.ones([2, 4, 3, 3])),
  "a kernel larger than the image": () => s.conv2d(s.ones([1, 1, 2, 2]), s.ones([1, 1, 3, 3])),
  "padding of more than half a window": () => s.maxPool2d(s.ones([1, 4, 4]), 2, { padding: 2 }),
  "a transform of no points": () => s.fft.fft(s.ones([4]), 0),
  "tensors on two devices": () => s.add(s.ones([2]), s.ones([2], { device: "meta" })),
  "elements of the meta device": () => s.ones([2], { device: "meta" }).toArray(),
  "an op that is not defined": () => s.operatorNamed("mine.twice"),
  "a dispatch key that does not exist": () => s.keySet(wrong("gpu")),
};

test("messages", async () => {
  const lines = Object.entries(mistakes).map(([name, make]) => {
    try {
      make();
    } catch (error) {
      const { name: kind, message } = error as Error;
      return `${name}\n  ${kind}: ${withoutPlaces(message).replaceAll("\n", "\n  ")}\n`;
    }
    return `${name}\n  NOT REFUSED\n`;
  });
  expect(lines.filter((line) => line.includes("NOT REFUSED"))).toEqual([]);
  await expect(lines.join("\n")).toMatchFileSnapshot("op-errors.txt");
});

test("a refused call writes nothing and counts as no change", () => {
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
