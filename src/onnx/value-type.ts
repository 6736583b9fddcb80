/** The declared types of inputs and outputs: the values that they accept, and their text. */
import { type DType, Tensor, tensor } from "../index.ts";
import { OnnxError } from "./error.ts";
import { narrowTypes } from "./narrow.ts";
import { DataType, type TypeProto, type ValueInfoProto } from "./proto/types.ts";
import { describeOnnxValue, type OnnxInput, type OnnxValue, TextTensor, ValueSequence } from "./values.ts";

/** The size of an axis: a number, a name, or null if nothing is declared. */
export type DeclaredSize = number | string | null;

export interface ValueType {
  readonly kind: "tensor" | "text" | "sequence" | "map" | "optional" | "unknown";
  /** The dtype of tensors; null for other kinds, and for types that this library has no tensors of. */
  readonly dtype: DType | null;
  /** The sizes of tensors; null if even the rank is not declared. */
  readonly shape: readonly DeclaredSize[] | null;
  /** As in errors: `float32[batch, 3, 224, 224]`. */
  readonly text: string;
  /** Returns a value of this type; throws if a value does not fit. */
  accept(value: OnnxInput, name: string): OnnxValue;
}

/** The dtypes of tensors by the element type of ONNX. Narrow types are held in a wider dtype. */
export const dtypeOfElement: Readonly<Record<number, DType>> = {
  [DataType.FLOAT]: "float32",
  [DataType.UINT8]: "uint8",
  [DataType.INT8]: "int8",
  [DataType.UINT16]: "uint16",
  [DataType.INT16]: "int16",
  [DataType.INT32]: "int32",
  [DataType.INT64]: "int64",
  [DataType.BOOL]: "bool",
  [DataType.FLOAT16]: "float16",
  [DataType.DOUBLE]: "float64",
  [DataType.UINT32]: "uint32",
  [DataType.UINT64]: "uint64",
  [DataType.COMPLEX64]: "complex64",
  [DataType.COMPLEX128]: "complex128",
  [DataType.BFLOAT16]: "bfloat16",
  ...Object.fromEntries(Object.entries(narrowTypes).map(([type, { dtype }]) => [type, dtype])),
};

/** The element type of ONNX for a dtype. */
export const elementOfDType = (dtype: DType): number =>
  Number(Object.keys(dtypeOfElement).find((element) => dtypeOfElement[Number(element)] === dtype));

/** The name of an element type in texts. */
export const elementName = (type: number): string =>
  narrowTypes[type]?.name ??
  dtypeOfElement[type] ??
  Object.entries(DataType)
    .find(([, each]) => each === type)?.[0]
    .toLowerCase() ??
  `type ${type}`;

/** The declared type of an input or output. */
export const typeOfInfo = ({ type }: ValueInfoProto): ValueType => typeOfProto(type);

function typeOfProto(type: TypeProto | undefined): ValueType {
  if (type?.tensorType !== undefined) return tensorType(type.tensorType.elemType, type.tensorType.shape?.dim ?? null);
  if (type?.sequenceType !== undefined) {
    const inner = typeOfProto(type.sequenceType.elemType);
    return plain("sequence", `sequence of ${inner.text}`, (value, name) => {
      if (value instanceof ValueSequence) return value;
      if (Array.isArray(value)) return new ValueSequence(value.map((each, k) => inner.accept(each, `${name}[${k}]`)));
      throw refusal(name, "a sequence", value);
    });
  }
  if (type?.optionalType !== undefined) {
    const inner = typeOfProto(type.optionalType.elemType);
    return plain("optional", `optional ${inner.text}`, (value, name) => inner.accept(value, name));
  }
  if (type?.mapType !== undefined) return plain("map", "map", (value) => value as OnnxValue);
  return plain("unknown", "any type", (value) => value as OnnxValue);
}

const plain = (kind: ValueType["kind"], text: string, accept: ValueType["accept"]): ValueType => ({
  kind,
  dtype: null,
  shape: null,
  text,
  accept,
});

function tensorType(
  elemType: number,
  dims: readonly { readonly dimValue?: number | undefined; readonly dimParam?: string | undefined }[] | null,
): ValueType {
  // Some exporters write -1 for a size that is not known.
  const known = (size: number | undefined): number | null => (size === undefined || size < 0 ? null : size);
  const shape = dims?.map(({ dimValue, dimParam }) => known(dimValue) ?? (dimParam || null)) ?? null;
  const text = `${elementName(elemType)}${shape === null ? "" : `[${shape.map((each) => each ?? "?").join(", ")}]`}`;
  const dtype = dtypeOfElement[elemType] ?? null;
  if (elemType === DataType.STRING)
    return {
      kind: "text",
      dtype: null,
      shape,
      text,
      accept: (value, name) => checkShape(acceptText(value, name), shape, text, name),
    };
  return {
    kind: "tensor",
    dtype,
    shape,
    text,
    accept: (value, name) => checkShape(acceptTensor(value, dtype, text, name), shape, text, name),
  };
}

/** Integers of a narrower type are converted if all of their values are safe there. */
const widened: Partial<Record<DType, readonly DType[]>> = {
  int64: ["int32", "int16", "int8", "uint32", "uint16", "uint8"],
  int32: ["int16", "int8", "uint16", "uint8"],
  float64: ["float32"],
};

function acceptTensor(value: OnnxInput, dtype: DType | null, text: string, name: string): Tensor {
  if (value instanceof Tensor) {
    if (dtype === null || value.dtype === dtype) return value;
    if (widened[dtype]?.includes(value.dtype as DType)) return value.to(dtype);
    throw new OnnxError(
      `run: the input "${name}" must be ${text}, got ${describeOnnxValue(value)}. Convert it: x.to("${dtype}")`,
    );
  }
  const isPlain =
    typeof value === "number" || typeof value === "bigint" || typeof value === "boolean" || Array.isArray(value);
  if (!isPlain && !ArrayBuffer.isView(value)) throw refusal(name, text, value);
  return tensor(value as number[], dtype === null ? {} : { dtype });
}

function acceptText(value: OnnxInput, name: string): TextTensor {
  if (value instanceof TextTensor) return value;
  if (typeof value === "string") return new TextTensor([], [value]);
  if (!Array.isArray(value)) throw refusal(name, "a string or an array of strings", value);
  const shape: number[] = [];
  for (let level: unknown = value; Array.isArray(level); level = level[0]) shape.push(level.length);
  const data = value.flat(Infinity);
  if (data.some((each) => typeof each !== "string") || data.length !== shape.reduce((a, b) => a * b, 1))
    throw refusal(name, "a rectangular array of strings", value);
  return new TextTensor(shape, data);
}

function checkShape<T extends Tensor | TextTensor>(
  value: T,
  shape: readonly DeclaredSize[] | null,
  text: string,
  name: string,
): T {
  const sizes: readonly number[] = value.shape;
  if (shape === null) return value;
  const fits = shape.length === sizes.length && shape.every((size, k) => typeof size !== "number" || size === sizes[k]);
  if (!fits) throw new OnnxError(`run: the input "${name}" must be ${text}, got the shape [${sizes.join(", ")}]`);
  return value;
}

const refusal = (name: string, needed: string, value: unknown): OnnxError =>
  new OnnxError(`run: the input "${name}" must be ${needed}, got ${typeof value}`);
