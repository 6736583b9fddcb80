/**
 * Zeros to be written to from another tensor: of a shape of their own, but as many as there are samples where the other stands for a
 * batch (inside `vmap`), which sees this as an op.
 */
import type { DType } from "../../storage/dtype.ts";
import { makerOp } from "../dispatch/tensor-op.ts";
import type { Tensor } from "../tensor.ts";
import { zeros } from "./create.ts";

type ZerosBeside = (beside: Tensor, shape: readonly number[], dtype: DType) => Tensor;

function makeZerosBeside(): ZerosBeside {
  const made = makerOp<ZerosBeside>("zerosBeside", (beside, shape, dtype) =>
    zeros(shape, { dtype, device: beside.device.type as "cpu" }),
  );
  // They do not depend on the other's elements.
  made.operator.gradient = () => null;
  return made;
}

/** Zeros of a shape and dtype, batched as another tensor is. */
export const zerosBeside: ZerosBeside = /* @__PURE__ */ makeZerosBeside();
