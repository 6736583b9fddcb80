/**
 * Gradients of formulas: the derived formula (`../ops/formula/derive.ts`) over the gradients of the outputs and what it reads of
 * operands and outputs, in one pass; then the sum over what was broadcast.
 */
import { backwardFormula, type Derivative, namesFor } from "../ops/formula/derive.ts";
import type { Formula } from "../ops/formula/node.ts";
import { sumTo } from "../ops/sum-to.ts";
import { elementwise } from "../ops/user-kernel.ts";
import { dtypes, type Value } from "../storage/dtype.ts";
import type { ArgumentGradient, Backward, RecordedCall } from "../tensor/dispatch/gradient.ts";
import type { FormulaCall } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { partView, to } from "../tensor/views/view-ops.ts";

let derived: WeakMap<object, Map<string, Derivative | null>> | null = null;

function derivativeOf(
  { formula, gradients }: FormulaCall,
  wanted: readonly string[],
  isComplex: boolean,
): Derivative | null {
  derived ??= new WeakMap();
  let known = derived.get(formula);
  if (known === undefined) {
    known = new Map();
    derived.set(formula, known);
  }
  const key = `${isComplex} ${wanted}`;
  let found = known.get(key);
  if (found === undefined) {
    const told = isComplex ? [] : wanted.filter((name) => Object.hasOwn(gradients, name));
    const rest = wanted.filter((name) => !told.includes(name));
    found = withTold(backwardFormula(formula as Formula, rest, isComplex), formula as Formula, told, gradients);
    known.set(key, found);
  }
  return found;
}

/** A derivative with the formulas that an op has itself for some operands. */
function withTold(
  derivative: Derivative | null,
  formula: Formula,
  told: readonly string[],
  gradients: Readonly<Record<string, string>>,
): Derivative | null {
  if (told.length === 0) return derivative;
  const { operands } = formula;
  const names = namesFor(formula);
  const reads = new Set(derivative?.reads ?? []);
  const lines = told.map((name) => {
    const text = (gradients[name] as string).replaceAll(/\b[A-Za-z_]\w*\b/g, (word) => {
      if (word === "g") return names.gradient(0);
      if (word === "y" && !operands.includes("y")) {
        reads.add(names.result(0));
        return names.result(0);
      }
      if (operands.includes(word)) reads.add(word);
      return word;
    });
    return `${names.derivative(operands.indexOf(name))} = ${text}`;
  });
  return { text: [...(derivative === null ? [] : [derivative.text]), ...lines].join("; "), reads, names };
}

const isComplex = (operand: unknown): boolean =>
  operand instanceof Tensor && operand.type !== null && dtypes[operand.type].category === "complex";

/** The way back through a formula, as gradients of the arguments of the call; null if nothing passes. */
export function formulaBackward(formulaCall: FormulaCall, call: RecordedCall): Backward | null {
  const { given } = formulaCall;
  const { operands } = formulaCall.formula as Formula;
  const wanted = operands.filter((_, k) => call.needs(given[k]));
  const derivative = derivativeOf(formulaCall, wanted, given.some(isComplex) || call.results.some(isComplex));
  if (derivative === null) return null;
  const { names } = derivative;
  const reads: [name: string, read: () => Tensor | Value][] = [];
  operands.forEach((name, k) => {
    if (!derivative.reads.has(name)) return;
    const operand = given[k] as Tensor | Value;
    reads.push([name, operand instanceof Tensor ? call.save(operand) : () => operand]);
  });
  call.results.forEach((_, k) => {
    if (derivative.reads.has(names.result(k))) reads.push([names.result(k), call.saveResult(k)]);
  });
  const targets = wanted.map((name) => {
    const t = given[operands.indexOf(name)] as Tensor;
    return { name, t, shape: sizesOf(t), dtype: t.dtype, isReal: !isComplex(t) };
  });
  const words = new Set(derivative.text.match(/\w+/g));
  const uses = call.results.map((_, k) => words.has(names.gradient(k)));
  const place = placer(
    call.args,
    targets.map(({ t }) => t),
  );
  for (const target of targets) (target as { t: Tensor | null }).t = null;
  return (gradients) => {
    const values: Record<string, Tensor | Value> = Object.fromEntries(reads.map(([name, read]) => [name, read()]));
    gradients.forEach((g, k) => {
      if (uses[k] === true) values[names.gradient(k)] = g;
    });
    const made = elementwise(derivative.text, values as never) as unknown as Readonly<Record<string, Tensor>>;
    return place(
      targets.map(({ name, shape, dtype, isReal }) => {
        const g = made[names.derivative(operands.indexOf(name))];
        if (g === undefined) return null;
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
