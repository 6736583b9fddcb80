/**
 * The scans as specs: cumulative sums and products, cumulative extremes with their indices, cumulative log-sum-exp, and linear recurrences
 * y[i] = x[i] + factor[i] * y[i - 1].
 *
 * Floats are added and multiplied in float64, complex numbers in complex128, integers in int64 or uint64, and rounded to the output's dtype
 * element by element. As in PyTorch, the index of an extreme is that of its last occurrence, and NaN propagates.
 */

import { type DType, dtypes, isFloatDType } from "../../storage/dtype.ts";
import { call, cast, constantScalar, type Scalar } from "../ir/scalar.ts";
import { identityOf } from "../ir/statements.ts";
import { shortName } from "../map/short-name.ts";
import { checkFloat, noOrder, orderedDType } from "../reduce/reductions.ts";
import { ScanKernel, type ScanSpec } from "./spec.ts";

const combinations = {
  cumsum: "add",
  cumprod: "mul",
  cummax: "max",
  cummin: "min",
  logcumsumexp: "add",
  recurrence: "add",
} as const;

/** The scans. */
export type Scan = keyof typeof combinations;

/** Returns the dtype of the first output of a scan; throws if the scan is not defined on the dtype. */
export function scannedDType(who: string, scan: Scan, dtype: DType): DType {
  const { category } = dtypes[dtype];
  if (scan === "cummax" || scan === "cummin" || scan === "logcumsumexp") {
    const isLog = scan === "logcumsumexp";
    if (category === "complex" && !isLog) throw noOrder(who, scan, dtype);
    if (isLog) checkFloat(who, scan, dtype);
    return dtype;
  }
  return category === "float" || category === "complex" || dtype === "uint64" ? dtype : "int64";
}

function wideDType(dtype: DType): DType {
  const { category } = dtypes[dtype];
  if (category === "complex") return "complex128";
  return category === "float" ? "float64" : dtype === "uint64" ? "uint64" : "int64";
}

/** Returns the kernel of a scan over elements of `input`, with outputs of these dtypes; the second output of an extreme is its index. */
export function makeScan(who: string, scan: Scan, input: DType, outputs: readonly DType[]): ScanKernel {
  scannedDType(who, scan, input);
  const fn = combinations[scan];
  const [output, index] = outputs as [DType, DType?];
  const names = { name: `${outputs.map(shortName).join("_")}_${scan}_${shortName(input)}`, outputs, input };
  if (scan === "logcumsumexp") return new ScanKernel({ ...names, ...logSumExp(output) });
  if (fn === "add" || fn === "mul") {
    const wide = wideDType(output);
    const step: ScanSpec["steps"][number] = { into: 0, fn, value: (x) => cast(wide, x) };
    const spec: ScanSpec = {
      ...names,
      state: [{ dtype: wide, initial: identityOf(fn, wide) }],
      steps: [step],
      results: ([sum]) => [cast(output, sum)],
    };
    if (scan !== "recurrence") return new ScanKernel(spec);
    // The state is multiplied by the second input before the element is added.
    const multiply: typeof step = { into: 0, fn: "mul", value: (_x, _state, _number, factor) => cast(wide, factor) };
    return new ScanKernel({ ...spec, factor: input, steps: [multiply, step] });
  }
  const own = orderedDType(input);
  const isFloat = isFloatDType(own);
  const extreme = { dtype: own, initial: identityOf(fn, own) };
  const where: ScanSpec["steps"][number] = {
    into: 1,
    fn: "max",
    value: (x, [best], number) => {
      const value = cast(own, x);
      const isEqual = call("eq", value, best);
      const isReplaced = isFloat ? call("or", isEqual, call("ne", value, value)) : isEqual;
      return call("select", isReplaced, number, constantScalar("int64", 0));
    },
  };
  const best = { into: 0, fn, value: (x: Scalar) => cast(own, x) };
  return new ScanKernel({
    ...names,
    state: index === undefined ? [extreme] : [extreme, { dtype: "int64", initial: 0 }],
    steps: index === undefined ? [best] : [best, where],
    results: ([value, at]) => {
      const values = cast(output, value);
      return index === undefined ? [values] : [values, cast(index, at)];
    },
  });
}

/** The state is the sum of exp(x - m), and m, the largest element or real part; an infinite m counts as 0. */
function logSumExp(output: DType): Pick<ScanSpec, "state" | "steps" | "results"> {
  const [wide, real] = [wideDType(output), "float64" as const];
  const infinity = constantScalar(real, Infinity);
  const finite = (m: Scalar): Scalar =>
    call("select", call("eq", call("abs", m), infinity), constantScalar(real, 0), m);
  const realOf = (x: Scalar): Scalar => (wide === real ? cast(real, x) : call("real", cast(wide, x)));
  const nextMost = (x: Scalar, state: readonly Scalar[]): Scalar => finite(call("max", state[1], realOf(x)));
  return {
    state: [
      { dtype: wide, initial: 0 },
      { dtype: real, initial: -Infinity },
    ],
    steps: [
      // Before the first element m is -inf, and the factor 0.
      {
        into: 0,
        fn: "mul",
        value: (x, state) => cast(wide, call("exp", call("sub", state[1], nextMost(x, state)))),
      },
      {
        into: 0,
        fn: "add",
        value: (x, state) => call("exp", call("sub", cast(wide, x), cast(wide, nextMost(x, state)))),
      },
      { into: 1, fn: "max", value: realOf },
    ],
    results: ([sum, max]) => [cast(output, call("add", cast(wide, finite(max)), call("log", sum)))],
  };
}
