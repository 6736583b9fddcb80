/**
 * All statements of a loop's body except loops, emitted for the current body: one iteration, or a vector of iterations.
 *
 * Consecutive stores are one group: all values are computed before any is stored, so that a kernel whose output aliases an input reads
 * the old elements. A store whose value reads a buffer that an earlier store of the group writes, by the same name, begins a new group.
 *
 * A walk turns a position into the offsets of its coordinate in a mode list: the position is divided by the size of each row in turn, and
 * each remainder is multiplied by that row's strides. The last row takes the final quotient; without rows all offsets are 0.
 */
import { InternalError } from "../../../base/errors.ts";
import type {
  AccumulateStatement,
  AllocateStatement,
  FetchStatement,
  LetStatement,
  LoopStatement,
  Statement,
  StoreStatement,
  WalkStatement,
} from "../../../kernel/ir/kernel.ts";
import type { Scalar } from "../../../kernel/ir/scalar.ts";
import { expanded, pushElement } from "./accesses.ts";
import { depthOfValue, effectsOf } from "./effects.ts";
import {
  argumentWord,
  blockOf,
  type Emission,
  innermost,
  invalidate,
  lanesNow,
  scratchLocal,
  type ValueName,
} from "./emission.ts";
import { pushIndex } from "./emit-index.ts";
import { partialLocal, pushAccumulated, storePairs, storeVector, valueLocal, vectorLocal } from "./emit-values.ts";
import { scalarStore } from "./memory-ops.ts";
import { representation, type Step, set, tee } from "./representation.ts";
import { scalarCall } from "./scalar-ops.ts";

/** Emits any statement except loops and stores; conditions are lowered to loops before. */
export function emitStatement(e: Emission, statement: Exclude<Statement, LoopStatement | StoreStatement>): void {
  switch (statement.kind) {
    case "index": {
      // In an innermost loop the value is substituted into the expressions that use the name.
      if (innermost(e).definitions.has(statement.name)) return;
      const local = e.builder.local("i32", statement.name);
      pushIndex(e, statement.value);
      e.builder.set(local);
      e.integers.set(statement.name, { local, depth: innermost(e).depth, shift: 0 });
      return;
    }
    case "fetch":
      emitFetch(e, statement);
      return;
    case "walk":
      emitWalk(e, statement);
      return;
    case "let":
      emitLet(e, statement);
      return;
    case "accumulator": {
      const local = copyOf(e, statement.initial, statement.name);
      e.named.set(statement.name, { local, depth: innermost(e).depth, changes: true });
      return;
    }
    case "accumulate":
      emitAccumulate(e, statement);
      return;
    case "allocate":
      emitAllocate(e, statement);
      return;
    case "barrier":
    case "if":
      return;
    default:
      statement satisfies never;
  }
}

/** A fresh local with a copy of a value. */
function copyOf(e: Emission, value: Scalar, name: string): number {
  const isVector = e.lane?.names.has(name) === true;
  const { builder } = e;
  return builder.compute(builder.code, isVector ? "v128" : representation(value.dtype).type, name, () =>
    builder.get(isVector ? vectorLocal(e, value) : valueLocal(e, value)),
  );
}

const isAccumulator = (e: Emission, value: Scalar): boolean =>
  value.kind === "named" && e.named.get(value.name)?.changes === true;

/** The depth of a named value. An accumulator is copied in the current loop, since it changes. */
export const depthOfLet = (e: Emission, { value }: LetStatement): number =>
  isAccumulator(e, value) ? innermost(e).depth : depthOfValue(e, value);

function emitLet(e: Emission, statement: LetStatement): void {
  const { name, value } = statement;
  const depth = depthOfLet(e, statement);
  const scope = innermost(e);
  let local: number;
  if (e.lane === undefined && scope.body.lanes > 1 && depth === scope.depth) local = vectorLocal(e, value);
  else if (e.lane?.values.has(value) && !isAccumulator(e, value)) local = vectorLocal(e, value);
  else local = isAccumulator(e, value) ? copyOf(e, value, name) : valueLocal(e, value);
  e.named.set(name, { local, depth, changes: false });
}

function emitFetch(e: Emission, { name, value }: FetchStatement): void {
  const { builder } = e;
  const { type } = representation(value.dtype);
  if (type !== "i32" && type !== "i64")
    throw new InternalError(`wasm: fetch of ${name} requires an integer, got ${value.dtype}`);
  const depth = depthOfValue(e, value);
  let local = valueLocal(e, value);
  if (type === "i64") {
    const wide = local;
    local = builder.compute(blockOf(e, depth).code, "i32", name, () => builder.emit(wide, "i32.wrap_i64"));
  }
  e.integers.set(name, { local, depth, shift: 0 });
}

function emitAccumulate(e: Emission, statement: AccumulateStatement): void {
  const { into, fn, value } = statement;
  const { builder } = e;
  const partial = partialLocal(e, into);
  const local = partial ?? (e.named.get(into) as ValueName).local;
  if (lanesNow(e) > 1) pushAccumulated(e, statement, local);
  else scalarCall(builder, fn, value.dtype, [local, valueLocal(e, value)]);
  builder.set(local);
  invalidate(e, into);
}

/** Allocates elements in the scratch bytes of the thread. */
function emitAllocate(e: Emission, { name, dtype, length }: AllocateStatement): void {
  if (e.buffers.has(name)) return;
  const { bytes } = representation(dtype);
  e.buffers.set(name, { local: scratchLocal(e, length * bytes, name), dtype, bytes });
}

/** Emits consecutive stores. */
export function emitStores(e: Emission, stores: readonly StoreStatement[]): void {
  if (stores.length === 1) {
    emitGroup(e, stores);
    return;
  }
  let group: StoreStatement[] = [];
  const written = new Set<string>();
  for (const store of stores) {
    if ([...effectsOf([store]).read].some((name) => written.has(name))) {
      emitGroup(e, group);
      group = [];
      written.clear();
    }
    group.push(store);
    written.add(store.buffer);
  }
  emitGroup(e, group);
}

function emitGroup(e: Emission, group: readonly StoreStatement[]): void {
  if (lanesNow(e) > 1) {
    const values = new Map(group.map((store) => [store, vectorLocal(e, store.value)]));
    for (const store of group) emitVectorStore(e, store, values);
  } else {
    const values = group.map(({ value }) => valueLocal(e, value));
    const masks = group.map(({ mask }) => mask && valueLocal(e, mask));
    group.forEach((store, i) => {
      emitScalarStore(e, store, values[i], masks[i]);
    });
  }
  for (const { buffer } of group) invalidate(e, buffer);
}

function emitVectorStore(e: Emission, store: StoreStatement, values: Map<StoreStatement, number>): void {
  const value = values.get(store);
  if (value === undefined) return;
  const { dtype } = store.value;
  const { accesses } = innermost(e);
  const own = accesses.get(store);
  const other = own?.partner as StoreStatement | undefined;
  const otherValue = other && values.get(other);
  if (!own || !other || otherValue === undefined || dtype === "bool") {
    storeVector(e, store, value, dtype);
    return;
  }
  values.delete(other);
  const isFirst = own.offset < (accesses.get(other)?.offset ?? 0);
  if (isFirst) storePairs(e, store, value, otherValue, dtype);
  else storePairs(e, other, otherValue, value, dtype);
}

function emitScalarStore(e: Emission, store: StoreStatement, value: number, mask: number | undefined): void {
  const { builder } = e;
  const { dtype } = store.value;
  const offset = pushElement(e, store);
  if (mask === undefined) {
    builder.get(value);
    scalarStore(builder, dtype, offset);
    return;
  }
  const address = builder.local("i32");
  builder.emit(set(address), mask, "if", address, value);
  scalarStore(builder, dtype, offset);
  builder.op("end");
}

function emitWalk(e: Emission, { modes, position, offsets }: WalkStatement): void {
  const { builder, kernel, layout } = e;
  const at = layout.modes + 8 * kernel.modes.findIndex((list) => list.name === modes);
  const count = argumentWord(e, `${modes}_count`, at);
  const rows = argumentWord(e, modes, at + 4);
  const rowBytes = 4 * (offsets.length + 1);
  const number = builder.local("i32", `${modes}_number`);
  const quotient = builder.local("i32", `${modes}_quotient`);
  const row = builder.local("i32", `${modes}_row`);
  const last = builder.local("i32", `${modes}_last`);
  pushIndex(e, expanded(e, position));
  builder.set(number);
  const locals = offsets.map((name) => {
    const local = builder.local("i32", name);
    builder.emit(["i32.const", 0], set(local));
    e.integers.set(name, { local, depth: innermost(e).depth, shift: 0 });
    return local;
  });
  /** Moves each offset by the row's stride times `number`. */
  const addRow: readonly Step[] = locals.flatMap((local, i): Step[] => [
    ...[local, number, row],
    ...([["i32.load", 2, 4 + 4 * i], "i32.mul", "i32.add", set(local)] as const),
  ]);
  const size = builder.local("i32", `${modes}_size`);
  builder.get(count);
  builder.titled(`walk ${modes}`, "if");
  builder.emit(rows, tee(row), count, ["i32.const", 1], "i32.sub", ["i32.const", rowBytes], "i32.mul", "i32.add");
  builder.emit(set(last), row, last, "i32.ne", "if", "loop");
  // number = quotient * size + rest
  builder.emit(number, number, row, ["i32.load", 2, 0], tee(size), "i32.div_u", tee(quotient), size, "i32.mul");
  builder.emit("i32.sub", set(number), ...addRow, quotient, set(number));
  builder.emit(row, ["i32.const", rowBytes], "i32.add", tee(row), last, "i32.ne", ["br_if", 0], "end", "end");
  builder.emit(...addRow, "end");
}
