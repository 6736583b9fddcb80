/**
 * Formulas by their text: the kernels of the last 256 texts, and the op that computes one, for whoever looks at calls. Gradients of
 * formulas are computed here; `user-kernel.ts` is the door for users, and checks what they give.
 */
import { once } from "../base/remember.ts";
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

interface Kept {
  readonly kernels: FormulaKernels;
  used: number;
}

const mostTexts = 256;
const texts = /* @__PURE__ */ new Map<string, Kept>();
let clock = 0;

/** The kernels of a formula, parsed when its text is new. */
export function kernelsOf(text: string): FormulaKernels {
  const known = texts.get(text);
  if (known === undefined) return keepKernels(text, new FormulaKernels(parseFormula(text)));
  known.used = ++clock;
  return known.kernels;
}

/** Keeps the kernels of a formula under its text. */
function keepKernels(text: string, kernels: FormulaKernels): FormulaKernels {
  if (texts.size >= mostTexts && !texts.has(text)) forgetOldest(texts);
  texts.set(text, { kernels, used: ++clock });
  return kernels;
}

/** Forgets the quarter that was not used for longest. */
function forgetOldest(all: Map<string, Kept>): void {
  const times = Array.from(all.values(), ({ used }) => used).sort((a, b) => a - b);
  const newest = times[all.size >> 2];
  for (const [text, { used }] of all) if (used < newest) all.delete(text);
}

/** The keys of the tensors among some operands for which somebody looks at calls. */
export function keysSeen(operands: readonly unknown[]): KeySet {
  let keys: KeySet = guarded;
  for (let k = 0; k < operands.length; k++) {
    const operand = operands[k];
    if (operand instanceof Tensor) keys |= (callBits(operand) >>> keyShift) & seen;
  }
  return keys;
}

/** Computes a formula over operands in its order: the results in the order of its outputs. */
export function computeInOrder(kernels: FormulaKernels, given: readonly FormulaOperand[]): readonly Tensor[] {
  if (keysSeen(given) === 0) return kernels.run(given, null);
  const { formula } = kernels;
  // Calls show the text of a formula. That of a derivative leads back to its kernels: it is not parsed.
  if (formula.isDerived) keepKernels(formula.text, kernels);
  const operands = Object.fromEntries(formula.operands.map((name, k) => [name, given[k]]));
  return listed(formula, formulaOperator().call([formula.text, operands]) as Results);
}

const isNamed = ({ outputs }: Formula): boolean => outputs[0]?.name !== null;

/** Results in the order of the formula's outputs. */
const listed = (formula: Formula, results: Results): readonly Tensor[] =>
  isNamed(formula)
    ? formula.outputs.map(({ name }) => (results as Readonly<Record<string, Tensor>>)[name as string])
    : [results as Tensor];

/** Results as users get them: one without a name is alone. */
export const named = (formula: Formula, results: readonly Tensor[]): Results =>
  isNamed(formula) ? Object.fromEntries(formula.outputs.map(({ name }, k) => [name, results[k]])) : results[0];

/** The op that others see: its arguments are the text, the operands and the options. */
export const formulaOperator: () => Operator = /* @__PURE__ */ once(() => {
  const given = ({ operands: names }: Formula, operands: FormulaOperands): FormulaOperand[] =>
    names.map((name) => operands[name]);
  const compute =
    (how: "run" | "runOnMeta") =>
    (text: string, operands: FormulaOperands, options?: Options): Results => {
      const kernels = kernelsOf(text);
      const { formula } = kernels;
      const outputs = options?.out === undefined ? null : listed(formula, options.out);
      return named(formula, kernels[how](given(formula, operands), outputs));
    };
  const operator = new Operator(userFormula, "elementwise");
  operator.setKernel("cpu", compute("run"));
  operator.setKernel("meta", compute("runOnMeta"));
  operator.plan = ([text, operands, options]) => {
    const kernels = kernelsOf(text as string);
    const out = (options as Options | undefined)?.out;
    const outputs = out === undefined ? null : listed(kernels.formula, out);
    return kernels.plan(given(kernels.formula, operands as FormulaOperands), outputs);
  };
  operator.body = ([text, operands]) => {
    const { formula } = kernelsOf(text as string);
    return { formula, given: given(formula, operands as FormulaOperands), gradients: {} };
  };
  return operator;
});
