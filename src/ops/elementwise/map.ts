/**
 * Elementwise ops: a signature and a formula each. The formula determines the values and their dtypes; shapes are broadcast. The kernels of
 * all backends, the results on the meta device, `out` and the in-place form follow from it.
 */

import { renamed, StorageError } from "../../base/errors.ts";
import { getOrCompute } from "../../base/lazy.ts";
import {
  DispatchError,
  defineOperator,
  type FormulaCall,
  guarded,
  type Operator,
} from "../../tensor/dispatch/operator.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { Formula } from "../formula/node.ts";
import { parseFormula } from "../formula/parse.ts";
import { FormulaKernels } from "../formula-kernels.ts";
import { FormulaPrograms } from "../formula-programs.ts";
import type { FormulaOperand } from "../formula-variant.ts";
import { type NamedArguments, readArguments, Signature } from "../signature.ts";
import { isNested, type NestedOperand, sampleOf, tensorOfOperand } from "./nested-operands.ts";

/** A formula, or a function that chooses one from the arguments. */
export type Body = string | ((values: Readonly<Record<string, unknown>>) => string);

/** The arguments of a call: their values by name, the kernels that these choose, and the operands and outputs in the formula's order. */
interface ReadCall {
  readonly values: NamedArguments["values"];
  readonly kernels: FormulaKernels;
  readonly operands: readonly FormulaOperand[];
  readonly outputs: readonly Tensor[] | null;
}

/**
 * Formulas of gradients by operand, or a function that chooses them from the arguments. C( ) is the complex conjugate. They depend on the
 * formula alone: a formula that is chosen twice has the same gradients both times.
 */
export type Gradients = FormulaCall["gradients"] | ((values: NamedArguments["values"]) => FormulaCall["gradients"]);

/**
 * The formula of the last recorded call, for calls with arguments of the same kinds. The choice depends on the dtypes of tensors and on the
 * other arguments, never on shapes or elements. Used only if the arguments are the operands, in their order.
 */
interface Chosen {
  readonly formula: Formula;
  readonly gradients: FormulaCall["gradients"];
  /** The dtype of each tensor argument; other arguments themselves. */
  readonly kinds: readonly unknown[];
  /** True if the values of numbers do not matter. */
  readonly isFixed: boolean;
}

function choiceKey(arg: unknown, isFixed: boolean): unknown {
  if (arg instanceof Tensor) return arg.type;
  return isFixed && typeof arg === "number" ? "number" : arg;
}

/** Returns the call if its arguments choose the same formula; otherwise null. */
function sameChoice({ formula, gradients, kinds, isFixed }: Chosen, args: readonly unknown[]): FormulaCall | null {
  if (args.length !== kinds.length) return null;
  for (let k = 0; k < args.length; k++) if (choiceKey(args[k], isFixed) !== kinds[k]) return null;
  const count = formula.operands.length;
  return { formula, operands: count === args.length ? args : args.slice(0, count), gradients };
}

/** The formulas of one op, with their kernels and programs. */
class MapOp {
  readonly signature: Signature;
  readonly operator: Operator;
  /** Programs of calls whose arguments are operands, and perhaps `out`. */
  readonly programs: FormulaPrograms;
  /** The number of required arguments. */
  readonly needed: number;
  readonly #body: Body;
  readonly #kernels = new Map<string, FormulaKernels>();
  /** True if the formula depends on the values of numbers, which are then not bound. */
  readonly #isChosenByNumbers: boolean;
  #last: Chosen | null = null;

  constructor(signature: Signature, body: Body, gradients: Gradients | null, isChosenByNumbers: boolean) {
    this.signature = signature;
    this.#body = body;
    this.#isChosenByNumbers = isChosenByNumbers;
    this.needed = signature.required;
    this.programs = new FormulaPrograms(isChosenByNumbers ? 0 : this.needed);
    this.operator = defineOperator(signature.name, "elementwise");
    this.operator.setUsual((...args: unknown[]) => this.run(args) ?? this.#compute(args));
    this.operator.setKernel("meta", (...args: unknown[]) => this.#onMeta(args));
    this.operator.plan = (args, allocate) => {
      const { kernels, operands, outputs } = this.#read(args);
      return kernels.plan(operands, outputs, allocate);
    };
    this.operator.formula = (args) =>
      (this.#last === null ? null : sameChoice(this.#last, args)) ?? this.#chosen(args, gradients ?? {});
    if (gradients !== null) this.operator.body = this.operator.formula;
  }

  /** Returns the formula of a call, and those of its gradients. */
  #chosen(args: readonly unknown[], gradients: Gradients): FormulaCall {
    const { values, kernels, operands } = this.#read(args);
    const { formula } = kernels;
    const isFixed = typeof this.#body === "string" && typeof gradients !== "function";
    const chosen = typeof gradients === "function" ? gradients(values) : gradients;
    if (this.#areOperands(args, kernels) && args.length >= formula.operands.length)
      this.#last = { formula, gradients: chosen, kinds: args.map((arg) => choiceKey(arg, isFixed)), isFixed };
    return { formula, operands, gradients: chosen };
  }

  /** Returns the result of a call whose program is cached; undefined if there is none, null if the call must be dispatched. */
  run(args: readonly unknown[]): unknown {
    const { needed, programs } = this;
    const out = args.length === needed ? null : onlyOut(args, needed);
    if (out !== undefined) {
      const results = programs.runDense(args, out);
      return results === undefined ? programs.run(args, out) : results;
    }
    if (!(args[0] instanceof Tensor) || args.some((arg) => typeof arg === "symbol")) return undefined;
    // The formula that options choose has its own programs.
    const { kernels, operands, outputs } = this.#read(args);
    return kernels.runCached(operands, outputs)?.[0];
  }

  /** Computes a call without a cached program, or one with options, whose formula has its own programs. */
  #compute(args: readonly unknown[]): Tensor {
    const { kernels, operands, outputs } = this.#read(args);
    const { programs, needed } = this;
    const hasOptions = args.length !== needed && onlyOut(args, needed) === undefined;
    const isBound =
      !this.#isChosenByNumbers && operands.length === needed && this.#areOperands(args.slice(0, needed), kernels);
    const [result] =
      !hasOptions && (isBound || this.#isChosenByNumbers)
        ? kernels.build(operands, outputs, { programs, args, isBound })
        : kernels.run(operands, outputs);
    return result;
  }

  /** Returns the arguments with nested arrays among the operands as tensors; the arguments themselves if there are none. */
  withTensors(args: readonly unknown[]): readonly unknown[] {
    if (!args.some(isNested)) return args;
    const { kernels, operands } = this.#read(args.map((arg) => (isNested(arg) ? sampleOf(arg) : arg)));
    const variant = kernels.variantFor(operands, null);
    return args.map((arg, i) => {
      const k = isNested(arg) ? kernels.names.indexOf(this.signature.positional[i]?.name) : -1;
      return k < 0 ? arg : tensorOfOperand(arg as NestedOperand, variant, k, operands);
    });
  }

  #onMeta(args: readonly unknown[]): Tensor {
    const { kernels, operands, outputs } = this.#read(args);
    return kernels.runOnMeta(operands, outputs)[0];
  }

  /** Reads the arguments of a call. */
  #read(args: readonly unknown[]): ReadCall {
    const { values, out } = readArguments(this.signature, args);
    const kernels = this.#kernelsFor(values);
    return { values, kernels, operands: this.#operandsOf(kernels, values), outputs: out && [out] };
  }

  /** True if all arguments are operands, and the formula names them in this order. */
  #areOperands(args: readonly unknown[], { formula: { operands } }: FormulaKernels): boolean {
    return args.length === this.needed && operands.every((name, k) => name === this.signature.positional[k]?.name);
  }

  #kernelsFor(values: NamedArguments["values"]): FormulaKernels {
    const text = typeof this.#body === "string" ? this.#body : this.#body(values);
    return getOrCompute(this.#kernels, text, () => new FormulaKernels(parseFormula(text, this.signature.name)));
  }

  #operandsOf({ names }: FormulaKernels, values: NamedArguments["values"]): readonly FormulaOperand[] {
    const operands = names.map((name) => values[name] as FormulaOperand);
    if (!operands.some((operand) => operand instanceof Tensor))
      throw new DispatchError(`${this.signature.name}: no argument is a tensor. Create one: tensor(...)`);
    return operands;
  }
}

/** The base type of every op: a function with its operator. */
export interface OpFunction {
  readonly operator: Operator;
}

/**
 * Defines an elementwise op; `F` is its type. Without a body, its formula is its signature: the function of that name. Its gradient is derived
 * from the formula. Where that would be unstable, or PyTorch defines another one, `gradients` has the formula for an operand, over the
 * operands, the gradient g and the result y. Set `isChosenByNumbers` if the body depends on the value of a number that is an operand.
 */
export function map<F extends OpFunction>(
  signature: string,
  body: Body = signature,
  gradients: Gradients | null = {},
  { isChosenByNumbers = false } = {},
): F {
  const op = new MapOp(new Signature(signature), body, gradients, isChosenByNumbers);
  const { operator } = op;
  const call = (...args: unknown[]): unknown => {
    try {
      return (
        (guarded === 0 && operator.hasBuiltInKernel ? op.run(args) : undefined) ?? operator.call(op.withTensors(args))
      );
    } catch (error) {
      throw error instanceof StorageError ? renamed(operator.name, error) : error;
    }
  };
  return Object.assign(call as unknown as F, { operator });
}

/**
 * `map` for a file whose ops are all methods of tensors: each is added to the list. A bundle with tensors contains all of them, so these
 * calls are not marked as pure.
 */
export function mapInto(list: OpFunction[]): typeof map {
  return (...rule) => {
    const op = map<never>(...rule);
    list.push(op);
    return op;
  };
}

/** Returns `out` if it is the only option after the first `count` arguments; otherwise undefined. */
function onlyOut(args: readonly unknown[], count: number): Tensor | undefined {
  const options = args[count];
  if (args.length !== count + 1 || typeof options !== "object") return undefined;
  let out: Tensor | undefined;
  for (const key in options)
    if (key === "out" && (options as { out?: unknown }).out instanceof Tensor) out = (options as { out: Tensor }).out;
    else return undefined;
  return out;
}
