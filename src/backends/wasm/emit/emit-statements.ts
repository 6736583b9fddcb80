/**
 * The statements of a loop's body but loops themselves, written for the present body: one round, or a vector of rounds.
 *
 * Stores that follow each other are one act: their values are computed first, then all are written, so that a kernel whose output
 * is its input under another name reads what was there before. A store whose value reads what an earlier one has written, by the
 * same name, begins a new act.
 *
 * The offsets of a coordinate of a mode list: its number is divided by the size of one row after the other, and each rest counts
 * that row's strides. The last row takes what is left without a division; a list without rows has offsets 0.
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
import type { Instruction } from "../encoder/instructions.ts";
import { expanded, pushElement } from "./accesses.ts";
import { depthOfValue, effectsOf } from "./effects.ts";
import { argumentWord, type Emission, forget, innermost, lanesNow, placeOf, type ValueName } from "./emission.ts";
import { pushIndex } from "./emit-index.ts";
import { partialLocal, pushAccumulated, storePairs, storeVector, valueLocal, vectorLocal } from "./emit-values.ts";
import { scalarStore } from "./memory-ops.ts";
import { representation } from "./representation.ts";
import { scalarCall } from "./scalar-ops.ts";

/** Writes any statement but a loop and a store. */
export function emitStatement(e: Emission, statement: Exclude<Statement, LoopStatement | StoreStatement>): void {
  switch (statement.kind) {
    case "index": {
      // In an innermost loop the expressions that use the name have its value in them.
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
      const { initial, name } = statement;
      const local = copyOf(e, initial, name);
      e.named.set(name, { local, depth: innermost(e).depth, changes: true });
      return;
    }
    case "accumulate":
      emitAccumulate(e, statement);
      return;
    case "allocate":
      emitAllocate(e, statement);
      return;
    case "barrier":
      return;
    default:
      statement satisfies never;
  }
}

/** A fresh local with a value, which later changes to its source do not reach. */
function copyOf(e: Emission, value: Scalar, name: string): number {
  const isVector = e.lane?.names.has(name) === true;
  const local = e.builder.local(isVector ? "v128" : representation(value.dtype).type, name);
  e.builder.get(isVector ? vectorLocal(e, value) : valueLocal(e, value));
  e.builder.set(local);
  return local;
}

const isAccumulator = (e: Emission, value: Scalar): boolean =>
  value.kind === "named" && e.named.get(value.name)?.changes === true;

/** The depth of a name for a value: what an accumulator holds now is copied here, since it changes. */
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
    throw new InternalError(`wasm: fetch of ${name} takes an integer, got ${value.dtype}`);
  const depth = depthOfValue(e, value);
  let local = valueLocal(e, value);
  if (type === "i64") {
    const wide = local;
    local = builder.local("i32", name);
    const result = local;
    builder.into(placeOf(e, depth).code, () => {
      builder.get(wide);
      builder.op("i32.wrap_i64");
      builder.set(result);
    });
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
  forget(e, into);
}

/** Gives the elements a place of their own in the scratch bytes of the thread. */
function emitAllocate(e: Emission, { name, dtype, length }: AllocateStatement): void {
  if (e.buffers.has(name)) return;
  const { bytes } = representation(dtype);
  const at = e.scratchBytes;
  e.scratchBytes = at + Math.ceil((length * bytes) / 16) * 16;
  const { builder } = e;
  const local = builder.hoist(
    "i32",
    `allocated ${name}`,
    () => {
      builder.op("global.get", 0);
      builder.op("i32.const", at);
      builder.op("i32.add");
    },
    name,
  );
  e.buffers.set(name, { local, dtype, bytes });
}

/** Writes stores that follow each other. */
export function emitStores(e: Emission, stores: readonly StoreStatement[]): void {
  if (stores.length === 1) {
    emitAct(e, stores);
    return;
  }
  let act: StoreStatement[] = [];
  const written = new Set<string>();
  for (const store of stores) {
    if ([...effectsOf([store]).read].some((name) => written.has(name))) {
      emitAct(e, act);
      act = [];
      written.clear();
    }
    act.push(store);
    written.add(store.buffer);
  }
  emitAct(e, act);
}

function emitAct(e: Emission, act: readonly StoreStatement[]): void {
  if (lanesNow(e) > 1) {
    const values = new Map(act.map((store) => [store, vectorLocal(e, store.value)]));
    for (const store of act) emitVectorStore(e, store, values);
  } else {
    const values = act.map(({ value }) => valueLocal(e, value));
    const masks = act.map(({ mask }) => mask && valueLocal(e, mask));
    act.forEach((store, i) => {
      emitScalarStore(e, store, values[i], masks[i]);
    });
  }
  for (const { buffer } of act) forget(e, buffer);
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
  builder.set(address);
  builder.get(mask);
  builder.op("if");
  builder.get(address);
  builder.get(value);
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
    builder.op("i32.const", 0);
    builder.set(local);
    e.integers.set(name, { local, depth: innermost(e).depth, shift: 0 });
    return local;
  });
  /** Each offset moves by the row's stride times `number`. */
  const addRow: Instruction[] = locals.flatMap((local, i): Instruction[] => [
    ["local.get", local],
    ["local.get", number],
    ["local.get", row],
    ["i32.load", 2, 4 + 4 * i],
    ["i32.mul"],
    ["i32.add"],
    ["local.set", local],
  ]);
  const size = builder.local("i32", `${modes}_size`);
  builder.get(count);
  builder.titled(`walk ${modes}`, "if");
  builder.append([
    ["local.get", rows],
    ["local.tee", row],
    ["local.get", count],
    ["i32.const", 1],
    ["i32.sub"],
    ["i32.const", rowBytes],
    ["i32.mul"],
    ["i32.add"],
    ["local.set", last],
    ["local.get", row],
    ["local.get", last],
    ["i32.ne"],
    ["if"],
    ["loop"],
    // number = quotient * size + rest
    ["local.get", number],
    ["local.get", number],
    ["local.get", row],
    ["i32.load", 2, 0],
    ["local.tee", size],
    ["i32.div_u"],
    ["local.tee", quotient],
    ["local.get", size],
    ["i32.mul"],
    ["i32.sub"],
    ["local.set", number],
    ...addRow,
    ["local.get", quotient],
    ["local.set", number],
    ["local.get", row],
    ["i32.const", rowBytes],
    ["i32.add"],
    ["local.tee", row],
    ["local.get", last],
    ["i32.ne"],
    ["br_if", 0],
    ["end"],
    ["end"],
    ...addRow,
    ["end"],
  ]);
}
