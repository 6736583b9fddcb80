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
      else if (prefix === "" && !isOp(value) && (name === "linalg" || name === "fft")) add(`${name}.`, value as object);
    }
  };
  add("", stridewise);
  return found;
}

/** Samples by name. */
const listed: Readonly<Record<string, readonly string[]>> = {
  ...elementwise,
  ...reduce,
  ...contract,
  ...routine,
  ...fft,
  ...movement,
  ...linalg,
  ...random,
  ...composite,
};

/** The samples of an op; none if nobody has written any. */
export function samplesOf(name: string, op: Op): readonly string[] {
  return listed[name] ?? (op.operator.family === "elementwise" ? elementwiseSamples(name) : []);
}

const makers = ["tensor", "ones", "zeros", "arange", "full", "eye", "linspace"];

/** Calls an op with arguments in the way a user writes them; `change` may put others in the place of the tensors made there. */
export function callSample(
  name: string,
  sample: string,
  change?: (t: stridewise.Tensor) => stridewise.Tensor,
): unknown {
  const names = Object.keys(stridewise).filter((one) => /^[A-Za-z]\w*$/.test(one) && one !== "var");
  const make = new Function(...names, `return ${name === "var" ? "variance" : name}(${sample});`);
  return make(
    ...names.map((one) => {
      const value = (stridewise as Record<string, unknown>)[one];
      if (change === undefined || !makers.includes(one)) return value;
      return (...args: unknown[]) => change((value as (...args: unknown[]) => stridewise.Tensor)(...args));
    }),
  );
}
