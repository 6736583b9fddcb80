/**
 * Nested arrays as operands of elementwise ops: an array of equal numbers gives the dtype and the values that the number gives, or is refused
 * where the number is, for every op of two operands and every dtype.
 */
import { describe, expect, test } from "vitest";
import * as stridewise from "../../src/index.ts";
import { add, lerp, StridewiseError, type Tensor, tensor, vmap, where, zeros } from "../../src/index.ts";
import { dtypeNames } from "../../src/storage/dtype.ts";

type Op = (...args: unknown[]) => Tensor;

/** The dtype and the elements of a result, or the class of the error. */
function outcome(fn: () => Tensor): string {
  try {
    const result = fn();
    return `${result.dtype} [${[...result.toTypedArray()]}]`;
  } catch (error) {
    if (!(error instanceof StridewiseError)) throw error;
    return error.name;
  }
}

const binary = `
  add sub rsub mul div floorDivide remainder fmod pow floatPower fmax fmin maximum minimum eq ne lt le gt ge isclose logicalAnd logicalOr
  logicalXor bitwiseAnd bitwiseOr bitwiseXor bitwiseLeftShift bitwiseRightShift atan2 hypot copysign xlogy logaddexp clampMax clampMin
  heaviside gcd lcm nextafter ldexp
`
  .trim()
  .split(/\s+/);
const numbers = [2, 0.5, 3n, true, { re: 1, im: 2 }];
const isComplex = (value: unknown): boolean => typeof value === "object";

/** True if a number chooses another formula, or is treated as real. */
const isSpecial = (name: string, value: unknown): boolean =>
  name === "pow" ? value !== 3n && !isComplex(value) : /^(floatPower|isclose)$/.test(name) && isComplex(value);

describe.each(binary)("%s", (name) => {
  const op = (stridewise as unknown as Record<string, Op>)[name] as Op;
  test.each(dtypeNames)("of a %s tensor and an array is that of the number", (dtype) => {
    const x = tensor([1, 0], { dtype });
    for (const value of numbers) {
      if (isSpecial(name, value) || (isComplex(value) && /^uint(16|32|64)/.test(dtype))) continue;
      const label = JSON.stringify(value, (_, item) => (typeof item === "bigint" ? `${item}n` : item));
      expect(
        outcome(() => op(x, [value, value])),
        label,
      ).toBe(outcome(() => op(x, value)));
      // A number as x of heaviside determines no dtype.
      if (name === "heaviside") continue;
      expect(
        outcome(() => op([value, value], x)),
        `${label} first`,
      ).toBe(outcome(() => op(value, x)));
    }
  });
});

const x = tensor([
  [1, 2, 3],
  [4, 5, 6],
]);

test("arrays are broadcast, in any operand and in place", () => {
  expect(x.add([1, 2, 3]).toArray()).toEqual(x.add(tensor([1, 2, 3])).toArray());
  expect(x.mul([[1], [2]]).toArray()).toEqual(x.mul(tensor([[1], [2]])).toArray());
  expect(add([10, 20, 30], x).toArray()).toEqual(x.add(tensor([10, 20, 30])).toArray());
  expect(x.add([1, 2, 3], { alpha: 2 }).toArray()).toEqual(x.add(tensor([2, 4, 6])).toArray());
  expect(where(x.gt(2), x, [[7], [8]]).toArray()).toEqual([
    [7, 7, 3],
    [4, 5, 6],
  ]);
  expect(where(x.gt(2), [1, 2, 3], [[7], [8]]).dtype).toBe("float32");
  expect((lerp(x, [0, 0, 0], [0, 0.5, 1]) as Tensor).toArray()).toEqual([
    [1, 1, 0],
    [4, 2.5, 0],
  ]);
  const y = x.clone();
  expect(y.sub_([1, 1, 1]) === y).toBe(true);
  expect(y.toArray()).toEqual(x.sub(1).toArray());
});

test("an array keeps the precision of the tensor", () => {
  expect(x.to("float16").add([1, 2, 3]).dtype).toBe("float16");
  expect(x.to("float64").mul([0.1, 0.1, 0.1]).toArray()).toEqual([
    [1 * 0.1, 2 * 0.1, 3 * 0.1],
    [4 * 0.1, 5 * 0.1, 6 * 0.1],
  ]);
});

test("gradients, vmap and the meta device see a tensor", () => {
  const w = tensor([1, 2, 3]).requiresGrad_();
  w.mul([4, 5, 6]).sum().backward();
  expect((w.grad as Tensor).toArray()).toEqual([4, 5, 6]);
  expect((vmap((row: Tensor) => row.add([1, 2, 3]))(x as Tensor) as Tensor).toArray()).toEqual(
    x.add([1, 2, 3]).toArray(),
  );
  expect(zeros([3], { device: "meta" }).add([[1], [2]]).shape).toEqual([2, 3]);
});

test.each([
  [() => x.add([[1, 2, 3], [1]] as never), "add: expected sequence of length 3 at axis 1 (got 1), at position [1]."],
  [() => x.add([1, 2] as never), "add: the size of x (3) must match the size of other (2) at axis 1"],
  [() => x.add(["a"] as never), 'add: the elements of other must be numbers, bigints, booleans or { re, im }, got "a"'],
  [
    () => x.add([x] as never),
    "add: the elements of other must be numbers, bigints, booleans or { re, im }, got tensor",
  ],
  [() => x.to("int32").add([0.5]), "add: other is 0.5, but the tensors are int32."],
  [() => x.to("uint8").add([300]), "add: other: value cannot be converted to type uint8"],
  [() => add([1], [2]), "add: no argument is a tensor."],
  [() => x.round([1] as never), "round: argument 2 must be an options object"],
] as const)("%s is refused", (fn, message) => {
  expect(fn).toThrow(message);
});
