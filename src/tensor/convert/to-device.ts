/**
 * Copies between the CPU and other devices: the functions that call them. A device installs the copies when it is opened. To a device the copy
 * is made at once; from a device it is a promise, because the device may still be computing when the call returns.
 */
import { StorageError } from "../../base/errors.ts";
import { runtime } from "../../base/runtime.ts";
import { type Device, equalDevice, formatDevice } from "../../storage/device.ts";
import type { Value } from "../../storage/dtype.ts";
import { checkOne, item } from "../access/access.ts";
import type { Tensor } from "../tensor.ts";
import { type NestedValues, type ToArrayOptions, toArray } from "./to-array.ts";

/** The copies between devices, for tensors that are elsewhere. */
export interface DeviceCopies {
  readonly toDevice: (t: Tensor, device: Device) => Tensor;
  readonly toCpu: (t: Tensor) => Promise<Tensor>;
}

const state = /* @__PURE__ */ runtime.own("tensor/convert/to-device", { copies: null as DeviceCopies | null });

export function installDeviceCopies(copies: DeviceCopies): void {
  state.copies = copies;
}

function copies(who: string, device: Device): DeviceCopies {
  if (state.copies === null) throw new StorageError(`${who}: cannot copy elements to or from ${formatDevice(device)}`);
  return state.copies;
}

/** Returns the tensor itself if it is on the device, else a contiguous copy there. */
export const toDevice = (t: Tensor, device: Device): Tensor =>
  equalDevice(t.device, device) ? t : copies("to", device).toDevice(t, device);

/** Returns the tensor itself if it is on the CPU, else a contiguous copy there. */
export const toCpu = async (t: Tensor): Promise<Tensor> =>
  t.device.type === "cpu" ? t : copies("cpu", t.device).toCpu(t);

/** The elements of a tensor on any device as nested arrays. */
export const toArrayAsync = (t: Tensor, options?: ToArrayOptions): Promise<NestedValues> =>
  onCpu(t, (copy) => toArray(copy, options));

/** The one element of a tensor of size 1 on any device. */
export function itemAsync(t: Tensor): Promise<Value> {
  checkOne("itemAsync", t);
  return onCpu(t, item);
}

/** Calls `use` with a copy on the CPU that lives during the call. */
async function onCpu<T>(t: Tensor, use: (copy: Tensor) => T): Promise<T> {
  const plain = t.detach();
  try {
    const copy = await toCpu(plain);
    const result = use(copy);
    copy.dispose();
    return result;
  } finally {
    plain.dispose();
  }
}
