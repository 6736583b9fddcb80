/**
 * Samples of ops: their arguments as text, as a user writes them. The first sample of an op is its example in docs/ops;
 * `test/ops` runs all of them. They are in `samples`, one file for each family, or above the op: `@example
 * softmin(tensor([1, 2]), 0)`.
 */
import * as stridewise from "../../src/index.ts";
import { listed, type Op, samplesFrom } from "./sampled-ops.ts";
import { writtenSamples } from "./written-samples.ts";

export { argumentsOf, exportedOps, type Op, randomOps } from "./sampled-ops.ts";

let written: Record<string, string[]> | null = null;

/** The samples of an op, for an alias those of the first name; an empty list if there are none. */
export const samplesOf = (name: string, op: Op): readonly string[] =>
  samplesFrom(() => (written ??= writtenSamples()), name, op);

/** The samples of an op that differ in more than the values of elements. */
export const distinctSamples = (name: string, op: Op): readonly string[] =>
  op.operator.family === "elementwise" && !(name in listed) ? samplesOf(name, op).slice(0, 1) : samplesOf(name, op);

/** A sample with one more option: in its last options object, or in a new one. */
export const withOption = (sample: string, option: string): string =>
  / \{[^{}]*\}$/.test(sample) ? sample.replace(/ ?\}$/, `, ${option} }`) : `${sample}, { ${option} }`;

const makers = ["tensor", "ones", "zeros", "arange", "full", "eye", "linspace"];

/**
 * Calls an op with arguments as a user writes them. `change` may replace the tensors created there, and `out` is the
 * value of that name.
 */
export function callSample(
  name: string,
  sample: string,
  change?: (t: stridewise.Tensor) => stridewise.Tensor,
  out?: unknown,
): unknown {
  const names = Object.keys(stridewise).filter((one) => /^[A-Za-z]\w*$/.test(one) && one !== "var");
  const make = new Function("out", ...names, `return ${name === "var" ? "variance" : name}(${sample});`);
  return make(
    out,
    ...names.map((one) => {
      const value = (stridewise as Record<string, unknown>)[one];
      if (change === undefined || !makers.includes(one)) return value;
      return (...args: unknown[]) => change((value as (...args: unknown[]) => stridewise.Tensor)(...args));
    }),
  );
}

/** A value with every tensor in it replaced, in lists and plain objects too. */
export function mapTensors(value: unknown, change: (t: stridewise.Tensor) => stridewise.Tensor): unknown {
  if (value instanceof stridewise.Tensor) return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTensors(one, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTensors(one, change)]));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Arguments with one more option. */
export function withOut(args: readonly unknown[], out: unknown): unknown[] {
  const last = args.at(-1);
  return isRecord(last) ? [...args.slice(0, -1), { ...last, out }] : [...args, { out }];
}

type InPlace = (target: stridewise.Tensor, args: unknown[]) => unknown;

/** The method or function with a `_` suffix; null if there is none. */
export function inPlaceForm(name: string, op: Op): InPlace | null {
  const inPlace = `${op.operator.name}_`;
  const method = (stridewise.Tensor.prototype as unknown as Record<string, unknown>)[inPlace];
  if (typeof method === "function") return (target, args) => method.apply(target, args);
  const own = (stridewise as Record<string, unknown>)[`${name}_`];
  return typeof own === "function" ? (target, args) => own(target, ...args) : null;
}
