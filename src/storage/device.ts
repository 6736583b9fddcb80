/**
 * A device: the location of a storage's bytes. Plain data, compared by type and index.
 * `cpu` has memory; `meta` has sizes and no bytes. Other devices need a user-defined allocator (`allocator.ts`).
 */

/** The type of a device and its index, written "cpu" or "gpu:1". */
export interface Device {
  readonly type: string;
  readonly index: number;
}

/** The CPU. */
export const cpu: Device = Object.freeze({ type: "cpu", index: 0 });

/** The device without memory: shapes and sizes without bytes. */
export const meta: Device = Object.freeze({ type: "meta", index: 0 });

/** True if and only if both are the same device. */
export const equalDevice = (a: Device, b: Device): boolean => a === b || (a.type === b.type && a.index === b.index);

/** A device, or the name of one that is always there. */
export type DeviceOption = "cpu" | "meta" | Device;

/** Returns a device as an option of functions that create tensors. */
export const deviceOption = (device: Device): DeviceOption =>
  device.type === "cpu" || device.type === "meta" ? device.type : device;

/** True for a device, as opposed to the name of one, or a dtype. */
export const isDevice = (value: unknown): value is Device =>
  typeof value === "object" && value !== null && typeof (value as Device).type === "string" && "index" in value;

/** "cpu", "meta", or "type:index" of another device. */
export const formatDevice = (device: Device): string =>
  device.index === 0 && (device.type === "cpu" || device.type === "meta")
    ? device.type
    : `${device.type}:${device.index}`;

/** The device keys in the bits of a tensor, from bit `shift` on; the CPU, the default, has no bit. */
export const deviceKeys = { shift: 16, meta: 1 << 17, webgpu: 1 << 18 } as const;

/** The bits of a device. */
export const deviceBits = ({ type }: Device): number =>
  type === "meta" ? deviceKeys.meta : type === "webgpu" ? deviceKeys.webgpu : 0;
