/** The argument block: every argument is at the offset of the layout, in the form that kernels load. */
import { expect, test } from "vitest";
import { argumentBytes } from "../../../test/support/kernel-runs.ts";
import type { KernelCall } from "../../kernel/backend.ts";
import type { Kernel } from "../../kernel/ir/kernel.ts";
import { parseKernel } from "../../kernel/ir/parse.ts";
import { lowerKernel } from "../../kernel/lower/lower-kernel.ts";
import { type DType, dtypeNames, type Value } from "../../storage/dtype.ts";
import { BufferMemory } from "../../storage/memory.ts";
import { argumentLayout, writeArguments } from "./arguments.ts";

const kernelOf = (scalars: readonly DType[]): Kernel =>
  parseKernel(
    [
      "kernel test",
      "buffer x: float32 read",
      "buffer out: complex64 write",
      ...scalars.map((dtype, i) => `scalar s${i}: ${dtype}`),
      "size n: 0..100",
      "size m: -100..100",
      "modes first: x, out",
      "modes second: out",
      "{\nparallel u in 0..0 {\n}\n}",
    ].join("\n"),
  );

const callOf = (scalars: Value[]): KernelCall => ({
  memories: [],
  addresses: [64, 3 * 2 ** 30],
  scalars,
  sizes: [7, -8],
  modes: [
    [2, 3, 4, 5, 6, -7],
    [9, 1],
  ],
  units: 0,
  unitSize: 0,
});

test("addresses, sizes and rows follow the scalars", () => {
  const layout = argumentLayout(kernelOf(["float32", "complex64", "int8"]));
  expect(layout).toMatchObject({ slots: [0, 8, 24], buffers: 32, sizes: 40, modes: 48, rows: 64, rowWords: [3, 2] });
  const memory = new BufferMemory("external", new ArrayBuffer(512));
  const call = callOf([1, { re: 2, im: 3 }, 4]);
  writeArguments(layout, memory, 128, call);
  const words = [...memory.array("i32").subarray((128 + 32) / 4, (128 + argumentBytes(layout, call)) / 4)];
  const rows = 128 + 64;
  expect(words).toEqual([64, (3 * 2 ** 30) | 0, 7, -8, 2, rows, 1, rows + 24, 2, 3, 4, 5, 6, -7, 9, 1]);
});

test("a kernel and its lowered form have one block", () => {
  const kernel = kernelOf(dtypeNames);
  const [original, lowered] = [argumentLayout(kernel), argumentLayout(lowerKernel(kernel))];
  const { buffers, sizes, modes, rows, rowWords } = original;
  expect(lowered).toMatchObject({ buffers, sizes, modes, rows, rowWords });
});

const written: readonly (readonly [DType, Value, readonly number[]])[] = [
  ["bool", true, [1]],
  ["bool", 0.5, [1]],
  ["bool", 0n, [0]],
  ["int8", 300, [44]],
  ["int8", 200, [-56]],
  ["uint8", -1, [255]],
  ["int16", 40000, [-25536]],
  ["uint16", 65537n, [1]],
  ["int32", -5, [-5]],
  ["uint32", 4294967295, [-1]],
  ["int32", NaN, [0]],
  ["int64", -2, [-2, -1]],
  ["int64", 2 ** 40 + 3, [3, 256]],
  ["uint64", 2n ** 64n - 2n, [-2, -1]],
  ["int64", 1e300, [0, 0]],
  ["int64", true, [1, 0]],
  ["float32", 1.5, [0x3fc00000]],
  ["float16", 1 + 2 ** -12, [0x3f800000]],
  ["bfloat16", 3.14, [0x40490000]],
  ["float64", -2, [0, 0xc0000000 | 0]],
  ["complex64", { re: 1, im: -2 }, [0x3f800000, 0, 0xc0000000 | 0]],
  ["complex64", 1, [0x3f800000, 0, 0]],
];

test.each(written)("the %s %s is written in its slot", (dtype, value, words) => {
  const memory = new BufferMemory("external", new ArrayBuffer(256));
  writeArguments(argumentLayout(kernelOf([dtype])), memory, 0, callOf([value]));
  expect([...memory.array("i32").subarray(0, words.length)]).toEqual(words);
});

test("a complex number is not an integer", () => {
  const memory = new BufferMemory("external", new ArrayBuffer(256));
  const write = (): void => writeArguments(argumentLayout(kernelOf(["int32"])), memory, 0, callOf([{ re: 1, im: 0 }]));
  expect(write).toThrow("kernel: a scalar of int32 cannot be a complex number.");
});
