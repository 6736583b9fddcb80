/**
 * The common reductions as specs: sum, prod, mean, min, max, any, all, countNonzero, argmax and argmin, of the elements or of a value computed
 * from each.
 *
 * Sums and products of integers and bools are int64 (of uint64: uint64), as in PyTorch; the others keep their dtype. Lanes add float32 and
 * float16 in float32, integers of up to 16 bits in int32 (no segment overflows it) and others in 64 bits; products of floats are float64.
 * Totals have 64 bits. min and max propagate NaN. Over no elements, min and max return the extremes of their dtype; the caller throws.
 */
import { type DType, DTypeError, dtypes, isComplexDType, isFloatDType } from "../../storage/dtype.ts";
import type { Combination } from "../ir/kernel.ts";
import { bitcast, call, cast, constantScalar, type Scalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { ReduceKernel } from "./spec.ts";

const combinations = { sum: "add", mean: "add", prod: "mul", min: "min", max: "max" } as const;
const tests = { any: "max", all: "min", countNonzero: "add" } as const;

/** The reductions of values. */
export type Reduction = keyof typeof combinations;

/** The reductions that only test whether elements are 0. */
export type Test = keyof typeof tests;

/** The names of the reductions. */
export const reductions = Object.keys(combinations) as readonly Reduction[];

/** A value computed from each element, and its dtype. */
export interface ElementTerm {
  /** Its name in the kernel's name. */
  readonly name: string;
  readonly dtype: DType;
  of(element: Scalar): Scalar;
}

/** The error of comparing complex numbers. */
export const noOrder = (who: string, what: string, dtype: DType): DTypeError =>
  new DTypeError(`${who}: ${what} of ${dtype}: complex numbers have no order`);

/** The error of an operation that requires floats. */
const notFloat = (who: string, what: string, dtype: DType): DTypeError =>
  new DTypeError(`${who}: ${what} of ${dtype} requires a float or complex dtype. Convert it first: to("float32")`);

/** Throws unless the dtype is a float or complex one. */
export function checkFloat(who: string, what: string, dtype: DType): void {
  if (!isFloatDType(dtype) && !isComplexDType(dtype)) throw notFloat(who, what, dtype);
}

const isTest = (reduction: Reduction | Test): reduction is Test => Object.hasOwn(tests, reduction);

/** Returns the dtype of a result; throws if the reduction is not defined on the dtype. */
export function reducedDType(who: string, reduction: Reduction | Test, dtype: DType): DType {
  if (isTest(reduction)) return reduction === "countNonzero" ? "int64" : "bool";
  const { category } = dtypes[dtype];
  const isOrdered = reduction === "min" || reduction === "max";
  if (category === "complex" && isOrdered) throw noOrder(who, reduction, dtype);
  if (isOrdered || category === "float" || category === "complex") return dtype;
  if (reduction === "mean") throw notFloat(who, reduction, dtype);
  return dtype === "uint64" ? "uint64" : "int64";
}

/** The dtypes in which elements, and the results of segments, are combined. */
function workingDTypes(fn: Combination, dtype: DType): readonly [lanes: DType, total: DType] {
  const { category, itemsize } = dtypes[dtype];
  if (category === "complex") return [fn === "mul" ? "complex128" : dtype, "complex128"];
  if (fn === "min" || fn === "max") {
    const own = orderedDType(dtype);
    return [own, own];
  }
  if (category === "float") return [itemsize === 8 || fn === "mul" ? "float64" : "float32", "float64"];
  if (dtype === "uint64") return ["uint64", "uint64"];
  return [itemsize <= 2 && fn === "add" ? "int32" : "int64", "int64"];
}

/** The dtype in which elements of a dtype are compared. */
export function orderedDType(dtype: DType): DType {
  const { category, itemsize } = dtypes[dtype];
  return category === "bool" ? "uint8" : itemsize === 2 && category === "float" ? "float32" : dtype;
}

/** The dtypes of sums over elements of a float or complex dtype, in lanes and in total. */
export const sumDTypes = (dtype: DType): readonly [lanes: DType, total: DType] => workingDTypes("add", dtype);

/**
 * Returns the kernel of a reduction over elements of a dtype. A mean takes one scalar, a float64: the number of elements of a result.
 */
export function makeReduction(
  who: string,
  reduction: Reduction | Test,
  dtype: DType,
  term?: ElementTerm,
): ReduceKernel {
  const output = reducedDType(who, reduction, term?.dtype ?? dtype);
  const tested = isTest(reduction);
  const fn = tested ? tests[reduction] : combinations[reduction];
  const [lanes, total] = workingDTypes(fn, tested ? "bool" : (term?.dtype ?? dtype));
  const isMean = reduction === "mean";
  return new ReduceKernel({
    name: `${shortName(dtype)}_${term === undefined ? "" : `${term.name}_`}${reduction}`,
    outputs: [output],
    inputs: [dtype],
    scalars: isMean ? ["float64"] : [],
    accumulators: [{ fn, total }],
    terms: ([x]) => {
      const value = term === undefined ? x : term.of(x);
      return [cast(lanes, tested ? cast("bool", value) : value)];
    },
    finish: ([sum], [count]) => [cast(output, isMean ? call("div", sum, cast(total, count)) : sum)],
  });
}

/** The reductions to the number of an element. */
export type ArgReduction = "argmax" | "argmin";

/**
 * Returns the kernel of an arg reduction: the index of the first extreme element, or of the first NaN, as in PyTorch. The first phase finds the
 * extreme, the second the smallest number of an element that equals it; numbers count the reduced axes in row-major order. Outputs are the
 * number, an int32, and with `withValues` the extremes. Reducing no elements is an error of the caller.
 */
export function makeArgReduction(who: string, reduction: ArgReduction, dtype: DType, withValues = false): ReduceKernel {
  const { category } = dtypes[dtype];
  if (category === "complex") throw noOrder(who, reduction, dtype);
  const own = orderedDType(dtype);
  return new ReduceKernel({
    name: `${shortName(dtype)}_${reduction}${withValues ? "_value" : ""}`,
    outputs: withValues ? ["int32", dtype] : ["int32"],
    inputs: [dtype],
    scalars: [],
    isNumbered: true,
    before: [
      {
        accumulators: [{ fn: reduction === "argmax" ? "max" : "min", total: own }],
        terms: ([x]) => [cast(own, x)],
        finish: (extreme) => extreme,
      },
    ],
    accumulators: [{ fn: "min", total: "int32" }],
    terms: ([x], _, [extreme], number) => {
      const value = cast(own, x);
      const isEqual = call("eq", value, extreme);
      const isIt = category === "float" ? call("or", isEqual, call("ne", value, value)) : isEqual;
      return [call("select", isIt, number, constantScalar("int32", 2 ** 31 - 1))];
    },
    finish: ([number], _, [extreme]) => (withValues ? [number, cast(dtype, extreme)] : [number]),
  });
}

/**
 * Returns the kernel of the extreme element, NaN if one is NaN, of which the sign of zeros is unspecified. It compares by one instruction and
 * looks for NaN by others, which is faster than a maximum that returns NaN.
 */
export function makeExtreme(reduction: ArgReduction, dtype: DType): ReduceKernel {
  const own = orderedDType(dtype);
  const isFloat = dtypes[own].category === "float";
  const isLargest = reduction === "argmax";
  const fn = isFloat ? (isLargest ? "larger" : "smaller") : isLargest ? "max" : "min";
  const test = own === "float32" ? nanByBits : nanByValue;
  return new ReduceKernel({
    name: `${shortName(dtype)}_extreme_${reduction}`,
    outputs: [own],
    inputs: [dtype],
    scalars: [],
    accumulators: [{ fn, total: own }, ...(isFloat ? [test.accumulator] : [])],
    terms: ([x]) => {
      const value = cast(own, x);
      return isFloat ? [value, test.term(value)] : [value];
    },
    finish: ([extreme, seen]) =>
      isFloat ? [call("select", test.isSeen(seen), constantScalar(own, NaN), extreme)] : [extreme],
  });
}

/** The test of a reduction for NaN. */
interface NaNTest {
  readonly accumulator: { readonly fn: "or" | "max"; readonly total: DType };
  readonly term: (value: Scalar) => Scalar;
  readonly isSeen: (total: Scalar) => Scalar;
}

const nanByValue: NaNTest = {
  accumulator: { fn: "or", total: "bool" },
  term: (value) => call("ne", value, value),
  isSeen: (total) => total,
};

/** As integers without a sign, the bits of NaN are larger than those of Infinity. Processors do this in parallel with the comparison of floats. */
const nanByBits: NaNTest = {
  accumulator: { fn: "max", total: "int32" },
  term: (value) => call("and", bitcast("int32", value), constantScalar("int32", 0x7fffffff)),
  isSeen: (total) => call("gt", total, constantScalar("int32", 0x7f800000)),
};
