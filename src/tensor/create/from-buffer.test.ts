/**
 * Tensors over the user's memory: what is shared, what geometry is allowed, what a const view refuses.
 */
import { fromBuffer, ones, scope, type Tensor, transform } from "stridewise";
import { describe, expect, test } from "vitest";

const from = fromBuffer as unknown as (source: unknown, options?: object) => Tensor;

test("writes on either side are seen on the other", () => {
  const mine = Float32Array.of(1, 2, 3, 4, 5, 6);
  const t = fromBuffer(mine, { shape: [2, 3] });
  t.set(1, 2, 60);
  mine[0] = 10;
  expect([t.get(0, 0), mine[5], t.ownership, t.version]).toEqual([10, 60, "view", 1]);
});

test("every kind of memory is taken", () => {
  const bytes = Uint8Array.of(0, 0, 128, 63, 0, 0, 0, 64);
  const shared = new SharedArrayBuffer(8);
  new Uint8Array(shared).set(bytes);
  const sources = [bytes, bytes.buffer, shared, new DataView(bytes.buffer), new Uint8Array(shared)];
  for (const source of sources) expect(from(source, { dtype: "float32" }).toArray()).toEqual([1, 2]);
});

test("shape, stride, offset and names say which elements are seen", () => {
  const mine = Int32Array.from({ length: 12 }, (_, i) => i);
  expect(fromBuffer(mine).shape).toEqual([12]);
  expect(fromBuffer(mine, { offset: 10 }).toArray()).toEqual([10, 11]);
  expect(fromBuffer(mine, { shape: [2, 2], stride: [6, 2], offset: 1, names: ["a", "b"] }).toArray()).toEqual([
    [1, 3],
    [7, 9],
  ]);
  expect(fromBuffer(mine, { shape: [3], stride: [-2], offset: 11 }).toArray()).toEqual([11, 9, 7]);
  expect(fromBuffer(mine.subarray(4, 8), { shape: [2] }).toArray()).toEqual([4, 5]);
  expect(fromBuffer(mine, { shape: [5], stride: [0], offset: 3 }).toArray()).toEqual([3, 3, 3, 3, 3]);
});

test("a const view refuses every write, and so does each of its views", () => {
  const t = fromBuffer(Float64Array.of(1, 2), { const: true });
  for (const write of [
    () => t.set(0, 9),
    () => t.fill_(0),
    () => t.at(0).fill_(0),
    () => t.view([2, 1]).copy_(t.view([2, 1])),
  ])
    expect(write).toThrow("is a const view and not writable");
  expect(t.toArray()).toEqual([1, 2]);
});

test("resident copies memory of the user, once, and keeps strides, names and gradients", () => {
  const mine = Float32Array.of(1, 2, 3, 4, 5, 6);
  const t = fromBuffer(mine, { shape: [3, 2], stride: [1, 3], names: ["row", "col"] });
  const copy = t.resident();
  expect([copy === t, copy.resident() === copy, copy.names, copy.stride]).toEqual([false, true, t.names, [1, 3]]);
  mine[0] = 10;
  expect([t.get(0, 0), copy.get(0, 0)]).toEqual([10, 1]);
  expect(fromBuffer(mine, { const: true }).resident().fill_(0).toArray()).toEqual([0, 0, 0, 0, 0, 0]);

  const leaf = fromBuffer(Float32Array.of(2, 3)).requiresGrad_();
  leaf.resident().square().sum().backward();
  expect(leaf.grad?.toArray()).toEqual([4, 6]);

  const gone = ones([2]);
  gone.dispose();
  expect(() => gone.resident()).toThrow("disposed");
});

test("two tensors over one buffer have equal addresses where they have equal elements", () => {
  const mine = new Float32Array(8);
  const [a, b] = [fromBuffer(mine.subarray(2)), fromBuffer(mine)];
  expect(a.dataPtr()).toBe(b.dataPtr([2]));
  expect(fromBuffer(new Float32Array(8)).dataPtr()).not.toBe(b.dataPtr());
});

test("memory of another realm or a Node Buffer counts", () => {
  expect(fromBuffer(Buffer.from([1, 2, 3])).toArray()).toEqual([1, 2, 3]);
});

const refused: readonly [name: string, source: unknown, options: object, text: string][] = [
  [
    "an odd address",
    new Uint8Array(9).subarray(1),
    { dtype: "float32" },
    "starts at byte 1 of its buffer, which is not a multiple of the 4 bytes of float32",
  ],
  [
    "half of a complex number",
    new Float32Array(8).subarray(1),
    { dtype: "complex64" },
    "not a multiple of the 8 bytes of complex64",
  ],
  ["too many elements", new Int8Array(5), { shape: [2, 3] }, "takes elements 0 to 5, but the memory has 5"],
  ["a stride too far", new Int8Array(5), { shape: [2], stride: [5] }, "takes elements 0 to 5, but the memory has 5"],
  ["a place before the start", new Int8Array(5), { shape: [2], stride: [-1] }, "takes elements -1 to 0"],
  ["an offset past the end", new Int8Array(5), { offset: 6 }, "the offset must be an integer from 0 to 5"],
  [
    "a stride too few",
    new Int8Array(6),
    { shape: [2, 3], stride: [1] },
    "sizes and strides must have the same length, got 2 and 1",
  ],
  ["a fractional stride", new Int8Array(6), { shape: [2], stride: [0.5] }, "strides must be integers"],
  ["no dtype", new ArrayBuffer(4), {}, "an ArrayBuffer has no dtype. Pass { dtype }"],
  ["an array", [1, 2], {}, "got [1, 2]. Data of a different kind is copied by tensor(...)"],
];

test.each(refused)("%s is refused with the numbers", (_name, source, options, text) => {
  expect(() => from(source, options)).toThrow(text);
});

test("a buffer that was transferred away is an error, not a wrong value", () => {
  const mine = new Float32Array(4);
  const t = fromBuffer(mine);
  structuredClone(mine.buffer, { transfer: [mine.buffer] });
  expect(() => t.toArray()).toThrow("was detached");
  expect(() => t.dataPtr()).toThrow("was detached");
  expect(() => t.toDLPack()).toThrow("was detached");
  expect(t.storage.useCount).toBe(1);
});

describe("a buffer that is transferred when the code that uses it is optimized", () => {
  const other = ones([16]);
  const uses: Readonly<Record<string, (t: Tensor) => unknown>> = {
    get: (t) => t.get(3),
    set: (t) => t.set([3], 7),
    item: (t) => t.select(0, 3).item(),
    toArray: (t) => t.toArray(),
    add: (t) => t.add(other),
    add_: (t) => t.add_(other),
    fill_: (t) => t.fill_(2),
    copy_: (t) => t.copy_(other),
    "as the source of copy_": (t) => other.copy_(t),
    sum: (t) => t.sum(),
    visit: (t) => transform(t, other, (value) => value),
  };

  test.each(Object.entries(uses))("%s is an error", (_, use) => {
    const mine = new Float32Array(16);
    const t = fromBuffer(mine) as Tensor;
    const repeat = (times: number): void => {
      for (let k = 0; k < times; k++) scope(() => void use(t));
    };
    for (let round = 0; round < 10; round++) repeat(300);
    structuredClone(mine.buffer, { transfer: [mine.buffer] });
    for (let round = 0; round < 3; round++) expect(() => repeat(1)).toThrow("was detached");
  });
});

describe("a buffer that changes its length", () => {
  type Resizable = ArrayBuffer & { resize(byteLength: number): void };
  const resizable = (byteLength: number): Resizable =>
    new (ArrayBuffer as unknown as new (byteLength: number, options: object) => Resizable)(byteLength, {
      maxByteLength: 64,
    });

  test("is seen whole by a tensor made after it grew, and as before by an older one", () => {
    const buffer = resizable(8);
    const short = from(buffer, { dtype: "float32" });
    short.fill_(1);
    const neighbor = from(new ArrayBuffer(8), { dtype: "float32" });
    buffer.resize(16);
    const long = from(buffer, { dtype: "float32" });
    long.set(3, 4);
    expect([short.toArray(), long.toArray(), long.dataPtr()]).toEqual([[1, 1], [1, 1, 0, 4], short.dataPtr()]);
    expect(Math.abs(neighbor.dataPtr() - long.dataPtr())).toBeGreaterThanOrEqual(64);
  });

  test("throws in a tensor that reaches past its new end, not in one created after it shrank", () => {
    const buffer = resizable(16);
    const long = from(buffer, { dtype: "float32" });
    buffer.resize(8);
    const short = from(buffer, { dtype: "float32" });
    expect(short.fill_(2).toArray()).toEqual([2, 2]);
    expect(() => long.toArray()).toThrow("the buffer of 16 bytes was detached or shrunk to 8");
  });
});

test("a view as a different dtype is refused where its elements would lie at odd addresses", () => {
  const odd = fromBuffer(new Float32Array(8).subarray(1, 5));
  expect(() => odd.view("float64")).toThrow(
    "view: the memory must start at a multiple of the 8 bytes of float64; clone() it first",
  );
  expect(() => odd.view(2, 2).viewAsComplex()).toThrow(
    "viewAsComplex: the memory must start at a multiple of the 8 bytes of complex64; clone() it first",
  );
  expect(odd.clone().view(2, 2).viewAsComplex().shape).toEqual([2]);
  expect(odd.view("int32").view("uint8").shape).toEqual([16]);
});
