/** Makes values of the constants in a model: tensors, sparse tensors and texts. */
import { zeros } from "../index.ts";
import { copyToTensor } from "../io/tensor-arrays.ts";
import { dtypes } from "../storage/dtype.ts";
import { OnnxError } from "./error.ts";
import { decodeNarrow, narrowTypes } from "./narrow.ts";
import { type AttributeProto, DataType, type SparseTensorProto, type TensorProto } from "./proto/types.ts";
import type { ConstantReader } from "./runner.ts";
import { dtypeOfElement, elementName } from "./value-type.ts";
import { type OnnxValue, TextTensor } from "./values.ts";

export class TensorReader implements ConstantReader {
  read(source: TensorProto | SparseTensorProto | AttributeProto): OnnxValue {
    if ("refAttrName" in source) return this.read((source.t ?? source.sparseTensor) as TensorProto);
    if ("dataType" in source) return readTensorValue(source);
    throw new OnnxError("sparse");
  }
}

export function readTensorValue(proto: TensorProto): OnnxValue {
  const { dims, dataType } = proto;
  const utf8 = new TextDecoder();
  if (dataType === DataType.STRING)
    return new TextTensor(
      dims,
      proto.stringData.map((each) => utf8.decode(each)),
    );
  const dtype = dtypeOfElement[dataType];
  if (dtype === undefined) throw new OnnxError(`unsupported ${elementName(dataType)}`);
  const { itemsize, array } = dtypes[dtype];
  const count = dims.reduce((a, b) => a * b, 1);
  if (count === 0) return zeros([...dims], { dtype });
  let bytes = proto.rawData;
  if (bytes === undefined) {
    const list = [proto.floatData, proto.int32Data, proto.int64Data, proto.doubleData, proto.uint64Data].find(
      (l) => l.length > 0,
    );
    if (list === undefined) throw new OnnxError("no data");
    const size = narrowTypes[dataType] === undefined ? itemsize : 1;
    if (list instanceof Int32Array && size < 4) {
      bytes = new Uint8Array(list.length * size);
      const view = size === 1 ? bytes : new Uint16Array(bytes.buffer);
      view.set(list);
    } else bytes = new Uint8Array(list.buffer, list.byteOffset, list.byteLength);
  }
  const narrow = narrowTypes[dataType];
  if (narrow !== undefined) {
    const values = decodeNarrow(bytes, narrow, count);
    bytes = new Uint8Array(values.buffer);
  }
  if (bytes.length !== count * itemsize) throw new OnnxError(`size ${bytes.length} ${array}`);
  return copyToTensor({ dtype, shape: [...dims], bytes, order: "C" });
}
