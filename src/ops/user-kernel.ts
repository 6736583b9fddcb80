/**
 * Kernels of the user's own: `elementwise("a * x + b", { a, x, b })`. A formula over tensors and numbers, computed in one pass over
 * any layouts, with broadcasting and PyTorch's dtypes, compiled when it is first used and kept.
 *
 * A formula is parsed once; of the last 256 texts the compiled kernels are kept, one for each kind of operands. Numbers are arguments:
 * another value compiles nothing. What the text may say is in `formula/parse.ts`.
 */
import { ShapeError, StridewiseError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { Kernel } from "../kernel/ir/kernel.ts";
import type { DType, Value } from "../storage/dtype.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { callBits, type KeySet, keyShift } from "../tensor/dispatch/keys.ts";
import { guarded, Operator, type OpKernel, seen } from "../tensor/dispatch/operator.ts";
import { setNames, unifyNames } from "../tensor/names.ts";
import { checkTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { commonShape } from "./common-axes.ts";
import { type Formula, userFormula as who } from "./formula/node.ts";
import { parseFormula } from "./formula/parse.ts";
import { formulaOf, type Symbolic, type SymbolicLike } from "./formula/symbolic.ts";
import type { OutputNames } from "./formula/types.ts";
import { FormulaKernels } from "./formula-kernels.ts";
import type { FormulaOperand } from "./formula-variant.ts";
import { metaOutput } from "./meta-output.ts";
import { unknownOption } from "./options.ts";

/** The operands of a formula by name. */
export type FormulaOperands = Readonly<Record<string, FormulaOperand>>;

/** What a formula gives: a tensor, or a record of tensors if it names its outputs. */
export type FormulaResult<N extends string> = [N] extends [never] ? Tensor : { readonly [K in N]: Tensor };

export interface FormulaOptions<N extends string = never> {
  /** Existing tensors to write to; one may be an operand itself. */
  readonly out?: FormulaResult<N> | undefined;
}

/** A formula that can be called again and again. */
export interface UserKernel<N extends string = never> {
  (operands: FormulaOperands, options?: FormulaOptions<N>): FormulaResult<N>;
  /** The kernel that runs over these operands, as data; `printKernel` makes it readable. */
  kernel(operands: FormulaOperands, options?: FormulaOptions<N>): Kernel;
  /** The formula. */
  toString(): string;
}

type SymbolicRecord = Readonly<Record<string, SymbolicLike>>;
/** The names of outputs that a formula's function returns. */
type ReturnedNames<R> = R extends Symbolic | Value ? never : keyof R & string;

/** A formula's kernels, and the function that a user calls. */
class CompiledText {
  readonly kernels: FormulaKernels;
  readonly callable: UserKernel<string>;
  used = 0;

  constructor(text: string) {
    const kernels = new FormulaKernels(parseFormula(text));
    this.kernels = kernels;
    this.callable = Object.assign(
      (operands: FormulaOperands, options?: FormulaOptions<string>) => run(kernels, operands, options),
      {
        kernel: (operands: FormulaOperands, options?: FormulaOptions<string>) =>
          kernels.kernel(operandsOf(kernels.formula, operands), outputsIn(kernels.formula, options)),
        toString: () => text,
      },
    );
  }
}

const mostTexts = 256;
let texts: Map<string, CompiledText> | null = null;
let clock = 0;

function compiled(text: string): CompiledText {
  texts ??= new Map();
  let found = texts.get(text);
  if (found === undefined) {
    found = new CompiledText(text);
    if (texts.size >= mostTexts) forgetOldest(texts);
    texts.set(text, found);
  }
  found.used = ++clock;
  return found;
}

/** Forgets the quarter that was not used for longest. */
function forgetOldest(all: Map<string, CompiledText>): void {
  const times = Array.from(all.values(), ({ used }) => used).sort((a, b) => a - b);
  const newest = times[all.size >> 2] as number;
  for (const [text, { used }] of all) if (used < newest) all.delete(text);
}

/** Computes a formula over tensors and numbers: a new tensor, or a record of them if the formula names its outputs. */
export function elementwise<const F extends string>(
  formula: F,
  operands: FormulaOperands,
  options?: FormulaOptions<OutputNames<F>>,
): FormulaResult<OutputNames<F>>;
/** The same with the formula as a function over symbols, called once to see what it computes. */
export function elementwise<O extends FormulaOperands, R extends SymbolicLike | SymbolicRecord>(
  define: (symbols: { readonly [K in keyof O]: Symbolic }) => R,
  operands: O,
  options?: FormulaOptions<ReturnedNames<R>>,
): FormulaResult<ReturnedNames<R>>;
/** A formula to be called with operands later. */
export function elementwise<const F extends string>(formula: F): UserKernel<OutputNames<F>>;
export function elementwise<N extends string, R extends SymbolicLike | SymbolicRecord>(
  define: (symbols: { readonly [K in N]: Symbolic }) => R,
): UserKernel<ReturnedNames<R>>;
export function elementwise(
  formula: string | ((symbols: never) => unknown),
  operands?: FormulaOperands,
  options?: { readonly out?: unknown },
): unknown {
  const isText = typeof formula === "string";
  if (!isText && typeof formula !== "function")
    throw new StridewiseError(`${who}: a formula is text or a function, got ${String(formula)}`);
  const found = compiled(isText ? formula : formulaOf(formula));
  return operands === undefined ? found.callable : run(found.kernels, operands, options as FormulaOptions<string>);
}

/** The kernels of a formula, for whoever computes it often. */
export const kernelsOf = (text: string): FormulaKernels => compiled(text).kernels;

/** Computes a formula over operands in its order: the results in the order of its outputs. */
export function computeInOrder(kernels: FormulaKernels, given: readonly FormulaOperand[]): readonly Tensor[] {
  let keys: KeySet = guarded;
  for (let k = 0; k < given.length; k++) {
    const operand = given[k];
    if (operand instanceof Tensor) keys |= (operand.bits >>> keyShift) & seen;
  }
  if (keys === 0) return kernels.run(given, null);
  const { text, operands, outputs } = kernels.formula;
  const made = asOperator().call([text, Object.fromEntries(operands.map((name, k) => [name, given[k]]))]);
  return made instanceof Tensor
    ? [made]
    : outputs.map(({ name }) => (made as Readonly<Record<string, Tensor>>)[name as string] as Tensor);
}

let operator: Operator | null = null;

/** The op that others see: its arguments are the text, the operands and the options. */
function asOperator(): Operator {
  if (operator !== null) return operator;
  operator = new Operator(who, "elementwise");
  const kernel: OpKernel = (text: string, operands: FormulaOperands, options?: FormulaOptions<string>) =>
    compute(compiled(text).kernels, operands, options);
  operator.setKernel("cpu", kernel);
  operator.setKernel("meta", (text: string, operands: FormulaOperands, options?: FormulaOptions<string>) =>
    compute(compiled(text).kernels, operands, options, runOnMeta),
  );
  operator.body = ([text, operands]) => {
    const { formula } = compiled(text as string).kernels;
    return { formula, given: operandsOf(formula, operands as FormulaOperands), gradients: {} };
  };
  return operator;
}

function run(
  kernels: FormulaKernels,
  operands: FormulaOperands,
  options: FormulaOptions<string> | undefined,
): FormulaResult<string> {
  let keys: KeySet = guarded;
  for (const name in operands) {
    const operand = operands[name];
    if (operand instanceof Tensor) keys |= (callBits(operand) >>> keyShift) & seen;
  }
  if (keys === 0) return compute(kernels, operands, options);
  const args: unknown[] = [kernels.formula.text, operands];
  if (options !== undefined) args.push(options);
  return asOperator().call(args) as FormulaResult<string>;
}

function compute(
  kernels: FormulaKernels,
  operands: FormulaOperands,
  options: FormulaOptions<string> | undefined,
  runs: typeof runOnMeta = runOnCpu,
): FormulaResult<string> {
  const { formula } = kernels;
  const results = runs(kernels, operandsOf(formula, operands), outputsIn(formula, options));
  const named = formula.outputs;
  if ((named[0] as { name: string | null }).name === null) return results[0] as never;
  return Object.fromEntries(named.map(({ name }, k) => [name, results[k] as Tensor]));
}

const runOnCpu: typeof runOnMeta = (kernels, given, outputs) => kernels.run(given, outputs);

/** Results without elements. */
function runOnMeta(
  kernels: FormulaKernels,
  given: readonly FormulaOperand[],
  outputs: readonly Tensor[] | null,
): readonly Tensor[] {
  const variant = kernels.variantFor(given, outputs);
  const inputs = kernels.inputsOf(variant, given);
  const shape = commonShape(who, inputs, variant.inputNames);
  return variant.kernel.spec.outputs.map((dtype, k) => {
    const result = metaOutput(who, dtype as DType, shape, inputs, outputs?.[k] ?? null);
    const names = unifyNames(who, ...inputs, result);
    if (names !== null && outputs === null) setNames(who, result, names);
    return result;
  });
}

function outputsIn(formula: Formula, options: FormulaOptions<string> | undefined): readonly Tensor[] | null {
  for (const key in options) if (key !== "out") throw unknownOption(who, key, ["out"]);
  return options?.out === undefined ? null : outputsOf(formula, options.out);
}

/** The operands in the formula's order. Refuses if one is missing, or is not used. */
function operandsOf({ text, operands: names }: Formula, operands: FormulaOperands): readonly FormulaOperand[] {
  if (typeof operands !== "object" || operands === null || operands instanceof Tensor) throw noRecord(text, operands);
  const given: FormulaOperand[] = [];
  for (let k = 0; k < names.length; k++) {
    const operand = operands[names[k] as string];
    // What every object inherits, like `constructor`, was not given.
    if (operand === undefined || typeof operand === "function") throw missing(names[k] as string, text, operands);
    given.push(operand);
  }
  let spare = -names.length;
  for (const _name in operands) spare++;
  if (spare > 0) refuseUnused(names, text, operands);
  return given;
}

function noRecord(text: string, given: unknown): StridewiseError {
  return new StridewiseError(
    `${who}: the operands of "${text}" are given by name, as in { x, a: 2 }; got ${describeValue(given)}`,
  );
}

function missing(name: string, text: string, operands: FormulaOperands): StridewiseError {
  const known = Object.keys(operands).filter((each) => operands[each] !== undefined);
  return new StridewiseError(
    `${who}: the operand ${name} of "${text}" is missing, given are ${known.join(", ") || "none"}.${hint(name, known)}`,
  );
}

function refuseUnused(names: readonly string[], text: string, operands: FormulaOperands): void {
  const unused = Object.keys(operands).filter((name) => !names.includes(name));
  if (unused.length > 0)
    throw new StridewiseError(
      `${who}: "${text}" does not use ${unused.join(", ")}; its operands are ${names.join(", ") || "none"}.${hint(unused[0] as string, names)}`,
    );
}

function hint(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  return guess === undefined ? "" : ` Did you mean ${guess}?`;
}

/** The tensors to write to, in the order of the formula's outputs. */
function outputsOf({ outputs, text }: Formula, out: FormulaResult<string> | Tensor): readonly Tensor[] {
  if ((outputs[0] as { name: string | null }).name === null) {
    checkTensor(who, out);
    return [out];
  }
  const names = outputs.map(({ name }) => name as string);
  if (out instanceof Tensor)
    throw new ShapeError(`${who}: "${text}" has the outputs ${names.join(", ")}; give out as a record of tensors`);
  return names.map((name) => {
    const t = (out as Readonly<Record<string, Tensor>>)[name];
    if (t === undefined)
      throw new ShapeError(`${who}: out has no ${name}; the outputs of "${text}" are ${names.join(", ")}`);
    checkTensor(who, t);
    return t;
  });
}
