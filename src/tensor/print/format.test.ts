/** formatTensor gives the text that PyTorch 2.6 recorded, and reads no element that it does not print. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { complex, type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { formatTensor, type Printable } from "./format.ts";
import type { PrintChanges } from "./print-options.ts";

/** A tensor over its elements in row-major order. */
function printable(
  dtype: DType,
  shape: readonly number[],
  at: (i: number) => Value,
  rest: Partial<Printable> = {},
): Printable {
  const value = (index: readonly number[]): Value =>
    at(index.reduce((i, x, axis) => i * (shape[axis] as number) + x, 0));
  return { dtype, shape, value, ...rest };
}

const of = (dtype: DType, data: readonly Value[], rest: Partial<Printable> = {}): Printable =>
  printable(dtype, [data.length], (i) => data[i] as Value, rest);

type Recorded = number | string | boolean | readonly [Recorded, Recorded];

interface Row {
  readonly name: string;
  readonly tensor: {
    readonly dtype: DType;
    readonly shape: readonly number[];
    readonly data?: readonly Recorded[];
    readonly arange_or_const?: "arange" | "zeros";
  } | null;
  readonly repr: string;
  readonly printoptions?: Readonly<Record<string, unknown>>;
}

const file = fileURLToPath(new URL("../../../test/oracle/records/torch/repr.jsonl", import.meta.url));
const rows = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

const named: Readonly<Record<string, number>> = { nan: NaN, inf: Infinity, "-inf": -Infinity, "-0": -0 };

function decode(recorded: Recorded, dtype: DType): Value {
  if (Array.isArray(recorded))
    return complex(decode(recorded[0], dtype) as number, decode(recorded[1], dtype) as number);
  if (typeof recorded === "string") return named[recorded] ?? BigInt(recorded);
  return recorded as number | boolean;
}

/** Fields that later stages put into `suffix`: here as those stages would give them. */
const suffixes: Readonly<Record<string, readonly string[]>> = {
  requires_grad: ["requires_grad=True"],
  requires_grad_0d: ["requires_grad=True"],
  grad_fn_sum: ["grad_fn=<SumBackward0>"],
  dual: ["tangent=tensor([3., 4.])"],
};

function printableOf({ name, tensor }: Row): Printable {
  // The one record without a tensor is empty((2, 3), device="meta").
  if (tensor === null) return printable("float32", [2, 3], () => expect.fail("read"), { device: "meta" });
  const { dtype, shape, data, arange_or_const } = tensor;
  return printable(
    dtype,
    shape,
    (i) => (data ? decode(data[i] as Recorded, dtype) : arange_or_const === "arange" ? i : 0),
    { suffix: suffixes[name] },
  );
}

const ourNames: Readonly<Record<string, string>> = {
  edgeitems: "edgeItems",
  linewidth: "lineWidth",
  sci_mode: "sciMode",
};
const changesOf = (recorded: Readonly<Record<string, unknown>> = {}): PrintChanges =>
  Object.fromEntries(Object.entries(recorded).map(([name, value]) => [ourNames[name] ?? name, value]));

test.each(rows.map((row) => [row.name, row] as const))("recorded: %s", (_name, row) => {
  expect(formatTensor(printableOf(row), changesOf(row.printoptions))).toBe(
    row.repr.replaceAll("dtype=torch.", "dtype="),
  );
});

describe("only printed elements are read", () => {
  function readsOf(shape: readonly number[], changes: PrintChanges): number {
    const seen = new Set<string>();
    let reads = 0;
    const value = (index: readonly number[]): number => {
      expect(index).toHaveLength(shape.length);
      seen.add(index.join());
      return ++reads;
    };
    formatTensor({ dtype: "float32", shape, value }, changes);
    expect(seen.size, "each element once").toBe(reads);
    return reads;
  }
  test.each([
    [[2 ** 40], {}, 6],
    [[2 ** 20, 2 ** 20], {}, 36],
    [[1000], {}, 1000],
    [[1001], {}, 6],
    [[2, 1001], {}, 12],
    [[1001, 2, 5], { edgeItems: 1 }, 2 * 2 * 2],
    [[1001, 2, 5], { edgeItems: 0 }, 0],
    [[30, 40], { profile: "full" }, 1200],
    [[], { threshold: 0 }, 1],
    [[5, 0], {}, 0],
  ] as const)("of shape [%s] under %o: %d", (shape, changes, expected) => {
    expect(readsOf(shape, changes)).toBe(expected);
  });
});

test("only float32, complex64, int64 and bool are left unsaid, and of empty tensors only float32", () => {
  const unsaid = (count: number) =>
    Object.keys(dtypes).filter((name) => {
      const one = dtypes[name as DType].category === "complex" ? complex(1) : 1;
      return !formatTensor(of(name as DType, new Array<Value>(count).fill(one))).includes(`, dtype=${name})`);
    });
  expect(unsaid(1)).toEqual(["bool", "int64", "float32", "complex64"]);
  expect(unsaid(0)).toEqual(["float32"]);
});

test("integers past 2^53 keep every digit", () => {
  expect(formatTensor(of("int64", [-(2n ** 63n), 2n ** 53n + 1n]))).toBe(
    "tensor([-9223372036854775808,     9007199254740993])",
  );
  expect(formatTensor(of("uint64", [2n ** 64n - 1n]))).toBe("tensor([18446744073709551615], dtype=uint64)");
});

test("a tie is rounded to the even digit, as C rounds it", () => {
  expect(formatTensor(of("float32", [0.03125, 0.09375]))).toBe("tensor([0.0312, 0.0938])");
});

test("both parts of a complex number have their own notation, and only the first is padded", () => {
  expect(formatTensor(of("complex128", [complex(1, 0.5), complex(-100, -20)]))).toBe(
    "tensor([   1.+0.5000j, -100.-20.0000j], dtype=complex128)",
  );
  expect(formatTensor(of("complex64", [complex(NaN, -0), complex(-Infinity, NaN)]))).toBe(
    "tensor([nan-0.j, -inf+nanj])",
  );
});

test("values that have no part in the choice do not widen it: zeros, nan and inf break lines at width 1", () => {
  const text = formatTensor(printable("float32", [25], () => 0));
  expect(text.split("\n").map((line) => line.split("0.").length - 1)).toEqual([24, 1]);
});

test("a forced notation keeps the width of the one it replaces, and zeros stay as they are", () => {
  expect(formatTensor(of("float32", [1, -2]), { sciMode: true })).toBe("tensor([1.0000e+00, -2.0000e+00])");
  expect(formatTensor(of("float32", [0, 0]), { sciMode: true })).toBe("tensor([0., 0.])");
  expect(formatTensor(of("float64", [2 ** 80, 1]), { sciMode: false })).toBe(
    "tensor([1208925819614629174706176.,         1.], dtype=float64)",
  );
});

test("without edge items there are dots, and the size is said", () => {
  const changes = { threshold: 5, edgeItems: 0 };
  expect(
    formatTensor(
      printable("float32", [9], () => 1),
      changes,
    ),
  ).toBe("tensor([...], size=(9,))");
  expect(
    formatTensor(
      printable("float32", [3, 3], () => 1),
      changes,
    ),
  ).toBe("tensor([...], size=(3, 3))");
  expect(
    formatTensor(
      printable("float32", [], () => 1),
      { threshold: 0, edgeItems: 0 },
    ),
  ).toBe("tensor(1.)");
});

test("a tensor on no device has a size and a dtype, and is not read", () => {
  const meta = (dtype: DType, shape: readonly number[]) =>
    formatTensor(printable(dtype, shape, () => expect.fail("read"), { device: "meta" }));
  expect(meta("int64", [4])).toBe("tensor(..., device='meta', size=(4,), dtype=int64)");
  expect(meta("float32", [])).toBe("tensor(..., device='meta', size=())");
});

describe("fields", () => {
  const row = (count: number) => new Array<number>(count).fill(1.5);
  test("go to a new line, under the values, where they do not fit", () => {
    expect(formatTensor(of("float64", row(7)))).toBe(
      "tensor([1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000], dtype=float64)",
    );
    expect(formatTensor(of("float64", row(8)))).toBe(
      "tensor([1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000],\n       dtype=float64)",
    );
    expect(formatTensor(of("float64", row(6), { suffix: ["requires_grad=True"] }))).toBe(
      "tensor([1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000], dtype=float64,\n       requires_grad=True)",
    );
  });
  test("come in PyTorch's order: device, size, dtype, those of later stages, names", () => {
    const rest = { device: "webgpu:0", suffix: ["requires_grad=True"], names: ["batch", null] };
    expect(
      formatTensor(
        printable("int32", [0, 3], () => 0, rest),
        { lineWidth: Infinity },
      ),
    ).toBe("tensor([], device='webgpu:0', size=(0, 3), dtype=int32, requires_grad=True, names=('batch', None))");
  });
  test("name axes as Python writes tuples, and say nothing where no axis has a name", () => {
    expect(formatTensor(of("float32", [1], { names: ["it's"] }))).toBe("tensor([1.], names=('it\\'s',))");
    expect(formatTensor(of("float32", [1], { names: [null] }))).toBe("tensor([1.])");
  });
});

test("a wrong option is refused before anything is read", () => {
  const tensor = printable("float32", [2], () => expect.fail("read"));
  expect(() => formatTensor(tensor, { precision: 1.5 })).toThrow(
    "formatTensor: precision must be an integer from 0 to 99, got 1.5",
  );
});
