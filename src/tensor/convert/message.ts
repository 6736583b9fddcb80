/**
 * Tensors as messages between threads: plain objects for structured cloning, with a copy of the elements in a new buffer.
 * A posted view would send (or expose) the whole heap; a message never does.
 * `postMessage(message, [message.buffer])` moves the buffer instead of copying it once more.
 */
import { wrongKind } from "../../base/arguments.ts";
import { namedAccess, ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { checkDType, type DType, dtypes } from "../../storage/dtype.ts";
import { isBuffer } from "../../storage/memory.ts";
import { Storage } from "../../storage/storage.ts";
import { clone } from "../clone.ts";
import { rowMajorStrides } from "../contiguity.ts";
import { sizeOf, sizesOf } from "../geometry.ts";
import { type AxisName, setNames } from "../names.ts";
import { computedEngine, type Tensor, tensorOver } from "../tensor.ts";
import { checkShape } from "../views/view-shape.ts";
import { wholeMemory } from "../whole-memory.ts";

/** A tensor that can be posted: its elements in row-major order, as their bytes. */
export interface TensorMessage {
  readonly kind: "stridewise.tensor";
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly names: readonly AxisName[] | null;
  readonly label: string | null;
  readonly buffer: ArrayBuffer;
}

/** A message with a copy of the elements. */
export const toMessage = (t: Tensor): TensorMessage => namedAccess("toMessage", () => messageOf(t));

function messageOf(t: Tensor): TensorMessage {
  const dense = computedEngine(t, "toMessage") === null && t.isContiguous() ? t : clone(t, "contiguous");
  const storage = wholeMemory(dense, "toMessage");
  const bytes = storage.readable().array("u8");
  const first = storage.byteOffset + dense.start * dense.itemsize;
  // The slice of a window is a new, unshared array.
  const { buffer } = bytes.slice(first, first + dense.nbytes);
  const message = { dtype: t.dtype, shape: sizesOf(t), names: t.names, label: t.label, buffer };
  if (dense !== t) dense.endWith("disposed by toMessage()");
  return { kind: "stridewise.tensor", ...message };
}

const isMessage = (value: unknown): value is TensorMessage =>
  typeof value === "object" && value !== null && (value as TensorMessage).kind === "stridewise.tensor";

/** A new tensor with the elements of a message; the message can be used again. */
export function fromMessage(message: TensorMessage): Tensor {
  if (!isMessage(message) || !isBuffer(message.buffer))
    throw wrongKind("fromMessage", "a message from toMessage()", message);
  const dtype = checkDType("fromMessage", message.dtype);
  const { shape, buffer } = message;
  checkShape("fromMessage", shape);
  const nbytes = sizeOf(shape) * dtypes[dtype].itemsize;
  if (buffer.byteLength !== nbytes)
    throw new ShapeError(
      `fromMessage: shape ${show(shape)} of ${dtype} takes ${nbytes} bytes, but the buffer has ${buffer.byteLength}` +
        (buffer.byteLength === 0 ? "; it was transferred to another thread" : ""),
    );
  const storage = Storage.allocate(nbytes);
  storage.writable().array("u8").set(new Uint8Array(buffer), storage.byteOffset);
  const t = tensorOver(storage, dtype, 0, shape, rowMajorStrides(shape));
  if (message.names !== null) setNames("fromMessage", t, message.names);
  if (message.label !== null) t.label = message.label;
  return t;
}

/** The buffers of all messages in a value (itself, or in arrays and objects), as the transfer list of postMessage. */
export function transferList(value: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  collect(value, buffers, new Set());
  return [...buffers];
}

function collect(value: unknown, buffers: Set<ArrayBuffer>, seen: Set<unknown>): void {
  if (typeof value !== "object" || value === null || seen.has(value) || ArrayBuffer.isView(value)) return;
  seen.add(value);
  if (isMessage(value)) buffers.add(value.buffer);
  else for (const part of Object.values(value)) collect(part, buffers, seen);
}
