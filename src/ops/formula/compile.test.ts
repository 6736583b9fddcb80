/** Dtypes of formulas: PyTorch's promotion, weak numbers, halves computed as float32, and the scalars of a kernel. */
import { DTypeError } from "stridewise";
import { describe, expect, test } from "vitest";
import { type DType, dtypeNames, dtypes } from "../../storage/dtype.ts";
import { type Bucket, resultType } from "../../storage/promotion.ts";
import { compileFormula, type OperandKind } from "./compile.ts";
import { parseFormula } from "./parse.ts";

const tensorOf = (dtype: DType): OperandKind => ({ dtype, bucket: "tensor" });
const zeroDimOf = (dtype: DType): OperandKind => ({ dtype, bucket: "zeroDim" });
const number: OperandKind = { dtype: null, bucket: "number" };

function compiled(text: string, ...kinds: OperandKind[]) {
  const formula = parseFormula(text);
  return compileFormula(
    formula,
    kinds,
    formula.outputs.map(() => null),
  );
}

const dtypeOf = (text: string, ...kinds: OperandKind[]): DType => compiled(text, ...kinds).spec.outputs[0] as DType;

function attempt(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (error instanceof DTypeError) return "refused";
    throw error;
  }
}

describe.each<Bucket>(["tensor", "zeroDim", "number"])("x * y with y a %s", (bucket) => {
  test("has PyTorch's dtype for every pair of dtypes", () => {
    const kinds: DType[] = bucket === "number" ? ["bool", "int64", "float32", "complex64"] : [...dtypeNames];
    for (const x of dtypeNames)
      for (const y of kinds) {
        const operands = [tensorOf(x), { dtype: y, bucket }] as const;
        const expected = attempt(() => resultType(...(operands as never as { dtype: DType; bucket: Bucket }[])));
        expect(
          attempt(() => dtypeOf("x * y", ...operands)),
          `${x} ${y}`,
        ).toBe(expected);
      }
  });
});

const rules: readonly (readonly [formula: string, dtype: DType, kinds: readonly OperandKind[]])[] = [
  // A plain number takes the dtype of what it meets, and never changes it.
  ["a * x", "uint8", [number, tensorOf("uint8")]],
  ["a * x", "bfloat16", [number, tensorOf("bfloat16")]],
  ["a * x", "int16", [number, zeroDimOf("int16")]],
  ["(a + b) * x", "int32", [number, number, tensorOf("int32")]],
  ["(a + 1) * x", "int32", [number, tensorOf("int32")]],
  ["a * x", "float32", [number, tensorOf("bool")]],
  ["a + b", "float32", [number, number]],
  // Literals: 2 is an integer, 2.0 a float, 2i complex.
  ["2 * x", "int8", [tensorOf("int8")]],
  ["2 * x", "int64", [tensorOf("bool")]],
  ["2.0 * x", "float32", [tensorOf("int8")]],
  ["x + -9223372036854775808", "int64", [tensorOf("int64")]],
  ["x + 18446744073709551615", "uint64", [tensorOf("uint64")]],
  ["x + 18446744073709551616", "float32", [tensorOf("float32")]],
  ["2.0 * x", "float16", [tensorOf("float16")]],
  ["2i * x", "complex64", [tensorOf("float32")]],
  ["2i * x", "complex128", [tensorOf("float64")]],
  ["(a + 0.5) * x", "float32", [number, tensorOf("int32")]],
  // Integers become floats where the function needs it.
  ["x / y", "float32", [tensorOf("int32"), tensorOf("int64")]],
  ["x / a", "float32", [tensorOf("int32"), number]],
  ["exp(x)", "float32", [tensorOf("bool")]],
  ["exp(x)", "float16", [tensorOf("float16")]],
  ["exp(a) * x", "float32", [number, tensorOf("int32")]],
  ["x // y", "int32", [tensorOf("int32"), tensorOf("int16")]],
  ["floor(x)", "int32", [tensorOf("int32")]],
  ["x ** 2", "uint8", [tensorOf("uint8")]],
  ["x ** 2.0", "float32", [tensorOf("uint8")]],
  ["x ** 0.5", "float32", [tensorOf("uint8")]],
  ["sigmoid(x)", "float32", [tensorOf("uint8")]],
  // Logic.
  ["x < y", "bool", [tensorOf("int8"), tensorOf("complex64")].slice(0, 1).concat(tensorOf("float64"))],
  ["x + y", "bool", [tensorOf("bool"), tensorOf("bool")]],
  ["isnan(x)", "bool", [tensorOf("int32")]],
  ["where(c, x, y)", "float64", [tensorOf("bool"), tensorOf("float64"), tensorOf("int32")]],
  ["c ? 1 : 0", "int64", [tensorOf("bool")]],
  ["c ? a : b", "float32", [tensorOf("bool"), number, number]],
  // Conversions count as tensors of their dtype.
  ["float64(x) * y", "float64", [tensorOf("int32"), tensorOf("float32")]],
  ["int8(x) + 1", "int8", [tensorOf("float32")]],
  // Complex numbers and their parts.
  ["abs(x)", "float32", [tensorOf("complex64")]],
  ["real(x) + imag(x)", "float64", [tensorOf("complex128")]],
  ["conj(x)", "int32", [tensorOf("int32")]],
  ["angle(x)", "float32", [tensorOf("float32")]],
  ["complex(x, y)", "complex64", [tensorOf("float32"), tensorOf("float32")]],
  ["sign(x)", "int8", [tensorOf("int8")]],
  ["like(a, x)", "int8", [number, tensorOf("int8")]],
  ["like(0.5, x) + x", "int8", [tensorOf("int8")]],
];

test.each(rules)("%s is %s", (formula, dtype, kinds) => expect(dtypeOf(formula, ...kinds)).toBe(dtype));

test("a number is one scalar for each dtype in which it is needed", () => {
  const { spec, scalars } = compiled("a * x + a * y", number, tensorOf("int32"), tensorOf("float64"));
  expect(scalars).toEqual([
    { operand: 0, dtype: "int32" },
    { operand: 0, dtype: "float64" },
  ]);
  expect(spec.names?.scalars).toEqual(["a", "a_f64"]);
});

test("operands with names that a kernel needs are numbered", () => {
  const { spec } = compiled("n * x_n + out + v0", ...Array.from({ length: 4 }, () => tensorOf("float32")));
  expect(spec.names).toEqual({ outputs: ["v3"], inputs: ["v0", "v1", "out", "v2"], scalars: [] });
});

const refused: readonly (readonly [formula: string, ...kinds: OperandKind[]])[] = [
  ["x - y", tensorOf("bool"), tensorOf("bool")],
  ["1 + -x", tensorOf("bool")],
  ["x & y", tensorOf("float32"), tensorOf("int32")],
  ["x ? 1 : 0", tensorOf("int32")],
  ["x < 1", tensorOf("complex64")],
  ["softplus(x)", tensorOf("complex64")],
  ["x + y", tensorOf("uint32"), tensorOf("int32")],
  ["x + 9223372036854775808", tensorOf("int64")],
];

test("errors about dtypes show their position", () => {
  const errors = refused.map(([formula, ...kinds]) => {
    try {
      return `${formula}: ${dtypeOf(formula, ...kinds)}`;
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect(`\n${errors.join("\n")}\n`).toMatchInlineSnapshot(`
    "
    elementwise: bools cannot be subtracted. Use logicalXor(), or ^ in a formula
      x - y
        ^
    elementwise: bools cannot be negated. Use logicalNot(), or ~ in a formula
      1 + -x
          ^
    elementwise: needs bool or integer values, got float32. Convert with to("int32")
      x & y
        ^
    elementwise: the condition must be bool, got int32. Use ne(condition, 0)
      x ? 1 : 0
        ^
    elementwise: complex numbers have no order. Compare abs(x) or real(x)
      x < 1
        ^
    elementwise: in softplus(x) = max(x, 0) + log1p(exp(-abs(x))): complex numbers have no order. Compare abs(x) or real(x)
      softplus(x)
      ^
    elementwise: promoteTypes: there is no common dtype of uint32 and int32. Convert one first.
      x + y
        ^
    elementwise: a literal: value cannot be converted to type int64 without overflow: got 9223372036854775808, and int64 holds -9223372036854775808 to 9223372036854775807. Choose a wider dtype.
      x + 9223372036854775808
        ^
    "
  `);
});

test("an existing output accepts the dtypes that PyTorch accepts", () => {
  const formula = parseFormula("x + 0");
  for (const from of dtypeNames)
    for (const to of dtypeNames) {
      const isLower =
        ["bool", "integer", "float", "complex"].indexOf(dtypes[to].category) <
        ["bool", "integer", "float", "complex"].indexOf(
          dtypes[resultType({ dtype: from, bucket: "tensor" }, { dtype: "int64", bucket: "number" })].category,
        );
      const run = () => compileFormula(formula, [tensorOf(from)], [to]).spec.outputs[0];
      if (isLower) expect(run, `${from} ${to}`).toThrow("cannot be cast");
      else expect(run(), `${from} ${to}`).toBe(to);
    }
});
