/**
 * Reads elements by one index for each axis, from 0 up and not checked, whatever engine and layout the tensor has.
 * For printing and for conversions; where many elements of a strided tensor are moved, kernels do it (`../copy-all.ts`).
 */
import { type IntegerForm, reader } from "../../kernel/element.ts";
import type { Layout } from "../../layout/layout.ts";
import { coordAt, offsetAt } from "../../layout/queries.ts";
import { dtypes, type Value } from "../../storage/dtype.ts";
import { hasCoordOffsets, readAt } from "../elements.ts";
import { flatStrides, nestedBit } from "../geometry.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { placeIn, wholeMemory } from "../whole-memory.ts";

/** The element at an index for each axis; int64 and uint64 as `form` says. */
export type CoordReader = (index: readonly number[]) => Value;

export function coordReader(t: Tensor, who: string, form: IntegerForm = "number"): CoordReader {
  if (computedEngine(t, who) !== null) {
    const place = hasCoordOffsets(t) ? coordAt : offsetAt;
    return (index) => readAt(t, place(t.layout as Layout, coordFor(t, index)));
  }
  const storage = wholeMemory(t, who);
  const info = dtypes[t.dtype];
  const read = reader(info.name, form);
  const offsetOf = offsetsOf(t);
  return (index) => {
    const window = storage.readable().array(info.array);
    return read(window, placeIn(t, storage, info, offsetOf(index), who));
  };
}

function offsetsOf(t: Tensor): (index: readonly number[]) => number {
  if (t.bits & nestedBit) return (index) => offsetAt(t.layout, coordFor(t, index));
  const strides = flatStrides(t);
  return (index) => {
    let offset = 0;
    for (let axis = 0; axis < strides.length; axis++) offset += (index[axis] as number) * (strides[axis] as number);
    return offset;
  };
}

/** A layout of one mode that is no tuple takes the index itself. */
function coordFor(t: Tensor, index: readonly number[]): number | readonly number[] {
  const layout = t.layout;
  const shape = "inner" in layout ? layout.inner.shape : layout.shape;
  return Array.isArray(shape) ? index : (index[0] as number);
}
