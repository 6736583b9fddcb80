/**
 * The fields of the messages of ONNX 1.22 with their numbers, from the facts of onnx-ml.proto and onnx-data.proto.
 * A field that the tables omit is skipped by readers: training information, and the configurations of devices.
 */
import {
  anInt32,
  anInt64,
  anInteger,
  aString,
  byteStrings,
  floats,
  int64s,
  integers,
  optionalBytes,
  optionalFloat,
  optionalInt64,
  optionalInteger,
  optionalString,
  strings,
} from "./field-kinds.ts";
import type { Fields } from "./message.ts";
import { packedDoubles, packedFloats, packedInt32s, packedInt64s, packedUint64s } from "./packed-kinds.ts";
import type {
  AttributeProto,
  DimensionProto,
  ElementTypeProto,
  FunctionProto,
  GraphProto,
  MapProto,
  MapTypeProto,
  ModelProto,
  NodeProto,
  OpaqueTypeProto,
  OperatorSetIdProto,
  OptionalProto,
  SegmentProto,
  SequenceProto,
  SparseTensorProto,
  StringStringEntryProto,
  TensorAnnotation,
  TensorProto,
  TensorShapeProto,
  TensorTypeProto,
  TypeProto,
  ValueInfoProto,
} from "./types.ts";

const entry: Fields<StringStringEntryProto> = { key: [1, aString], value: [2, aString] };

const operatorSet: Fields<OperatorSetIdProto> = { domain: [1, aString], version: [2, anInteger] };

const segment: Fields<SegmentProto> = { begin: [1, anInt64], end: [2, anInt64] };

export const tensorFields: Fields<TensorProto> = {
  dims: [1, integers],
  dataType: [2, anInt32],
  segment: [3, "message", () => segment],
  floatData: [4, packedFloats],
  int32Data: [5, packedInt32s],
  stringData: [6, byteStrings],
  int64Data: [7, packedInt64s],
  name: [8, aString],
  rawData: [9, optionalBytes],
  doubleData: [10, packedDoubles],
  uint64Data: [11, packedUint64s],
  docString: [12, aString],
  externalData: [13, "messages", () => entry],
  dataLocation: [14, anInt32],
  metadataProps: [16, "messages", () => entry],
};

const sparseTensor: Fields<SparseTensorProto> = {
  values: [1, "message", () => tensorFields],
  indices: [2, "message", () => tensorFields],
  dims: [3, integers],
};

const dimension: Fields<DimensionProto> = {
  dimValue: [1, optionalInteger, undefined, "value"],
  dimParam: [2, optionalString, undefined, "value"],
  denotation: [3, aString],
};

const shape: Fields<TensorShapeProto> = { dim: [1, "messages", () => dimension] };

const tensorType: Fields<TensorTypeProto> = { elemType: [1, anInt32], shape: [2, "message", () => shape] };

const elementType: Fields<ElementTypeProto> = { elemType: [1, "message", () => type] };

const mapType: Fields<MapTypeProto> = { keyType: [1, anInt32], valueType: [2, "message", () => type] };

const opaqueType: Fields<OpaqueTypeProto> = { domain: [1, aString], name: [2, aString] };

const type: Fields<TypeProto> = {
  tensorType: [1, "message", () => tensorType, "value"],
  sequenceType: [4, "message", () => elementType, "value"],
  mapType: [5, "message", () => mapType, "value"],
  denotation: [6, aString],
  opaqueType: [7, "message", () => opaqueType, "value"],
  sparseTensorType: [8, "message", () => tensorType, "value"],
  optionalType: [9, "message", () => elementType, "value"],
};

const valueInfo: Fields<ValueInfoProto> = {
  name: [1, aString],
  type: [2, "message", () => type],
  docString: [3, aString],
  metadataProps: [4, "messages", () => entry],
};

const attribute: Fields<AttributeProto> = {
  name: [1, aString],
  f: [2, optionalFloat],
  i: [3, optionalInt64],
  s: [4, optionalBytes],
  t: [5, "message", () => tensorFields],
  g: [6, "message", () => graph],
  floats: [7, floats],
  ints: [8, int64s],
  strings: [9, byteStrings],
  tensors: [10, "messages", () => tensorFields],
  graphs: [11, "messages", () => graph],
  docString: [13, aString],
  tp: [14, "message", () => type],
  typeProtos: [15, "messages", () => type],
  type: [20, anInt32],
  refAttrName: [21, aString],
  sparseTensor: [22, "message", () => sparseTensor],
  sparseTensors: [23, "messages", () => sparseTensor],
};

const node: Fields<NodeProto> = {
  input: [1, strings],
  output: [2, strings],
  name: [3, aString],
  opType: [4, aString],
  attribute: [5, "messages", () => attribute],
  docString: [6, aString],
  domain: [7, aString],
  overload: [8, aString],
  metadataProps: [9, "messages", () => entry],
};

const annotation: Fields<TensorAnnotation> = {
  tensorName: [1, aString],
  quantParameterTensorNames: [2, "messages", () => entry],
};

const graph: Fields<GraphProto> = {
  node: [1, "messages", () => node],
  name: [2, aString],
  initializer: [5, "messages", () => tensorFields],
  docString: [10, aString],
  input: [11, "messages", () => valueInfo],
  output: [12, "messages", () => valueInfo],
  valueInfo: [13, "messages", () => valueInfo],
  quantizationAnnotation: [14, "messages", () => annotation],
  sparseInitializer: [15, "messages", () => sparseTensor],
  metadataProps: [16, "messages", () => entry],
};

const functionFields: Fields<FunctionProto> = {
  name: [1, aString],
  input: [4, strings],
  output: [5, strings],
  attribute: [6, strings],
  node: [7, "messages", () => node],
  docString: [8, aString],
  opsetImport: [9, "messages", () => operatorSet],
  domain: [10, aString],
  attributeProto: [11, "messages", () => attribute],
  valueInfo: [12, "messages", () => valueInfo],
  overload: [13, aString],
  metadataProps: [14, "messages", () => entry],
};

export const modelFields: Fields<ModelProto> = {
  irVersion: [1, anInteger],
  producerName: [2, aString],
  producerVersion: [3, aString],
  domain: [4, aString],
  modelVersion: [5, anInt64],
  docString: [6, aString],
  graph: [7, "message", () => graph],
  opsetImport: [8, "messages", () => operatorSet],
  metadataProps: [14, "messages", () => entry],
  functions: [25, "messages", () => functionFields],
};

const map: Fields<MapProto> = {
  name: [1, aString],
  keyType: [2, anInt32],
  keys: [3, int64s],
  stringKeys: [4, byteStrings],
  values: [5, "message", () => sequenceFields],
};

export const sequenceFields: Fields<SequenceProto> = {
  name: [1, aString],
  elemType: [2, anInt32],
  tensorValues: [3, "messages", () => tensorFields],
  sparseTensorValues: [4, "messages", () => sparseTensor],
  sequenceValues: [5, "messages", () => sequenceFields],
  mapValues: [6, "messages", () => map],
  optionalValues: [7, "messages", () => optionalFields],
};

export const optionalFields: Fields<OptionalProto> = {
  name: [1, aString],
  elemType: [2, anInt32],
  tensorValue: [3, "message", () => tensorFields],
  sparseTensorValue: [4, "message", () => sparseTensor],
  sequenceValue: [5, "message", () => sequenceFields],
  mapValue: [6, "message", () => map],
  optionalValue: [7, "message", () => optionalFields],
};
