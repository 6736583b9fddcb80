/**
 * Loops. Each is guarded by a test for no rounds, then has its preheader, then one branch a round.
 *
 * A vector loop becomes up to three: vectors with the body copied a few times, single vectors, and the rounds that are left one by
 * one; all of them move the same pointers on. Where the body is long it is written once (`emit-padded.ts`). With accumulators it has partial results, `by` of them, in the order that
 * `kernel.ts` fixes; where it has no vector form, they are as many scalars and the body is copied for each. A vector loop around
 * other loops does single vectors, which go through the inner loops (`vector-form.ts`), and the rounds that are left one by one.
 */
import { listOf } from "../../../base/list-of.ts";
import { range } from "../../../expr/questions.ts";
import type {
  AccumulateStatement,
  Combination,
  LoopStatement,
  Statement,
  StoreStatement,
} from "../../../kernel/ir/kernel.ts";
import { constantScalar, type Scalar } from "../../../kernel/ir/scalar.ts";
import { identityOf } from "../../../kernel/ir/statements.ts";
import { type DType, isFloatDType } from "../../../storage/dtype.ts";
import type { Instruction } from "../encoder/instructions.ts";
import { advancePointers } from "./accesses.ts";
import { type Code, flat } from "./builder.ts";
import { effectsOf } from "./effects.ts";
import {
  type Emission,
  endLess,
  innermost,
  lastStart,
  openScope,
  parameters,
  type Scope,
  type ValueName,
  writeBody,
} from "./emission.ts";
import { pushIndex } from "./emit-index.ts";
import { emitBlockCopy, emitPadded, paddable } from "./emit-padded.ts";
import { emitStatement, emitStores } from "./emit-statements.ts";
import { valueLocal } from "./emit-values.ts";
import { representation } from "./representation.ts";
import { scalarCall } from "./scalar-ops.ts";
import { scanLoop } from "./scan-loop.ts";
import { laneFormOf, lanesOf } from "./vector-form.ts";
import { vectorLane, vectorSplat } from "./vector-lanes.ts";
import { vectorCall } from "./vector-ops.ts";

/** Writes statements, one after the other. */
export function emitStatements(e: Emission, statements: readonly Statement[]): void {
  for (let i = 0; i < statements.length; ) {
    const statement = statements[i];
    if (statement.kind === "store") {
      const stores: StoreStatement[] = [];
      for (let next = statements[i]; next?.kind === "store"; next = statements[++i]) stores.push(next);
      emitStores(e, stores);
      continue;
    }
    if (statement.kind === "loop") emitLoop(e, statement);
    else emitStatement(e, statement);
    i++;
  }
}

/** The locals of a loop's index and of its end. */
interface Bounds {
  readonly index: number;
  readonly end: number;
  /** How many rounds there are, if that is known. */
  readonly count: number | undefined;
}

function emitBounds(e: Emission, { mode, index: name, from, to }: LoopStatement): Bounds {
  const { builder } = e;
  const index = builder.local("i32", name);
  if (mode === "parallel") {
    builder.get(parameters.begin);
    builder.set(index);
    return { index, end: parameters.end, count: undefined };
  }
  const end = builder.local("i32", `${name}_end`);
  pushIndex(e, from);
  builder.set(index);
  pushIndex(e, to);
  builder.set(end);
  const count = from.value === undefined || to.value === undefined ? undefined : Math.max(0, to.value - from.value);
  return { index, end, count };
}

function emitLoop(e: Emission, loop: LoopStatement): void {
  const { builder } = e;
  const bounds = emitBounds(e, loop);
  const { changed, read, accumulated } = effectsOf(loop.body);
  const scope = openScope(e, loop.index, changed, read);
  e.integers.set(loop.index, { local: bounds.index, depth: scope.depth, shift: 0 });
  const code: Code = [];
  const isVector = loop.mode === "vector";
  builder.into(code, () => {
    if (isVector && accumulated.size > 0) emitReduction(e, loop, bounds, accumulated);
    else emitPlain(e, loop, bounds);
  });
  e.scopes.pop();
  const isGuarded = !bounds.count;
  if (isGuarded) {
    builder.get(bounds.index);
    builder.get(bounds.end);
    builder.op("i32.lt_s");
    builder.titled(`${loop.mode} ${loop.index}`, "if");
  }
  builder.append(scope.before.code);
  builder.append(code);
  if (!isGuarded) return;
  if (isVector) emitNoRounds(e, accumulated);
  builder.op("end");
}

const isInnermost = ({ body }: LoopStatement): boolean => !body.some((statement) => statement.kind === "loop");

/** A loop whose rounds may be done in any grouping, or must be done one by one. */
function emitPlain(e: Emission, loop: LoopStatement, bounds: Bounds): void {
  const changing = isInnermost(loop) ? scanLoop(e, loop) : [];
  const lanes = isInnermost(loop) ? lanesOf(e, loop, changing) : 1;
  const { count } = bounds;
  let left = count;
  const form = isInnermost(loop) ? undefined : laneFormOf(e, loop);
  if (form !== undefined) {
    e.lane = form;
    emitRounds(e, loop, bounds, form.lanes, 1, count !== undefined);
    e.lane = undefined;
    if (left !== undefined) left %= form.lanes;
  }
  if (lanes > 1) {
    emitBlockCopy(e, loop, bounds.index, bounds.end);
    const copies = copiesOf(innermost(e), changing.length);
    const pointers = copies === 1 && (left === undefined || left % lanes !== 0) ? paddable(e) : undefined;
    if (pointers !== undefined) {
      const writeOnce = (): void => writeBody(e, lanes, 0, () => emitStatements(e, loop.body));
      emitPadded(e, bounds.index, bounds.end, lanes, pointers, loop.index, writeOnce);
      return;
    }
    if (copies > 1 && (left ?? Infinity) >= lanes * copies) {
      emitRounds(e, loop, bounds, lanes, copies, false);
      if (left !== undefined) left %= lanes * copies;
    }
    if ((left ?? Infinity) >= lanes) {
      emitRounds(e, loop, bounds, lanes, 1, false);
      if (left !== undefined) left %= lanes;
    }
  }
  if (left !== 0) emitRounds(e, loop, bounds, 1, 1, lanes === 1 && form === undefined);
}

/** How many vectors a round of a loop does: more where the work on each is small and its elements are neighbours. */
function copiesOf({ accesses }: Scope, work: number): number {
  for (const { pointer } of accesses.values()) if (pointer.step === undefined || pointer.step < 0) return 1;
  return work <= 6 ? 4 : work <= 16 ? 2 : 1;
}

/**
 * One loop that does lanes * copies rounds at a time as long as there are so many; `isSure` if that is known of the first. Where there
 * are no more than those, no loop.
 */
function emitRounds(
  e: Emission,
  loop: LoopStatement,
  { index, end }: Bounds,
  lanes: number,
  copies: number,
  isSure: boolean,
  atStart: (copy: number) => void = () => {},
): void {
  const { builder } = e;
  const rounds = lanes * copies;
  const bound = rounds === 1 ? end : lastStart(e, end, rounds);
  const pushGoesOn = (): void => {
    builder.get(index);
    builder.get(bound);
    builder.op(rounds === 1 ? "i32.lt_s" : "i32.le_s");
  };
  if (!isSure) {
    pushGoesOn();
    builder.op("if");
  }
  const isOnce = range(loop.to.sub(loop.from))[1] <= rounds;
  if (!isOnce) builder.titled(rounds === 1 ? loop.index : `${loop.index}, ${rounds} at a time`, "loop");
  for (let copy = 0; copy < copies; copy++) {
    writeBody(e, lanes, copy * lanes, () => {
      atStart(copy);
      emitStatements(e, loop.body);
    });
  }
  advancePointers(e, rounds);
  // Nobody else reads the index of most serial loops: a count that goes down to 0 needs no register for its end.
  const isRead = ([op, local]: Instruction): boolean => op === "local.get" && local === index;
  const counter =
    isOnce || loop.mode !== "serial" || flat(builder.code).some(isRead)
      ? index
      : endLess(e, end, "left", ["local.get", index]);
  builder.get(counter);
  builder.op("i32.const", counter === index ? rounds : -1);
  builder.op("i32.add");
  builder.set(counter);
  if (!isOnce) {
    if (counter === index) pushGoesOn();
    else builder.get(counter);
    builder.op("br_if", 0);
    builder.op("end");
  }
  if (!isSure) builder.op("end");
}

type Accumulated = ReadonlyMap<string, AccumulateStatement>;

/** A vector loop with accumulators from outside: partial results for the full groups of `by` rounds, then the rest. */
function emitReduction(e: Emission, loop: LoopStatement, bounds: Bounds, accumulated: Accumulated): void {
  const { builder } = e;
  const scope = innermost(e);
  const lanes = isInnermost(loop) ? lanesOf(e, loop, scanLoop(e, loop)) : 1;
  const copies = loop.by / lanes;
  const partials = Array.from({ length: copies }, () => new Map<string, number>());
  for (const [name, { fn, value }] of accumulated) {
    const start = valueLocal(e, identity(fn, value.dtype));
    for (const each of partials) {
      const local = builder.local(lanes > 1 ? "v128" : representation(value.dtype).type, `${name}_part`);
      builder.into(scope.before.code, () => {
        builder.get(start);
        if (lanes > 1) vectorSplat(builder, value.dtype);
        builder.set(local);
      });
      each.set(name, local);
    }
  }
  emitRounds(e, loop, bounds, lanes, copies, false, (copy) => {
    scope.partials = partials[copy];
  });
  scope.partials = undefined;
  for (const [name, { fn, value }] of accumulated) {
    const parts = partials.map((each) => each.get(name) as number);
    emitFold(e, fn, value.dtype, lanes, parts, (e.named.get(name) as ValueName).local);
  }
  emitRounds(e, loop, bounds, 1, 1, false);
}

/** Folds partial results in halves and combines them with the accumulator. */
function emitFold(
  { builder }: Emission,
  fn: Combination,
  dtype: DType,
  lanes: number,
  parts: readonly number[],
  accumulator: number,
): void {
  const { type } = representation(dtype);
  let folded = parts;
  for (let half = parts.length / 2; half >= 1; half /= 2)
    for (let i = 0; i < half; i++) {
      const pair = [folded[i], folded[i + half]];
      if (lanes > 1) vectorCall(builder, fn, dtype, lanes, pair);
      else scalarCall(builder, fn, dtype, pair);
      builder.set(pair[0]);
    }
  if (lanes > 1) {
    folded = listOf(lanes, (lane) => {
      const local = builder.local(type);
      builder.get(parts[0]);
      vectorLane(builder, dtype, lanes, lane);
      builder.set(local);
      return local;
    });
    for (let half = lanes / 2; half >= 1; half /= 2)
      for (let i = 0; i < half; i++) {
        scalarCall(builder, fn, dtype, [folded[i], folded[i + half]]);
        builder.set(folded[i]);
      }
  }
  scalarCall(builder, fn, dtype, [accumulator, folded[0]]);
  builder.set(accumulator);
}

/** Without any round the accumulators still take their identities, which only a sum of floats notices: -0 becomes 0. */
function emitNoRounds(e: Emission, accumulated: Accumulated): void {
  const sums = [...accumulated].filter(([, { fn, value }]) => fn === "add" && isFloatDType(value.dtype));
  if (sums.length === 0) return;
  e.builder.op("else");
  for (const [name, { fn, value }] of sums) {
    const { local } = e.named.get(name) as ValueName;
    scalarCall(e.builder, fn, value.dtype, [local, valueLocal(e, identity(fn, value.dtype))]);
    e.builder.set(local);
  }
}

/** The value that changes nothing, as a constant. */
const identity = (fn: Combination, dtype: DType): Scalar => constantScalar(dtype, identityOf(fn, dtype));
