/**
 * The native matrix product: an optional function of a backend that computes products without kernels. It is tried first, and returns null
 * for products that it does not support. It may add in a different order, so its last bits may differ from those of kernels.
 */
import { epoch } from "../../base/runtime.ts";
import type { Memory } from "../../storage/memory.ts";
import type { ElementStorage } from "../operand.ts";
import type { Product } from "./product.ts";

/** Returns the memory of a storage, and the address of its first byte. */
export type Locate = (storage: ElementStorage) => readonly [memory: Memory, address: number];

/** Returns the function that computes a product, or null if it is not supported, which depends on sizes and strides only. */
export type NativeProduct = (product: Product) => ((locate: Locate) => void) | null;

/** The native product in use, or null. A variable, because every matrix product reads it as an import. */
export let nativeProduct: NativeProduct | null = null;

/** Sets the native product, or removes it with null. */
export function useNativeProduct(native: NativeProduct | null): void {
  nativeProduct = native;
  epoch.now++;
}
