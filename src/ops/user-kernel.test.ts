/**
 * Formulas over tensors, against the same computed element by element in JavaScript: every function, every dtype, every kind of layout;
 * writing in place and into several outputs; and errors. Halves and float32 are compared within their rounding.
 */
import {
  _,
  arange,
  constant,
  DTypeError,
  fromBuffer,
  makeIdentityTensor,
  makeTensor,
  parseLayout,
  range,
  ShapeError,
  type Tensor,
  tensor,
  WriteError,
  zeros,
} from "stridewise";
import { describe, expect, test } from "vitest";
import { checkKernel, printKernel } from "../kernel/index.ts";
import { kernelStatistics } from "../kernel/program/kernels.ts";
import { type DType, dtypeNames, dtypes } from "../storage/dtype.ts";
import { setDefaultDType } from "../storage/promotion.ts";
import type { Symbolic } from "./formula/symbolic.ts";
import { elementwise } from "./user-kernel.ts";

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Values between -3 and 3, no two alike. */
const values = (count: number, seed = 1): number[] => {
  const next = random(seed);
  return Array.from({ length: count }, () => Math.fround(6 * next() - 3));
};

const flat = (t: Tensor): number[] => (t.clone("contiguous").reshape(t.size).toArray() as unknown[]).map(Number);

const formulas: Readonly<Record<string, (x: number, y: number, a: number) => number>> = {
  "a * x + y": (x, y, a) => a * x + y,
  "max(a * x + y, 0) * x - a": (x, y, a) => Math.max(a * x + y, 0) * x - a,
  "x / y - a": (x, y, a) => x / y - a,
  "x // y + a": (x, y, a) => Math.floor(x / y) + a,
  "x % y + a": (x, y, a) => x - y * Math.floor(x / y) + a,
  "x ** 2 - y ** 3 + abs(x) ** 0.5 * a": (x, y, a) => x * x - y ** 3 + Math.sqrt(Math.abs(x)) * a,
  "abs(x) ** y - a": (x, y, a) => Math.abs(x) ** y - a,
  "-x + y * a": (x, y, a) => -x + y * a,
  "x > y ? x : y * a": (x, y, a) => (x > y ? x : y * a),
  "(x > 0) & ~(y > 0) | (x < a) ^ (y < a)": (x, y, a) => Number((x > 0 && !(y > 0)) || x < a !== y < a),
  "where(x >= y, 1, a) + (x == x ? 1 : 0)": (x, y, a) => (x >= y ? 1 : a) + 1,
  "clamp(x, -1, a) + relu(y)": (x, y, a) => Math.min(Math.max(x, -1), a) + Math.max(y, 0),
  "sigmoid(x) + silu(y) * a": (x, y, a) => 1 / (1 + Math.exp(-x)) + (y / (1 + Math.exp(-y))) * a,
  "softplus(x) + lerp(x, y, a)": (x, y, a) => Math.log1p(Math.exp(x)) + x + a * (y - x),
  "sign(x) + square(y) - reciprocal(a)": (x, y, a) => Math.sign(x) + y * y - 1 / a,
  "rsqrt(abs(x)) + mod(y, a)": (x, y, a) => 1 / Math.sqrt(Math.abs(x)) + y - a * Math.floor(y / a),
  "exp(x) + log(abs(y)) + sin(a)": (x, y, a) => Math.exp(x) + Math.log(Math.abs(y)) + Math.sin(a),
  "tanh(x) * cos(y) + atan2(x, y) + a": (x, y, a) => Math.tanh(x) * Math.cos(y) + Math.atan2(x, y) + a,
  "floor(x) + ceil(y) + trunc(a * x) + round(y)": (x, y, a) =>
    Math.floor(x) + Math.ceil(y) + Math.trunc(a * x) + Math.round(y),
  "isnan(x) | isinf(y) | ~isfinite(x / 0 * a)": () => 1,
  "int32(x) + int32(y) * int32(a)": (x, y, a) => Math.trunc(x) + Math.trunc(y) * Math.trunc(a),
  "let t = x * y; t * t + t * a": (x, y, a) => (x * y) ** 2 + x * y * a,
  "min(x, y, a)": (x, y, a) => Math.min(x, y, a),
  "0 * x * y * a + angle(x) + pi": (x) => (x < 0 ? Math.PI : 0) + Math.PI,
};

test.each(Object.entries(formulas))("%s equals the result in JavaScript", (formula, expected) => {
  const [xs, ys] = [values(67), values(67, 2)];
  for (const dtype of ["float32", "float64"] as const) {
    const operands = { x: tensor(xs, { dtype }), y: tensor(ys, { dtype }), a: 1.25 };
    const results = flat(elementwise(formula, operands));
    results.forEach((result, i) => {
      const exact = expected(xs[i] as number, ys[i] as number, 1.25);
      const size = Math.abs(exact) + 3;
      expect(Math.abs(result - exact), `${dtype} ${xs[i]} ${ys[i]}`).toBeLessThan(
        size * (dtype === "float32" ? 2e-6 : 1e-14),
      );
    });
  }
});

/** Tensors of shape [3, 4] with all kinds of layouts, and their values. */
const layouts: Readonly<Record<string, (dtype: DType) => Tensor>> = {
  "row-major": (dtype) => arange(12).reshape(3, 4).to(dtype),
  transposed: (dtype) => arange(12).reshape(4, 3).to(dtype).transpose(0, 1),
  strided: (dtype) =>
    arange(48)
      .reshape(6, 8)
      .to(dtype)
      .at(range(null, null, 2), range(1, null, 2)),
  backwards: (dtype) =>
    arange(12)
      .reshape(3, 4)
      .to(dtype)
      .at(range(null, null, -1), range(null, null, -1)),
  "a row": (dtype) => arange(4).to(dtype),
  "a column": (dtype) => arange(3).reshape(3, 1).to(dtype),
  "one element": (dtype) => tensor([[5]], { dtype }),
  "0-d": (dtype) => tensor(7, { dtype }),
  expanded: (dtype) => arange(3).reshape(3, 1).to(dtype).expand(3, 4),
  "a constant": (dtype) => constant(3, [3, 4], { dtype }),
  nested: (dtype) => nested(dtype, "(_3,(_2,_2)):(_1,(_6,_3))"),
  "nested otherwise": (dtype) => nested(dtype, "(_3,(_2,_2)):(_4,(_1,_2))"),
  external: () =>
    fromBuffer(
      Float32Array.from({ length: 12 }, (_v, i) => i + 1),
      { shape: [3, 4] },
    ),
};

function nested(dtype: DType, layout: string): Tensor {
  const t = makeTensor(dtype, parseLayout(layout) as never) as Tensor;
  for (let i = 0; i < t.size; i++) t.setColMajor(i, i);
  return t;
}

const at = (t: Tensor, i: number, j: number): number => {
  const row = t.rank < 2 || t.shape[0] === 1 ? 0 : i;
  const column = t.rank === 0 || t.shape.at(-1) === 1 ? 0 : j;
  return Number(t.rank === 0 ? t.item() : t.rank === 1 ? t.get(column) : t.get(row, column));
};

describe.each(Object.keys(layouts))("x %s", (first) => {
  test.each(Object.keys(layouts))("with y %s is computed element by element", (second) => {
    const [x, y] = [layouts[first]?.("float32") as Tensor, layouts[second]?.("float32") as Tensor];
    const result = elementwise("2 * x + y", { x, y });
    const rows = result.rank < 2 ? 1 : (result.shape[0] as number);
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < (result.shape.at(-1) ?? 1); j++)
        expect(at(result, i, j), `${i}, ${j}`).toBe(2 * at(x, i, j) + at(y, i, j));
    if (result.shape.join() !== "3,4") return;
    const out = zeros([4, 3]).transpose(0, 1);
    elementwise("2 * x + y", { x, y }, { out });
    expect(flat(out)).toEqual(flat(result));
  });
});

test.each(dtypeNames)("%s tensors of every length from 0 to 35 are added", (dtype) => {
  for (let n = 0; n < 36; n++) {
    const x = arange(n).to(dtype);
    const result = elementwise("x + x", { x });
    expect(result.dtype).toBe(dtype);
    const twice = (i: number): number => (dtype === "bool" ? Number(i > 0) : 2 * i);
    const parts = (result.toArray() as unknown[]).map((value) =>
      dtypes[dtype].category === "complex" ? (value as { re: number }).re : Number(value),
    );
    expect(parts).toEqual(Array.from({ length: n }, (_v, i) => twice(i)));
  }
});

const onIntegers: Readonly<Record<string, (x: bigint, y: bigint) => bigint>> = {
  "x * y - 3": (x, y) => x * y - 3n,
  "x // y": (x, y) => (x - (((x % y) + y) % y)) / y,
  "x % y": (x, y) => ((x % y) + y) % y,
  "x & y | 3 ^ x": (x, y) => (x & y) | (3n ^ x),
  "(x << 2) + (y >> 1)": (x, y) => (x << 2n) + (y >> 1n),
  "-x + ~y": (x, y) => -x + ~y,
  "abs(x) * sign(x) + y": (x, y) => x + y,
  "x ** 2 - y ** 3": (x, y) => x ** 2n - y ** 3n,
  "x < y ? x * 2 : y": (x, y) => (x < y ? x * 2n : y),
  "max(x, y) + min(x, y)": (x, y) => x + y,
  "floor(x) + relu(y)": (x, y) => x + (y < 0n ? 0n : y),
};

describe.each(dtypeNames.filter((dtype) => dtypes[dtype].category === "integer"))("%s", (dtype) => {
  test.each(Object.entries(onIntegers))("%s wraps around as integers do", (formula, expected) => {
    const bits = 8 * dtypes[dtype].itemsize;
    const wrap = (value: bigint): bigint =>
      dtype.startsWith("u") ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
    const next = random(3);
    const draw = (): bigint => wrap(BigInt(Math.floor((next() - 0.5) * 2 ** 20))) || 1n;
    const [xs, ys] = [Array.from({ length: 37 }, draw), Array.from({ length: 37 }, draw)];
    const result = elementwise(formula, { x: tensor(xs, { dtype }), y: tensor(ys, { dtype }) });
    expect(result.dtype).toBe(dtype);
    expect((result.toArray({ bigint: true }) as unknown[]).map((value) => BigInt(value as number))).toEqual(
      xs.map((x, i) => wrap(expected(x, ys[i] as bigint))),
    );
  });
});

test("integers wrap, and numbers that do not fit them are refused", () => {
  const x = tensor([100, 200], { dtype: "uint8" });
  expect(elementwise("x + a", { x, a: 100 }).toArray()).toEqual([200, 44]);
  expect(() => elementwise("x + a", { x, a: 300 })).toThrow(DTypeError);
  expect(() => elementwise("x + a", { x, a: 0.5 })).toThrowErrorMatchingInlineSnapshot(
    `[DTypeError: elementwise: a is 0.5, but the tensors are uint8. Pass an integer, or convert the tensors: float32(x)]`,
  );
  expect(elementwise("x / a", { x, a: 0.5 }).toArray()).toEqual([200, 400]);
  expect(elementwise("x + a", { x: tensor([2n ** 62n]), a: 2n ** 61n }).itemBigInt()).toBe(3n * 2n ** 61n);
});

test("literals that an integer dtype does not hold are refused, as operands are", () => {
  const x = tensor([1, 100, -5], { dtype: "int8" });
  for (const formula of ["x < 128", "clamp(x, 0, 255)", "x + 65537", "x << 256"])
    expect(() => elementwise(formula, { x }), formula).toThrow(/a literal: value cannot be converted to type int8/);
  expect(() => elementwise(({ x }) => x.lt(128), { x })).toThrow(DTypeError);
  expect(elementwise("int16(x) < 128", { x }).toArray()).toEqual([true, true, true]);
  // A negative one counts from the top, as elsewhere.
  expect(elementwise("x & -2", { x: tensor([7, 8], { dtype: "uint8" }) }).toArray()).toEqual([6, 8]);
});

test("a half is computed as float32 and rounded once", () => {
  const x = tensor([2049, 1], { dtype: "float16" });
  // 2048 in float16; in between 4097 exists in float32 only.
  expect(elementwise("x * 2 + 1 - x * 2", { x }).toArray()).toEqual([1, 1]);
  expect(elementwise("float16(x * 2 + 1) - x * 2", { x }).toArray()).toEqual([0, 1]);
});

test("no options may be written as null, too", () => {
  expect(elementwise("x + 1", { x: tensor([1, 2]) }, null as never).toArray()).toEqual([2, 3]);
});

test("complex numbers are operands and literals", () => {
  const z = tensor([{ re: 3, im: 4 }]);
  expect(elementwise("abs(z)", { z }).toArray()).toEqual([5]);
  expect(elementwise("z * 1i + c", { z, c: { re: 1, im: 0 } }).toArray()).toEqual([{ re: -3, im: 3 }]);
});

test("the default dtype counts when the formula is run", () => {
  const x = tensor([1, 2], { dtype: "int32" });
  const half = elementwise("x * 0.5");
  expect(half({ x }).dtype).toBe("float32");
  setDefaultDType("float64" as never);
  try {
    expect(half({ x }).dtype).toBe("float64");
  } finally {
    setDefaultDType("float32");
  }
});

test("results keep the order of the inputs, the nesting they share, and their names", () => {
  const x = zeros([3, 4, 5]).permute(2, 0, 1);
  expect(elementwise("x + 1", { x }).stride).toEqual(x.stride);
  const n = layouts["nested"]?.("float32") as Tensor;
  expect(`${elementwise("x * y", { x: n, y: tensor(2) }).layout}`).toBe("(_3,(_2,_2)):(1,(6,3))");
  expect(elementwise("x * y", { x: n, y: zeros([3, 4]) }).stride).toEqual([4, 1]);
  const named = zeros([2, 3], { names: ["row", "column"] });
  expect(elementwise("x + y", { x: zeros([3]), y: named }).names).toEqual(["row", "column"]);
  expect(() => elementwise("x + y", { x: zeros([3], { names: ["row"] }), y: named })).toThrow(ShapeError);
});

describe("an output that exists", () => {
  test("may be an operand, and its version goes up by one", () => {
    for (const x of [arange(6), arange(6).reshape(2, 3).T, arange(12).at(range(null, null, 2))]) {
      const before = flat(x);
      expect(elementwise("x * x + 1", { x }, { out: x })).toBe(x);
      expect(flat(x)).toEqual(before.map((value) => value * value + 1));
      expect(x.version).toBe(1);
    }
  });

  test("may be one of several, each written while the other is still read", () => {
    const [x, y] = [tensor([5, 7]), tensor([1, 2])];
    elementwise("s = x + y; d = x - y", { x, y }, { out: { s: x, d: y } });
    expect([x.toArray(), y.toArray()]).toEqual([
      [6, 9],
      [4, 5],
    ]);
  });

  test("may be interleaved with the elements of another", () => {
    const both = zeros([6]);
    const [s, d] = [both.at(range(null, null, 2)), both.at(range(1, null, 2))];
    elementwise("s = x + 1; d = x - 1", { x: arange(3) }, { out: { s, d } });
    expect(flat(both)).toEqual([1, -1, 2, 0, 3, 1]);
  });

  test("is written as if all operands had been read before", () => {
    const x = arange(9).reshape(3, 3);
    elementwise("x + y", { x, y: x.at(_, range(0, 1)) }, { out: x });
    expect(flat(x)).toEqual([0, 1, 2, 6, 7, 8, 12, 13, 14]);
    const w = tensor([2, 3, 4]);
    expect(() => elementwise("x * y", { x: w, y: w.at(0) }, { out: w })).toThrow(WriteError);
    expect(flat(w)).toEqual([2, 3, 4]);
    const v = arange(12);
    elementwise("2 * x", { x: v.at(range(0, 10, 2)) }, { out: v.at(range(1, 11, 2)) });
    expect(flat(v)).toEqual([0, 0, 2, 4, 4, 8, 6, 12, 8, 16, 10, 11]);
  });

  test("may have a different dtype of at least its category, and any layout", () => {
    const out = zeros([4, 3], { dtype: "float64" }).T;
    elementwise("x + 1", { x: arange(12).reshape(3, 4).to("int32") }, { out });
    expect(flat(out)).toEqual(Array.from({ length: 12 }, (_v, i) => i + 1));
    const tiled = nested("float32", "((_2,_2),_3):((_1,_6),_2)");
    elementwise("x", { x: nested("float32", "((_4),_3):((_3),_1)") }, { out: tiled });
    expect(flat(tiled)).toEqual(flat(nested("float32", "(_4,_3):(_3,_1)")));
    const sixes = nested("float32", "((_2,_3)):((_3,_1))");
    elementwise("x + y", { x: nested("float32", "((_3,_2)):((_2,_1))"), y: arange(6) }, { out: sixes });
    expect(flat(sixes)).toEqual([0, 2, 4, 6, 8, 10]);
  });

  test("is filled where no operand has axes", () => {
    const out = zeros([2, 2]);
    elementwise("a * 2", { a: 3 }, { out });
    expect(flat(out)).toEqual([6, 6, 6, 6]);
    expect(elementwise("a * 2", { a: 3 }).item()).toBe(6);
  });
});

test("operands that cannot be written or read throw a named error", () => {
  const x = arange(6);
  const ended = arange(6);
  ended.dispose();
  const cases: Record<string, () => unknown> = {
    "a constant as output": () => elementwise("x", { x }, { out: constant(0, [6]) }),
    "an expanded output": () => elementwise("x", { x }, { out: zeros([1]).expand(6) }),
    "a partial overlap": () => elementwise("x", { x: x.at(range(0, 5)) }, { out: x.at(range(1, 6)) }),
    "one output twice": () => elementwise("s = x; d = x", { x }, { out: { s: x, d: x } }),
    "two outputs in one place": () => elementwise("s = x; d = x", { x: zeros([6]) }, { out: { s: x, d: x.view(6) } }),
    "a different shape": () => elementwise("x", { x }, { out: zeros([2, 3]) }),
    "a lower dtype": () => elementwise("x / 2", { x }, { out: zeros([6], { dtype: "int32" }) }),
    "no record": () => elementwise("s = x", { x }, { out: x as never }),
    "an output too few": () => elementwise("s = x; d = x", { x }, { out: { s: x } as never }),
    "sizes that differ": () => elementwise("x + y", { x, y: zeros([5]) }),
    "a disposed tensor": () => elementwise("x + y", { x, y: ended }),
    coordinates: () => elementwise("x + y", { x, y: makeIdentityTensor([6]) as never }),
    "coordinates as output": () => elementwise("x", { x }, { out: makeIdentityTensor([6]) as never }),
    "a missing operand": () => elementwise("x + weight", { x, weigth: 1 }),
    "an unused operand": () => elementwise("x + 1", { x, y: 1, z: 2 }),
    "an array": () => elementwise("x + y", { x, y: [1, 2] as never }),
    null: () => elementwise("x + y", { x, y: null as never }),
    "no formula": () => elementwise(5 as never),
    "no operands": () => elementwise("x + 1", null as never),
    "a tensor alone": () => elementwise("x + 1", x as never),
    "an operand that is undefined": () => elementwise("x + y", { x, y: undefined as never }),
    "names that objects inherit": () => elementwise("x + constructor", { x }),
    "an unknown option": () => elementwise("x + 1", { x }, { outt: x } as never),
    "a symbol as a number": () => elementwise(({ x }) => x.add(-(x as never as number)), { x }),
    "an operand that is a number of formulas": () => elementwise(({ x, pi }) => x.mul(pi), { x, pi: 3 }),
    "too many tensors": () =>
      elementwise(
        Array.from({ length: 15 }, (_v, i) => `x${i}`).join("+"),
        Object.fromEntries(Array.from({ length: 15 }, (_v, i) => [`x${i}`, x])),
      ),
  };
  const messages = Object.entries(cases).map(([name, run]) => {
    try {
      run();
    } catch (error) {
      return `${name}: ${(error as Error).name}: ${(error as Error).message.replace(/, at .*?;/, ";")}`;
    }
    return `${name}: nothing was said`;
  });
  expect(`\n${messages.join("\n")}\n`).toMatchInlineSnapshot(`
    "
    a constant as output: WriteError: elementwise: tensor (float32 [6]) is a constant and not writable. Write to a copy: clone()
    an expanded output: WriteError: elementwise: unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.
    a partial overlap: WriteError: elementwise: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.
    one output twice: WriteError: elementwise: unsupported operation: two outputs share memory. Please clone() the tensor before performing the operation.
    two outputs in one place: WriteError: elementwise: unsupported operation: two outputs share memory. Please clone() the tensor before performing the operation.
    a different shape: ShapeError: elementwise: the result has shape [6], which out of shape [2, 3] cannot hold. Omit out
    a lower dtype: DTypeError: elementwise: a float32 result cannot be cast to the output dtype int32. Convert it in the formula: int32(...)
    no record: ShapeError: elementwise: "s = x" has the outputs s. Pass out as an object of tensors
    an output too few: ShapeError: elementwise: out has no d; the outputs of "s = x; d = x" are s, d
    sizes that differ: ShapeError: elementwise: the size of x (6) must match the size of y (5) at axis 0, got tensor (float32 [6]) and tensor (float32 [5])
    a disposed tensor: DisposedError: elementwise: tensor (float32 [6]) was disposed by dispose(); it cannot be used anymore
    coordinates: StorageError: elementwise: tensor (coord [6]) has no storage; its elements are computed by a coordinate engine and are not numbers. Pass a tensor of numbers
    coordinates as output: StorageError: elementwise: tensor (coord [6]) has no storage; its elements are computed by a coordinate engine and are not numbers. Pass a tensor of numbers
    a missing operand: StridewiseError: elementwise: the operand weight of "x + weight" is missing, got x, weigth. Did you mean weigth?
    an unused operand: StridewiseError: elementwise: "x + 1" does not use y, z; its operands are x.
    an array: DTypeError: elementwise: y must be a tensor, number, bigint, boolean or { re, im }, got an array. Create a tensor first: tensor(...)
    null: DTypeError: elementwise: y must be a tensor, number, bigint, boolean or { re, im }, got null. Create a tensor first: tensor(...)
    no formula: StridewiseError: elementwise: a formula must be a string or a function, got 5
    no operands: StridewiseError: elementwise: pass the operands of "x + 1" by name, as in { x, a: 2 }, got null
    a tensor alone: StridewiseError: elementwise: pass the operands of "x + 1" by name, as in { x, a: 2 }, got tensor (float32 [6])
    an operand that is undefined: StridewiseError: elementwise: the operand y of "x + y" is missing, got x.
    names that objects inherit: StridewiseError: elementwise: the operand constructor of "x + constructor" is missing, got x.
    an unknown option: StridewiseError: elementwise: there is no option outt; the options are out. Did you mean out?
    a symbol as a number: StridewiseError: elementwise: a symbol is not a number, so + - * / do not work. Call its methods: x.mul(2).add(y)
    an operand that is a number of formulas: StridewiseError: elementwise: pi is a number in formulas and cannot be the name of an operand. Rename it
    too many tensors: StridewiseError: elementwise: at most 15 tensors, outputs included, got 16. Split the formula
    "
  `);
});

test("nothing is compiled again when only numbers change", () => {
  const axpb = elementwise("a * x + b - 3.25");
  const x = arange(10);
  // Often enough to be compiled.
  for (let k = 0; k < 100; k++) axpb({ x, a: 0, b: 0 });
  const { compiled } = kernelStatistics();
  for (let a = 0; a < 50; a++) {
    axpb({ x, a, b: a / 3 });
    elementwise("a * x + b - 3.25", { x, a, b: 1 });
    elementwise(({ x, a, b }) => x.mul(a).add(b).sub(3.25), { x, a, b: 2 });
  }
  // The function's text is another one only where the user's has other spaces or order.
  expect(kernelStatistics().compiled - compiled).toBeLessThanOrEqual(1);
  axpb({ x: x.to("float64"), a: 1, b: 1 });
  expect(kernelStatistics().compiled).toBeGreaterThan(compiled);
});

test("an out tensor with the dtype of a new result uses the same kernel", () => {
  const x = tensor([1, 2, 3]);
  const halve = elementwise("x / 2 - 0.125");
  halve({ x });
  const { compiled } = kernelStatistics();
  halve({ x }, { out: x });
  expect(x.toArray()).toEqual([0.375, 0.875, 1.375]);
  expect(kernelStatistics().compiled).toBe(compiled);
});

test("only the last 256 formulas are kept", () => {
  const x = arange(2);
  const first = elementwise("x * 1001");
  expect(elementwise("x * 1001")).toBe(first);
  for (let i = 0; i < 300; i++) elementwise(`x * ${i} + 0.125`);
  expect(elementwise("x * 1001")).not.toBe(first);
  expect(first({ x }).toArray()).toEqual([0, 1001]);
});

describe("a formula as a function", () => {
  test("computes its text", () => {
    const x = tensor(values(20));
    const operands = { x, a: 2, b: 0.5 };
    const written = elementwise("relu(a * x + b) * x - 1.5", operands);
    const built = elementwise(({ x, a, b }) => a.mul(x).add(b).relu().mul(x).sub(1.5), operands);
    expect(flat(built)).toEqual(flat(written));
  });

  test("has a text and several outputs, and computes common subexpressions once", () => {
    const both = elementwise(({ x, y }: Record<"x" | "y", Symbolic>) => {
      const t = x.mul(y).exp();
      return { s: t.add(1), d: t.sub(-0.5), c: x.gt(0).where(t, 2n) };
    });
    expect(both.toString()).toBe("let t1 = exp(x * y); s = t1 + 1; d = t1 - -0.5; c = where(x > 0, t1, 2)");
    const { s, d, c } = both({ x: tensor([0, 1]), y: 0 });
    expect([flat(s), flat(d), flat(c)]).toEqual([
      [2, 2],
      [1.5, 1.5],
      [2, 1],
    ]);
  });

  test("computes with symbols and numbers only", () => {
    const x = arange(3);
    expect(() => elementwise((s) => s.x.add(x as never), { x })).toThrow("Pass tensors as operands");
    expect(() => elementwise((s) => s.x.clamp(1), { x })).toThrow("clamp takes 3 values including its own, got 2");
  });
});

test("the kernel of a call is correct and can be read", () => {
  const axpb = elementwise("max(a * x + b, 0)");
  for (const x of [arange(6), arange(6).reshape(2, 3).T, zeros([0, 2]), layouts["nested"]?.("float32") as Tensor])
    checkKernel(axpb.kernel({ x, a: 2, b: tensor(1) }), { apart: ["out"] });
  expect(printKernel(axpb.kernel({ x: arange(6), a: 2, b: 1 }))).toMatchInlineSnapshot(`
    "kernel f32_mul_add_max_line_11
      buffer out: float32 write
      buffer x: float32 read
      scalar a: float32
      scalar b: float32
      size n: 0..2147483647
      size block: 1..2147483647
    {
      parallel u in 0..ceil(n/block) {
        vector i in block*u..min(block*u + block, n) by 4 {
          out[i] = max(a * x[i] + b, float32(0))
        }
      }
    }"
  `);
});

test("errors of shape and of writing have their classes", () => {
  expect(() => elementwise("x + y", { x: zeros([2]), y: zeros([3]) })).toThrow(ShapeError);
  expect(() => elementwise("x", { x: zeros([2]) }, { out: constant(0, [2]) })).toThrow(WriteError);
});

test("swizzled tensors take part, as operands and as outputs", () => {
  const swizzled = nested("float32", "Sw<1,0,1> o _0 o (_4,_2):(_1,_4)");
  const plain = nested("float32", "(_4,_2):(_2,_1)");
  const at = (t: Tensor): unknown[] => [0, 1, 2, 3].flatMap((i) => [t.get(i, 0), t.get(i, 1)]);
  const [a, b] = [at(swizzled) as number[], at(plain) as number[]];
  expect(at(elementwise("x + 10 * y", { x: swizzled, y: plain }))).toEqual(a.map((x, k) => x + 10 * (b[k] as number)));
  elementwise("x - y", { x: swizzled, y: plain }, { out: swizzled as never });
  expect(at(swizzled)).toEqual(a.map((x, k) => x - (b[k] as number)));
});

test("static sizes and strides are part of the kernel", () => {
  const x = nested("float32", "(_4,(_2,_3)):(_1,(_4,_8))");
  const text = printKernel(elementwise("x * 2").kernel({ x }));
  expect(text).not.toContain("size ");
  expect(text).toContain("vector i in 0..24 by 4");
  const y = elementwise("x * 2", { x });
  for (let i = 0; i < 24; i++) expect(y.getColMajor(i)).toBe(2 * (x.getColMajor(i) as number));
});
