/** Vector forms with a function of their own: shifts by a constant, selects that are minima, relaxed products. */
import { describe, expect, test } from "vitest";
import { applyElementwise, expectElements, loweredDTypes, operands } from "../../../../test/support/wasm-elements.ts";
import { type DType, dtypes, type TypedArray } from "../../../storage/dtype.ts";
import type { Assembler } from "./representation.ts";
import { vectorCall, vectorMinMaxBySelect, vectorMultiplyAdd, vectorShiftByConstant } from "./vector-ops.ts";

const integers = loweredDTypes.filter((dtype) => dtypes[dtype].category === "integer");
const inputsOf = (dtype: DType, arrays: readonly TypedArray[]) => arrays.map((values) => ({ dtype, values }));

describe.each(integers)("a shift of %s by a constant", (dtype) => {
  test.each(["shiftLeft", "shiftRight"] as const)("%s is the shift by that amount in every lane", (fn) => {
    const bits = 8 * dtypes[dtype].itemsize;
    const lanes = 16 / dtypes[dtype].itemsize;
    const values = operands([dtype], 100, 3)[0] as TypedArray;
    for (const amount of [0, 1, bits / 2, bits - 1, bits, bits + 5, ...(dtype.startsWith("i") ? [-1] : [])]) {
      const amounts = values.slice();
      if (amounts instanceof BigInt64Array || amounts instanceof BigUint64Array) amounts.fill(BigInt(amount));
      else amounts.fill(amount);
      const expected = applyElementwise(inputsOf(dtype, [values, amounts]), dtype, lanes, (a, args) =>
        vectorCall(a, fn, dtype, lanes, args),
      );
      const actual = applyElementwise(inputsOf(dtype, [values]), dtype, lanes, (a, args) =>
        vectorShiftByConstant(a, fn, dtype, lanes, args[0] as number, amount),
      );
      expectElements(`${fn} by ${amount}`, actual as TypedArray, expected as TypedArray, [values]);
    }
  });
});

describe.each(loweredDTypes)("a select of %s by comparison", (dtype) => {
  const lanes = 16 / dtypes[dtype].itemsize;
  const arrays = operands([dtype, dtype], 200, 5);

  const bySelect = (fn: "lt" | "le" | "gt" | "ge", swapped: boolean) => (a: Assembler, args: readonly number[]) => {
    const mask = a.local("v128");
    vectorCall(a, fn, dtype, lanes, args);
    a.set(mask);
    const [x, y] = args as [number, number];
    return vectorCall(a, "select", dtype, lanes, swapped ? [mask, y, x] : [mask, x, y]);
  };

  test.each(["lt", "le", "gt", "ge"] as const)("with %s is one instruction of the same bits, where it exists", (fn) => {
    const { category, itemsize } = dtypes[dtype];
    const exists = category === "float" ? fn === "lt" || fn === "gt" : category === "integer" && itemsize < 8;
    for (const swapped of [false, true]) {
      const inputs = inputsOf(dtype, arrays);
      const actual = applyElementwise(inputs, dtype, lanes, (a, args) =>
        vectorMinMaxBySelect(a, fn, dtype, lanes, args[0] as number, args[1] as number, swapped),
      );
      expect(actual !== false).toBe(exists);
      if (actual === false) continue;
      const expected = applyElementwise(inputs, dtype, lanes, bySelect(fn, swapped)) as TypedArray;
      expectElements(`select ${fn}`, actual, expected, arrays);
    }
  });
});

test("a relaxed product and sum exists for floats that fit, and for nothing else", () => {
  const code: unknown[] = [];
  const recorder = {
    emitFor: (...steps: readonly unknown[]) => code.push(...steps),
  } as unknown as Assembler;
  expect(vectorMultiplyAdd(recorder, "float32", 4, 7, 8, 9)).toBe(true);
  expect(vectorMultiplyAdd(recorder, "float64", 2, 1, 2, 3)).toBe(true);
  expect(code).toEqual(["f32x4", 7, 8, 9, ".relaxed_madd", "f64x2", 1, 2, 3, ".relaxed_madd"]);
  expect(vectorMultiplyAdd(recorder, "float64", 4, 1, 2, 3)).toBe(false);
  expect(vectorMultiplyAdd(recorder, "int32", 4, 1, 2, 3)).toBe(false);
  expect(code.length).toBe(10);
});
