/**
 * Samples of ops: their arguments as text, as a user writes them. The first sample of an op is its example in docs/ops;
 * `test/ops` runs all of them. They are in `samples`, one file for each family, or above the op: `@example
 * softmin(tensor([1, 2]), 0)`.
 */
import { readdirSync, readFileSync } from "node:fs";
import * as stridewise from "../../src/index.ts";
import type { Operator } from "../../src/tensor/dispatch/operator.ts";
import { projectRoot } from "./command.ts";
import { composite } from "./samples/composite.ts";
import { contract } from "./samples/contract.ts";
import { elementwise, elementwiseSamples } from "./samples/elementwise.ts";
import { fft } from "./samples/fft.ts";
import { linalg } from "./samples/linalg.ts";
import { masked } from "./samples/masked.ts";
import { movement } from "./samples/movement.ts";
import { random } from "./samples/random.ts";
import { reduce } from "./samples/reduce.ts";
import { routine } from "./samples/routine.ts";

/** A function that is an op. */
export type Op = ((...args: unknown[]) => unknown) & { readonly operator: Operator };

const isOp = (value: unknown): value is Op =>
  typeof value === "function" && "operator" in value && typeof (value as Op).operator === "object";

/** All ops that the package exports, by exported name: `linalg.inv`. */
export function exportedOps(): Map<string, Op> {
  const ops = new Map<string, Op>();
  const add = (prefix: string, names: object): void => {
    for (const [name, value] of Object.entries(names)) {
      // Ops that write to their argument are not included.
      if (isOp(value) && !name.endsWith("_")) ops.set(prefix + name, value);
      else if (prefix === "" && !isOp(value) && /^(linalg|fft|masked)$/.test(name)) add(`${name}.`, value as object);
    }
  };
  add("", stridewise);
  return ops;
}

/** Ops with random results. */
export const randomOps: ReadonlySet<string> = new Set(
  "dropout alphaDropout featureDropout bernoulli multinomial poisson normal rrelu standardGamma binomial sampleBeta sampleDirichlet dropout1d dropout2d dropout3d featureAlphaDropout".split(
    " ",
  ),
);

/** Samples by name. */
const listed: Readonly<Record<string, readonly string[]>> = {
  ...elementwise,
  ...reduce,
  ...contract,
  ...routine,
  ...fft,
  ...movement,
  ...linalg,
  ...masked,
  ...random,
  ...composite,
};

/** The samples above the ops, by name. */
function examples(): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const path of readdirSync(`${projectRoot}src/ops`, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts")) continue;
    for (const [, name, sample] of readFileSync(`${projectRoot}src/ops/${path}`, "utf8").matchAll(
      /@example ([\w.]+)\((.*)\)/g,
    ))
      byName.set(name as string, [...(byName.get(name as string) ?? []), sample as string]);
  }
  return byName;
}
let written: Map<string, string[]> | null = null;

/** The samples of an op, for an alias those of the first name; an empty list if there are none. */
export function samplesOf(name: string, { operator }: Op): readonly string[] {
  const first = operator.family === "elementwise" ? elementwiseSamples(operator.name) : [];
  const known = listed[name] ?? listed[operator.name] ?? first;
  if (known.length > 0) return known;
  written ??= examples();
  return written.get(operator.name) ?? [];
}

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

const makersOfArguments = new Map<string, () => unknown[]>();

/** The arguments of a sample. */
export function argumentsOf(sample: string): unknown[] {
  let make = makersOfArguments.get(sample);
  if (make === undefined) {
    const names = [...new Set(sample.match(/[A-Za-z]\w*/g))].filter((one) => one in stridewise);
    const values = names.map((one) => (stridewise as Record<string, unknown>)[one]);
    make = new Function(...names, `return [${sample}];`).bind(null, ...values) as () => unknown[];
    makersOfArguments.set(sample, make);
  }
  return make();
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
