/** Reads the constants of a model as values: tensors, sparse tensors, which become dense, and texts. */
import type { Tensor } from "../tensor/tensor.ts";
import { OnnxError } from "./error.ts";
import type { AttributeProto, SparseTensorProto, TensorProto } from "./proto/types.ts";
import type { ConstantReader } from "./runner.ts";
import { readSparseTensor } from "./sparse-tensor.ts";
import { readTensorValue } from "./tensor-elements.ts";
import type { OnnxValue } from "./values.ts";

/** Reads constants. Those that were read before are passed by their messages. */
export class TensorReader implements ConstantReader {
  readonly #tensors: ReadonlyMap<TensorProto | SparseTensorProto, Tensor>;

  constructor(tensors: ReadonlyMap<TensorProto | SparseTensorProto, Tensor> = new Map()) {
    this.#tensors = tensors;
  }

  read(source: TensorProto | SparseTensorProto | AttributeProto): OnnxValue {
    if ("refAttrName" in source) {
      const inner = source.t ?? source.sparseTensor;
      if (inner === undefined) throw new OnnxError(`the attribute "${source.name}" has no tensor`);
      return this.read(inner);
    }
    return this.#tensors.get(source) ?? ("dataType" in source ? readTensorValue(source) : readSparseTensor(source));
  }

  /** Frees the tensors that were read before. */
  dispose(): void {
    for (const tensor of this.#tensors.values()) tensor.dispose();
  }
}
