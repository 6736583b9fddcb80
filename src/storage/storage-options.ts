/**
 * What can be said of a storage when it is made: who allocates, where, and whether it may be resized.
 */
import type { Allocator } from "./allocation.ts";
import type { Device } from "./device.ts";

export interface WrapOptions {
  /** Who allocates when the storage is resized or cloned; without one it is not resizable. */
  readonly allocator?: Allocator;
  readonly resizable?: boolean;
}

export interface StorageOptions extends WrapOptions {
  readonly device?: Device;
  /** All bytes 0; else they are whatever was there. */
  readonly zeroed?: boolean;
}
