/**
 * Tangents of formulas: the derived formula (`../ops/formula/derive.ts`) over the tangents of the operands and what it reads of operands
 * and results, in one pass.
 */
import { mostOperands } from "../kernel/map/spec.ts";
import { add } from "../ops/elementwise/arithmetic.ts";
import { forwardFormula } from "../ops/formula/derive.ts";
import type { Formula } from "../ops/formula/node.ts";
import { elementwise } from "../ops/user-kernel.ts";
import { dtypes, type Value } from "../storage/dtype.ts";
import { zeros } from "../tensor/create/create.ts";
import type { FormulaCall } from "../tensor/dispatch/operator.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { expand, partView, to } from "../tensor/views/view-ops.ts";

/** What does not depend on the call. */
interface Plan {
  readonly text: string;
  readonly operands: readonly Named[];
  readonly results: readonly Named[];
  readonly tangents: readonly Named[];
  readonly targets: readonly Named[];
}
type Named = readonly [place: number, name: string];

let plans: WeakMap<object, Map<number, Plan | null>> | null = null;

/** The plan for operands that have tangents. */
function planFor(call: FormulaCall, moving: readonly number[], isComplex: boolean): Plan | null {
  plans ??= new WeakMap();
  const known = plans.get(call.formula) ?? new Map<number, Plan | null>();
  plans.set(call.formula, known);
  const key = moving.reduce((sum, k) => sum + 2 ** (k + 1), Number(isComplex));
  let found = known.get(key);
  if (found === undefined) {
    found = makePlan(call, moving, isComplex);
    known.set(key, found);
  }
  return found;
}

function makePlan({ formula: given, gradients }: FormulaCall, moving: readonly number[], isComplex: boolean) {
  const { operands, outputs } = given as Formula;
  const names = moving.map((k) => operands[k] as string);
  const derivative = forwardFormula(given as Formula, names, isComplex, gradients);
  if (derivative === null) return null;
  const { text, names: derived } = derivative;
  const words = new Set<string>(text.match(/\w+/g));
  const named = (list: readonly unknown[], name: (k: number) => string): Named[] =>
    list.map((_, k) => [k, name(k)] as const).filter(([, each]) => words.has(each));
  return {
    text,
    operands: named(operands, (k) => operands[k] as string),
    results: named(outputs, derived.result),
    tangents: named(operands, derived.tangent),
    targets: named(outputs, derived.derivative),
  };
}

const isComplex = (operand: unknown): boolean =>
  operand instanceof Tensor && operand.type !== null && dtypes[operand.type].category === "complex";

/**
 * The tangents of the results of a formula; `like` are tensors with the shapes and dtypes of the results, and `results` gives those
 * where they are needed.
 */
export function formulaTangents(
  call: FormulaCall,
  like: readonly Tensor[],
  results: () => readonly Tensor[],
  tangentOf: (t: Tensor) => Tensor | null,
): Tensor[] {
  const { given } = call;
  const tangents = given.map((operand) => (operand instanceof Tensor ? tangentOf(operand) : null));
  const moving = tangents.flatMap((t, k) => (t === null ? [] : [k]));
  const complex = [...given, ...like].some(isComplex);
  const found: (Tensor | undefined)[] = like.map(() => undefined);
  const step = (plan: Plan): void => {
    const values: Record<string, Tensor | Value> = {};
    for (const [k, name] of plan.operands) values[name] = given[k] as Tensor | Value;
    for (const [k, name] of plan.tangents) values[name] = tangents[k] as Tensor;
    for (const [k, name] of plan.results) values[name] = results()[k] as Tensor;
    const made = elementwise(plan.text, values as never) as unknown as Readonly<Record<string, Tensor>>;
    for (const [k, name] of plan.targets) {
      const before = found[k];
      found[k] = before === undefined ? made[name] : (add(before, made[name] as never) as Tensor);
    }
  };
  const whole = planFor(call, moving, complex);
  if (whole !== null && countOf(whole) <= mostOperands) step(whole);
  else if (whole !== null)
    for (const k of moving) {
      const plan = planFor(call, [k], complex);
      if (plan !== null) step(plan);
    }
  return like.map((t, k) => fitted(found[k], t));
}

const countOf = ({ operands, results, tangents, targets }: Plan): number =>
  operands.length + results.length + tangents.length + targets.length;

/** A tangent with the shape and dtype of its result; zeros where nothing passes. */
function fitted(tangent: Tensor | undefined, { dtype, shape }: Tensor): Tensor {
  if (tangent === undefined) return zeros(shape, { dtype });
  const part = isComplex(tangent) && dtypes[dtype].category !== "complex" ? partView(tangent, "real") : tangent;
  const sizes = sizesOf(part);
  const isWhole = sizes.length === shape.length && sizes.every((size, axis) => size === shape[axis]);
  return to(isWhole ? part : expand(part, shape), dtype);
}
