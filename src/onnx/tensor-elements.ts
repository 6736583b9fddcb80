/**
 * The elements of tensors in messages, as values. Checks that the element type is known, that sizes are valid, and that there are exactly the elements
 * that the sizes need; errors name the tensor. As in `storage`, the byte order of the host is little-endian.
 */
import { zeros } from "../index.ts";
import { normalizeBools } from "../io/raw-array.ts";
import { copyToTensor } from "../io/tensor-arrays.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { OnnxError } from "./error.ts";
import { decodeNarrow, type NarrowType, narrowTypes } from "./narrow.ts";
import { DataLocation, DataType, type TensorProto } from "./proto/types.ts";
import { utf8OrUndefined } from "./proto/utf8.ts";
import { dtypeOfElement, elementName } from "./value-type.ts";
import { type OnnxValue, TextTensor } from "./values.ts";

/** The storage of the elements of a tensor in the file and in memory. */
export interface ElementLayout {
  /** A text for errors: the tensor "weight" (float32[3, 4]). */
  readonly title: string;
  readonly shape: readonly number[];
  readonly count: number;
  /** The dtype of the tensor that holds them; null for texts. */
  readonly dtype: DType | null;
  readonly narrow: NarrowType | undefined;
  /** The number of bytes of `raw_data`; 0 for texts. */
  readonly byteLength: number;
}

/** Returns the layout of a tensor; throws unless its element type is known and its sizes are valid. */
export function layoutOfElements({ name, dims, dataType }: TensorProto): ElementLayout {
  const title = `the tensor ${JSON.stringify(name)} (${elementName(dataType)}[${dims.join(", ")}])`;
  const narrow = narrowTypes[dataType];
  const dtype = dtypeOfElement[dataType] ?? null;
  if (dtype === null && dataType !== DataType.STRING)
    throw new OnnxError(`${title} has the element type ${dataType}, which ONNX 1.22 does not define`);
  const bits = narrow?.bits ?? (dtype === null ? 0 : 8 * dtypes[dtype].itemsize);
  const count = dims.reduce((product, size) => product * size, 1);
  if (dims.some((size) => size < 0) || !Number.isSafeInteger(count * Math.max(bits, 128)))
    throw new OnnxError(`${title} must have sizes that are not negative, and less than 2^46 elements`);
  return { title, shape: dims, count, dtype, narrow, byteLength: Math.ceil((count * bits) / 8) };
}

/** Throws unless the number of bytes matches the sizes of the tensor. */
export function checkByteLength({ title, byteLength }: ElementLayout, length: number, where: string): void {
  if (length !== byteLength)
    throw new OnnxError(`${title} needs ${byteLength} bytes, got ${length} in ${where}. The file is damaged`);
}

/** Throws unless a tensor can be read: its sizes are valid, and its message has the elements that they need. */
export const checkTensor = (proto: TensorProto): void => {
  elementsOf(proto, layoutOfElements(proto));
};

/** Returns the value of a tensor whose elements are in its message. */
export function readTensorValue(proto: TensorProto): OnnxValue {
  const layout = layoutOfElements(proto);
  const elements = elementsOf(proto, layout);
  const { dtype, shape } = layout;
  if (dtype === null) return new TextTensor(shape, textsOf(elements as readonly Uint8Array[], layout));
  return tensorOfBytes(layout, bytesOfElements(elements as RawElements, layout));
}

/** Returns the numbers of a tensor as the bytes of its dtype; throws if it has texts. */
export function numbersOfTensor(proto: TensorProto): { readonly layout: ElementLayout; readonly bytes: Uint8Array } {
  const layout = layoutOfElements(proto);
  if (layout.dtype === null) throw new OnnxError(`${layout.title} must have numbers, got texts`);
  return { layout, bytes: decoded(bytesOfElements(elementsOf(proto, layout) as RawElements, layout), layout) };
}

/** The tensor of the bytes that `raw_data` has. */
export function tensorOfBytes(layout: ElementLayout, bytes: Uint8Array): Tensor {
  const { shape, count } = layout;
  const dtype = layout.dtype as DType;
  if (count === 0) return zeros([...shape], { dtype });
  return copyToTensor({ dtype, shape, order: "C", bytes: decoded(bytes, layout) });
}

function decoded(bytes: Uint8Array, { count, dtype, narrow }: ElementLayout): Uint8Array {
  if (narrow !== undefined) return new Uint8Array(decodeNarrow(bytes, narrow, count).buffer);
  return dtype === "bool" ? normalizeBools(bytes) : bytes;
}

type Numbers = Float32Array | Float64Array | Int32Array | BigInt64Array | BigUint64Array;
type RawElements = Uint8Array | Numbers;
type ElementField = "floatData" | "doubleData" | "int32Data" | "int64Data" | "uint64Data" | "stringData";

const elementFields: readonly ElementField[] = [
  "floatData",
  "doubleData",
  "int32Data",
  "int64Data",
  "uint64Data",
  "stringData",
];

/** The field that has the elements of a type if they are not in `raw_data`. Types that are not listed use `int32_data`. */
const fieldOfType: Readonly<Record<number, ElementField>> = {
  [DataType.FLOAT]: "floatData",
  [DataType.COMPLEX64]: "floatData",
  [DataType.DOUBLE]: "doubleData",
  [DataType.COMPLEX128]: "doubleData",
  [DataType.INT64]: "int64Data",
  [DataType.UINT32]: "uint64Data",
  [DataType.UINT64]: "uint64Data",
  [DataType.STRING]: "stringData",
};

/** The elements of a tensor, from the one field that has them; throws if other fields have elements, or if their number is wrong. */
function elementsOf(proto: TensorProto, layout: ElementLayout): RawElements | readonly Uint8Array[] {
  const { title, count } = layout;
  if (proto.dataLocation === DataLocation.EXTERNAL)
    throw new OnnxError(`${title} is stored in another file, which only loadOnnx reads`);
  if (proto.segment !== undefined)
    throw new OnnxError(`${title} is a segment of a larger tensor, which is not supported`);
  const field = fieldOfType[proto.dataType] ?? "int32Data";
  const others = elementFields.filter((each) => proto[each].length > 0 && (each !== field || hasRawData(proto)));
  if (others.length > 0)
    throw new OnnxError(
      `${title} must have its elements in raw_data or ${schemaName(field)}, got ${others.map(schemaName).join(" and ")}${hasRawData(proto) ? " and raw_data" : ""}`,
    );
  if (hasRawData(proto)) {
    if (layout.dtype === null) throw new OnnxError(`${title} must have its elements in string_data, got raw_data`);
    checkByteLength(layout, proto.rawData.length, "raw_data");
    return proto.rawData;
  }
  const list = proto[field];
  const needed = neededLength(proto, layout);
  if (list.length !== needed)
    throw new OnnxError(
      `${title} needs ${needed} values in ${schemaName(field)} for its ${count} elements, got ${list.length}`,
    );
  return list;
}

const hasRawData = (proto: TensorProto): proto is TensorProto & { readonly rawData: Uint8Array } =>
  proto.rawData !== undefined && (proto.rawData.length > 0 || elementFields.every((each) => proto[each].length === 0));

const schemaName = (field: ElementField): string => field.replace("Data", "_data");

/** The number of values in the field of the type: two for a complex number, one for a byte of packed elements. */
function neededLength({ dataType }: TensorProto, { count, narrow, byteLength }: ElementLayout): number {
  if (dataType === DataType.COMPLEX64 || dataType === DataType.COMPLEX128) return 2 * count;
  return narrow === undefined ? count : byteLength;
}

/** The bytes that the elements have in `raw_data`. Elements in `int32_data` and `uint64_data` may be narrower than those. */
function bytesOfElements(elements: RawElements, { dtype, narrow }: ElementLayout): Uint8Array {
  if (elements instanceof Uint8Array) return elements;
  const itemsize = narrow === undefined ? dtypes[dtype as DType].itemsize : 1;
  const isInteger = elements instanceof Int32Array || elements instanceof BigUint64Array;
  const list = isInteger && elements.BYTES_PER_ELEMENT > itemsize ? narrowed(elements, itemsize) : elements;
  return new Uint8Array(list.buffer, list.byteOffset, list.byteLength);
}

/** The low bytes of integers. */
function narrowed(list: Int32Array | BigUint64Array, itemsize: number): ArrayBufferView {
  if (list instanceof BigUint64Array) return Uint32Array.from(list, Number);
  return itemsize === 1 ? Uint8Array.from(list) : Uint16Array.from(list);
}

const textsOf = (texts: readonly Uint8Array[], { title }: ElementLayout): readonly string[] =>
  texts.map((bytes, k) => {
    const text = utf8OrUndefined(bytes);
    if (text === undefined) throw new OnnxError(`${title}: element ${k} is not text in UTF-8`);
    return text;
  });
