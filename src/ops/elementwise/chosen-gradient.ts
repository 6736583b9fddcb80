/**
 * The formulas of an elementwise op's calls, for their gradients. Kept is the one that the last call has chosen, for calls alike: which formula it is depends on the dtypes of tensors and on the
 * other arguments, never on shapes or elements. Only for calls whose arguments are the operands, in their order.
 */
import type { FormulaCall } from "../../tensor/dispatch/operator.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { Formula } from "../formula/node.ts";
import type { Given } from "../signature.ts";

/**
 * Formulas of gradients by operand, or how the arguments choose them. C( ) in them is the conjugate, for complex numbers. They follow from
 * the formula alone: a formula that is chosen twice has the same both times.
 */
export type Gradients = FormulaCall["gradients"] | ((values: Given["values"]) => FormulaCall["gradients"]);

/** A call as the op reads it. */
interface ReadCall extends Omit<FormulaCall, "gradients"> {
  readonly formula: Formula;
  readonly values: Given["values"];
  /** Its arguments are those that the op needs, the operands first and in their order. */
  readonly isPlain: boolean;
}

/** The formulas of an op's calls, with their gradients. */
export function chosenFormulas(
  gradients: Gradients,
  hasOneFormula: boolean,
  read: (args: readonly unknown[]) => ReadCall,
): (args: readonly unknown[]) => FormulaCall {
  let last: Chosen | null = null;
  return (args) => {
    const known = last === null ? null : last.for(args);
    if (known !== null) return known;
    const { formula, given, values, isPlain } = read(args);
    const chosen = typeof gradients === "function" ? gradients(values) : gradients;
    if (isPlain && args.length >= formula.operands.length)
      last = new Chosen(formula, chosen, args, hasOneFormula && typeof gradients !== "function");
    return { formula, given, gradients: chosen };
  };
}

class Chosen {
  readonly #formula: Formula;
  readonly #gradients: FormulaCall["gradients"];
  /** Of each argument its dtype, or itself. */
  readonly #kinds: readonly unknown[];
  /** Numbers do not choose: only their types count. */
  readonly #isFixed: boolean;

  constructor(formula: Formula, gradients: FormulaCall["gradients"], args: readonly unknown[], isFixed: boolean) {
    this.#formula = formula;
    this.#gradients = gradients;
    this.#isFixed = isFixed;
    this.#kinds = args.map((arg) => this.#kindOf(arg));
  }

  #kindOf(arg: unknown): unknown {
    if (arg instanceof Tensor) return arg.type;
    return this.#isFixed && typeof arg === "number" ? "number" : arg;
  }

  /** The formula of a call with these arguments, if it is the same; else null. */
  for(args: readonly unknown[]): FormulaCall | null {
    const [kinds, formula, gradients] = [this.#kinds, this.#formula, this.#gradients];
    if (args.length !== kinds.length) return null;
    for (let k = 0; k < args.length; k++) if (this.#kindOf(args[k]) !== kinds[k]) return null;
    const count = formula.operands.length;
    return { formula, given: count === args.length ? args : args.slice(0, count), gradients };
  }
}
