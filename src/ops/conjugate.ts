/** The complex conjugate for gradients, which skips real tensors. */
import { isComplexTensor } from "../tensor/operand.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { conj } from "./elementwise/functions.ts";

/** Returns the complex conjugate of a tensor; real tensors are returned unchanged. */
export const conjugate = (t: Tensor): Tensor => (isComplexTensor(t) ? conj(t) : t);
