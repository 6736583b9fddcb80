/** An operation on two tensors that is types only, with the signature that broadcasting operations have. */
import type { Tensor } from "stridewise";
import type { Checked } from "../../src/layout/types/faults.ts";
import type { BroadcastFault } from "../../src/tensor/types/shape-faults.ts";
import type { Broadcast } from "../../src/tensor/types/types.ts";

export declare function add<X extends Tensor, Y extends Tensor>(
  a: X,
  b: Checked<Y, BroadcastFault<X["shape"], Y["shape"], "add">>,
): Tensor<Broadcast<X["shape"], Y["shape"]>, X["dtype"], X["space"]>;
