/**
 * User-defined kernels: `elementwise("a * x + b", { a, x, b })`. A formula over tensors and numbers is computed in one pass over any layouts, with
 * broadcasting and PyTorch's type promotion.
 *
 * A formula is parsed and compiled at first use. The kernels of the last 256 texts are cached, one for each kind of operands. Numbers are
 * arguments, so other values compile nothing. `formula/parse.ts` defines the syntax.
 */

import { nearest } from "../base/arguments.ts";
import { ShapeError, StridewiseError } from "../base/errors.ts";
import type { Kernel } from "../kernel/ir/kernel.ts";
import type { Value } from "../storage/dtype.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { checkTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { type Formula, userFormula as who } from "./formula/node.ts";
import { formulaOf, type Symbolic, type SymbolicLike } from "./formula/symbolic.ts";
import type { FormulaKernels } from "./formula-kernels.ts";
import { type FormulaOperands, formulaOperator, kernelsOf, keysSeen, named } from "./formula-op.ts";
import { kernelOfVariant } from "./formula-run.ts";
import { boundScalars, type FormulaOperand } from "./formula-variant.ts";
import { unknownOption } from "./signature.ts";

export type { FormulaOperands };

/** The result of a formula: a tensor, or an object of tensors if it names its outputs. */
export type FormulaResult<N extends string> = [N] extends [never] ? Tensor : { readonly [K in N]: Tensor };

export interface FormulaOptions<N extends string = never> {
  /** Existing tensors to write to; one may be an operand itself. */
  readonly out?: FormulaResult<N> | undefined;
}

/** A formula that can be called repeatedly. */
export interface UserKernel<N extends string = never> {
  (operands: FormulaOperands, options?: FormulaOptions<N>): FormulaResult<N>;
  /** Returns the kernel for these operands, as data; `printKernel` prints it. */
  kernel(operands: FormulaOperands, options?: FormulaOptions<N>): Kernel;
  /** Returns the formula. */
  toString(): string;
}

type SymbolicRecord = Readonly<Record<string, SymbolicLike>>;
/** The names of the outputs of a formula's function. */
type ReturnedNames<R> = R extends Symbolic | Value ? never : keyof R & string;

/** The callable of each formula. */
const callables = /* @__PURE__ */ new WeakMap<FormulaKernels, UserKernel<string>>();

function callableOf(kernels: FormulaKernels): UserKernel<string> {
  const { formula } = kernels;
  let callable = callables.get(kernels);
  if (callable === undefined) {
    callable = Object.assign(
      (operands: FormulaOperands, options?: FormulaOptions<string>) => run(kernels, operands, options),
      {
        kernel: (operands: FormulaOperands, options?: FormulaOptions<string>) =>
          kernelOver(kernels, operandsOf(formula, operands), outputsIn(formula, options)),
        toString: () => formula.text,
      },
    );
    callables.set(kernels, callable);
  }
  return callable;
}

/** Returns the kernel for these operands. */
function kernelOver(
  kernels: FormulaKernels,
  operands: readonly FormulaOperand[],
  outputs: readonly Tensor[] | null,
): Kernel {
  const variant = kernels.variantFor(operands, outputs);
  boundScalars(variant, operands);
  return kernelOfVariant(variant, kernels.inputsOf(variant, operands), outputs);
}

/** Computes a formula over tensors and numbers. Returns a new tensor, or an object of them if the formula names its outputs. */
export function elementwise<const F extends string>(
  formula: F,
  operands: FormulaOperands,
  options?: FormulaOptions<OutputNames<F>>,
): FormulaResult<OutputNames<F>>;
/** The same with the formula as a function over symbols, which is called once. */
export function elementwise<O extends FormulaOperands, R extends SymbolicLike | SymbolicRecord>(
  define: (symbols: { readonly [K in keyof O]: Symbolic }) => R,
  operands: O,
  options?: FormulaOptions<ReturnedNames<R>>,
): FormulaResult<ReturnedNames<R>>;
/** Returns a formula that can be called with operands. */
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
    throw new StridewiseError(`${who}: a formula must be a string or a function, got ${describeValue(formula)}`);
  const kernels = kernelsOf(isText ? formula : formulaOf(formula));
  return operands === undefined ? callableOf(kernels) : run(kernels, operands, options as FormulaOptions<string>);
}

function run(
  kernels: FormulaKernels,
  operands: FormulaOperands,
  options: FormulaOptions<string> | undefined,
): FormulaResult<string> {
  const { formula } = kernels;
  const inputs = operandsOf(formula, operands);
  const outputs = outputsIn(formula, options);
  if (keysSeen(inputs) === 0) return named(formula, kernels.run(inputs, outputs)) as FormulaResult<string>;
  const args: unknown[] = [formula.text, operands];
  if (options !== undefined) args.push(options);
  return formulaOperator().call(args) as FormulaResult<string>;
}

function outputsIn(formula: Formula, options: FormulaOptions<string> | undefined): readonly Tensor[] | null {
  for (const key in options) if (key !== "out") throw unknownOption(who, key, ["out"]);
  return options?.out === undefined ? null : outputsOf(formula, options.out);
}

/** Returns the operands in the formula's order; throws if one is missing or not used. */
function operandsOf({ text, operands: names }: Formula, operands: FormulaOperands): readonly FormulaOperand[] {
  if (typeof operands !== "object" || operands === null || operands instanceof Tensor) throw noRecord(text, operands);
  const inputs: FormulaOperand[] = [];
  for (let k = 0; k < names.length; k++) {
    const operand = operands[names[k]];
    // Names that every object inherits, such as `constructor`, are not operands.
    if (operand === undefined || typeof operand === "function") throw missing(names[k], text, operands);
    inputs.push(operand);
  }
  let spare = -names.length;
  for (const _name in operands) spare++;
  if (spare > 0) throwUnused(names, text, operands);
  return inputs;
}

function noRecord(text: string, operands: unknown): StridewiseError {
  return new StridewiseError(
    `${who}: pass the operands of "${text}" by name, as in { x, a: 2 }, got ${describeValue(operands)}`,
  );
}

function missing(name: string, text: string, operands: FormulaOperands): StridewiseError {
  const known = Object.keys(operands).filter((each) => operands[each] !== undefined);
  return new StridewiseError(
    `${who}: the operand ${name} of "${text}" is missing, got ${known.join(", ") || "none"}.${hint(name, known)}`,
  );
}

function throwUnused(names: readonly string[], text: string, operands: FormulaOperands): void {
  const unused = Object.keys(operands).filter((name) => !names.includes(name));
  if (unused.length > 0)
    throw new StridewiseError(
      `${who}: "${text}" does not use ${unused.join(", ")}; its operands are ${names.join(", ") || "none"}.${hint(unused[0], names)}`,
    );
}

function hint(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  return guess === undefined ? "" : ` Did you mean ${guess}?`;
}

/** Returns the tensors to write to, in the order of the formula's outputs. */
function outputsOf({ outputs, text }: Formula, out: FormulaResult<string> | Tensor): readonly Tensor[] {
  if (outputs[0].name === null) {
    checkTensor(who, out);
    return [out];
  }
  const names = outputs.map(({ name }) => name as string);
  if (out instanceof Tensor)
    throw new ShapeError(`${who}: "${text}" has the outputs ${names.join(", ")}. Pass out as an object of tensors`);
  return names.map((name) => {
    const t = (out as Readonly<Record<string, Tensor>>)[name];
    if (t === undefined)
      throw new ShapeError(`${who}: out has no ${name}; the outputs of "${text}" are ${names.join(", ")}`);
    checkTensor(who, t);
    return t;
  });
}

// The types of a formula's outputs, derived from its text. A text that is not a literal type counts as a formula with one output.

/** The union of the names of a text's outputs: "s" | "d" for "s = x + y; d = x - y"; never if it names none. */
type OutputNames<F extends string> = string extends F
  ? never
  : F extends `${infer Statement};${infer Rest}`
    ? NameIn<Trimmed<Statement>> | OutputNames<Rest>
    : NameIn<Trimmed<F>>;

type NameIn<S extends string> = S extends `let ${string}`
  ? never
  : S extends `${infer Name}=${infer Value}`
    ? Value extends `=${string}`
      ? never
      : Trimmed<Name> extends `${string}${NoName}${string}`
        ? never
        : Trimmed<Name>
    : never;

/** The characters that the text before a "=" contains if the "=" is part of a comparison. */
type NoName = " " | "<" | ">" | "!" | "(" | "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "?" | "~";

type Trimmed<S extends string> = S extends `${Space}${infer Rest}`
  ? Trimmed<Rest>
  : S extends `${infer Rest}${Space}`
    ? Trimmed<Rest>
    : S;
type Space = " " | "\n" | "\t";
