/** Casts in scalar and in vector form: all pairs of dtypes, compared with the elements that tensors write. */
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
import { type DType, dtypes, type TypedArray, type Value } from "../../../storage/dtype.ts";
import { scalarCast, vectorCast } from "./casts.ts";

/** Extremes, random bits, and for floats the neighbors of all powers of two beyond 2^64. */
function samples(from: DType): TypedArray {
  const base = operands([from], 400, 11)[0] as TypedArray;
  if (dtypes[from].category !== "float") return base;
  const values: Value[] = valuesOf(from, base);
  for (let power = -2; power < 70; power++)
    for (const near of [1, 1 + 2 ** -23, 1 - 2 ** -24, 1 + 2 ** -52, 1 - 2 ** -53])
      values.push(near * 2 ** power, -near * 2 ** power, Math.fround(near * 2 ** power) + 0.5, 0.5 - near * 2 ** power);
  while (values.length % 16 !== 0) values.push(0);
  return filled(from, values);
}

function filled(dtype: DType, values: readonly Value[]): TypedArray {
  const array = arrayOf(dtype, values.length);
  const write = writer(dtype);
  for (let i = 0; i < values.length; i++) write(array, i, values[i] as Value);
  return array;
}

function expectCast(from: DType, to: DType, how: "value" | "bits", source: TypedArray, expected: TypedArray): void {
  const inputs = [{ dtype: from, values: source }];
  const widest = Math.max(dtypes[from].itemsize, dtypes[to].itemsize);
  for (const lanes of laneCounts) {
    const actual = applyElementwise(inputs, to, lanes, (a, args) => {
      if (lanes > 1) return vectorCast(a, from, to, how, lanes, args[0] as number);
      scalarCast(a, from, to, how, args[0] as number);
      return true;
    });
    if (lanes > 1 && lanes * widest > 16) expect(actual, `${from} to ${to} by ${lanes}`).toBe(false);
    else expectElements(`${from} to ${to} by ${lanes}`, actual as TypedArray, expected, [source]);
  }
}

describe.each(loweredDTypes)("casts of %s", (from) => {
  const source = samples(from);

  test.each(loweredDTypes)("to %s convert as writing an element does", (to) => {
    expectCast(from, to, "value", source, filled(to, valuesOf(from, source)));
  });

  if (dtypes[from].category !== "bool") {
    // In groups that take the fast path of a float to integer cast: all lanes small.
    test.each(loweredDTypes)("to %s convert small numbers", (to) => {
      const small = filled(
        from,
        Array.from({ length: 512 }, (_, i) => (i - 256) * 0.37),
      );
      expectCast(from, to, "value", small, filled(to, valuesOf(from, small)));
    });
  }

  const sameSize = loweredDTypes.filter((to) => dtypes[to].itemsize === dtypes[from].itemsize && to !== "bool");
  test.each(sameSize)("to %s by bits keep every bit", (to) => {
    const expected = arrayOf(to, source.length);
    new Uint8Array(expected.buffer).set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    expectCast(from, to, "bits", source, expected);
  });
});
