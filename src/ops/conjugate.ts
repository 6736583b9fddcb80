/** Complex conjugates in gradients, which real numbers need not go through. */
import { isComplexTensor } from "../tensor/operand.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { conj } from "./elementwise/functions.ts";

/** The complex conjugate; real tensors as they are. */
export const conjugate = (t: Tensor): Tensor => (isComplexTensor(t) ? conj(t) : t);
