/**
 * Repeated, in-place and `out` calls of elementwise ops return the same as a first call.
 */
import { constant, empty, rand, tensor } from "stridewise";
import { expect, test } from "vitest";
import { withoutSteps } from "../../../test/support/without-steps.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { add, div, mul, pow, remainder, sub } from "./arithmetic.ts";
import { where } from "./choose.ts";
import { gt } from "./comparison.ts";
import { exp } from "./functions.ts";

type Call = (...args: unknown[]) => Tensor;
const plain = (op: unknown): Call => op as Call;

withoutSteps();

/** Elements of a shape somewhere in a storage, which is another one each time. */
function at(offset: number, ...shape: number[]): Tensor {
  const size = shape.reduce((a, b) => a * b, 1);
  return rand([offset + size])
    .narrow(0, offset, size)
    .reshape(shape) as Tensor;
}

const layouts: Readonly<Record<string, (offset: number) => Tensor>> = {
  dense: (offset) => at(offset, 4, 6),
  transposed: (offset) => at(offset, 6, 4).T as Tensor,
  "a row": (offset) => at(offset, 6),
  "a column": (offset) => at(offset, 4, 1),
  "every other": (offset) => at(offset, 4, 12).slice(1, 0, 12, 2) as Tensor,
  backwards: (offset) => at(offset, 4, 6).flip(1) as Tensor,
  "without axes": (offset) => at(offset, 1).select(0, 0) as Tensor,
  "one element for all": (offset) => at(offset, 1, 1).expand(4, 6) as Tensor,
};

const binary: Readonly<Record<string, [op: Call, plainly: (x: number, y: number) => number | boolean]>> = {
  add: [plain(add), (x, y) => Math.fround(x + y)],
  sub: [plain(sub), (x, y) => Math.fround(x - y)],
  mul: [plain(mul), (x, y) => Math.fround(x * y)],
  div: [plain(div), (x, y) => Math.fround(x / y)],
  gt: [plain(gt), (x, y) => x > y],
  where: [(x, y, more) => plain(where)(tensor([true, false, true, false, true, true]), x, y, more), NaN as never],
};

/** The result of a plain loop over two tensors. */
function looped(x: Tensor, y: Tensor, shape: readonly number[], plainly: (x: number, y: number) => unknown): unknown {
  const flat = (t: Tensor): number[] => [t.expand(...shape).toArray()].flat(9) as number[];
  const others = flat(y);
  return flat(x).map((one, k) => plainly(one, others[k] as number));
}

const pairs = Object.keys(layouts).flatMap((x) => Object.keys(layouts).map((y) => [x, y] as const));
const elements = (t: Tensor): unknown => [t.toArray()].flat(9);

test.for(pairs)("%s with %s, again and again", ([x, y]) => {
  for (const [name, [op, plainly]] of Object.entries(binary))
    for (let round = 0; round < 4; round++) {
      const operands = [layouts[x]?.(round), layouts[y]?.(2 * round)] as [Tensor, Tensor];
      const result = op(...operands);
      const chosen = [1, 0, 1, 0, 1, 1];
      let turn = 0;
      const choose = (a: number, b: number): number => (chosen[turn++ % 6] === 1 ? a : b);
      const expected = looped(...operands, result.shape as number[], name === "where" ? choose : plainly);
      expect(elements(result)).toEqual(expected);
      for (const out of [
        empty(result.shape, { dtype: result.dtype }) as Tensor,
        (result.rank < 2 ? result.clone() : result.mT.clone("contiguous" as never).mT) as Tensor,
      ]) {
        expect(op(...operands, { out })).toBe(out);
        expect(elements(out)).toEqual(expected);
      }
    }
});

const single = ["a row", "a column", "without axes", "one element for all"];
test.for(pairs.filter(([x]) => !single.includes(x)))("%s with %s in place", ([x, y]) => {
  for (const name of ["add", "sub", "mul", "div"])
    for (let round = 0; round < 4; round++) {
      const [target, other] = [layouts[x]?.(round), layouts[y]?.(2 * round)] as [Tensor, Tensor];
      const expected = looped(target, other, [4, 6], (binary[name] as (typeof binary)[string])[1]);
      const version = target.version;
      const write = (target as unknown as Record<string, Call>)[`${name}_`] as Call;
      expect(write.call(target, other)).toBe(target);
      expect(elements(target)).toEqual(expected);
      expect(target.version).toBe(version + 1);
    }
});

test.for(Object.keys(layouts))("%s with numbers", (x) => {
  for (const [op, plainly, numbers] of [
    [add, (a: number, b: number) => a + b, [1, 1, 2.5, NaN, -0, 0, 1]],
    [pow, (a: number, b: number) => a ** b, [2, 2, 0.5, 2, 3, 2, -1]],
    [mul, (a: number, b: number) => a * b, [0.5, 0.5, 0.25]],
  ] as const)
    for (const [round, number] of numbers.entries()) {
      const operand = layouts[x]?.(round) as Tensor;
      const expected = (elements(operand) as number[]).map((one) => plainly(one, number));
      const got = elements(plain(op)(operand, number)) as number[];
      for (const [k, one] of expected.entries()) {
        if (Number.isNaN(one)) expect(got[k]).toBeNaN();
        else expect(Math.abs((got[k] as number) - one)).toBeLessThanOrEqual(1e-6 * Math.abs(one));
      }
    }
});

test("results that partly overlap their operands are computed as if they were separate", () => {
  for (let round = 0; round < 4; round++)
    for (const [from, to] of [
      [0, 1],
      [1, 0],
      [0, 0],
      [0, 8],
    ] as const) {
      const all = at(0, 24);
      const [x, out] = [all.narrow(0, from, 8), all.narrow(0, to, 8)] as [Tensor, Tensor];
      const expected = mul(x.clone(), 2).toArray();
      if (from !== to && to < 8) {
        expect(() => plain(exp)(x, { out })).toThrow("refer to a single memory location");
        expect(() => plain(add)(x, x, { out })).toThrow("refer to a single memory location");
      } else expect(plain(add)(x, x, { out }).toArray()).toEqual(expected);
    }
});

test("strided results that partly overlap their operands throw, whatever was written before", () => {
  const turned = (from: Tensor, start: number): Tensor =>
    (from.narrow(0, start, 8).reshape([2, 4]) as Tensor).T as Tensor;
  for (let round = 0; round < 4; round++) {
    const [all, apart] = [at(0, 24), at(0, 24)];
    const x = turned(all, 4);
    const expected = plain(remainder)(x.clone(), 0.3).toArray();
    for (const out of [turned(apart, 4), turned(all, 12), turned(apart, round)])
      expect(plain(remainder)(x, 0.3, { out }).toArray()).toEqual(expected);
    for (const start of [3, 5, 0, 10])
      expect(() => plain(remainder)(x, 0.3, { out: turned(all, start) })).toThrow("refer to a single memory location");
    expect(plain(remainder)(x, 0.3, { out: x }).toArray()).toEqual(expected);
  }
});

test("tensors that may not be written to throw, even after cached calls", () => {
  const [x, y] = [at(0, 4), at(0, 4)];
  const good = empty([4]) as Tensor;
  for (let round = 0; round < 3; round++) {
    plain(add)(x, y, { out: good });
    plain(sub)(good, y, { out: good });
    expect(() => plain(add)(x, y, { out: constant(1, [4]) })).toThrow();
    expect(() => plain(add)(x, y, { out: empty([5]) })).toThrow("shape");
    expect(() => plain(add)(x, y, { out: empty([4], { dtype: "int32" }) })).toThrow("cannot be cast");
    expect(plain(add)(x, y, { out: empty([4], { dtype: "float64" }) }).dtype).toBe("float64");
    const gone = empty([4]) as Tensor;
    gone.dispose();
    expect(() => plain(add)(x, y, { out: gone })).toThrow("cannot be used anymore");
    expect(() => plain(add)(x, y, { out: good, alpha: "2" })).toThrow();
  }
});
