/**
 * Vector norms and log-sum-exp as reductions.
 * A norm of complex numbers is that of their absolute values. The general norm takes its power as a scalar.
 */
import { type DType, isComplexDType, realDType } from "../../storage/dtype.ts";
import { call, cast, constantScalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { squared } from "./moments.ts";
import { checkFloat, noOrder, sumDTypes } from "./reductions.ts";
import { ReduceKernel, type ReduceSpec } from "./spec.ts";

/** The number of nonzeros, the sums of absolute values and of squares, any power, and the largest and smallest absolute value. */
type VectorNorm = "zero" | "one" | "two" | "power" | "max" | "min";

const norms = { zero: "add", one: "add", two: "add", power: "add", max: "max", min: "min" } as const;

/** Returns the norm of a power. */
export function normOf(power: number): VectorNorm {
  if (power === Infinity) return "max";
  if (power === -Infinity) return "min";
  return power === 0 ? "zero" : power === 1 ? "one" : power === 2 ? "two" : "power";
}

/** Returns the kernel of a norm, whose result is real; "power" takes the power as a scalar, a float64. */
export function makeNorm(who: string, norm: VectorNorm, dtype: DType): ReduceKernel {
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
      if (norm === "two") return [squared(value)];
      const size = call("abs", value);
      if (norm === "zero") return [cast(lanes, call("ne", size, zero))];
      return [norm === "power" ? call("pow", size, cast(lanes, power)) : size];
    },
    finish: ([sum], [power]) => {
      if (norm === "two") return [cast(output, call("sqrt", sum))];
      if (norm !== "power") return [cast(output, sum)];
      const root = call("div", constantScalar("float64", 1), power);
      return [cast(output, call("pow", sum, root))];
    },
  });
}

/** Returns the kernel of the norm of the difference of two inputs. */
export function makeDistance(who: string, norm: VectorNorm, dtype: DType): ReduceKernel {
  const { spec } = makeNorm(who, norm, dtype);
  const wide = sumDTypes(dtype)[0];
  const terms: ReduceSpec["terms"] = ([x, y], ...more) =>
    spec.terms([call("sub", cast(wide, x), cast(wide, y))], ...more);
  return new ReduceKernel({ ...spec, name: `${spec.name}_apart`, inputs: [dtype, dtype], terms });
}

/** Returns the kernel of log(sum(exp(x))): the largest element first, then the sum of exp(x - largest), so that nothing overflows. */
export function makeLogSumExp(who: string, dtype: DType): ReduceKernel {
  checkFloat(who, "logsumexp", dtype);
  if (isComplexDType(dtype)) throw noOrder(who, "logsumexp", dtype);
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
        // An infinite one would result in inf - inf.
        finish: ([max]) => [call("select", call("eq", call("abs", max), infinite), constantScalar(lanes, 0), max)],
      },
    ],
    accumulators: [{ fn: "add", total }],
    terms: ([x], _, [max]) => [call("exp", call("sub", cast(lanes, x), max))],
    finish: ([sum], _, [max]) => [cast(dtype, call("add", call("log", sum), cast(total, max)))],
  });
}
