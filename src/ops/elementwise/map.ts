/**
 * Elementwise ops, each one line: a signature and a formula. The formula says what is computed, and with which dtypes; shapes are
 * broadcast. From it follow the kernels of all backends, the shape and dtype on the meta device, `out`, and the in-place form.
 */

import { DispatchError, guarded, Operator } from "../../tensor/dispatch/operator.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { parseFormula } from "../formula/parse.ts";
import { FormulaKernels } from "../formula-kernels.ts";
import type { FormulaOperand } from "../formula-variant.ts";
import { ProgramCache } from "../program-cache.ts";
import { type Given, parseSignature, readArguments, type Signature } from "../signature.ts";
import { chosenFormulas, type Gradients } from "./chosen-gradient.ts";

/** A formula, or how the arguments choose one. */
export type Body = string | ((values: Readonly<Record<string, unknown>>) => string);

/** The arguments of a call: their values by name, the kernels that these choose, and its operands and outputs in the formula's order. */
interface Reading {
  readonly values: Given["values"];
  readonly kernels: FormulaKernels;
  readonly given: readonly FormulaOperand[];
  readonly outputs: readonly Tensor[] | null;
}

/** The formulas of one op and what was compiled of them. */
class MapOp {
  readonly signature: Signature;
  readonly operator: Operator;
  /** Programs of calls whose arguments are operands, and perhaps `out`. */
  readonly programs: ProgramCache;
  /** How many arguments it needs. */
  readonly needed: number;
  readonly #body: Body;
  readonly #kernels = new Map<string, FormulaKernels>();
  /** True if the values of numbers choose the formula: then they are not bound. */
  readonly #isChosenByNumbers: boolean;

  constructor(signature: Signature, body: Body, gradients: Gradients | null, isChosenByNumbers: boolean) {
    this.signature = signature;
    this.#body = body;
    this.#isChosenByNumbers = isChosenByNumbers;
    this.needed = signature.positional.filter(({ fallback }) => fallback === undefined).length;
    this.programs = new ProgramCache(isChosenByNumbers ? 0 : this.needed);
    this.operator = new Operator(signature.name, "elementwise");
    this.operator.setUsual((...args: unknown[]) => this.run(args) ?? this.#compute(args));
    this.operator.setKernel("meta", (...args: unknown[]) => this.#onMeta(args));
    if (gradients === null) return;
    this.operator.body = chosenFormulas(gradients, typeof body === "string", (args) => {
      const { values, kernels, given } = this.#read(args);
      return { formula: kernels.formula, given, values, isPlain: this.#isPlain(args, kernels) };
    });
  }

  /** Returns the result of a call whose program is cached; undefined if there is none. */
  run(args: readonly unknown[]): unknown {
    const { needed, programs } = this;
    const out = args.length === needed ? null : onlyOut(args, needed);
    return out === undefined ? undefined : (programs.runDense(args, out) ?? programs.run(args, out));
  }

  /** Computes a call without a cached program, or one with options, whose formula has programs of its own. */
  #compute(args: readonly unknown[]): Tensor {
    const { kernels, given, outputs } = this.#read(args);
    const { programs, needed } = this;
    const hasOptions = args.length !== needed && onlyOut(args, needed) === undefined;
    const isBound =
      !this.#isChosenByNumbers && given.length === needed && this.#isPlain(args.slice(0, needed), kernels);
    const [result] =
      !hasOptions && (isBound || this.#isChosenByNumbers)
        ? kernels.build(given, outputs, { programs, args, isPlain: isBound })
        : kernels.run(given, outputs);
    return result as Tensor;
  }

  #onMeta(args: readonly unknown[]): Tensor {
    const { kernels, given, outputs } = this.#read(args);
    return kernels.runOnMeta(given, outputs)[0] as Tensor;
  }

  /** What the arguments of a call say. */
  #read(args: readonly unknown[]): Reading {
    const { values, out } = readArguments(this.signature, args);
    const kernels = this.#kernelsFor(values);
    return { values, kernels, given: this.#operandsOf(kernels, values), outputs: out && [out] };
  }

  /** True if all arguments are operands, and the formula names them in this order. */
  #isPlain(args: readonly unknown[], { formula: { operands } }: FormulaKernels): boolean {
    return args.length === this.needed && operands.every((name, k) => name === this.signature.positional[k]?.name);
  }

  #kernelsFor(values: Given["values"]): FormulaKernels {
    const text = typeof this.#body === "string" ? this.#body : this.#body(values);
    let kernels = this.#kernels.get(text);
    if (kernels === undefined) {
      kernels = new FormulaKernels(parseFormula(text, this.signature.name));
      this.#kernels.set(text, kernels);
    }
    return kernels;
  }

  #operandsOf({ names }: FormulaKernels, values: Given["values"]): readonly FormulaOperand[] {
    const given = names.map((name) => values[name] as FormulaOperand);
    if (!given.some((operand) => operand instanceof Tensor))
      throw new DispatchError(`${this.signature.name}: no argument is a tensor. Make one: tensor(...)`);
    return given;
  }
}

/** What every op is: a function with its operator. */
export interface OpFunction {
  readonly operator: Operator;
}

/**
 * An elementwise op; `F` says what it takes and gives. Its gradient follows from the formula; where that would be unstable, or PyTorch
 * defines another one, `gradients` has the formula for an operand, over the operands, the gradient g and the result y. A body that looks at
 * the value of a number that is an operand says so with `isChosenByNumbers`.
 */
export function map<F extends OpFunction>(
  signature: string,
  body: Body,
  gradients: Gradients | null = {},
  { isChosenByNumbers = false } = {},
): F {
  const op = new MapOp(parseSignature(signature), body, gradients, isChosenByNumbers);
  const { operator } = op;
  const call = (...args: unknown[]): unknown =>
    (guarded === 0 && operator.isPlain ? op.run(args) : undefined) ?? operator.call(args);
  return Object.assign(call as unknown as F, { operator });
}

/**
 * `map` for a file whose ops are all methods of tensors: each enters the list when it is made. A bundle with tensors has all of them, so
 * these calls are not marked as free to drop.
 */
export function mapInto(list: OpFunction[]): typeof map {
  return (...rule) => {
    const op = map<never>(...rule);
    list.push(op);
    return op;
  };
}

/** The tensor for the result, if nothing else is given behind so many arguments. */
function onlyOut(args: readonly unknown[], count: number): Tensor | undefined {
  const options = args[count];
  if (args.length !== count + 1 || typeof options !== "object") return undefined;
  let out: Tensor | undefined;
  for (const key in options)
    if (key === "out" && (options as { out?: unknown }).out instanceof Tensor) out = (options as { out: Tensor }).out;
    else return undefined;
  return out;
}
