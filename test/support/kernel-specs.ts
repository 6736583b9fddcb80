/**
 * Elementwise specs for the agreement laws, the same for the same number: a catalog with every scalar function on every
 * dtype it takes and every cast, and random bodies over all of them.
 *
 * A body is exact, or one inexact function of exact values: then the spec states by how many steps its result may be
 * off. The bits of a NaN are unspecified, so no body reads them.
 */
import { type ScalarFunction, scalarFunctions } from "../../src/kernel/ir/functions.ts";
import { bitcast, call, cast, constantScalar, type Scalar } from "../../src/kernel/ir/scalar.ts";
import type { MapSpec } from "../../src/kernel/map/spec.ts";
import { type Complex, type DType, dtypeNames, dtypes, type Value } from "../../src/storage/dtype.ts";
import { type Dice, dice } from "./operands.ts";

/**
 * The tolerance of a result: steps of its dtype, in the plane for complex numbers; for complex pow it depends on the
 * operands.
 */
export type Steps = number | ((inputs: readonly Value[], expected: Value) => number);

export interface JudgedSpec {
  readonly spec: MapSpec;
  /** For each output. */
  readonly steps: readonly Steps[];
}

interface Form {
  readonly fn: ScalarFunction;
  readonly args: readonly DType[];
  readonly result: DType;
}

const forms: readonly Form[] = (Object.keys(scalarFunctions) as ScalarFunction[]).flatMap((fn) =>
  dtypeNames.flatMap((dtype): Form[] => {
    const { arity, dtypeOf } = scalarFunctions[fn];
    const args: DType[] = fn === "select" ? ["bool", dtype, dtype] : new Array<DType>(arity).fill(dtype);
    try {
      return [{ fn, args, result: dtypeOf(fn, args) }];
    } catch {
      return []; // Not defined on this dtype.
    }
  }),
);

const roundedOnFloats = new Set<string>(
  (
    "pow atan2 exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan " +
    "sinh cosh tanh asinh acosh atanh erf erfc expNegative"
  ).split(" "),
);
const roundedOnComplex = new Set<string>("sqrt exp log sin cos tan sinh cosh tanh pow abs".split(" "));

/**
 * The rounding error is multiplied by the length of the exponent times the logarithm of the base; near the ends of the
 * range anything is allowed.
 */
const complexPowSteps: Steps = ([base, power], expected) => {
  const length = (value: Value): number => Math.hypot((value as Complex).re, (value as Complex).im);
  const exponent = length(power as Value) * (Math.abs(Math.log(length(base as Value))) + 4);
  const isOrdinary = length(expected) > 1e-30 && length(expected) < 1e30 && Number.isFinite(exponent);
  return isOrdinary ? 8 + 4 * exponent : Infinity;
};

/** The number of steps by which a function of exact values may be off. */
function stepsOf({ fn, args }: Form): Steps {
  const dtype = args.at(-1) as DType;
  const { category } = dtypes[dtype];
  if (category === "complex" && roundedOnComplex.has(fn)) return fn === "pow" ? complexPowSteps : fn === "abs" ? 2 : 8;
  if (category === "float" && roundedOnFloats.has(fn)) return dtype === "float64" ? 4 : fn === "expNegative" ? 3 : 2;
  return 0;
}

const exactForms = new Map(
  dtypeNames.map((dtype) => [dtype, forms.filter((form) => form.result === dtype && stepsOf(form) === 0)]),
);
const roundedForms = new Map(
  dtypeNames.map((dtype) => [
    dtype,
    forms.filter((form) => form.result === dtype && stepsOf(form) !== 0 && stepsOf(form) !== complexPowSteps),
  ]),
);

const isHalf = (dtype: DType): boolean => dtype === "float16" || dtype === "bfloat16";

/** The value, or 0 instead of a NaN, for functions that read bits. */
function withoutNaN(value: Scalar): Scalar {
  const { dtype } = value;
  const { category } = dtypes[dtype];
  if (category === "complex") return call("complex", withoutNaN(call("real", value)), withoutNaN(call("imag", value)));
  if (category !== "float") return value;
  const wide = isHalf(dtype) ? cast("float32", value) : value;
  return call("select", call("eq", wide, wide), value, constantScalar(dtype, 0));
}

const sized = (dtype: DType): readonly DType[] =>
  dtypeNames.filter((other) => other !== dtype && dtypes[other].itemsize === dtypes[dtype].itemsize);

const asBits = (to: DType, of: Scalar): Scalar => bitcast(to, withoutNaN(of));

function callOf(fn: ScalarFunction, args: readonly Scalar[]): Scalar {
  if (fn === "copysign") return call(fn, args[0] as Scalar, withoutNaN(args[1] as Scalar));
  // At most 0, and not so far below that it may underflow.
  if (fn === "expNegative")
    return call(
      fn,
      call("max", call("neg", call("abs", args[0] as Scalar)), constantScalar(args[0]?.dtype as DType, -87)),
    );
  return call(fn, ...args);
}

const single = (
  name: string,
  inputs: readonly DType[],
  output: DType,
  steps: Steps,
  body: (inputs: readonly Scalar[]) => Scalar,
): JudgedSpec => ({
  spec: { name, outputs: [output], inputs, scalars: [], body: (operands) => [body(operands)] },
  steps: [steps],
});

/** Every function on every dtype, every cast, and all bits as all others, one at a time. */
export const catalog: readonly JudgedSpec[] = [
  ...forms.map((form) =>
    single(`${form.fn}_${form.args.at(-1)}`, form.args, form.result, stepsOf(form), (args) => callOf(form.fn, args)),
  ),
  ...dtypeNames.flatMap((from) =>
    dtypeNames.map((to) => single(`${to}_from_${from}`, [from], to, 0, ([x]) => cast(to, x as Scalar))),
  ),
  ...dtypeNames.flatMap((from) =>
    sized(from).map((to) => single(`${to}_bits_${from}`, [from], to, 0, ([x]) => asBits(to, x as Scalar))),
  ),
];

/** The spec with this number: alternately the next of the catalog and a random one. */
export function specOf(number: number): JudgedSpec {
  if (number % 2 === 0) return catalog[(number / 2) % catalog.length] as JudgedSpec;
  return randomSpec(number);
}

/** A random spec: 0 to 4 inputs, 1 or 2 outputs, 0 to 3 scalars. */
export function randomSpec(number: number): JudgedSpec {
  const roll = dice(number);
  const pick = <T>(list: readonly T[]): T => list[roll(0, list.length - 1)] as T;
  // Few dtypes, so that some operands share a dtype.
  const pool = Array.from({ length: roll(1, 2) }, () => pick(dtypeNames));
  const some = (min: number, max: number): DType[] =>
    Array.from({ length: roll(min, max) }, () => (roll(0, 5) === 0 ? pick(dtypeNames) : pick(pool)));
  const inputs = some(roll(0, 15) === 0 ? 0 : 1, 4);
  const outputs = some(1, 2);
  const scalars = some(0, 3);
  const steps: number[] = [];
  const depth = roll(1, 3);
  const body = (operands: readonly Scalar[], parameters: readonly Scalar[]): Scalar[] => {
    const trees = new Trees(dice(number + 0x5eed), operands, parameters);
    return outputs.map((dtype, k) => {
      const { value, off } = trees.root(dtype, depth);
      steps[k] = off;
      return value;
    });
  };
  const isMasked = inputs.length > 1 && roll(0, 7) === 0;
  const spec: MapSpec = { name: `random_${number}`, outputs, inputs, scalars, body, ...(isMasked && { isMasked }) };
  const placeholder = (dtype: DType): Scalar => ({ kind: "named", dtype, name: "x" });
  // Built once here, to determine the steps.
  body(inputs.map(placeholder), scalars.map(placeholder));
  return { spec, steps };
}

/** Random values over given ones; a value is sometimes used again. */
class Trees {
  private readonly roll: Dice;
  private readonly leaves: readonly Scalar[];
  private readonly parameters: readonly Scalar[];
  private readonly values: Scalar[] = [];

  constructor(roll: Dice, leaves: readonly Scalar[], parameters: readonly Scalar[]) {
    this.roll = roll;
    this.leaves = leaves;
    this.parameters = parameters;
  }

  /** A value to store, and the number of steps by which it may be off. */
  root(dtype: DType, depth: number): { readonly value: Scalar; readonly off: number } {
    const computed = isHalf(dtype) ? "float32" : dtype;
    const rounded = roundedForms.get(computed) as readonly Form[];
    if (rounded.length === 0 || this.roll(0, 3) > 0) return { value: this.tree(dtype, depth), off: 0 };
    const form = this.pick(rounded);
    const value = callOf(
      form.fn,
      form.args.map((arg) => this.tree(arg, Math.min(depth - 1, 1))),
    );
    // A step of float32 is at most one of a half that is rounded the other way.
    return { value: cast(dtype, value), off: computed === dtype ? (stepsOf(form) as number) : 1 };
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.roll(0, list.length - 1)] as T;
  }

  private tree(dtype: DType, depth: number): Scalar {
    const known = this.values.filter((value) => value.dtype === dtype);
    if (known.length > 0 && this.roll(0, 5) === 0) return this.pick(known);
    const value = depth === 0 || this.roll(0, 7) === 0 ? this.leaf(dtype) : this.compound(dtype, depth - 1);
    this.values.push(value);
    return value;
  }

  private leaf(dtype: DType): Scalar {
    const loads = this.leaves.filter((value) => value.dtype === dtype);
    const parameters = this.parameters.filter((value) => value.dtype === dtype);
    if (loads.length > 0 && this.roll(0, 4) > 0) return this.pick(loads);
    if (parameters.length > 0 && this.roll(0, 3) > 0) return this.pick(parameters);
    if (this.leaves.length > 0 && this.roll(0, 3) > 0) return cast(dtype, this.pick(this.leaves));
    return constantScalar(dtype, this.literal(dtype));
  }

  private compound(dtype: DType, depth: number): Scalar {
    const all = exactForms.get(dtype) as readonly Form[];
    const near = all.filter((form) => this.leaves.some((leaf) => leaf.dtype === form.args.at(-1)));
    const list = near.length > 0 && this.roll(0, 4) > 0 ? near : all;
    if (list.length > 0 && this.roll(0, 3) > 0 && (!isHalf(dtype) || this.roll(0, 3) === 0)) {
      const { fn, args } = this.pick(list);
      return callOf(
        fn,
        args.map((arg) => this.tree(arg, depth)),
      );
    }
    const alike = sized(dtype);
    if (alike.length > 0 && this.roll(0, 4) === 0) return asBits(dtype, this.tree(this.pick(alike), depth));
    const sources: readonly DType[] = isHalf(dtype) ? ["float32", "float32", "float64"] : dtypeNames;
    return cast(dtype, this.tree(this.pick(sources), depth));
  }

  private literal(dtype: DType): Value {
    const { category, itemsize } = dtypes[dtype];
    const float = (): number => this.pick([0, -0, 1, -1.5, 0.1, 1e-7, 3, 1e9, Infinity, Number.NaN]);
    if (category === "bool") return this.roll(0, 1) === 1;
    if (category === "complex") return { re: float(), im: float() };
    if (category === "float") return float();
    const wide = dtype === "int64" ? [9007199254740993n, -(2n ** 63n), -1n] : [2n ** 64n - 1n, 2n ** 63n];
    const narrow = dtype.startsWith("u")
      ? [0, 1, 7, 2 ** (8 * itemsize) - 1]
      : [0, 1, -1, 7, -(2 ** (8 * itemsize - 1))];
    return this.pick<Value>(itemsize === 8 ? [...wide, 3, 64] : narrow);
  }
}
