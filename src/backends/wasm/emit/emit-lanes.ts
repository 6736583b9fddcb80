/**
 * Loads and stores in a vector loop around other loops, whose iterations are lanes (`vector-form.ts`): a vector of elements, and one
 * element in every lane. Addresses are those of lane 0; the form has the stride from lane to lane.
 */
import type { StoreStatement } from "../../../kernel/ir/kernel.ts";
import type { LoadScalar } from "../../../kernel/ir/scalar.ts";
import type { Op } from "../encoder/instructions.ts";
import { expanded, type MemoryAccess, pushElement, pushMoved } from "./accesses.ts";
import { bufferName, type Emission, type LaneForm, type Pointer } from "./emission.ts";
import { logarithm, vectorLoad, vectorLoadLanes, vectorStore, vectorStoreLanes } from "./memory-ops.ts";

/** Pushes the elements of all lanes. */
export function pushLanes(e: Emission, load: LoadScalar): void {
  const { lanes } = e.lane as LaneForm;
  const offset = pushElement(e, load);
  const pointer = lanePointer(e, load);
  if (pointer === undefined) vectorLoad(e.builder, load.dtype, lanes, offset);
  else vectorLoadLanes(e.builder, load.dtype, lanes, (lane) => pushMoved(e, pointer, lane), offset);
}

/** Stores the lanes of a v128 local to their elements. */
export function storeLanes(e: Emission, store: StoreStatement, value: number): void {
  const { builder } = e;
  const { lanes } = e.lane as LaneForm;
  const { dtype } = store.value;
  const offset = pushElement(e, store);
  const pointer = lanePointer(e, store);
  if (pointer !== undefined) {
    vectorStoreLanes(builder, dtype, lanes, (lane) => pushMoved(e, pointer, lane), value, offset);
    return;
  }
  const address = builder.local("i32");
  builder.set(address);
  vectorStore(builder, dtype, lanes, address, value, offset);
}

/** Pops the address into a pointer that advances with the lanes. Returns undefined, and leaves the address, if the lanes are adjacent. */
function lanePointer(e: Emission, accessing: MemoryAccess): Pointer | undefined {
  const { builder } = e;
  const stride = expanded(e, (e.lane as LaneForm).strides.get(accessing) as Pointer["stride"]);
  const isKnown = stride.terms.length === 0;
  if (isKnown && stride.constant === 1) return undefined;
  const { bytes } = bufferName(e, accessing.buffer);
  const local = builder.local("i32");
  builder.set(local);
  return { local, step: isKnown ? stride.constant * bytes : undefined, stride, bytes };
}

/** Pushes one element in every lane. */
export function pushElementInLanes(e: Emission, load: LoadScalar): void {
  const { bytes } = bufferName(e, load.buffer);
  e.builder.op(`v128.load${8 * bytes}_splat` as Op, logarithm(bytes), pushElement(e, load));
}
