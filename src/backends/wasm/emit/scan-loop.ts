/**
 * The analysis of an innermost loop before it is emitted: which of its values change between iterations, how often each is used, the
 * pointers it needs, and what it may skip. Names bound in it are registered with their depths; the locals of those that change
 * follow when the statements are emitted.
 *
 * Values that only one side of a select needs are skipped if no lane takes that side.
 * A side is (the side around it, condition, true or false); a value belongs to the innermost side that contains all of its uses. A side
 * becomes a guard if it saves enough, and if the other side is more than a special value, since otherwise this one is the common case.
 * Selects share a side if they have the same condition object, are emitted together, and depend on equally many selects, so that none
 * of them needs another. Only computed values are guarded: loads, indices and names stay outside. `emit-guard.ts` emits the code.
 */
import { exprOf } from "../../../expr/expr.ts";
import type { LoopStatement, Statement } from "../../../kernel/ir/kernel.ts";
import type { CallScalar, Scalar } from "../../../kernel/ir/scalar.ts";
import { operandsOf, rootsOf } from "../../../kernel/ir/visit.ts";
import { expanded, type MemoryAccess, planAccesses } from "./accesses.ts";
import { depthOfValue } from "./effects.ts";
import { type Emission, type Guard, innermost } from "./emission.ts";
import { depthOfLet, emitStatement } from "./emit-statements.ts";
import { isMathCall } from "./scalar-ops.ts";

/** Analyzes the innermost loop and returns the values that change in it. */
export function scanLoop(e: Emission, { body }: LoopStatement): readonly Scalar[] {
  const { depth, uses } = innermost(e);
  const changing: Scalar[] = [];
  const accessing: MemoryAccess[] = [];
  const visit = (value: Scalar): void => {
    const count = uses.get(value) ?? 0;
    uses.set(value, count + 1);
    if (count > 0) return;
    operandsOf(value).forEach(visit);
    if (depthOfValue(e, value) < depth) return;
    changing.push(value);
    if (value.kind === "load") accessing.push(value);
  };
  for (const statement of body) {
    rootsOf(statement).forEach(visit);
    bind(e, statement);
    if (statement.kind === "store") accessing.push(statement);
  }
  planAccesses(e, accessing);
  if (e.lane === undefined) planGuards(e, body, changing);
  return changing;
}

function bind(e: Emission, statement: Statement): void {
  const { depth, definitions } = innermost(e);
  const local = -1;
  switch (statement.kind) {
    case "index":
      definitions.set(statement.name, exprOf(expanded(e, statement.value)));
      return;
    case "walk":
      for (const name of statement.offsets) e.integers.set(name, { local, depth, shift: 0 });
      return;
    case "fetch":
      // An invariant value is computed before the loop at once: pointers may depend on it.
      if (depthOfValue(e, statement.value) < depth) emitStatement(e, statement);
      else e.integers.set(statement.name, { local, depth, shift: 0 });
      return;
    case "let":
      if (depthOfLet(e, statement) < depth) emitStatement(e, statement);
      else e.named.set(statement.name, { local, depth, changes: false });
      return;
    case "accumulator":
      e.named.set(statement.name, { local, depth, changes: true });
      return;
    case "allocate":
      emitStatement(e, statement);
      return;
    default:
  }
}

/** The operations that a guard must save: about the cost of a mispredicted branch. */
const minSaved = 32;
/** The operations of the other side, below which it counts as a special value. */
const minOther = 4;
/** The cost of a call of the engine's Math, in operations. */
const callCost = 32;

interface Side extends Guard {
  readonly outer: Side | undefined;
  readonly depth: number;
  /** The length of the longest chain of selects below it. */
  readonly stage: number;
  /** The number of operations, those of inner sides included. */
  cost: number;
  other: Side | undefined;
}

type Sides = Map<Scalar, Side | undefined>;

const isSelect = (value: Scalar): value is CallScalar => value.kind === "call" && value.fn === "select";

const isComputed = ({ kind }: Scalar): boolean => kind === "call" || kind === "cast";

function costOf(value: Scalar): number {
  if (value.kind !== "call" || value.dtype !== "float64" || !isMathCall(value.fn)) return isComputed(value) ? 1 : 0;
  return callCost;
}

/** Finds the guards of the innermost loop, from its statements and the values that change in it. */
function planGuards(e: Emission, body: readonly Statement[], changing: readonly Scalar[]): void {
  if (!changing.some(isSelect)) return;
  const groups = groupsOf(e, body);
  const sides = sidesOf(groups, body);
  const { guards } = innermost(e);
  for (const [value, side] of sides) {
    const own = guardOf(side);
    if (own !== undefined) guards.set(value, own);
    for (const operand of operandsOf(value)) {
      if (!sides.has(operand)) continue;
      const other = guardOf(sides.get(operand));
      if (other !== undefined && other !== own && guardOf(other.outer) === own) other.results.add(operand);
      else for (let inner = own; inner && inner !== other; inner = guardOf(inner.outer)) inner.inputs.add(operand);
    }
  }
}

/** The values that change in the loop, operands first, in one list per statement; consecutive stores share one. */
function groupsOf(e: Emission, body: readonly Statement[]): readonly (readonly Scalar[])[] {
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
  body.forEach((statement, i) => {
    if (statement.kind !== "store" || body[i - 1]?.kind !== "store") {
      group = [];
      groups.push(group);
    }
    rootsOf(statement).forEach(visit);
  });
  return groups;
}

/** The length of the longest chain of selects in each value. */
function stagesOf(values: readonly Scalar[]): ReadonlyMap<Scalar, number> {
  const stages = new Map<Scalar, number>();
  for (const value of values) {
    let stage = 0;
    for (const operand of operandsOf(value)) stage = Math.max(stage, stages.get(operand) ?? 0);
    stages.set(value, isSelect(value) ? stage + 1 : stage);
  }
  return stages;
}

/** The side of each value, computed from uses to operands. */
function sidesOf(groups: readonly (readonly Scalar[])[], body: readonly Statement[]): Sides {
  const stages = stagesOf(groups.flat());
  const sides: Sides = new Map();
  const assign = (value: Scalar, side: Side | undefined): void => {
    if (stages.has(value)) sides.set(value, sides.has(value) ? commonSide(sides.get(value), side) : side);
  };
  for (const statement of body) for (const root of rootsOf(statement)) assign(root, undefined);
  for (let g = groups.length - 1; g >= 0; g--) {
    const group = groups[g];
    const opened: Side[] = [];
    for (let v = group.length - 1; v >= 0; v--) {
      const value = group[v];
      if (!isComputed(value)) sides.set(value, undefined);
      const own = sides.get(value);
      for (let side = own; side; side = side.outer) side.cost += costOf(value);
      const chosen = isSelect(value) ? sideOf(opened, value, stages.get(value) as number, own) : undefined;
      operandsOf(value).forEach((operand, k) => {
        assign(operand, k === 0 || chosen === undefined ? own : k === 1 ? chosen : chosen.other);
      });
    }
  }
  return sides;
}

/** The side of a select's first value; reuses an open one. */
function sideOf(opened: Side[], { args }: CallScalar, stage: number, outer: Side | undefined): Side {
  const condition = args[0];
  const known = opened.find((s) => s.condition === condition && s.outer === outer && s.stage === stage);
  if (known !== undefined) return known;
  const open = (runsIf: boolean, other: Side | undefined): Side => ({
    condition,
    runsIf,
    results: new Set(),
    inputs: new Set(),
    isOpen: false,
    outer,
    depth: (outer?.depth ?? 0) + 1,
    stage,
    cost: 0,
    other,
  });
  const side = open(true, undefined);
  side.other = open(false, side);
  opened.push(side);
  return side;
}

/** The innermost side that contains both. */
function commonSide(a: Side | undefined, b: Side | undefined): Side | undefined {
  let [x, y] = [a, b];
  while (x !== y) {
    if ((x?.depth ?? 0) >= (y?.depth ?? 0)) x = x?.outer;
    else y = y?.outer;
  }
  return x;
}

/** The side, or the first one around it, that is worth a guard. */
function guardOf(side: Side | undefined): Side | undefined {
  let guard = side;
  while (guard && (guard.cost < minSaved || (guard.other as Side).cost < minOther)) guard = guard.outer;
  return guard;
}
