/**
 * A way to compute products of matrices outside of kernels, if a backend has brought one: it is asked before all others, and says no to
 * what it cannot or does not want to do. Its sums may be made in another order, so the last bits may differ from those of kernels.
 */
import type { Product } from "./product.ts";

/** Computes the whole product, wherever its matrices lie, and gives true; or does nothing and gives false. */
export type NativeProduct = (product: Product) => boolean;

/** The way in use; null, as at the start, if there is none. */
export let nativeProduct: NativeProduct | null = null;

/** Puts a native way in use, or with null ends that. */
export function useNativeProduct(way: NativeProduct | null): void {
  nativeProduct = way;
}
