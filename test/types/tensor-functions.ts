/**
 * Functions on tensors that are types only: what makes tensors, and one operation on two of them, with the signatures that
 * the library gives to such functions. The methods are the real ones.
 */
import type { Checked } from "../../src/layout/faults.ts";
import type { DType } from "../../src/storage/dtype.ts";
import type {} from "../../src/tensor/install.ts";
import type { DTypeOfData, NestedData, RaggedFault, ShapeOfNested } from "../../src/tensor/nested-data.ts";
import type { BroadcastFault } from "../../src/tensor/shape-faults.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import type { Broadcast, Known, Shape } from "../../src/tensor/types.ts";

export declare function tensor<
  const T extends NestedData,
  const O extends { readonly dtype?: DType } | undefined = undefined,
>(data: Checked<T, RaggedFault<T>>, options?: O): Tensor<ShapeOfNested<T>, DTypeOfData<T, O>, "none">;

export declare function zeros<const S extends Shape>(shape: S): Tensor<Known<S>, "float32", "none">;

export declare function add<X extends Tensor, Y extends Tensor>(
  a: X,
  b: Checked<Y, BroadcastFault<X["shape"], Y["shape"], "add">>,
): Tensor<Broadcast<X["shape"], Y["shape"]>, X["dtype"], X["space"]>;
