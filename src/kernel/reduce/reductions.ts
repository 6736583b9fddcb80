/**
 * The everyday reductions as specs: sum, prod, mean, min, max, any, all and the count of what is not 0, of the elements or of a
 * value computed from each.
 *
 * Sums and products of integers and bools are int64 (of uint64: uint64), as in PyTorch; the others keep their dtype. What is
 * added up in lanes: float32 and float16 in float32, integers of up to 16 bits in int32 (no stretch overflows it), others in
 * 64 bits; products of floats in float64. Totals are in 64 bits. NaN wins in min and max. Of no elements, min and max give the
 * extremes of their dtype; that this is an error is for the caller to say.
 */
import { type DType, DTypeError, dtypes } from "../../storage/dtype.ts";
import type { Combination } from "../ir/kernel.ts";
import { call, cast, type Scalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { ReduceKernel } from "./spec.ts";

const combinations = { sum: "add", mean: "add", prod: "mul", min: "min", max: "max" } as const;
const tests = { any: "max", all: "min", countNonzero: "add" } as const;

/** What a reduction makes of the elements that belong to one output. */
export type Reduction = keyof typeof combinations;

/** What asks of each element only whether it is 0. */
export type Test = keyof typeof tests;

/** The names of the reductions. */
export const reductions = Object.keys(combinations) as readonly Reduction[];

/** A value computed from each element, in the dtype that it has then. */
export interface Term {
  /** For the name of the kernel. */
  readonly name: string;
  readonly dtype: DType;
  of(element: Scalar): Scalar;
}

const isTest = (reduction: Reduction | Test): reduction is Test => Object.hasOwn(tests, reduction);

/** The dtype of a result; refuses what the reduction is not defined on. */
export function reducedDType(who: string, reduction: Reduction | Test, dtype: DType): DType {
  if (isTest(reduction)) return reduction === "countNonzero" ? "int64" : "bool";
  const { category } = dtypes[dtype];
  const refuse = (why: string): never => {
    throw new DTypeError(`${who}: ${reduction} of ${dtype}: ${why}`);
  };
  const isOrdered = reduction === "min" || reduction === "max";
  if (category === "complex" && isOrdered) refuse("complex numbers have no order");
  if (isOrdered || category === "float" || category === "complex") return dtype;
  if (reduction === "mean") refuse("the mean of integers is no integer. Convert them first: to('float32')");
  return dtype === "uint64" ? "uint64" : "int64";
}

/** In which dtype elements are combined, and the results of stretches. */
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

/** In which dtype elements of a dtype are compared. */
export function orderedDType(dtype: DType): DType {
  const { category, itemsize } = dtypes[dtype];
  return category === "bool" ? "uint8" : itemsize === 2 && category === "float" ? "float32" : dtype;
}

/** In which dtype sums over elements of a float or complex dtype are taken, in lanes and in total. */
export const sumDTypes = (dtype: DType): readonly [lanes: DType, total: DType] => workingDTypes("add", dtype);

/**
 * The kernel of a reduction over elements of a dtype. A mean takes one scalar, how many elements a result is made of, of dtype
 * `meanCount`.
 */
export function makeReduction(who: string, reduction: Reduction | Test, dtype: DType, term?: Term): ReduceKernel {
  const output = reducedDType(who, reduction, term?.dtype ?? dtype);
  const asked = isTest(reduction);
  const fn = asked ? tests[reduction] : combinations[reduction];
  const [lanes, total] = workingDTypes(fn, asked ? "bool" : (term?.dtype ?? dtype));
  const isMean = reduction === "mean";
  return new ReduceKernel({
    name: `${shortName(dtype)}_${term === undefined ? "" : `${term.name}_`}${reduction}`,
    outputs: [output],
    inputs: [dtype],
    scalars: isMean ? [meanCount] : [],
    accumulators: [{ fn, total }],
    terms: ([x]) => {
      const value = term === undefined ? x : term.of(x);
      return [cast(lanes, asked ? cast("bool", value) : value)];
    },
    finish: ([sum], [count]) => [cast(output, isMean ? call("div", sum, cast(total, count)) : sum)],
  });
}

/** The dtype of the scalar that a mean takes. */
export const meanCount = "float64" satisfies DType;
