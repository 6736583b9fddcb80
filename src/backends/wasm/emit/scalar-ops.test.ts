/** All functions on all dtypes, in scalar and in vector form, compared with the reference backend. */
import { describe, expect, test } from "vitest";
import {
  applyElementwise,
  arrayOf,
  expectElements,
  laneCounts,
  loweredDTypes,
  operands,
  valuesOf,
} from "../../../../test/support/wasm-elements.ts";
import { writer } from "../../../kernel/element.ts";
import { type ScalarFunction, scalarFunctions } from "../../../kernel/ir/functions.ts";
import { type DType, dtypes, type TypedArray, type Value } from "../../../storage/dtype.ts";
import { meaningOf } from "../../reference/scalar-values.ts";
import { isMathCall, scalarCall } from "./scalar-ops.ts";
import { vectorCall } from "./vector-ops.ts";

/** The dtypes of the operands, and of the result; undefined if the function is not defined on the dtype. */
function signature(fn: ScalarFunction, dtype: DType): { readonly inputs: DType[]; readonly to: DType } | undefined {
  const { arity, dtypeOf } = scalarFunctions[fn];
  const inputs: DType[] = fn === "select" ? ["bool", dtype, dtype] : Array.from({ length: arity }, () => dtype);
  try {
    const to = dtypeOf(fn, inputs);
    return dtypes[to].category === "complex" ? undefined : { inputs, to };
  } catch {
    return undefined;
  }
}

function expected(
  fn: ScalarFunction,
  dtype: DType,
  to: DType,
  operands: readonly DType[],
  inputs: readonly TypedArray[],
) {
  const meaning = meaningOf(fn, dtype) as (...args: Value[]) => Value;
  const values = inputs.map((input, k) => valuesOf(operands[k] as DType, input));
  const length = (inputs[0] as TypedArray).length;
  const result = arrayOf(to, length);
  const write = writer(to);
  for (let i = 0; i < length; i++) write(result, i, meaning(...values.map((each) => each[i] as Value)));
  return result;
}

const lowered = (fn: ScalarFunction, dtype: DType): boolean =>
  ["exp2", "expNegative", "erf", "erfc"].includes(fn) || (fn === "pow" && dtypes[dtype].category === "integer");

const withoutVectorForm = (fn: ScalarFunction, dtype: DType): boolean =>
  lowered(fn, dtype) ||
  ["truncRem", "floorDiv", "floorMod"].includes(fn) ||
  (fn === "truncDiv" && dtypes[dtype].category === "integer") ||
  (dtype === "float32" && isMathCall(fn));

describe.each(loweredDTypes)("functions of %s", (dtype) => {
  const functions = (Object.keys(scalarFunctions) as ScalarFunction[]).filter((fn) => signature(fn, dtype));

  test.each(functions)("%s agrees in scalar and in every vector form", (fn) => {
    const { inputs: types, to } = signature(fn, dtype) as { inputs: DType[]; to: DType };
    const arrays = operands(types, 300, 7);
    const inputs = arrays.map((values, k) => ({ dtype: types[k] as DType, values }));
    if (lowered(fn, dtype)) {
      expect(() =>
        applyElementwise(inputs, to, 1, (a, args) => {
          scalarCall(a, fn, dtype, args);
          return true;
        }),
      ).toThrow(`wasm: ${fn} of ${dtype} has no instructions`);
      return;
    }
    const reference = expected(fn, dtype, to, types, arrays);
    for (const lanes of laneCounts) {
      const actual = applyElementwise(inputs, to, lanes, (a, args) => {
        if (lanes > 1) return vectorCall(a, fn, dtype, lanes, args);
        scalarCall(a, fn, dtype, args);
        return true;
      });
      const refused = lanes > 1 && (lanes * dtypes[dtype].itemsize > 16 || withoutVectorForm(fn, dtype));
      if (refused) expect(actual, `${fn} by ${lanes}`).toBe(false);
      else expectElements(`${fn} by ${lanes}`, actual as TypedArray, reference, arrays);
    }
  });
});
