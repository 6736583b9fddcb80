/**
 * Gradients of formulas: the derived formula (`../ops/formula/derive.ts`) over the gradients of the outputs and what it reads of
 * operands and outputs, in one pass; then the sum over what was broadcast.
 */
import { mostOperands } from "../kernel/map/spec.ts";
import { add } from "../ops/elementwise/arithmetic.ts";
import { backwardFormula } from "../ops/formula/derive.ts";
import type { Formula } from "../ops/formula/node.ts";
import { sumTo } from "../ops/sum-to.ts";
import { elementwise } from "../ops/user-kernel.ts";
import { dtypes, type Value } from "../storage/dtype.ts";
import type { ArgumentGradient, Backward, RecordedCall } from "../tensor/dispatch/gradient.ts";
import type { FormulaCall } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { partView, to } from "../tensor/views/view-ops.ts";

/** How the way back through a formula goes, for some wanted operands: all that does not depend on the call. */
interface Plan {
  readonly text: string;
  /** Which operands and results it reads, with their names. */
  readonly operands: readonly Named[];
  readonly results: readonly Named[];
  /** Which gradients of outputs it reads. */
  readonly gradients: readonly Named[];
  /** Which operands get gradients. */
  readonly targets: readonly Named[];
}
type Named = readonly [place: number, name: string];

let plans: WeakMap<object, Map<number, Plan | null>> | null = null;

/** The plan for wanted operands, one bit for each. */
function planFor(call: FormulaCall, wanted: number, isComplex: boolean): Plan | null {
  plans ??= new WeakMap();
  let known = plans.get(call.formula);
  if (known === undefined) {
    known = new Map();
    plans.set(call.formula, known);
  }
  const key = 2 * wanted + Number(isComplex);
  let found = known.get(key);
  if (found === undefined) {
    found = makePlan(call, wanted, isComplex);
    known.set(key, found);
  }
  return found;
}

function makePlan({ formula: given, gradients }: FormulaCall, wanted: number, isComplex: boolean): Plan | null {
  const formula = given as Formula;
  const { operands } = formula;
  const derivative = backwardFormula(
    formula,
    operands.filter((_, k) => Math.floor(wanted / 2 ** k) % 2 === 1),
    isComplex,
    gradients,
  );
  if (derivative === null) return null;
  const { text, reads, names } = derivative;
  const words = new Set<string>(text.match(/\w+/g));
  const outputs = formula.outputs.map((_, k) => k);
  const named = (places: readonly number[], name: (k: number) => string, used: ReadonlySet<string>): Named[] =>
    places.map((k) => [k, name(k)] as const).filter(([, each]) => used.has(each));
  const all = operands.map((_, k) => k);
  return {
    text,
    operands: named(all, (k) => operands[k] as string, reads),
    results: named(outputs, names.result, reads),
    gradients: named(outputs, names.gradient, words),
    targets: named(all, names.derivative, words),
  };
}

const isComplex = (operand: unknown): boolean =>
  operand instanceof Tensor && operand.type !== null && dtypes[operand.type].category === "complex";

/** The way back through a formula, as gradients of the arguments of the call; null if nothing passes. */
export function formulaBackward(formulaCall: FormulaCall, call: RecordedCall): Backward | null {
  const { given } = formulaCall;
  let wanted = 0;
  let complex = call.results.some(isComplex);
  for (let k = 0; k < given.length; k++) {
    if (isComplex(given[k])) complex = true;
    if (call.needs(given[k])) wanted += 2 ** k;
  }
  const whole = planFor(formulaCall, wanted, complex);
  if (whole === null) return null;
  const steps = partsOf(whole, formulaCall, complex).map((plan) => stepOf(plan, given, call));
  return steps.length === 1
    ? (steps[0] as Backward)
    : (gradients) => steps.map((step) => step(gradients)).reduce((a, b) => a.map((each, k) => together(each, b[k])));
}

/** A plan, or one for each operand where a kernel cannot have as many tensors. */
function partsOf(plan: Plan, formulaCall: FormulaCall, isComplex: boolean): readonly Plan[] {
  const { operands, results, gradients, targets } = plan;
  if (operands.length + results.length + gradients.length + targets.length <= mostOperands) return [plan];
  return targets.flatMap(([k]) => planFor(formulaCall, 2 ** k, isComplex) ?? []);
}

/** Gradients of one argument that were found in two steps; a tensor that was given twice has both in one place. */
function together(a: ArgumentGradient, b: ArgumentGradient): ArgumentGradient {
  if (a == null || b == null) return a ?? b;
  if (a instanceof Tensor && b instanceof Tensor) return add(a, b as never) as Tensor;
  const merged: Record<string, Tensor | null | undefined> = { ...(a as object) };
  for (const [key, value] of Object.entries(b)) merged[key] = together(merged[key], value) as Tensor | null;
  return merged;
}

/** One pass of the way back. */
function stepOf(plan: Plan, given: FormulaCall["given"], call: RecordedCall): Backward {
  const reads = plan.operands.map(([k, name]): [string, Tensor | Value | (() => Tensor)] => {
    const operand = given[k] as Tensor | Value;
    return [name, operand instanceof Tensor ? call.save(operand) : operand];
  });
  for (const [k, name] of plan.results) reads.push([name, call.saveResult(k)]);
  const targets = plan.targets.map(([k, name]) => {
    const t = given[k] as Tensor;
    return { name, shape: sizesOf(t), dtype: t.dtype, isReal: !isComplex(t) };
  });
  const place = placer(
    call.args,
    plan.targets.map(([k]) => given[k] as Tensor),
  );
  return (gradients) => {
    const values: Record<string, Tensor | Value> = {};
    for (const [name, read] of reads) values[name] = typeof read === "function" ? read() : read;
    for (const [k, name] of plan.gradients) values[name] = gradients[k] as Tensor;
    const made = elementwise(plan.text, values as never) as unknown as Readonly<Record<string, Tensor>>;
    return place(
      targets.map(({ name, shape, dtype, isReal }) => {
        const g = made[name] as Tensor;
        return to(sumTo(isReal && isComplex(g) ? partView(g, "real") : g, shape), dtype);
      }),
    );
  };
}

/** Where tensors lie among arguments: a function from their gradients to those of the arguments. A tensor given twice gets all in one place. */
function placer(
  args: readonly unknown[],
  tensors: readonly Tensor[],
): (gradients: readonly (Tensor | null)[]) => ArgumentGradient[] {
  const used = new Set<number>();
  const numberOf = (arg: unknown): number => {
    const found = tensors.findIndex((t, k) => t === arg && !used.has(k));
    if (found >= 0) used.add(found);
    return found;
  };
  const makers = args.map((arg): ((gradients: readonly (Tensor | null)[]) => ArgumentGradient) => {
    if (arg instanceof Tensor) {
      const k = numberOf(arg);
      return (gradients) => (k < 0 ? null : (gradients[k] as Tensor | null));
    }
    if (typeof arg !== "object" || arg === null) return () => null;
    const entries = Object.entries(arg)
      .filter(([key]) => key !== "out")
      .map(([key, value]) => [key, value instanceof Tensor ? numberOf(value) : -1] as const);
    return (gradients) =>
      Object.fromEntries(entries.map(([key, k]) => [key, k < 0 ? null : (gradients[k] as Tensor | null)]));
  });
  return (gradients) => makers.map((make) => make(gradients));
}
