/**
 * Evenly spaced values: arange by step, linspace and logspace by count.
 * Element i is computed from i alone, in float64 (of bigints in int64), and then converted, so rounding errors do not accumulate.
 */

import { StridewiseError } from "../../base/errors.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { call, cast, type Scalar } from "../../kernel/ir/scalar.ts";
import { MapKernel } from "../../kernel/map/map.ts";
import { shortName } from "../../kernel/map/short-name.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMap, maxNumbered, runMap } from "../../kernel/program/lower-map.ts";
import type { DType, Value } from "../../storage/dtype.ts";
import { getDefaultDType } from "../../storage/promotion.ts";
import { describeValue } from "../describe-value.ts";
import { scratchTensor } from "../lowering.ts";
import { operandOf } from "../operand.ts";
import { storageOf, type Tensor } from "../tensor.ts";
import { dtypeOr, fresh, type PlacedOptions } from "./create.ts";

/** The formula of element i, which depends only on i. */
type Rule = "arange" | "arangeExact" | "linspace" | "logspace";
type Numbers = readonly Scalar[];

const float = (number: Scalar): Scalar => cast("float64", number);

/** The value of element `number` by each rule, from its scalars. */
const bodies: Readonly<Record<Rule, (number: Scalar, scalars: Numbers) => Scalar>> = {
  /** start + i * step */
  arange: (number, [start, step]) => call("add", start, call("mul", float(number), step)),
  arangeExact: (number, [start, step]) => call("add", start, call("mul", number, step)),
  linspace: (number, scalars) => evenly(float(number), scalars),
  /** base ^ linspace */
  logspace: (number, [base, ...scalars]) => call("pow", base, evenly(float(number), scalars)),
};

/** Element i of values from start to end, counted from the nearer end, so that both ends are exact. */
function evenly(number: Scalar, [start, end, step, last, middle]: Numbers): Scalar {
  const forwards = call("add", start, call("mul", step, number));
  const back = call("mul", step, call("sub", last, number));
  return call("select", call("lt", number, middle), forwards, call("sub", end, back));
}

const kernels: Map<string, MapKernel> = /* @__PURE__ */ new Map();

function kernelOf(rule: Rule, dtype: DType, scalars: number): MapKernel {
  const make = (): MapKernel => {
    const computed = rule === "arangeExact" ? "int64" : "float64";
    return new MapKernel({
      name: `${shortName(dtype)}_${rule}`,
      outputs: [dtype],
      inputs: [],
      scalars: ["int64", ...new Array<DType>(scalars).fill(computed)],
      body: (_, [from, ...rest], number) => [
        cast(dtype, bodies[rule](call("add", from, cast("int64", number())), rest)),
      ],
    });
  };
  return getOrCompute(kernels, `${rule} ${dtype}`, make);
}

/** A new 1-D tensor filled by a rule. */
function sequence(
  who: string,
  rule: Rule,
  size: number,
  dtype: DType,
  options: PlacedOptions,
  scalars: readonly Value[],
): Tensor {
  const t = fresh(who, [size], dtype, options);
  if (t.device.type === "meta") return t;
  const storage = storageOf(t, who);
  const kernel = kernelOf(rule, dtype, scalars.length);
  const max = maxNumbered(storage);
  for (let from = 0; from < size; from += max) {
    const shape = [Math.min(max, size - from)];
    runMap(kernel, [{ storage, dtype, offset: from, shape, stride: [1] }], [from, ...scalars]);
  }
  return t;
}

/** Adds steps that compute the integers from 0 up to, not including, `count`; returns them as an int32 tensor in the workspace. */
export function lowerIntegers(builder: ProgramBuilder, count: number): Tensor {
  const t = scratchTensor(builder, "int32", [count]);
  lowerMap(builder, kernelOf("arangeExact", "int32", 2), [operandOf(t, "arange")], [0n, 0n, 1n]);
  return t;
}

/** start, start + step, ... up to, not including, end: int64 for bigints, the default dtype for numbers. */
export function arange(
  start: number | bigint,
  end: number | bigint,
  step: number | bigint = typeof start === "bigint" ? 1n : 1,
  options: PlacedOptions = {},
): Tensor {
  if (typeof start === "bigint" && typeof end === "bigint" && typeof step === "bigint")
    return arangeExact(start, end, step, options);
  const [from, to, by] = [Number(start), Number(end), Number(step)];
  checkStep(from, to, by);
  const dtype = dtypeOr("arange", options, getDefaultDType());
  return sequence("arange", "arange", Math.ceil((to - from) / by), dtype, options, [from, by]);
}

function arangeExact(start: bigint, end: bigint, step: bigint, options: PlacedOptions): Tensor {
  checkStep(start, end, step);
  const distance = end - start;
  const size = distance / step + (distance % step === 0n ? 0n : 1n);
  const dtype = dtypeOr("arange", options, "int64");
  return sequence("arange", "arangeExact", Number(size), dtype, options, [start, step]);
}

function checkStep(start: number | bigint, end: number | bigint, step: number | bigint): void {
  const refuse = (rule: string): StridewiseError =>
    new StridewiseError(`arange: ${rule}, got start ${start}, end ${end}, step ${step}`);
  if (typeof start === "number" && !(Number.isFinite(start) && Number.isFinite(end) && Number.isFinite(step)))
    throw refuse("all three must be finite numbers");
  // biome-ignore lint/suspicious/noDoubleEquals: 0 and 0n are both no step
  if (step == 0) throw refuse("step must be nonzero");
  if (step > 0 ? start > end : start < end)
    throw new StridewiseError(
      `arange: step ${step} never reaches end ${end} from start ${start}. Use a ${step > 0 ? "negative" : "positive"} step`,
    );
}

/** The error of arange without an end. */
export function noNumbers(args: readonly unknown[]): StridewiseError {
  const what = args.map((item) => (typeof item === "string" ? `'${item}'` : String(item))).join(", ");
  return new StridewiseError(`arange: needs an end, a number or bigint, got ${what || "nothing"}`);
}

function checkSteps(who: string, start: unknown, end: unknown, steps: number): void {
  if (typeof start !== "number" || typeof end !== "number")
    throw new StridewiseError(
      `${who}: start and end must be numbers, got ${describeValue(start)} and ${describeValue(end)}`,
    );
  if (!Number.isSafeInteger(steps) || steps < 0)
    throw new StridewiseError(`${who}: steps must be a non-negative integer, got ${describeValue(steps)}`);
}

/** Throws unless `endpoint` is omitted or a boolean. */
export function checkEndpoint(who: string, { endpoint }: SpaceOptions): void {
  if (endpoint !== undefined && typeof endpoint !== "boolean")
    throw new StridewiseError(`${who}: endpoint must be a boolean, got ${describeValue(endpoint)}`);
}

export interface SpaceOptions extends PlacedOptions {
  /** Whether the last value is `end`. Default: true. */
  readonly endpoint?: boolean | undefined;
}

/** The scalars of `evenly`. Without the endpoint, values are counted from the start only. */
function evenSteps(start: number, end: number, steps: number, endpoint = true): number[] {
  const last = endpoint ? steps - 1 : steps;
  return [start, end, last > 0 ? (end - start) / last : 0, last, endpoint ? steps / 2 : steps];
}

/** `steps` values from start to end, both included, or without end. */
export function linspace(start: number, end: number, steps: number, options: SpaceOptions = {}): Tensor {
  checkSteps("linspace", start, end, steps);
  const dtype = dtypeOr("linspace", options);
  checkEndpoint("linspace", options);
  return sequence("linspace", "linspace", steps, dtype, options, evenSteps(start, end, steps, options.endpoint));
}

/** `steps` values from base^start to base^end, both included, or without the last, with a constant ratio. */
export function logspace(
  start: number,
  end: number,
  steps: number,
  options: SpaceOptions & { readonly base?: number | undefined } = {},
): Tensor {
  checkSteps("logspace", start, end, steps);
  const dtype = dtypeOr("logspace", options);
  checkEndpoint("logspace", options);
  const base = options.base ?? 10;
  if (typeof base !== "number")
    throw new StridewiseError(`logspace: base must be a number, got ${describeValue(base)}`);
  return sequence("logspace", "logspace", steps, dtype, options, [
    base,
    ...evenSteps(start, end, steps, options.endpoint),
  ]);
}
