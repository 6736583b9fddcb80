/**
 * Samples of ops: their arguments as text, the way a user writes them. The first sample of an op is its example in docs/ops.md; all of them
 * are run by `test/ops`. They are in `samples`, one file for each family.
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

/** All ops that the package exports, by the name under which it does: `linalg.inv`. */
export function exportedOps(): Map<string, Op> {
  const found = new Map<string, Op>();
  const add = (prefix: string, names: object): void => {
    for (const [name, value] of Object.entries(names)) {
      // Ops that write to their argument are no part of this.
      if (isOp(value) && !name.endsWith("_")) found.set(prefix + name, value);
      else if (prefix === "" && !isOp(value) && /^(linalg|fft|masked)$/.test(name)) add(`${name}.`, value as object);
    }
  };
  add("", stridewise);
  return found;
}

/** Ops whose results depend on chance. */
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

/** The samples of an op, under another name those of the first; none if nobody has written any. */
export function samplesOf(name: string, { operator }: Op): readonly string[] {
  const first = operator.family === "elementwise" ? elementwiseSamples(operator.name) : [];
  return listed[name] ?? listed[operator.name] ?? first;
}

/** A sample with one more option: in its options object, if it has one at its end, else in a new one. */
export const withOption = (sample: string, option: string): string =>
  / \{[^{}]*\}$/.test(sample) ? sample.replace(/ ?\}$/, `, ${option} }`) : `${sample}, { ${option} }`;

/** The arguments of a sample, as values. */
export function argumentsOf(sample: string): unknown[] {
  const names = Object.keys(stridewise).filter((one) => /^[A-Za-z]\w*$/.test(one) && one !== "var");
  const make = new Function("out", ...names, `return [${sample}];`);
  return make(undefined, ...names.map((one) => (stridewise as Record<string, unknown>)[one])) as unknown[];
}

const makers = ["tensor", "ones", "zeros", "arange", "full", "eye", "linspace"];

/**
 * Calls an op with arguments in the way a user writes them; `change` may put others in the place of the tensors made there, and `out`
 * is what that name stands for.
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
