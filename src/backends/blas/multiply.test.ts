/**
 * BLAS computes the same products as a naive loop and writes nothing else: on a mock of OpenBLAS everywhere, and on the
 * real one if it is installed. Elements are small integers, so that sums have no error in any order.
 */
import { afterEach, describe, expect, test } from "vitest";
import { type FakeKoffi, fakeKoffi } from "../../../test/support/fake-koffi.ts";
import {
  bytesOf,
  type Dice,
  describeOperand,
  dice,
  exact,
  expectBytes,
  expectedBytes,
  positions,
  randomOperand,
  storageInHeap,
  storageOver,
} from "../../../test/support/operands.ts";
import { withThreads } from "../../kernel/backend.ts";
import { useNativeProduct } from "../../kernel/contract/native.ts";
import type { Product } from "../../kernel/contract/product.ts";
import { fixedStorage } from "../../kernel/copy.ts";
import { writer } from "../../kernel/element.ts";
import type { Operand } from "../../kernel/operand.ts";
import { runMatmul } from "../../kernel/program/lower-contract.ts";
import { type Complex, type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { BufferMemory } from "../../storage/memory.ts";
import { blasProduct, multiply } from "./multiply.ts";
import { findKoffi, type OpenBlas, openOpenBlas } from "./openblas.ts";

const opened = (koffi: FakeKoffi): OpenBlas => openOpenBlas(koffi) as OpenBlas;
const koffi = findKoffi();
const real = typeof koffi === "string" ? koffi : openOpenBlas(koffi);
const libraries: [name: string, blas: OpenBlas][] = [["a stand-in", opened(fakeKoffi())]];
if (typeof real === "object") libraries.push([real.title, real]);

afterEach(() => {
  useNativeProduct(null);
});

const types: readonly DType[] = ["float32", "float64", "complex64", "complex128", "float16", "int32"];
/** Keeps the storages in the heap alive. */
const held: ArrayBuffer[] = [];

/** An operand with its own storage: half of them dense, row-major or column-major. */
function operandOf(roll: Dice, dtype: DType, shape: number[], mayRepeat: boolean): Operand {
  const allocate = roll(0, 3) === 0 ? storageOver : storageInHeap;
  let operand = randomOperand(roll, storageOver(new ArrayBuffer(0)), dtype, shape, mayRepeat);
  if (roll(0, 3) > 0) {
    const [rows, columns] = shape.slice(-2) as [number, number];
    const step = (roll(0, 1) === 0 ? columns : rows) + roll(0, 2);
    const isTurned = roll(0, 1) === 0;
    const matrix = isTurned ? [1, rows + step] : [columns + step, 1];
    const size = isTurned ? columns * (rows + step) : rows * (columns + step);
    const batch = shape.slice(0, -2).map((_, axis, all) => size * all.slice(axis + 1).reduce((x, y) => x * y, 1));
    operand = { ...operand, offset: roll(0, 5), stride: [...batch, ...matrix] };
  }
  const { itemsize, array, parts } = dtypes[dtype];
  const last = Math.max(0, ...positions(operand));
  const buffer = new ArrayBuffer(Math.ceil(((last + 2) * itemsize) / 16) * 16);
  held.push(buffer);
  operand = { ...operand, storage: allocate(buffer, 0) };
  const window = operand.storage.writable().array(array);
  const first = operand.storage.byteOffset / itemsize;
  const number = (): number => roll(0, 6) - 3;
  for (let i = 0; i < buffer.byteLength / itemsize; i++)
    writer(dtype)(window, first + i, parts === 2 ? { re: number(), im: number() } : number());
  return operand;
}

const pairOf = (value: Value | undefined): Complex =>
  typeof value === "object" ? value : { re: Number(value ?? 0), im: 0 };

/** All elements of the product, by three loops. */
function expectedOf(out: Operand, a: Operand, b: Operand, accumulates: boolean): Value[] {
  const [m, n] = out.shape.slice(-2) as [number, number];
  const k = a.shape.at(-1) as number;
  const [x, y] = [exact(a), exact(b)];
  return exact(out).map((old, at) => {
    const [batch, i, j] = [Math.floor(at / (m * n)), Math.floor(at / n) % m, at % n];
    let { re, im } = pairOf(accumulates ? old : undefined);
    for (let step = 0; step < k; step++) {
      const [u, v] = [pairOf(x[(batch * m + i) * k + step]), pairOf(y[(batch * k + step) * n + j])];
      re += u.re * v.re - u.im * v.im;
      im += u.re * v.im + u.im * v.re;
    }
    return dtypes[out.dtype].parts === 2 ? { re, im } : re;
  });
}

/** The real one may leave -0 where loops leave 0. */
function dropSignsOfZeros(out: Operand): void {
  const window = out.storage.writable().array(dtypes[out.dtype].array);
  const values = exact(out);
  positions(out).forEach((at, i) => {
    const { re, im } = pairOf(values[i]);
    writer(out.dtype)(window, at, dtypes[out.dtype].parts === 2 ? { re: re + 0, im: im + 0 } : re + 0);
  });
}

describe.each(libraries)("%s", (_, blas) => {
  test("multiplies as three loops do, batch by batch, in and out of the heap, and writes nothing else", () => {
    const taken = new Map<DType, number>();
    for (let number = 0; number < 600; number++) {
      const roll = dice(number * 17 + 3);
      const dtype = types[roll(0, types.length - 1)] as DType;
      const [m, n, k] = [roll(1, 7), roll(1, 7), roll(1, 7)];
      const batch = Array.from({ length: Math.max(0, roll(0, 4) - 2) }, () => roll(1, 3));
      const out = operandOf(roll, dtype, [...batch, m, n], false);
      const a = operandOf(roll, dtype, [...batch, m, k], true);
      const b = operandOf(roll, dtype, [...batch, k, n], true);
      const accumulates = roll(0, 2) === 0;
      const expected = expectedBytes(out, expectedOf(out, a, b, accumulates));
      useNativeProduct((product) => {
        const run = multiply(blas, product);
        if (run !== null) taken.set(dtype, (taken.get(dtype) ?? 0) + 1);
        return run;
      });
      runMatmul(out, a, b, accumulates);
      dropSignsOfZeros(out);
      expectBytes(bytesOf(out), expected, `case ${number}: ${[out, a, b].map(describeOperand).join(", ")}`);
    }
    expect([...taken.keys()].sort()).toEqual(["complex128", "complex64", "float32", "float64"]);
    for (const count of taken.values()) expect(count).toBeGreaterThan(30);
  });

  test("reads memory where it is after the heap has grown", () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 4 });
    const bytes = new BufferMemory("heap", memory.buffer);
    const product = productOf(bytes, { m: 1, n: 1, k: 1 });
    bytes.array("f32").set([3, 5], 0);
    multiply(blas, product)?.(() => [bytes, 0]);
    memory.grow(2);
    bytes.replace(memory.buffer);
    bytes.array("f32").set([4, 5], 0);
    multiply(blas, product)?.(() => [bytes, 0]);
    expect(bytes.array("f32")[2]).toBe(20);
  });
});

test("the report names the libraries that these tests ran on", async ({ annotate }) => {
  await annotate(typeof real === "object" ? real.title : `the stand-in alone: ${real}`);
  expect(libraries.length).toBe(typeof real === "object" ? 2 : 1);
});

type Sizes = Pick<Product, "m" | "n" | "k">;

/** A product of dense matrices, one after the other: a, b, out. */
function productOf(memory: BufferMemory, { m, n, k }: Sizes): Product {
  return {
    ...{ dtype: "float32", m, n, k, count: 1, batch: [], accumulates: false },
    a: { storage: fixedStorage(memory, 0), start: 0, row: k, column: 1 },
    b: { storage: fixedStorage(memory, 0), start: m * k, row: n, column: 1 },
    out: { storage: fixedStorage(memory, 0), start: (m + n) * k, row: n, column: 1 },
  };
}

test.each([
  ["dense rows", 5, 1, true],
  ["rows with gaps", 9, 1, true],
  ["dense columns", 1, 4, true],
  ["columns with gaps", 1, 7, true],
  ["one row for all", 0, 1, false],
  ["one column for all", 1, 0, false],
  ["rows that overlap", 4, 1, false],
  ["columns that overlap", 1, 3, false],
  ["rows backwards", -5, 1, false],
  ["gaps both ways", 12, 2, false],
  ["steps that no 32-bit integer holds", 2 ** 31, 1, false],
])("of a left factor of 4 x 5 with %s (steps %d and %d): %s", (_, row, column, isTaken) => {
  const koffi = fakeKoffi();
  const memory = new BufferMemory("external", new ArrayBuffer(4096));
  const product = productOf(memory, { m: 4, n: 6, k: 5 });
  const a = { ...product.a, start: 100, row, column };
  const run = multiply(opened(koffi), { ...product, a });
  expect(run !== null).toBe(isTaken);
  run?.(() => [memory, 0]);
  expect(koffi.products).toBe(isTaken ? 1 : 0);
});

test.each([
  [{ m: 32, n: 32, k: 32 }, true],
  [{ m: 31, n: 32, k: 32 }, false],
  [{ m: 4, n: 256, k: 256 }, true],
  [{ m: 3, n: 256, k: 256 }, false],
  [{ m: 256, n: 3, k: 256 }, false],
  [{ m: 256, n: 256, k: 3 }, false],
])("a product of %o is worth a call: %s", (sizes, isTaken) => {
  const memory = new BufferMemory("external", new ArrayBuffer(2 ** 21));
  expect(blasProduct(opened(fakeKoffi()), 1)(productOf(memory, sizes)) !== null).toBe(isTaken);
});

test("it has the requested number of threads, fewer where the call limits them", () => {
  const koffi = fakeKoffi();
  const multiplyLarge = blasProduct(opened(koffi), 3);
  const product = productOf(new BufferMemory("external", new ArrayBuffer(2 ** 16)), { m: 32, n: 32, k: 32 });
  multiplyLarge(product);
  multiplyLarge(product);
  withThreads(1, () => multiplyLarge(product));
  multiplyLarge(product);
  expect(koffi.threads).toEqual([3, 1, 3]);
});
