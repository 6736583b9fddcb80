/**
 * The messages of ONNX files (onnx.proto and onnx-data.proto of ONNX 1.22) as readonly data, with the names of the schema in camelCase.
 *
 * A field that is absent from the file has its default: "" for strings, 0 for integers, an empty list for repeated fields. Fields whose
 * absence has a meaning are optional: messages, `rawData`, the members of a oneof, and the scalars of attributes. Not represented, and skipped by
 * readers: training information and device configurations.
 */

/** A 64-bit integer, exact: a number if it is a safe integer, else a bigint. `saturated` makes it a number. */
export type Int64 = number | bigint;

/** A value or message as writers accept it: every field may be omitted, and then has its default. */
export type Draft<T> = T extends string | number | bigint | undefined | ArrayBufferView
  ? T
  : T extends readonly (infer E)[]
    ? readonly Draft<E>[]
    : { readonly [K in keyof T]?: Draft<T[K]> | undefined };

/** The element types of tensors, TensorProto.DataType. */
export const DataType = {
  UNDEFINED: 0,
  FLOAT: 1,
  UINT8: 2,
  INT8: 3,
  UINT16: 4,
  INT16: 5,
  INT32: 6,
  INT64: 7,
  STRING: 8,
  BOOL: 9,
  FLOAT16: 10,
  DOUBLE: 11,
  UINT32: 12,
  UINT64: 13,
  COMPLEX64: 14,
  COMPLEX128: 15,
  BFLOAT16: 16,
  FLOAT8E4M3FN: 17,
  FLOAT8E4M3FNUZ: 18,
  FLOAT8E5M2: 19,
  FLOAT8E5M2FNUZ: 20,
  UINT4: 21,
  INT4: 22,
  FLOAT4E2M1: 23,
  FLOAT8E8M0: 24,
  UINT2: 25,
  INT2: 26,
} as const;

/** The name of an element type. */
export type DataTypeName = keyof typeof DataType;

/** The kinds of attributes, AttributeProto.AttributeType: which field holds the value. */
export const AttributeType = {
  UNDEFINED: 0,
  FLOAT: 1,
  INT: 2,
  STRING: 3,
  TENSOR: 4,
  GRAPH: 5,
  FLOATS: 6,
  INTS: 7,
  STRINGS: 8,
  TENSORS: 9,
  GRAPHS: 10,
  SPARSE_TENSOR: 11,
  SPARSE_TENSORS: 12,
  TYPE_PROTO: 13,
  TYPE_PROTOS: 14,
} as const;

/** The location of the elements of a tensor, TensorProto.DataLocation. */
export const DataLocation = { DEFAULT: 0, EXTERNAL: 1 } as const;

/** The kinds of elements of sequences and optionals, SequenceProto.DataType. */
export const ElementKind = { UNDEFINED: 0, TENSOR: 1, SPARSE_TENSOR: 2, SEQUENCE: 3, MAP: 4, OPTIONAL: 5 } as const;

/** A model: a graph, the versions of the operators it uses, and its functions. */
export interface ModelProto {
  readonly irVersion: number;
  readonly opsetImport: readonly OperatorSetIdProto[];
  readonly producerName: string;
  readonly producerVersion: string;
  readonly domain: string;
  readonly modelVersion: Int64;
  readonly docString: string;
  readonly graph?: GraphProto | undefined;
  readonly metadataProps: readonly StringStringEntryProto[];
  readonly functions: readonly FunctionProto[];
}

/** A version of the operators of one domain; "" is the domain of ONNX itself. */
export interface OperatorSetIdProto {
  readonly domain: string;
  readonly version: number;
}

export interface StringStringEntryProto {
  readonly key: string;
  readonly value: string;
}

/** Nodes in topological order, with the inputs, outputs and constants of the graph. */
export interface GraphProto {
  readonly node: readonly NodeProto[];
  readonly name: string;
  readonly initializer: readonly TensorProto[];
  readonly sparseInitializer: readonly SparseTensorProto[];
  readonly docString: string;
  readonly input: readonly ValueInfoProto[];
  readonly output: readonly ValueInfoProto[];
  readonly valueInfo: readonly ValueInfoProto[];
  readonly quantizationAnnotation: readonly TensorAnnotation[];
  readonly metadataProps: readonly StringStringEntryProto[];
}

/** A call of an operator or a function. An omitted optional input has the name "". */
export interface NodeProto {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly name: string;
  readonly opType: string;
  readonly attribute: readonly AttributeProto[];
  readonly docString: string;
  readonly domain: string;
  readonly overload: string;
  readonly metadataProps: readonly StringStringEntryProto[];
}

/**
 * An attribute of a node. `type` says which field holds the value; a scalar that is absent then has the value 0 or no bytes. Inside a function,
 * `refAttrName` names the attribute of the function that is passed on.
 */
export interface AttributeProto {
  readonly name: string;
  readonly f?: number | undefined;
  readonly i?: Int64 | undefined;
  /** The bytes of a text in UTF-8; `decodeUtf8` decodes them. */
  readonly s?: Uint8Array | undefined;
  readonly t?: TensorProto | undefined;
  readonly g?: GraphProto | undefined;
  readonly floats: readonly number[];
  readonly ints: readonly Int64[];
  readonly strings: readonly Uint8Array[];
  readonly tensors: readonly TensorProto[];
  readonly graphs: readonly GraphProto[];
  readonly docString: string;
  readonly tp?: TypeProto | undefined;
  readonly typeProtos: readonly TypeProto[];
  /** One of `AttributeType`. */
  readonly type: number;
  readonly refAttrName: string;
  readonly sparseTensor?: SparseTensorProto | undefined;
  readonly sparseTensors: readonly SparseTensorProto[];
}

/** A tensor. Its elements are in `rawData`, in the list of their type, or in a separate file. */
export interface TensorProto {
  readonly dims: readonly number[];
  /** One of `DataType`. */
  readonly dataType: number;
  readonly segment?: SegmentProto | undefined;
  readonly floatData: Float32Array;
  readonly int32Data: Int32Array;
  readonly stringData: readonly Uint8Array[];
  readonly int64Data: BigInt64Array;
  readonly name: string;
  /** Little-endian elements, a view of the bytes of the file. */
  readonly rawData?: Uint8Array | undefined;
  readonly doubleData: Float64Array;
  readonly uint64Data: BigUint64Array;
  readonly docString: string;
  /** The keys location, offset, length and checksum. */
  readonly externalData: readonly StringStringEntryProto[];
  /** One of `DataLocation`. */
  readonly dataLocation: number;
  readonly metadataProps: readonly StringStringEntryProto[];
}

/** The range of elements of a larger tensor that a tensor holds. */
export interface SegmentProto {
  readonly begin: Int64;
  readonly end: Int64;
}

/** The non-zero elements of a tensor, with linear indices of shape [n] or coordinates of shape [n, rank]. */
export interface SparseTensorProto {
  readonly values?: TensorProto | undefined;
  readonly indices?: TensorProto | undefined;
  readonly dims: readonly number[];
}

/** The name of a value of a graph, and its type if it is known. */
export interface ValueInfoProto {
  readonly name: string;
  readonly type?: TypeProto | undefined;
  readonly docString: string;
  readonly metadataProps: readonly StringStringEntryProto[];
}

/** The type of a value: at most one of the fields that end with `Type` is set. */
export interface TypeProto {
  readonly tensorType?: TensorTypeProto | undefined;
  readonly sequenceType?: ElementTypeProto | undefined;
  readonly mapType?: MapTypeProto | undefined;
  readonly denotation: string;
  readonly opaqueType?: OpaqueTypeProto | undefined;
  readonly sparseTensorType?: TensorTypeProto | undefined;
  readonly optionalType?: ElementTypeProto | undefined;
}

/** The type of a tensor or a sparse tensor. Without a shape, even the rank is unknown. */
export interface TensorTypeProto {
  /** One of `DataType`. */
  readonly elemType: number;
  readonly shape?: TensorShapeProto | undefined;
}

/** The type of a sequence or an optional. */
export interface ElementTypeProto {
  readonly elemType?: TypeProto | undefined;
}

export interface MapTypeProto {
  /** One of `DataType`: an integer type or STRING. */
  readonly keyType: number;
  readonly valueType?: TypeProto | undefined;
}

export interface OpaqueTypeProto {
  readonly domain: string;
  readonly name: string;
}

export interface TensorShapeProto {
  readonly dim: readonly DimensionProto[];
}

/** The size of an axis: a number, a symbol, or unknown if both are absent. */
export interface DimensionProto {
  readonly dimValue?: number | undefined;
  readonly dimParam?: string | undefined;
  readonly denotation: string;
}

/** The tensors that hold the scale and the zero point of a quantized tensor. */
export interface TensorAnnotation {
  readonly tensorName: string;
  readonly quantParameterTensorNames: readonly StringStringEntryProto[];
}

/** An operator that is defined by nodes. */
export interface FunctionProto {
  readonly name: string;
  readonly input: readonly string[];
  readonly output: readonly string[];
  /** The names of attributes without a default. */
  readonly attribute: readonly string[];
  readonly node: readonly NodeProto[];
  readonly docString: string;
  readonly opsetImport: readonly OperatorSetIdProto[];
  readonly domain: string;
  /** Attributes with their defaults. */
  readonly attributeProto: readonly AttributeProto[];
  readonly valueInfo: readonly ValueInfoProto[];
  readonly overload: string;
  readonly metadataProps: readonly StringStringEntryProto[];
}

/** A sequence; `elemType` says which list holds the elements. */
export interface SequenceProto {
  readonly name: string;
  /** One of `ElementKind`. */
  readonly elemType: number;
  readonly tensorValues: readonly TensorProto[];
  readonly sparseTensorValues: readonly SparseTensorProto[];
  readonly sequenceValues: readonly SequenceProto[];
  readonly mapValues: readonly MapProto[];
  readonly optionalValues: readonly OptionalProto[];
}

/** A map: `keys` or `stringKeys`, and a value for each of them. */
export interface MapProto {
  readonly name: string;
  /** One of `DataType`. */
  readonly keyType: number;
  readonly keys: readonly Int64[];
  readonly stringKeys: readonly Uint8Array[];
  readonly values?: SequenceProto | undefined;
}

/** An optional; `elemType` says which field holds the value, and is UNDEFINED if there is none. */
export interface OptionalProto {
  readonly name: string;
  /** One of `ElementKind`. */
  readonly elemType: number;
  readonly tensorValue?: TensorProto | undefined;
  readonly sparseTensorValue?: SparseTensorProto | undefined;
  readonly sequenceValue?: SequenceProto | undefined;
  readonly mapValue?: MapProto | undefined;
  readonly optionalValue?: OptionalProto | undefined;
}
