/**
 * Loops. Each is guarded by a test for no iterations, then has its preheader, then one branch per iteration.
 *
 * A vector loop becomes up to three loops that advance the same pointers: vectors with an unrolled body, single vectors, and scalars for
 * the remaining iterations. A long body is emitted once (`emit-padded.ts`). With accumulators there are `by` partial results, in the
 * order that `kernel.ts` defines; without a vector form they are scalars, and the body is copied for each. A vector loop around other
 * loops computes single vectors, which pass through the inner loops (`vector-form.ts`), and scalars for the remaining iterations.
 */
import { listOf } from "../../../base/list-of.ts";
import { range } from "../../../expr/proofs.ts";
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
import { type Code, hasInstruction } from "./builder.ts";
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
import { representation, type Step, set } from "./representation.ts";
import { scalarCall } from "./scalar-ops.ts";
import { scanLoop } from "./scan-loop.ts";
import { laneFormOf, lanesOf } from "./vector-form.ts";
import { vectorLane, vectorSplat } from "./vector-lanes.ts";
import { vectorCall } from "./vector-ops.ts";

/** Emits a list of statements. */
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
  /** The number of iterations, if known. */
  readonly count: number | undefined;
}

function emitBounds(e: Emission, { mode, index: name, from, to }: LoopStatement): Bounds {
  const { builder } = e;
  const index = builder.local("i32", name);
  if (mode === "parallel") {
    builder.emit(parameters.begin, set(index));
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
    builder.emit(bounds.index, bounds.end, "i32.lt_s");
    builder.titled(`${loop.mode} ${loop.index}`, "if");
  }
  builder.append(scope.before.code);
  builder.append(code);
  if (!isGuarded) return;
  if (isVector) emitNoIterations(e, accumulated);
  builder.op("end");
}

const isInnermost = ({ body }: LoopStatement): boolean => !body.some((statement) => statement.kind === "loop");

/** A loop whose iterations may be grouped in any way, or must run one by one. */
function emitPlain(e: Emission, loop: LoopStatement, bounds: Bounds): void {
  const changing = isInnermost(loop) ? scanLoop(e, loop) : [];
  const lanes = isInnermost(loop) ? lanesOf(e, loop, changing) : 1;
  const { count } = bounds;
  let left = count;
  const form = isInnermost(loop) ? undefined : laneFormOf(e, loop);
  if (form !== undefined) {
    e.lane = form;
    emitIterations(e, loop, bounds, form.lanes, 1, count !== undefined);
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
      emitIterations(e, loop, bounds, lanes, copies, false);
      if (left !== undefined) left %= lanes * copies;
    }
    if ((left ?? Infinity) >= lanes) {
      emitIterations(e, loop, bounds, lanes, 1, false);
      if (left !== undefined) left %= lanes;
    }
  }
  if (left !== 0) emitIterations(e, loop, bounds, 1, 1, lanes === 1 && form === undefined);
}

/** The number of vectors per iteration of a loop: more if each takes little work and the elements do not go backwards. */
function copiesOf({ accesses }: Scope, work: number): number {
  for (const { pointer } of accesses.values()) if (pointer.step === undefined || pointer.step < 0) return 1;
  return work <= 6 ? 4 : work <= 16 ? 2 : 1;
}

/**
 * A loop that computes lanes * copies iterations at a time while that many are left. `isSure` says that they are at the start. If there
 * cannot be more than those, no loop is emitted.
 */
function emitIterations(
  e: Emission,
  loop: LoopStatement,
  { index, end }: Bounds,
  lanes: number,
  copies: number,
  isSure: boolean,
  atStart: (copy: number) => void = () => {},
): void {
  const { builder } = e;
  const count = lanes * copies;
  const bound = count === 1 ? end : lastStart(e, end, count);
  const hasMore: readonly Step[] = [index, bound, count === 1 ? "i32.lt_s" : "i32.le_s"];
  if (!isSure) builder.emit(...hasMore, "if");
  const isOnce = range(loop.to.sub(loop.from))[1] <= count;
  if (!isOnce) builder.titled(count === 1 ? loop.index : `${loop.index}, ${count} at a time`, "loop");
  for (let copy = 0; copy < copies; copy++) {
    writeBody(e, lanes, copy * lanes, () => {
      atStart(copy);
      emitStatements(e, loop.body);
    });
  }
  advancePointers(e, count);
  // Nothing else reads the index of most serial loops: a counter that goes down to 0 needs no register for its end.
  const isRead = ([op, local]: Instruction): boolean => op === "local.get" && local === index;
  const counter =
    isOnce || loop.mode !== "serial" || hasInstruction(builder.code, isRead) ? index : endLess(e, end, "left", index);
  builder.emit(counter, ["i32.const", counter === index ? count : -1], "i32.add", set(counter));
  if (!isOnce) builder.emit(...(counter === index ? hasMore : [counter]), ["br_if", 0], "end");
  if (!isSure) builder.op("end");
}

type Accumulated = ReadonlyMap<string, AccumulateStatement>;

/** A vector loop with accumulators from outside: partial results for full groups of `by` iterations, then the remaining ones. */
function emitReduction(e: Emission, loop: LoopStatement, bounds: Bounds, accumulated: Accumulated): void {
  const { builder } = e;
  const scope = innermost(e);
  const lanes = isInnermost(loop) ? lanesOf(e, loop, scanLoop(e, loop)) : 1;
  const copies = loop.by / lanes;
  const partials = Array.from({ length: copies }, () => new Map<string, number>());
  for (const [name, { fn, value }] of accumulated) {
    const start = valueLocal(e, identity(fn, value.dtype));
    for (const each of partials) {
      const type = lanes > 1 ? "v128" : representation(value.dtype).type;
      const local = builder.compute(scope.before.code, type, `${name}_part`, () => {
        builder.get(start);
        if (lanes > 1) vectorSplat(builder, value.dtype);
      });
      each.set(name, local);
    }
  }
  emitIterations(e, loop, bounds, lanes, copies, false, (copy) => {
    scope.partials = partials[copy];
  });
  scope.partials = undefined;
  for (const [name, { fn, value }] of accumulated) {
    const parts = partials.map((each) => each.get(name) as number);
    emitFold(e, fn, value.dtype, lanes, parts, (e.named.get(name) as ValueName).local);
  }
  emitIterations(e, loop, bounds, 1, 1, false);
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
  const call = (ofLanes: number, pair: readonly number[]): void => {
    if (ofLanes > 1) vectorCall(builder, fn, dtype, ofLanes, pair);
    else scalarCall(builder, fn, dtype, pair);
    builder.set(pair[0]);
  };
  const fold = (locals: readonly number[], ofLanes: number): void => {
    for (let half = locals.length / 2; half >= 1; half /= 2)
      for (let i = 0; i < half; i++) call(ofLanes, [locals[i], locals[i + half]]);
  };
  fold(parts, lanes);
  let [result] = parts;
  if (lanes > 1) {
    const scalars = listOf(lanes, (lane) =>
      builder.compute(builder.code, representation(dtype).type, undefined, () => {
        builder.get(parts[0]);
        vectorLane(builder, dtype, lanes, lane);
      }),
    );
    fold(scalars, 1);
    result = scalars[0];
  }
  call(1, [accumulator, result]);
}

/** Without any iteration the accumulators still add their identities, which changes only a sum of floats: -0 becomes 0. */
function emitNoIterations(e: Emission, accumulated: Accumulated): void {
  const sums = [...accumulated].filter(([, { fn, value }]) => fn === "add" && isFloatDType(value.dtype));
  if (sums.length === 0) return;
  e.builder.op("else");
  for (const [name, { fn, value }] of sums) {
    const { local } = e.named.get(name) as ValueName;
    scalarCall(e.builder, fn, value.dtype, [local, valueLocal(e, identity(fn, value.dtype))]);
    e.builder.set(local);
  }
}

/** The identity of a function as a constant. */
const identity = (fn: Combination, dtype: DType): Scalar => constantScalar(dtype, identityOf(fn, dtype));
