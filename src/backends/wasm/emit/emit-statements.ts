/**
 * The statements of a loop's body but loops themselves, written for the present body: one round, or a vector of rounds.
 *
 * Stores that follow each other are one act: their values are computed first, then all are written, so that a kernel whose output
 * is its input under another name reads what was there before. A store whose value reads what an earlier one has written, by the
 * same name, begins a new act.
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
} from "../../../kernel/ir/kernel.ts";
import type { Scalar } from "../../../kernel/ir/scalar.ts";
import { pushElement } from "./accesses.ts";
import { effectsOf } from "./effects.ts";
import { type Emission, forget, innermost, lanesNow, placeOf, type ValueName } from "./emission.ts";
import { pushIndex } from "./emit-index.ts";
import { partialLocal, pushAccumulated, storePairs, storeVector, valueLocal, vectorLocal } from "./emit-values.ts";
import { emitWalk } from "./emit-walk.ts";
import { scalarStore } from "./memory-ops.ts";
import { representation } from "./representation.ts";
import { scalarCall } from "./scalar-ops.ts";
import { depthOfValue } from "./value-depth.ts";

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
      emitScalarStore(e, store, values[i] as number, masks[i]);
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
