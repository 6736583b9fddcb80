/**
 * Elements of any tensor, one at a time: through its storage or its computed engine, by offset or by 1-D index.
 * This is the general and slow path. Tensors with storage and strides use the loops of `../kernel`, for which `copy-all.ts` finds common axes.
 * Where a scalar is required, a tensor of one element of any rank is accepted: its value is read.
 */
import { ShapeError, WriteError } from "../base/errors.ts";
import { type IntegerForm, reader, writer } from "../kernel/element.ts";
import { isBasis } from "../layout/basis.ts";
import type { Layout } from "../layout/layout.ts";
import { coordAt, offsetAt } from "../layout/queries.ts";
import { type IntTuple, leaves } from "../layout/tuple.ts";
import { dtypes, type Value } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import type { Engine } from "./engine.ts";
import { isFlat, showShape } from "./geometry.ts";
import { computedEngine, describeBriefly, storageOf, Tensor } from "./tensor.ts";
import { byteOffsetIn } from "./whole-memory.ts";

/** The element `offset` elements after element 0; `form` chooses numbers or bigints for int64 and uint64. */
export function readAt(t: Tensor, offset: IntTuple, form: IntegerForm = "number"): Value {
  const engine = computedEngine(t, "get");
  if (engine !== null) return engine.read(moved(t, offset)) as Value;
  const storage = storageOf(t, "get");
  const info = dtypes[t.dtype];
  const array = storage.readable().array(info.array);
  return reader(info.name, form)(array, byteOffsetIn(t, storage, info, offset as number, "get"));
}

/** True if the elements of a tensor can be read now: those on the meta device and those of traced tensors cannot. */
export const areElementsKnown = ({ source, device }: Tensor): boolean =>
  device.type !== "meta" && !(source instanceof Storage && source.isScratch);

/** Stores an element. The caller changes the version. */
export function writeAt(t: Tensor, offset: IntTuple, value: Value, who = "set"): void {
  const engine = computedEngine(t, who);
  if (engine !== null) {
    writable(t, engine, who)(moved(t, offset), value);
    return;
  }
  const storage = storageOf(t, who);
  const info = dtypes[t.dtype];
  const array = storage.writable().array(info.array);
  writer(info.name)(array, byteOffsetIn(t, storage, info, offset as number, who), value);
}

const moved = (t: Tensor, offset: IntTuple): IntTuple =>
  typeof offset === "number" && t.start !== 0 ? t.start + offset : offset;

function writable(t: Tensor, engine: Engine, who: string): (offset: IntTuple, value: Value) => void {
  if (t.ownership === "const")
    throw new WriteError(`${who}: ${describeBriefly(t)} is a const view and not writable. Write to a copy: clone()`);
  if (engine.write === undefined)
    throw new WriteError(`${who}: ${describeBriefly(t)} has a ${engine.kind} engine, whose elements cannot be written`);
  return (offset, value) => engine.write?.(offset, value);
}

/** True if the offsets of this layout are coordinates, not numbers. */
export const hasCoordOffsets = (t: Tensor): boolean =>
  !isFlat(t) && computedEngine(t, "get") !== null && !("inner" in t.layout) && leaves(t.layout.stride).some(isBasis);

/** The offset of a 1-D index (the first mode varies fastest) or coordinate, in the terms of the tensor's engine. */
export function offsetOfIndex(t: Tensor, index: number): IntTuple {
  return hasCoordOffsets(t) ? coordAt(t.layout as Layout, index) : offsetAt(t.layout, index);
}

/** Reads elements by 1-D index; for loops over a whole tensor of any engine. `form` chooses numbers or bigints for int64 and uint64. */
export function indexReader(t: Tensor, who: string, form: IntegerForm = "number"): (index: number) => Value {
  const engine = computedEngine(t, who);
  if (engine !== null) return (index) => engine.read(moved(t, offsetOfIndex(t, index))) as Value;
  const storage = storageOf(t, who);
  const info = dtypes[t.dtype];
  const read = reader(info.name, form);
  const layout = t.layout;
  return (index) => {
    const array = storage.readable().array(info.array);
    return read(array, byteOffsetIn(t, storage, info, offsetAt(layout, index), who));
  };
}

/** Writes elements by 1-D index. */
export function indexWriter(t: Tensor, who: string): (index: number, value: Value) => void {
  const engine = computedEngine(t, who);
  if (engine !== null) {
    const write = writable(t, engine, who);
    return (index, value) => write(moved(t, offsetOfIndex(t, index)), value);
  }
  const storage = storageOf(t, who);
  const info = dtypes[t.dtype];
  const write = writer(info.name);
  const layout = t.layout;
  return (index, value) => {
    const array = storage.writable().array(info.array);
    write(array, byteOffsetIn(t, storage, info, offsetAt(layout, index), who), value);
  };
}

/** A value, or a tensor of one element. */
export type ScalarLike = Value | Tensor;

/** The value itself, or the element of a tensor of size 1 (int64 and uint64 as bigint, which is exact). */
export function scalarOf(who: string, value: ScalarLike): Value {
  if (!(value instanceof Tensor)) return value;
  if (value.size === 1) return readAt(value, 0, "bigint");
  throw new ShapeError(
    `${who}: a scalar must be a value or a tensor with one element, got a tensor of shape ${showShape(value)}`,
  );
}
