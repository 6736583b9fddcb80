/**
 * A device: where a storage's bytes live. Plain data, compared by type and index.
 * `cpu` has memory; `meta` has sizes and no bytes. Other devices bring their own allocator (`allocator.ts`).
 */

/** A kind of device and which of them, as "cpu" or "gpu:1" say it. */
export interface Device {
  readonly type: string;
  readonly index: number;
}

/** The processor's memory. */
export const cpu: Device = Object.freeze({ type: "cpu", index: 0 });

/** No memory at all: shapes and sizes without bytes. */
export const meta: Device = Object.freeze({ type: "meta", index: 0 });

/** True if and only if both are the same device. */
export const equalDevice = (a: Device, b: Device): boolean => a === b || (a.type === b.type && a.index === b.index);

/** "cpu", "meta", or "type:index" of another device. */
export const formatDevice = (device: Device): string =>
  device.index === 0 && (device.type === "cpu" || device.type === "meta")
    ? device.type
    : `${device.type}:${device.index}`;

/** In the bits of a tensor the keys of its devices, from this bit on: the processor's is not stored, since it is the usual one. */
export const deviceKeys = { shift: 16, meta: 1 << 17, webgpu: 1 << 18 } as const;

/** The bits of a device. */
export const deviceBits = ({ type }: Device): number =>
  type === "meta" ? deviceKeys.meta : type === "webgpu" ? deviceKeys.webgpu : 0;
