/**
 * Formulas by their text: the kernels of the last 256 texts, and the op that computes a formula where calls go through dispatch. Gradients
 * of formulas are computed here; `user-kernel.ts` is the public function, and checks its arguments.
 */
import { once } from "../base/lazy.ts";
import { runtime } from "../base/runtime.ts";
import { type KeySet, keyShift } from "../tensor/dispatch/keys.ts";
import { guarded, Operator, seen } from "../tensor/dispatch/operator.ts";
import { callBits, Tensor } from "../tensor/tensor.ts";
import { type Formula, userFormula } from "./formula/node.ts";
import { parseFormula } from "./formula/parse.ts";
import { FormulaKernels } from "./formula-kernels.ts";
import type { FormulaOperand } from "./formula-variant.ts";

/** The operands of a formula by name. */
export type FormulaOperands = Readonly<Record<string, FormulaOperand>>;
type Results = Tensor | Readonly<Record<string, Tensor>>;
interface Options {
  readonly out?: Results | undefined;
}

interface CachedKernels {
  readonly kernels: FormulaKernels;
  used: number;
}

const maxTexts = 256;
const state = /* @__PURE__ */ runtime.own("ops/formula-op", { texts: new Map<string, CachedKernels>(), clock: 0 });

/** Returns the kernels of a formula, which is parsed if its text is new. */
export function kernelsOf(text: string): FormulaKernels {
  const known = state.texts.get(text);
  if (known === undefined) return keepKernels(text, new FormulaKernels(parseFormula(text)));
  known.used = ++state.clock;
  return known.kernels;
}

/** Caches the kernels of a formula under its text. */
function keepKernels(text: string, kernels: FormulaKernels): FormulaKernels {
  const { texts } = state;
  if (texts.size >= maxTexts && !texts.has(text)) dropOldest(texts);
  texts.set(text, { kernels, used: ++state.clock });
  return kernels;
}

/** Drops the least recently used quarter. */
function dropOldest(all: Map<string, CachedKernels>): void {
  const times = Array.from(all.values(), ({ used }) => used).sort((a, b) => a - b);
  const newest = times[all.size >> 2];
  for (const [text, { used }] of all) if (used < newest) all.delete(text);
}

/** Returns the keys for which a call with these operands goes through dispatch; 0 if there are none. */
export function keysSeen(operands: readonly unknown[]): KeySet {
  let keys: KeySet = guarded;
  for (let k = 0; k < operands.length; k++) {
    const operand = operands[k];
    if (operand instanceof Tensor) keys |= (callBits(operand) >>> keyShift) & seen;
  }
  return keys;
}

/** Computes a formula over operands in its order. Returns the results in the order of its outputs. */
export function computeInOrder(kernels: FormulaKernels, values: readonly FormulaOperand[]): readonly Tensor[] {
  if (keysSeen(values) === 0) return kernels.run(values, null);
  const { formula } = kernels;
  // Dispatched calls carry the text of a formula. The text of a derivative is not parsed: it finds its kernels in the cache.
  if (formula.isDerived) keepKernels(formula.text, kernels);
  const operands = Object.fromEntries(formula.operands.map((name, k) => [name, values[k]]));
  return listed(formula, formulaOperator().call([formula.text, operands]) as Results);
}

const isNamed = ({ outputs }: Formula): boolean => outputs[0]?.name !== null;

/** Returns results in the order of the formula's outputs. */
const listed = (formula: Formula, results: Results): readonly Tensor[] =>
  isNamed(formula)
    ? formula.outputs.map(({ name }) => (results as Readonly<Record<string, Tensor>>)[name as string])
    : [results as Tensor];

/** Returns results as users receive them: an object by name, or a single tensor. */
export const named = (formula: Formula, results: readonly Tensor[]): Results =>
  isNamed(formula) ? Object.fromEntries(formula.outputs.map(({ name }, k) => [name, results[k]])) : results[0];

/** The op of all formulas. Its arguments are the text, the operands and the options. */
export const formulaOperator: () => Operator = /* @__PURE__ */ once(() => {
  const inOrder = ({ operands: names }: Formula, operands: FormulaOperands): FormulaOperand[] =>
    names.map((name) => operands[name]);
  const compute =
    (how: "run" | "runOnMeta") =>
    (text: string, operands: FormulaOperands, options?: Options): Results => {
      const kernels = kernelsOf(text);
      const { formula } = kernels;
      const outputs = options?.out === undefined ? null : listed(formula, options.out);
      return named(formula, kernels[how](inOrder(formula, operands), outputs));
    };
  const operator = new Operator(userFormula, "elementwise");
  operator.setKernel("cpu", compute("run"));
  operator.setKernel("meta", compute("runOnMeta"));
  operator.plan = ([text, operands, options], allocate) => {
    const kernels = kernelsOf(text as string);
    const out = (options as Options | undefined)?.out;
    const outputs = out === undefined ? null : listed(kernels.formula, out);
    const call = kernels.plan(inOrder(kernels.formula, operands as FormulaOperands), outputs, allocate);
    return { ...call, value: named(kernels.formula, call.results) };
  };
  operator.body = ([text, operands]) => {
    const { formula } = kernelsOf(text as string);
    return { formula, operands: inOrder(formula, operands as FormulaOperands), gradients: {} };
  };
  operator.formula = operator.body;
  return operator;
});
