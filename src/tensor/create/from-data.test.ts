/**
 * `tensor(...)`: shapes and dtypes of every kind of data, errors with their messages, and the value modes.
 */
import {
  type DType,
  getDefaultDType,
  scope,
  setDefaultDType,
  type Tensor,
  tensor,
  type Value,
  zeros,
} from "stridewise";
import { afterEach, expect, test } from "vitest";

afterEach(() => setDefaultDType("float32"));

// What a user without types could pass.
const make = tensor as unknown as (data: unknown, options?: object) => Tensor;

const kinds: readonly [name: string, data: unknown, dtype: DType, shape: number[]][] = [
  ["a number", 3, "float32", []],
  ["a whole number is still a float", 7, "float32", []],
  ["a boolean", true, "bool", []],
  ["a bigint", 5n, "int64", []],
  ["a complex number", { re: 1, im: 2 }, "complex64", []],
  ["numbers", [1, 2, 3], "float32", [3]],
  [
    "rows",
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    "float32",
    [2, 3],
  ],
  ["bigints and booleans", [1n, true], "int64", [2]],
  ["booleans and numbers", [true, 1.5], "float32", [2]],
  ["numbers and complex numbers", [1, { re: 0, im: 1 }], "complex64", [2]],
  ["nothing", [], "float32", [0]],
  ["empty rows", [[], []], "float32", [2, 0]],
  ["doubles", new Float64Array(3), "float64", [3]],
  ["bytes", new Uint8ClampedArray(2), "uint8", [2]],
  ["rows of typed arrays", [new Int16Array(2), new Int16Array(2)], "int16", [2, 2]],
  ["typed arrays of two kinds", [new Int8Array(1), new Uint8Array(1)], "int16", [2, 1]],
  ["64-bit integers", new BigUint64Array(1), "uint64", [1]],
];

test.each(kinds)("%s: dtype and shape follow from the kind of the data", (_name, data, dtype, shape) => {
  const t = make(data);
  expect([t.dtype, t.shape]).toEqual([dtype, shape]);
});

test("numbers are the default dtype, complex numbers its partner", () => {
  setDefaultDType("float64" as never);
  expect(getDefaultDType()).toBe("float64");
  expect(tensor([1, 2]).dtype).toBe("float64");
  expect(tensor({ re: 1, im: 0 }).dtype).toBe("complex128");
});

const roundTrips: readonly [DType, readonly Value[]][] = [
  ["bool", [true, false]],
  ["uint8", [0, 255]],
  ["int8", [-128, 127]],
  ["int16", [-32768, 32767]],
  ["uint16", [0, 65535]],
  ["int32", [-(2 ** 31), 2 ** 31 - 1]],
  ["uint32", [0, 2 ** 32 - 1]],
  ["int64", [-(2 ** 53) + 1, 2 ** 53 - 1]],
  ["uint64", [0, 2 ** 53 - 1]],
  ["float16", [1.5, -65504]],
  ["bfloat16", [1.5, -3]],
  ["float32", [0.5, NaN, Number.NEGATIVE_INFINITY, -0]],
  ["float64", [0.1, Number.MAX_VALUE]],
  ["complex64", [{ re: 1, im: -2 }]],
  ["complex128", [{ re: 0.1, im: 0.2 }]],
];

test.each(roundTrips)("%s values come back as they were given", (dtype, values) => {
  expect(make([values, values], { dtype }).toArray()).toEqual([values, values]);
});

test("every typed array comes back as it was given, and is copied", () => {
  for (const array of [
    Int8Array.of(-1, 2),
    Uint8Array.of(1, 2),
    Int16Array.of(-1, 2),
    Uint16Array.of(1, 2),
    Int32Array.of(-1, 2),
    Uint32Array.of(1, 2),
    Float32Array.of(0.5, 2),
    Float64Array.of(0.1, 2),
    BigInt64Array.of(-1n, 2n ** 60n),
    BigUint64Array.of(1n, 2n ** 63n),
  ]) {
    const t = tensor(array);
    const before = array.slice();
    new Uint8Array(array.buffer).fill(0);
    expect(t.toTypedArray()).toEqual(before);
  }
});

test("a window of a larger buffer gives its own elements only", () => {
  expect(tensor(Float32Array.of(1, 2, 3, 4).subarray(1, 3)).toArray()).toEqual([2, 3]);
});

test("typed arrays convert as casts do, numbers that are written down are checked", () => {
  expect(tensor(Int32Array.of(300, -1), { dtype: "uint8" }).toArray()).toEqual([44, 255]);
  expect(() => tensor([300], { dtype: "int8" })).toThrow(
    "value cannot be converted to type int8 without overflow: got 300",
  );
  expect(tensor([1.9, -1.9], { dtype: "int32" }).toArray()).toEqual([1, -1]);
  expect(tensor([1n], { dtype: "bool" }).item()).toBe(true);
});

test("tensors are copied, stacked, and mixed with numbers", () => {
  const a = tensor([
    [1, 2],
    [3, 4],
  ]);
  const copy = tensor(a);
  copy.set(0, 0, 9);
  expect(a.get(0, 0)).toBe(1);
  expect(tensor([a, a.T]).toArray()).toEqual([
    [
      [1, 2],
      [3, 4],
    ],
    [
      [1, 3],
      [2, 4],
    ],
  ]);
  expect(tensor([tensor(5), tensor(6n)]).toArray()).toEqual([5, 6]);
  expect(make([1, tensor(2)]).toArray()).toEqual([1, 2]);
  expect(tensor(a, { dtype: "int64" }).dtype).toBe("int64");
  expect(tensor(a.T).stride).toEqual([1, 2]);
});

test("stacking leaves no view behind in a scope", () => {
  const a = zeros([4]);
  const stacked = scope(() => tensor([a, a]));
  expect(stacked.storage.useCount).toBe(1);
});

const refused: readonly [name: string, data: unknown, text: string][] = [
  ["a short row", [[1, 2], [3]], "tensor: expected sequence of length 2 at axis 1 (got 1), at position [1]"],
  ["a value for a row", [[1, 2], 3], "tensor: expected sequence of length 2 at axis 1 (got number 3), at position [1]"],
  [
    "a row for a value",
    [1, [2]],
    "tensor: expected a single value at axis 1 (got a sequence of length 1), at position [1]",
  ],
  [
    "a deep short row",
    [
      [[1], [2]],
      [[3], []],
    ],
    "expected sequence of length 1 at axis 2 (got 0), at position [1, 1]",
  ],
  ["an empty first row", [[], [1]], "expected sequence of length 0 at axis 1 (got 1), at position [1]"],
  ["a short typed row", [new Int8Array(2), new Int8Array(3)], "expected sequence of length 2 at axis 1 (got 3)"],
  ["a tensor of a different shape", [zeros([2]), zeros([3])], "(got a tensor of shape [3]), at position [1]"],
  ["text", ["a"], 'tensor: an element must be a number, bigint, boolean or { re, im }, got "a"'],
  ["nothing", [null], "got null"],
  ["a hole", [1, undefined], "got undefined"],
  [
    "a bigint past 64 bits",
    [1n, 2n ** 63n],
    "tensor: 9223372036854775808 at position [1] does not fit int64 (-2^63 to 2^63 - 1)",
  ],
];

test.each(refused)("%s throws an error with the position and the reason", (_name, data, text) => {
  expect(() => make(data)).toThrow(text);
});

test("names are given to the axes", () => {
  expect(tensor([[1], [2]], { names: ["row", null] }).names).toEqual(["row", null]);
  expect(() => tensor([1], { names: ["a", "b"] })).toThrow("tensor: names must have one entry per axis (1), got 2");
});

test("alias shares the memory of a typed array, move takes it away, copy does neither", () => {
  const copied = Float32Array.of(1, 2);
  const aliased = Float32Array.of(1, 2);
  const array = Float32Array.of(0, 1, 2).subarray(1);
  const copy = tensor(copied, { mode: "copy" });
  const alias = tensor(aliased, { mode: "alias" });
  const moved = tensor(array, { mode: "move" });
  for (const t of [copy, alias, moved]) t.set(0, 9);
  expect([copied[0], aliased[0], array.length]).toEqual([1, 9, 0]);
  expect([copy, alias, moved].map((t) => t.ownership)).toEqual(["owning", "view", "owning"]);
  expect(moved.toArray()).toEqual([9, 2]);
});

test("value modes of tensors are those of cloneBy, and values without memory can only be copied", () => {
  const a = tensor([1, 2]);
  const alias = tensor(a, { mode: "alias" });
  alias.set(0, 5);
  expect(a.get(0)).toBe(5);
  const moved = tensor(a, { mode: "move" });
  expect(moved.toArray()).toEqual([5, 2]);
  expect(() => a.toArray()).toThrow("moved into another tensor");
  expect(() => tensor([1], { mode: "move" })).toThrow(
    'tensor: plain values have no memory to share, so the mode must be "copy", got "move"',
  );
  expect(() => tensor(new Int8Array(1), { mode: "alias", dtype: "int16" })).toThrow(
    "the dtype cannot change from int8 to int16",
  );
  expect(() => tensor(new Int8Array(new SharedArrayBuffer(1)), { mode: "move" })).toThrow(
    "a SharedArrayBuffer cannot be moved",
  );
});

test("a million numbers become a tensor quickly", () => {
  const numbers = Array.from({ length: 1e6 }, (_, i) => i);
  const times = [1, 2, 3].map(() => {
    const begun = performance.now();
    tensor(numbers).dispose();
    return performance.now() - begun;
  });
  expect(Math.min(...times)).toBeLessThan(50);
  expect(tensor(numbers).get(999999)).toBe(999999);
});

test("memory that its holders keep is not moved", () => {
  const wasm = new Float32Array(new WebAssembly.Memory({ initial: 1 }).buffer);
  for (const array of [wasm, Buffer.from([1, 2]), new Float32Array(new SharedArrayBuffer(8))]) {
    const { length } = array;
    expect(() => tensor(array, { mode: "move" })).toThrow(/tensor: .* cannot be moved.*Use mode "alias" or "copy"/);
    expect(array.length).toBe(length);
  }
});

test("a moved tensor keeps its names and its label", () => {
  const a = tensor([1, 2], { names: ["i"] });
  a.label = "weights";
  const b = a.move();
  expect([b.names, b.label]).toEqual([["i"], "weights"]);
});

test("on the meta device there is the shape and the dtype of the data, which is looked at", () => {
  for (const data of [[[1, 2, 3]], new Int16Array(4), 5n, tensor([true]), [[1n], [2n]]] as const) {
    const [here, there] = [tensor(data as never) as Tensor, tensor(data as never, { device: "meta" }) as Tensor];
    expect([there.shape, there.dtype, there.device.type]).toEqual([here.shape, here.dtype, "meta"]);
  }
  expect((tensor([1], { device: "cpu" }) as Tensor).toArray()).toEqual([1]);
  expect((tensor([1], { device: "meta", names: ["n"] }) as Tensor).names).toEqual(["n"]);
  expect(() => tensor([[1], [2, 3]] as never, { device: "meta" })).toThrow("expected sequence of length 1");
  expect(() => tensor([1], { device: "gpu" as never })).toThrow("tensor: there is no device 'gpu'");
});
