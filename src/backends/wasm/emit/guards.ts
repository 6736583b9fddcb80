/**
 * Which values of an innermost loop only one side of its selects needs, so that they can be skipped where no lane takes that side.
 *
 * A side is (the side around it, condition, true or false); a value belongs to the innermost side that all of its uses are in. Sides
 * become guards if they save enough, and if the other side is not a mere special value: then this one is the common case. Selects
 * share a side if they have one condition object, are written together, and none needs another. Only what is computed is guarded:
 * loads, indices and names stay outside.
 */
import type { Statement } from "../../../kernel/ir/kernel.ts";
import type { CallScalar, Scalar } from "../../../kernel/ir/scalar.ts";
import { operandsOf, rootsOf } from "../../../kernel/ir/visit.ts";
import { type Emission, type Guard, innermost } from "./emission.ts";
import { isMathCall } from "./scalar-ops.ts";
import { depthOfValue } from "./value-depth.ts";

/** Operations that a guard saves at least: what a branch that is foretold wrongly costs. */
const leastSaved = Number(globalThis.process?.env?.LEAST ?? 24);
/** A side with fewer operations is a special value. */
const leastOther = 4;
/** A call of the engine, in operations. */
const callCost = 32;

interface Side extends Guard {
  readonly around: Side | undefined;
  readonly depth: number;
  /** Operations in it, those of inner sides included. */
  cost: number;
  other: Side | undefined;
}

const isSelect = (value: Scalar): value is CallScalar => value.kind === "call" && value.fn === "select";

const isComputed = ({ kind }: Scalar): boolean => kind === "call" || kind === "cast";

const costOf = (value: Scalar): number =>
  !isComputed(value)
    ? 0
    : value.kind === "call" && value.args[0]?.dtype === "float64" && isMathCall(value.fn)
      ? callCost
      : 1;

const newSide = (condition: Scalar, wanted: boolean, around: Side | undefined): Side => ({
  condition,
  wanted,
  results: new Set(),
  inputs: new Set(),
  isOpen: false,
  around,
  depth: (around?.depth ?? 0) + 1,
  cost: 0,
  other: undefined,
});

/** The innermost side that both are in. */
function common(a: Side | undefined, b: Side | undefined): Side | undefined {
  let [x, y] = [a, b];
  while (x !== y) {
    if ((x?.depth ?? 0) >= (y?.depth ?? 0)) x = x?.around;
    else y = y?.around;
  }
  return x;
}

/** The side itself or the first one around it that is worth a guard. */
function guardOf(side: Side | undefined): Side | undefined {
  let found = side;
  while (found && (found.cost < leastSaved || (found.other as Side).cost < leastOther)) found = found.around;
  return found;
}

/** Finds the guards of the innermost loop, whose statements are given. */
export function planGuards(e: Emission, body: readonly Statement[]): void {
  const groups = valuesOf(e, body);
  const selects = groups.flat().filter(isSelect);
  if (selects.length === 0) return;
  const sides = sidesOf(groups, body);
  for (const [value, side] of sides) {
    const own = guardOf(side);
    if (own !== undefined) innermost(e).guards.set(value, own);
    for (const operand of operandsOf(value)) {
      if (!sides.has(operand)) continue;
      const inner = guardOf(sides.get(operand));
      if (inner !== own && inner !== undefined && guardOf(inner.around) === own) inner.results.add(operand);
      else for (let at = own; at !== inner; at = guardOf(at?.around)) at?.inputs.add(operand);
    }
  }
}

/** The values that change in the loop, operands first, in a list for each statement; stores that follow each other are one. */
function valuesOf(e: Emission, body: readonly Statement[]): Scalar[][] {
  const { depth } = innermost(e);
  const seen = new Set<Scalar>();
  const groups: Scalar[][] = [];
  let group: Scalar[] = [];
  const visit = (value: Scalar): void => {
    if (seen.has(value) || depthOfValue(e, value) < depth) return;
    seen.add(value);
    operandsOf(value).forEach(visit);
    group.push(value);
  };
  let before: Statement | undefined;
  for (const statement of body) {
    if (statement.kind !== "store" || before?.kind !== "store") groups.push((group = []));
    rootsOf(statement).forEach(visit);
    before = statement;
  }
  return groups;
}

/** The side of each value. */
function sidesOf(groups: readonly (readonly Scalar[])[], body: readonly Statement[]): Map<Scalar, Side | undefined> {
  const stages = new Map<Scalar, number>();
  for (const value of groups.flat()) {
    let stage = 0;
    for (const operand of operandsOf(value)) stage = Math.max(stage, stages.get(operand) ?? 0);
    stages.set(value, isSelect(value) ? stage + 1 : stage);
  }
  const sides = new Map<Scalar, Side | undefined>();
  for (const statement of body) for (const root of rootsOf(statement)) if (stages.has(root)) sides.set(root, undefined);
  const place = (value: Scalar, side: Side | undefined): void => {
    if (stages.has(value)) sides.set(value, sides.has(value) ? common(sides.get(value), side) : side);
  };
  for (const group of groups.toReversed()) {
    const opened: [Side, Side, number][] = [];
    for (const value of group.toReversed()) {
      if (!isComputed(value)) sides.set(value, undefined);
      const own = sides.get(value);
      for (let side = own; side; side = side.around) side.cost += costOf(value);
      if (!isSelect(value)) {
        for (const operand of operandsOf(value)) place(operand, own);
        continue;
      }
      const [condition, chosen, rest] = value.args as [Scalar, Scalar, Scalar];
      const stage = stages.get(value) as number;
      let pair = opened.find(([at, , s]) => at.condition === condition && at.around === own && s === stage);
      if (pair === undefined) {
        pair = [newSide(condition, true, own), newSide(condition, false, own), stage];
        [pair[0].other, pair[1].other] = [pair[1], pair[0]];
        opened.push(pair);
      }
      place(condition, own);
      place(chosen, pair[0]);
      place(rest, pair[1]);
    }
  }
  return sides;
}
