/**
 * Vector norms and log-sum-exp as reductions.
 * A norm of complex numbers is that of their lengths. The general norm takes its power as a scalar; the usual ones need none.
 */
import { type DType, DTypeError, dtypes, isComplexDType, realDType } from "../../storage/dtype.ts";
import { call, cast, constantScalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { sumDTypes } from "./reductions.ts";
import { ReduceKernel, type ReduceSpec } from "./spec.ts";

/** The number of nonzeros, the sums of lengths and of squares, any power, and the largest and smallest length. */
export type Norm = "zero" | "one" | "two" | "power" | "most" | "least";

const norms = { zero: "add", one: "add", two: "add", power: "add", most: "max", least: "min" } as const;

/** Which norm a power means. */
export function normOf(power: number): Norm {
  if (power === Infinity) return "most";
  if (power === -Infinity) return "least";
  return power === 0 ? "zero" : power === 1 ? "one" : power === 2 ? "two" : "power";
}

function checkFloat(who: string, what: string, dtype: DType): void {
  const { category } = dtypes[dtype];
  if (category === "float" || category === "complex") return;
  throw new DTypeError(`${who}: ${what} of ${dtype}: only floats have one. Convert them first: to('float32')`);
}

/** The kernel of a norm; "power" takes one scalar, float64: the power. Its result is real. */
export function makeNorm(who: string, norm: Norm, dtype: DType): ReduceKernel {
  checkFloat(who, "a norm", dtype);
  const isComplex = isComplexDType(dtype);
  const output = realDType(dtype);
  const [lanes, total] = sumDTypes(output);
  const fn = norms[norm];
  const zero = constantScalar(lanes, 0);
  return new ReduceKernel({
    name: `${shortName(dtype)}_norm_${norm}`,
    outputs: [output],
    inputs: [dtype],
    scalars: norm === "power" ? ["float64"] : [],
    accumulators: [{ fn, total: fn === "add" ? total : lanes }],
    terms: ([x], [power]) => {
      const value = isComplex ? x : cast(lanes, x);
      if (norm === "two" && isComplex) {
        const [re, im] = [call("real", value), call("imag", value)];
        return [call("add", call("mul", re, re), call("mul", im, im))];
      }
      if (norm === "two") return [call("mul", value, value)];
      const length = call("abs", value);
      if (norm === "zero") return [cast(lanes, call("ne", length, zero))];
      return [norm === "power" ? call("pow", length, cast(lanes, power)) : length];
    },
    finish: ([sum], [power]) => {
      if (norm === "two") return [cast(output, call("sqrt", sum))];
      if (norm !== "power") return [cast(output, sum)];
      const root = call("div", constantScalar("float64", 1), power);
      return [cast(output, call("pow", sum, root))];
    },
  });
}

/** The kernel of the norm of the differences of two inputs. */
export function makeDistance(who: string, norm: Norm, dtype: DType): ReduceKernel {
  const { spec } = makeNorm(who, norm, dtype);
  const wide = sumDTypes(dtype)[0];
  const terms: ReduceSpec["terms"] = ([x, y], ...more) =>
    spec.terms([call("sub", cast(wide, x), cast(wide, y))], ...more);
  return new ReduceKernel({ ...spec, name: `${spec.name}_apart`, inputs: [dtype, dtype], terms });
}

/** The kernel of log(sum(exp(x))): the largest element first, then the sum of what is left of it, so that nothing overflows. */
export function makeLogSumExp(who: string, dtype: DType): ReduceKernel {
  checkFloat(who, "logsumexp", dtype);
  if (isComplexDType(dtype)) throw new DTypeError(`${who}: logsumexp of ${dtype}: complex numbers have no largest`);
  const [lanes, total] = sumDTypes(dtype);
  const infinite = constantScalar(lanes, Infinity);
  return new ReduceKernel({
    name: `${shortName(dtype)}_logsumexp`,
    outputs: [dtype],
    inputs: [dtype],
    scalars: [],
    before: [
      {
        accumulators: [{ fn: "max", total: lanes }],
        terms: ([x]) => [cast(lanes, x)],
        // An infinite one would give inf - inf.
        settle: ([most]) => [call("select", call("eq", call("abs", most), infinite), constantScalar(lanes, 0), most)],
      },
    ],
    accumulators: [{ fn: "add", total }],
    terms: ([x], _, [most]) => [call("exp", call("sub", cast(lanes, x), most))],
    finish: ([sum], _, [most]) => [cast(dtype, call("add", call("log", sum), cast(total, most)))],
  });
}
