/**
 * Scalar values of a kernel as locals: one element, or a v128 of several in the vector form of a loop.
 *
 * A value is computed once for each body that needs it. If it is invariant in a loop, it is computed before that loop, and a vector form
 * splats it. A load is hoisted only if nothing in the loop writes to its buffer, and only to the preheader of that loop, where it
 * is certainly needed.
 */
import { InternalError } from "../../../base/errors.ts";
import { getOrCompute } from "../../../base/lazy.ts";
import { listOf } from "../../../base/list-of.ts";
import type { AccumulateStatement, StoreStatement } from "../../../kernel/ir/kernel.ts";
import type { CallScalar, ConstantScalar, IndexScalar, LoadScalar, Scalar } from "../../../kernel/ir/scalar.ts";
import type { DType } from "../../../storage/dtype.ts";
import { integerValue, wordValue } from "../arguments.ts";
import { blockType } from "../encoder/instructions.ts";
import { expanded, pushAccess, pushElement, pushMoved } from "./accesses.ts";
import { scalarCast, vectorCast } from "./casts.ts";
import { depthOfValue } from "./effects.ts";
import {
  type Access,
  blockOf,
  type Emission,
  innermost,
  type LaneForm,
  lanesNow,
  scalarArgument,
  writeBody,
} from "./emission.ts";
import { guardedLocal, guardedSelect } from "./emit-guard.ts";
import { pushIndex } from "./emit-index.ts";
import { pushElementInLanes, pushLanes, storeLanes } from "./emit-lanes.ts";
import {
  scalarLoad,
  vectorLoad,
  vectorLoadLanes,
  vectorLoadPairs,
  vectorStore,
  vectorStoreLanes,
  vectorStorePairs,
} from "./memory-ops.ts";
import { normalize, representation } from "./representation.ts";
import { scalarCall } from "./scalar-ops.ts";
import { operandDType, vectorCallOf } from "./vector-form.ts";
import { vectorFromLanes, vectorSplat } from "./vector-lanes.ts";
import { vectorCall, vectorMinMaxBySelect, vectorMultiplyAdd } from "./vector-ops.ts";

/** The name of a value's local in the text. */
function titleOf(value: Scalar): string {
  if (value.kind === "load") return `${value.buffer}_element`;
  return value.kind === "call" ? value.fn : value.dtype;
}

/** The local that holds a value for one iteration. */
export function valueLocal(e: Emission, value: Scalar): number {
  if (value.kind === "constant") return constantLocal(e, value);
  if (value.kind === "parameter") return scalarArgument(e, value.name);
  if (value.kind === "named") return namedLocal(e, value.name);
  const { code, values } = blockOf(e, depthOfValue(e, value));
  const known = values.get(value) ?? guardedLocal(e, value, values, valueLocal);
  if (known !== undefined) return known;
  const { type } = representation(value.dtype);
  const local = e.builder.compute(code, type, titleOf(value), () => pushValue(e, value));
  values.set(value, local);
  return local;
}

/** The local of the partial result that the current body adds to instead of an accumulator. */
export function partialLocal({ scopes }: Emission, name: string): number | undefined {
  for (let depth = scopes.length - 1; depth > 0; depth--) {
    const partial = scopes[depth]?.partials?.get(name);
    if (partial !== undefined) return partial;
  }
  return undefined;
}

function namedLocal(e: Emission, name: string): number {
  const partial = partialLocal(e, name);
  if (partial !== undefined) return partial;
  const named = e.named.get(name);
  if (named === undefined) throw new InternalError(`wasm: the value ${name} is used before it is named`);
  return named.local;
}

function constantLocal({ builder }: Emission, { dtype, value }: ConstantScalar): number {
  const { kind, type } = representation(dtype);
  const number =
    kind === "float" ? Number(value) : type === "i64" ? integerValue(dtype, value) : wordValue(dtype, value);
  return builder.number(type, number);
}

function pushValue(e: Emission, value: Scalar): void {
  const { builder } = e;
  switch (value.kind) {
    case "load":
      pushLoad(e, value);
      return;
    case "index":
      pushIndexValue(e, value);
      return;
    case "call": {
      const args = value.args.map((arg) => valueLocal(e, arg));
      scalarCall(builder, value.fn, operandDType(value), args);
      return;
    }
    case "cast":
      scalarCast(builder, value.of.dtype, value.dtype, value.how, valueLocal(e, value.of));
      return;
    default:
      throw new InternalError(`wasm: a ${value.kind} value is not computed`);
  }
}

/** Pushes an element. With a mask, its address is computed outside of the branch, because it may be shared. */
function pushLoad(e: Emission, load: LoadScalar): void {
  const { builder } = e;
  const { dtype, mask, otherwise } = load;
  if (mask === undefined || otherwise === undefined) {
    scalarLoad(builder, dtype, pushElement(e, load));
    return;
  }
  const address = builder.local("i32");
  const offset = pushElement(e, load);
  builder.set(address);
  const other = valueLocal(e, otherwise);
  builder.emit(valueLocal(e, mask), ["if", blockType[representation(dtype).type]], address);
  scalarLoad(builder, dtype, offset);
  builder.emit("else", other, "end");
}

function pushIndexValue(e: Emission, { dtype, value }: IndexScalar): void {
  const { builder } = e;
  const r = representation(dtype);
  const index = expanded(e, value);
  if (r.type === "i32" && r.kind === "integer") {
    pushIndex(e, index);
    normalize(builder, r);
    return;
  }
  pushIndex(e, index, "i64");
  if (r.kind === "bool") builder.emit(["i64.const", 0], "i64.ne");
  else if (r.kind === "float") builder.emitFor(r.type, ".convert_i64_s");
}

/** The local that holds a value for all iterations of the current body. */
export function vectorLocal(e: Emission, value: Scalar): number {
  const { body, depth } = innermost(e);
  const own = depthOfValue(e, value);
  if (e.lane !== undefined) return e.lane.values.has(value) ? lanesLocal(e, value, own) : sameLocal(e, value, own);
  if (own < depth) return splatLocal(e, value, own);
  if (value.kind === "named") return namedLocal(e, value.name);
  let local = body.values.get(value) ?? guardedLocal(e, value, body.values, vectorLocal);
  if (local === undefined && value.kind === "call" && value.fn === "select")
    local = guardedSelect(e, value, vectorLocal);
  if (local === undefined) {
    local = e.builder.local("v128", titleOf(value));
    body.values.set(value, local);
    if (value.kind === "load") loadVector(e, value, local);
    else {
      pushVector(e, value, body.lanes);
      e.builder.set(local);
    }
  }
  return local;
}

/** A value that differs from lane to lane, in a vector loop around other loops. */
function lanesLocal(e: Emission, value: Scalar, depth: number): number {
  if (value.kind === "named") return namedLocal(e, value.name);
  const { code, values } = blockOf(e, depth);
  return getOrCompute(values, value, () =>
    e.builder.compute(code, "v128", titleOf(value), () => {
      if (value.kind === "load") pushLanes(e, value);
      else pushVector(e, value, (e.lane as LaneForm).lanes);
    }),
  );
}

/** A value that is the same for all lanes of such a loop. */
function sameLocal(e: Emission, value: Scalar, own: number): number {
  const { depth, body } = innermost(e);
  const isPlain = value.kind === "load" && value.mask === undefined && value.dtype !== "bool";
  if (!isPlain || own < depth || body.values.has(value)) return splatLocal(e, value, own);
  const { builder } = e;
  return getOrCompute(body.splats, value, () =>
    builder.compute(builder.code, "v128", titleOf(value), () => pushElementInLanes(e, value)),
  );
}

/** An invariant value in every lane. */
function splatLocal(e: Emission, value: Scalar, depth: number): number {
  const { builder } = e;
  const scalar = valueLocal(e, value);
  const { code, inLanes } = blockOf(e, depth);
  // Integers of several dtypes may share one local.
  return getOrCompute(inLanes, scalar * 16 + representation(value.dtype).number, () =>
    builder.compute(code, "v128", undefined, () => {
      builder.get(scalar);
      vectorSplat(builder, value.dtype);
    }),
  );
}

function loadVector(e: Emission, load: LoadScalar, result: number): void {
  const { builder } = e;
  const { accesses, body } = innermost(e);
  const { lanes, shift } = body;
  const access = accesses.get(load) as Access;
  const { pointer, partner } = access;
  if (partner?.kind === "load" && load.dtype !== "bool" && !body.values.has(partner)) {
    const other = builder.local("v128");
    body.values.set(partner, other);
    const isFirst = access.offset < (accesses.get(partner) as Access).offset;
    const [first, second, lower] = isFirst ? [result, other, load] : [other, result, partner];
    const offset = (accesses.get(lower) as Access).offset + (pointer.step as number) * shift;
    vectorLoadPairs(builder, load.dtype, lanes, pointer.local, first, second, offset);
    return;
  }
  if (pointer.step === pointer.bytes) vectorLoad(builder, load.dtype, lanes, pushAccess(e, access, shift));
  else vectorLoadLanes(builder, load.dtype, lanes, (lane) => pushMoved(e, pointer, shift + lane), access.offset);
  builder.set(result);
}

/** Stores a vector to its elements in memory. */
export function storeVector(e: Emission, store: StoreStatement, value: number, dtype: DType): void {
  if (e.lane !== undefined) {
    storeLanes(e, store, value);
    return;
  }
  const { builder } = e;
  const { accesses, body } = innermost(e);
  const { lanes, shift } = body;
  const { pointer, offset } = accesses.get(store) as Access;
  if (pointer.step === pointer.bytes)
    vectorStore(builder, dtype, lanes, pointer.local, value, offset + pointer.step * shift);
  else vectorStoreLanes(builder, dtype, lanes, (lane) => pushMoved(e, pointer, shift + lane), value, offset);
}

/** Stores two vectors to the two elements of each pair. */
export function storePairs(e: Emission, store: StoreStatement, first: number, second: number, dtype: DType): void {
  const { accesses, body } = innermost(e);
  const { pointer, offset } = accesses.get(store) as Access;
  const at = offset + (pointer.step as number) * body.shift;
  vectorStorePairs(e.builder, dtype, body.lanes, pointer.local, first, second, at);
}

function pushVector(e: Emission, value: Scalar, lanes: number): void {
  const { builder } = e;
  switch (value.kind) {
    case "call":
      pushVectorCall(e, value, lanes);
      return;
    case "cast": {
      const operand = vectorLocal(e, value.of);
      vectorCast(builder, value.of.dtype, value.dtype, value.how, lanes, operand);
      return;
    }
    case "index":
      pushIndexVector(e, value, lanes);
      return;
    default:
      throw new InternalError(`wasm: a ${value.kind} value has no vector form`);
  }
}

function pushVectorCall(e: Emission, call: CallScalar, lanes: number): void {
  const { builder } = e;
  const { fn } = call;
  const [condition, chosen, other] = call.args as [Scalar, Scalar, Scalar];
  if (fn === "select" && condition.kind === "call" && condition.args.length === 2) {
    const [x, y] = condition.args.map((arg) => vectorLocal(e, arg)) as [number, number];
    const [a, b] = [vectorLocal(e, chosen), vectorLocal(e, other)];
    const isChoice = (a === x && b === y) || (a === y && b === x);
    if (isChoice && vectorMinMaxBySelect(builder, condition.fn, chosen.dtype, lanes, x, y, a === y)) return;
  }
  if (fn === "add" && pushMultiplyAdd(e, condition, () => vectorLocal(e, chosen), lanes)) return;
  if (fn === "add" && pushMultiplyAdd(e, chosen, () => vectorLocal(e, condition), lanes)) return;
  if ((fn === "max" || fn === "min") && pushLimited(e, call, lanes)) return;
  const args = call.args.map((arg) => vectorLocal(e, arg));
  if (!vectorCallOf(builder, call, lanes, args))
    throw new InternalError(`wasm: ${fn} of ${operandDType(call)} has no form of ${lanes} lanes`);
}

/**
 * Pushes max(x, c) or min(x, c) of floats and a constant c, computed by one comparison: x stays where it is NaN. Returns false, and
 * emits nothing, if c is NaN or the call has a different form. Of two zeros x is chosen, which max(x, 0) corrects by adding 0.
 */
function pushLimited(e: Emission, { fn, args, dtype }: CallScalar, lanes: number): boolean {
  const { builder } = e;
  const limit = args.find((arg) => arg.kind === "constant");
  const value = args.find((arg) => arg !== limit);
  if (limit === undefined || value === undefined || representation(dtype).kind !== "float") return false;
  const number = Number(limit.value);
  if (Number.isNaN(number) || (fn === "min" && Object.is(number, -0))) return false;
  const [x, c] = [vectorLocal(e, value), vectorLocal(e, limit)];
  if (fn === "min") return vectorMinMaxBySelect(builder, "lt", dtype, lanes, c, x, false);
  vectorMinMaxBySelect(builder, "lt", dtype, lanes, x, c, true);
  if (Object.is(number, 0)) builder.emitFor(representation(dtype).shape, c, ".add");
  return true;
}

/** Pushes product + other in one instruction. Returns false, and emits nothing, if that is not allowed or the product does not match. */
function pushMultiplyAdd(e: Emission, product: Scalar, other: () => number, lanes: number): boolean {
  if (!e.relaxedSimd || !isLoneProduct(e, product)) return false;
  const [x, y] = product.args.map((arg) => vectorLocal(e, arg)) as [number, number];
  return vectorMultiplyAdd(e.builder, product.dtype, lanes, x, y, other());
}

/** Pushes fn(accumulator, value) for all iterations of the current body; the accumulator is a v128 local. */
export function pushAccumulated(e: Emission, { fn, value }: AccumulateStatement, accumulator: number): void {
  const lanes = lanesNow(e);
  if (fn === "add" && pushMultiplyAdd(e, value, () => accumulator, lanes)) return;
  vectorCall(e.builder, fn, value.dtype, lanes, [accumulator, vectorLocal(e, value)]);
}

/** True if and only if the value is a product of floats with one use. */
function isLoneProduct(e: Emission, value: Scalar): value is CallScalar {
  const { uses, depth } = innermost(e);
  if (value.kind !== "call" || value.fn !== "mul" || representation(value.dtype).kind !== "float") return false;
  return uses.get(value) === 1 && depthOfValue(e, value) === depth;
}

function pushIndexVector(e: Emission, value: IndexScalar, lanes: number): void {
  const { builder } = e;
  const { shift } = innermost(e).body;
  const { type } = representation(value.dtype);
  const scalars = listOf(lanes, (lane) =>
    builder.compute(builder.code, type, undefined, () => writeBody(e, 1, shift + lane, () => pushIndexValue(e, value))),
  );
  vectorFromLanes(builder, value.dtype, scalars);
}
