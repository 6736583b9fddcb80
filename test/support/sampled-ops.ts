/**
 * Ops and the arguments of their samples, without the files of the project, so that pages can use them too; `op-samples.ts` has the samples of all ops.
 */
import * as stridewise from "../../src/index.ts";
import type { Operator } from "../../src/tensor/dispatch/operator.ts";
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
export const listed: Readonly<Record<string, readonly string[]>> = {
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

/** The samples of an op, for an alias those of the first name; an empty list if there are none. `written` are those above the ops. */
export function samplesFrom(
  written: () => Readonly<Record<string, readonly string[]>>,
  name: string,
  { operator }: Op,
): readonly string[] {
  const first = operator.family === "elementwise" ? elementwiseSamples(operator.name) : [];
  const known = listed[name] ?? listed[operator.name] ?? first;
  return known.length > 0 ? known : (written()[operator.name] ?? []);
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
