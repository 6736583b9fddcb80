/** Copies of tensors between the CPU and devices. Copies have no history: gradients do not pass between devices. */
import { StorageError } from "../../base/errors.ts";
import { type Device, formatDevice } from "../../storage/device.ts";
import type { DeviceMemory } from "../../storage/memory.ts";
import { Storage } from "../../storage/storage.ts";
import { contiguous } from "../../tensor/clone.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import type { DeviceCopies } from "../../tensor/convert/to-device.ts";
import { keySet, keyShift } from "../../tensor/dispatch/keys.ts";
import { seen } from "../../tensor/dispatch/operator.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { carryNames } from "../../tensor/names.ts";
import { callBits, storageOf, type Tensor, tensorOver } from "../../tensor/tensor.ts";

export const deviceCopies: DeviceCopies = { toDevice, toCpu };

function toDevice(t: Tensor, device: Device): Tensor {
  checkNoHistory("to", t);
  if (t.device.type !== "cpu")
    throw new StorageError(
      `to: a copy from ${formatDevice(t.device)} is a promise. Copy to the CPU first: (await x.cpu()).to(device)`,
    );
  const bytes = t.size * t.itemsize;
  const storage = Storage.allocate(bytes, { device });
  if (bytes > 0 && device.type !== "meta") {
    const dense = contiguous(t);
    const source = storageOf(dense, "to");
    const elements = source.readable().array("u8");
    const from = source.byteOffset + dense.start * t.itemsize;
    (storage.writable() as DeviceMemory).write(storage.byteOffset, elements.subarray(from, from + bytes));
    if (dense !== t) dense.dispose();
  }
  return denseOver(storage, t);
}

async function toCpu(t: Tensor): Promise<Tensor> {
  checkNoHistory("cpu", t);
  const bytes = await elementsOf(t);
  const storage = Storage.allocate(bytes.byteLength);
  if (bytes.byteLength > 0) storage.writable().array("u8").set(new Uint8Array(bytes), storage.byteOffset);
  return denseOver(storage, t);
}

/** Returns a row-major tensor over a storage with the dtype, the sizes and the names of another. */
function denseOver(storage: Storage, like: Tensor): Tensor {
  const sizes = sizesOf(like);
  return carryNames(tensorOver(storage, like.dtype, 0, sizes, rowMajorStrides(sizes)), like);
}

/** Returns the bytes of a tensor in row-major order, as they are at the time of the call. */
function elementsOf(t: Tensor): Promise<ArrayBuffer> {
  const bytes = t.size * t.itemsize;
  if (bytes === 0) return Promise.resolve(new ArrayBuffer(0));
  const dense = contiguous(t);
  const storage = storageOf(dense, "cpu");
  const memory = storage.readable() as DeviceMemory;
  const read = memory.read(storage.byteOffset + dense.start * t.itemsize, bytes);
  // The copy is recorded already.
  if (dense !== t) dense.dispose();
  return read;
}

const autograd = /* @__PURE__ */ keySet("autograd");

/** Throws if a gradient would have to pass from the copy to the tensor. */
function checkNoHistory(who: string, t: Tensor): void {
  if ((callBits(t) >>> keyShift) & seen & autograd)
    throw new StorageError(
      `${who}: gradients do not pass between devices. Copy x.detach(), and call requiresGrad_() on the copy`,
    );
}
