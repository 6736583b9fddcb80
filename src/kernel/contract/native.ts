/**
 * A way to compute products of matrices outside of kernels, if a backend has brought one: it is asked before all others, and says no to
 * what it cannot or does not want to do. Its sums may be made in another order, so the last bits may differ from those of kernels.
 */
import { epoch } from "../../base/runtime.ts";
import type { Memory } from "../../storage/memory.ts";
import type { ElementStorage } from "../operand.ts";
import type { Product } from "./product.ts";

/** Says where a storage is: a memory, and the byte in it. */
export type Locate = (storage: ElementStorage) => readonly [memory: Memory, address: number];

/** What computes the whole product, wherever its matrices lie; or null. It is decided by sizes and strides alone. */
export type NativeProduct = (product: Product) => ((locate: Locate) => void) | null;

/** The way in use; null, as at the start, if there is none. */
export let nativeProduct: NativeProduct | null = null;

/** Puts a native way in use, or with null ends that. */
export function useNativeProduct(way: NativeProduct | null): void {
  nativeProduct = way;
  epoch.now++;
}
