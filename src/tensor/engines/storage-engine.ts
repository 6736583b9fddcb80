/**
 * Engines with memory: owning (the tensor owns it), view (it does not) and const (a read-only view). Tensors store these
 * properties themselves; `engineOf` creates an engine object on request. An engine does not retain its storage: it is
 * readable as long as some tensor retains it.
 */
import { WriteError } from "../../base/errors.ts";
import { reader, writer } from "../../kernel/element.ts";
import { knownValue } from "../../layout/int.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Engine } from "../engine.ts";
import { pointerNames, type Space } from "../identity.ts";
import { computedEngine, type Ownership, storageOf, type Tensor } from "../tensor.ts";

/** Memory starting at an element: CuTe's ArrayEngine (owning), ViewEngine (view) and ConstViewEngine (const). */
export class StorageEngine<D extends DType = DType, P extends Space = Space> implements Engine<Value> {
  declare readonly kind: Ownership;
  declare readonly storage: Storage;
  /** In elements, from the start of the storage. */
  declare readonly offset: number;
  declare readonly dtype: D;
  declare readonly space: P;

  constructor(kind: Ownership, storage: Storage, offset: number, dtype: D, space: P) {
    this.kind = kind;
    this.storage = storage;
    this.offset = offset;
    this.dtype = dtype;
    this.space = space;
  }

  get valueType(): D {
    return this.dtype;
  }

  /** The address of offset 0: equal for two engines if and only if they start at the same byte. */
  get address(): number {
    return this.storage.address + this.offset * dtypes[this.dtype].itemsize;
  }

  read(offset: IntTuple): Value {
    const { array, itemsize } = dtypes[this.dtype];
    const window = this.storage.readable().array(array);
    return reader(this.dtype)(window, this.storage.byteOffset / itemsize + this.offset + number(offset));
  }

  write(offset: IntTuple, value: Value): void {
    if (this.kind === "const")
      throw new WriteError("engine.write: the engine is a const view and not writable. Write to a copy: clone()");
    const { array, itemsize } = dtypes[this.dtype];
    const window = this.storage.writable().array(array);
    writer(this.dtype)(window, this.storage.byteOffset / itemsize + this.offset + number(offset), value);
    this.storage.version.bump();
  }

  advance(offset: IntTuple): StorageEngine<D, P> {
    const kind = this.kind === "owning" ? "view" : this.kind;
    return new StorageEngine(kind, this.storage, this.offset + number(offset), this.dtype, this.space);
  }

  describe(): string {
    return formatPointer(this.space, this.dtype, this.address);
  }
}

const number = (offset: IntTuple): number => knownValue(offset as number) as number;

/** Formats a pointer as `gmem_ptr[32b](0x7f42efc00000)`: the space, the width of an element and the address. */
export function formatPointer(space: Space, dtype: DType, address: number): string {
  return `${pointerNames[space]}[${8 * dtypes[dtype].itemsize}b](0x${address.toString(16)})`;
}

/** Returns the engine of a tensor, which maps offsets of its layout to elements. */
export function engineOf(t: Tensor): Engine {
  const computed = computedEngine(t, "engine");
  if (computed !== null) return t.start === 0 ? computed : computed.advance(t.start);
  return new StorageEngine(t.ownership, storageOf(t, "engine"), t.start, t.dtype, t.space);
}
