/** Promotion against every recorded answer of PyTorch 2.6, and the rules that no record covers. */
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { type DType, DTypeError, dtypeNames, dtypes } from "./dtype.ts";
import {
  type Bucket,
  canCast,
  getDefaultComplexDType,
  getDefaultDType,
  inferDType,
  promoteTypes,
  resultType,
  setDefaultDType,
  type TypedOperand,
} from "./promotion.ts";

interface Row {
  readonly op: string;
  readonly kind: string;
  readonly a: string;
  readonly b?: string;
  readonly dtype?: string;
  readonly value?: boolean;
}

const rows: Row[] = readFileSync(new URL("../../test/oracle/records/torch/promotion.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const rowsOf = (op: string): Row[] => rows.filter((row) => row.op === op);
const title = ({ kind, a, b }: Row): string => `${kind}: ${a}, ${b}`;

// We have no complex32; what PyTorch gives it is the next larger complex dtype here.
const answerOf = ({ dtype }: Row): string | undefined => (dtype === "complex32" ? "complex64" : dtype);

const buckets: Record<string, Bucket> = { dim: "tensor", "0d": "zeroDim", scalar: "number" };
const scalars: Record<string, DType> = { bool: "bool", int: "int64", float: "float64", complex: "complex128" };

function operandsOf({ kind, a, b }: Row): TypedOperand[] {
  const parts = kind.split("-");
  return [a, b as string].map((name, i) => {
    const bucket = buckets[parts[i] as string] as Bucket;
    return { bucket, dtype: bucket === "number" ? (scalars[name] as DType) : (name as DType) };
  });
}

afterEach(() => setDefaultDType("float32"));

describe("PyTorch's records", () => {
  test("every row of resultType", () => {
    const rows = rowsOf("result_type");
    expect(rows.length).toBe(469);
    for (const row of rows) expect(resultType(...operandsOf(row)), title(row)).toBe(answerOf(row));
  });

  test("every row of promoteTypes", () => {
    const rows = rowsOf("promote_types");
    expect(rows.length).toBe(74);
    for (const row of rows) expect(promoteTypes(row.a as DType, row.b as DType), title(row)).toBe(answerOf(row));
  });

  test("every row of canCast", () => {
    const rows = rowsOf("can_cast");
    expect(rows.length).toBe(82);
    for (const row of rows) expect(canCast(row.a as DType, row.b as DType), title(row)).toBe(row.value);
  });

  test("complex32 appears only where float16 meets a complex number", () => {
    // Of one operand, a number of which only the default dtype is known may have been complex.
    for (const row of rows.filter(({ dtype, b }) => dtype === "complex32" && b !== undefined)) {
      expect([row.a, row.b], title(row)).toContain("float16");
      expect(
        [row.a, row.b].some((name) => name?.startsWith("complex")),
        title(row),
      ).toBe(true);
    }
  });

  const inferred: Record<string, unknown> = {
    "python-int": 1n,
    "python-complex": { re: 1, im: 2 },
    "list-bool-int": [true, 1n],
    "full-bool": true,
    "full-complex": { re: 1, im: 0 },
  };
  test.each(rows.filter((row) => row.kind === "infer" && row.op !== "arange"))("infers $a", (row) => {
    expect(inferDType(inferred[row.a])).toBe(row.dtype);
  });
});

const isWide = (name: DType): boolean => /^uint(16|32|64)$/.test(name);
const small = dtypeNames.filter((name) => !isWide(name));

test("promoteTypes is symmetric and associative, keeps equal dtypes, and never changes the higher category", () => {
  const order = ["bool", "integer", "float", "complex"];
  for (const a of small)
    for (const b of small) {
      const both = promoteTypes(a, b);
      expect(promoteTypes(b, a)).toBe(both);
      expect(promoteTypes(a, a)).toBe(a);
      const rank = (name: DType): number => order.indexOf(dtypes[name].category);
      expect(rank(both)).toBe(Math.max(rank(a), rank(b)));
      for (const c of small) expect(promoteTypes(both, c), `${a} ${b} ${c}`).toBe(promoteTypes(a, promoteTypes(b, c)));
    }
});

test("wide unsigned integers promote with themselves and floats, and throw PyTorch's error otherwise", () => {
  for (const wide of dtypeNames.filter(isWide))
    for (const other of dtypeNames) {
      if (other === wide) expect(promoteTypes(wide, other)).toBe(wide);
      else if (dtypes[other].category === "float") expect(promoteTypes(wide, other)).toBe(other);
      else expect(() => promoteTypes(other, wide)).toThrow(DTypeError);
    }
  expect(() => promoteTypes("uint16", "int32")).toThrow(
    "there is no common dtype of uint16 and int32. Convert one first.",
  );
  // A plain integer is of no higher category, so it leaves the tensor's dtype alone.
  expect(resultType({ dtype: "uint16", bucket: "tensor" }, { dtype: "int64", bucket: "number" })).toBe("uint16");
});

test("three operands: each bucket promotes among itself first", () => {
  const operand = (dtype: DType, bucket: Bucket): TypedOperand => ({ dtype, bucket });
  expect(resultType(operand("int8", "tensor"), operand("float64", "zeroDim"), operand("uint8", "tensor"))).toBe(
    "float64",
  );
  expect(resultType(operand("float16", "tensor"), operand("float64", "zeroDim"), operand("bool", "number"))).toBe(
    "float16",
  );
  expect(resultType(operand("int32", "zeroDim"), operand("float64", "number"))).toBe("float32");
  expect(() => resultType()).toThrow("resultType: at least one operand is needed");
});

test("plain floats and complex numbers have the default dtype", () => {
  expect([getDefaultDType(), getDefaultComplexDType()]).toEqual(["float32", "complex64"]);
  setDefaultDType("float64" as never);
  expect([getDefaultDType(), getDefaultComplexDType()]).toEqual(["float64", "complex128"]);
  const int: TypedOperand = { dtype: "int32", bucket: "tensor" };
  expect(resultType(int, { dtype: "float32", bucket: "number" })).toBe("float64");
  expect(resultType(int, { dtype: "complex64", bucket: "number" })).toBe("complex128");
  expect([inferDType([1]), inferDType({ re: 1, im: 1 })]).toEqual(["float64", "complex128"]);
  expect(() => setDefaultDType("int32" as never)).toThrow(
    "setDefaultDType: the default must be a floating-point dtype, got int32",
  );
});

test.each<[unknown, DType]>([
  [1, "float32"],
  [1.5, "float32"],
  [true, "bool"],
  [5n, "int64"],
  [[], "float32"],
  [[[], []], "float32"],
  [
    [
      [true, false],
      [false, true],
    ],
    "bool",
  ],
  [[true, 1n], "int64"],
  [[1n, true], "int64"],
  [[1n, 2], "float32"],
  [[true, 2], "float32"],
  [
    [
      [1, 2],
      [3, { re: 0, im: 1 }],
    ],
    "complex64",
  ],
  [new Float64Array(2), "float64"],
  [[new Int16Array(2), new Int16Array(2)], "int16"],
  [[new Int16Array(1), [true]], "int16"],
])("inferDType, case %#", (values, dtype) => {
  expect(inferDType(values)).toBe(dtype);
});

test("inferDType never looks at a number's value", () => {
  for (const value of [0, -0, 1, 2 ** 40, 1e300, NaN]) expect(inferDType([value, 1n])).toBe("float32");
});

test.each([
  ["null", null],
  ['"1"', "1"],
  ["undefined", undefined],
  ["object", {}],
  ["a promise; await it", Promise.resolve(1)],
])("inferDType throws for %s", (name, value) => {
  expect(() => inferDType([1, [value]], "full")).toThrow(
    `full: an element must be a number, bigint, boolean or { re, im }, got ${name}.`,
  );
});
