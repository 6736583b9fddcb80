/**
 * How a derived formula (`../ops/formula/derive.ts`) is computed: its kernels, where their operands come from, and what their outputs
 * are. That depends on the formula, not on the call, and is worked out once: the formula keeps it.
 */
import { remember } from "../base/remember.ts";
import { mostOperands } from "../kernel/map/spec.ts";
import type { Derivative, DerivativeSource } from "../ops/formula/derive.ts";
import type { Formula } from "../ops/formula/node.ts";
import { FormulaKernels } from "../ops/formula-kernels.ts";
import type { FormulaCall } from "../tensor/dispatch/operator.ts";

export interface Plan {
  readonly kernels: FormulaKernels;
  /** In the order of the operands of the derived formula. */
  readonly sources: readonly DerivativeSource[];
  /** Which operand each of its outputs is the gradient of, or which result each is the tangent of. */
  readonly targets: readonly number[];
}

/** A way to derive a formula by some of its operands. */
export interface Direction {
  readonly isForward: boolean;
  readonly derive: (
    formula: Formula,
    operands: readonly string[],
    isComplex: boolean,
    told: FormulaCall["gradients"],
  ) => Derivative | null;
}

/** The plans of a formula that were made, by their operands, direction and domain. They live as long as the formula. */
const derived = /* @__PURE__ */ new WeakMap<Formula, Map<number, readonly Plan[]>>();
const noPlans = (): Map<number, readonly Plan[]> => new Map();

const has = (wanted: number, operand: number): boolean => Math.floor(wanted / 2 ** operand) % 2 === 1;

/** The plans for wanted operands, one bit for each: the parts in which the derivative is computed, mostly one; none if nothing passes. */
export function plansFor(call: FormulaCall, wanted: number, isComplex: boolean, direction: Direction): readonly Plan[] {
  const formula = call.formula as Formula;
  const key = 4 * wanted + 2 * Number(direction.isForward) + Number(isComplex);
  const plans = remember(derived, formula, noPlans);
  let found = plans.get(key);
  if (found === undefined) {
    found = makePlans(call, wanted, isComplex, direction);
    plans.set(key, found);
  }
  return found;
}

function makePlans(call: FormulaCall, wanted: number, isComplex: boolean, direction: Direction): readonly Plan[] {
  const formula = call.formula as Formula;
  const asked = formula.operands.filter((_, k) => has(wanted, k));
  const derivative = direction.derive(formula, asked, isComplex, call.gradients);
  if (derivative === null) return [];
  const { names } = derivative;
  const kernels = new FormulaKernels(derivative.formula);
  const { operands: reads, outputs } = kernels.formula;
  // A kernel can only have so many tensors: then each operand gets a pass of its own.
  if (reads.length + outputs.length > mostOperands && asked.length > 1)
    return formula.operands.flatMap((_, k) => (has(wanted, k) ? plansFor(call, 2 ** k, isComplex, direction) : []));
  return [
    {
      kernels,
      sources: reads.map((name) => names.sourceOf(name) ?? { kind: "operand", index: formula.operands.indexOf(name) }),
      targets: derivative.targets,
    },
  ];
}
