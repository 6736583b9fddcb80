/**
 * describe: a tensor as CuTe prints it, its engine and its layout: `gmem_ptr[32b](0x7f42efc00000) o (_8,16):(_1,_8)`.
 * Addresses are equal exactly where the first elements are the same. The values are `toString()`'s business.
 */

import { formatLayout } from "../../layout/format.ts";
import { engineOf } from "../engines/storage-engine.ts";
import { checkTensor } from "../operand.ts";
import type { Tensor } from "../tensor.ts";

/** The engine and the layout of a tensor, in the notation of layouts. */
export function describe(t: Tensor): string {
  checkTensor("describe", t);
  return `${engineOf(t).describe()} o ${formatLayout(t.layout)}`;
}
