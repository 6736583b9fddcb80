/** printTensor gives the text of CuTe's print_tensor: recorded for counting tensors, and by C's printf for the other types. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { complex, type DType, type Value } from "../../storage/dtype.ts";
import { printTensor } from "./print-tensor.ts";

/** A tensor whose first mode runs fastest, over the values 0, 1, 2, ... */
const counting = (shape: readonly number[], header?: string) => ({
  header,
  shape,
  dtype: "int32" as const,
  value: (index: readonly number[]): number => {
    let [offset, stride] = [0, 1];
    index.forEach((x, mode) => {
      offset += x * stride;
      stride *= shape[mode] as number;
    });
    return offset;
  },
});

const file = fileURLToPath(new URL("../../../test/oracle/records/cpp-misc.jsonl", import.meta.url));
const rows = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { topic: string; expr: string; output: string })
  .filter(({ topic }) => topic === "print_tensor");

test.each(rows.map(({ expr, output }) => [expr, output]))("recorded: %s", (expr, output) => {
  const shape = Array.from(expr.matchAll(/C<(\d+)>/g), ([, size]) => Number(size));
  expect(printTensor(counting(shape, output.split(":\n")[0]))).toBe(`${output}\n`);
});

test("the recorded texts are there", () => {
  expect(rows).not.toEqual([]);
});

test("rank 1 is one column, rank 0 one line, and rank 4 is parted twice", () => {
  expect(printTensor(counting([2]))).toBe("    0\n    1\n");
  expect(printTensor(counting([], "ptr[32b](0x0) o _1:_0"))).toBe("ptr[32b](0x0) o _1:_0:\n    0\n");
  expect(printTensor(counting([1, 2, 2, 2]))).toBe(
    ["    0    1", "----------", "    2    3", "==========", "    4    5", "----------", "    6    7", ""].join("\n"),
  );
});

test("a tensor without elements is its header", () => {
  expect(printTensor(counting([2, 3, 0], "empty"))).toBe("empty:\n");
});

/** What printf gives for two values in the format CuTe has for the type: %3d, %5d, %8.2f, %10.2e, %11.3e. */
const cells: Readonly<Record<DType | "coord", readonly [unknown, unknown, string]>> = {
  bool: [true, false, "  1  0"],
  uint8: [255, 1, "  255  1"],
  int8: [-128, 1, "  -128  1"],
  int16: [-300, 1, "  -300  1"],
  uint16: [65535, 1, "  65535  1"],
  int32: [-7, 123456, "   -7123456"],
  uint32: [2 ** 32 - 1, 1, "4294967295    1"],
  int64: [-(2n ** 63n), 12, "-9223372036854775808   12"],
  uint64: [2n ** 64n - 1n, 12n, "18446744073709551615   12"],
  float16: [1.5, -0.125, "    1.50   -0.12"],
  bfloat16: [1000, NaN, " 1000.00     nan"],
  float32: [1.5, -123456, "  1.50e+00 -1.23e+05"],
  float64: [1.5, -Infinity, "  1.500e+00       -inf"],
  complex64: [complex(1, -2), complex(0, 3), "  1.00e+00-2.00e+00j  0.00e+00+3.00e+00j"],
  complex128: [complex(1, -2), complex(0, 3), "  1.000e+00-2.000e+00j  0.000e+00+3.000e+00j"],
  coord: [[0, [1, 2]], [3, [4, 5]], "  (0,(1,2))  (3,(4,5))"],
};

test.each(Object.entries(cells))("%s", (dtype, [first, second, line]) => {
  const value = ([, n]: readonly number[]) => (n === 0 ? first : second) as Value;
  expect(printTensor({ shape: [1, 2], dtype: dtype as DType, value })).toBe(`${line}\n`);
});

test("too many modes or elements throw, with a remedy", () => {
  expect(() => printTensor(counting([1, 1, 1, 1, 1]))).toThrow(
    "printTensor: tensors of rank 0 to 4 are printed, got rank 5 of shape (1,1,1,1,1); take a slice of it",
  );
  expect(() => printTensor(counting([2 ** 9, 2 ** 8]))).toThrow(
    "printTensor: shape (512,256) has 131072 elements, more than maxCells = 65536. Print a slice of it, or pass { maxCells: 131072 }",
  );
  expect(printTensor(counting([3, 3]), { maxCells: 9 })).toContain("8\n");
});
