/**
 * Checks of the values that a user writes into a tensor of some dtype.
 * A cast between tensors wraps silently, a literal does not: 300 in an int8 tensor is an error. As in PyTorch, floats accept any real number
 * (too large ones become infinity). If the dtype is requested together with the value (`checkedValue`), integers truncate a fraction, and
 * unsigned dtypes accept a negative number that wraps once. If the value is written to an existing tensor or combined with one (`exactValue`), an
 * integer dtype must hold it exactly. `element.ts` converts.
 */
import { foreign } from "../base/foreign.ts";
import { type DType, DTypeError, dtypes, isComplex, type Value } from "../storage/dtype.ts";

interface Bounds {
  readonly low: bigint;
  readonly high: bigint;
}

const bounds: Readonly<Partial<Record<DType, Bounds>>> = {
  uint8: { low: -255n, high: 255n },
  int8: { low: -128n, high: 127n },
  int16: { low: -32768n, high: 32767n },
  uint16: { low: -65535n, high: 65535n },
  int32: { low: -(2n ** 31n), high: 2n ** 31n - 1n },
  uint32: { low: 1n - 2n ** 32n, high: 2n ** 32n - 1n },
  int64: { low: -(2n ** 63n), high: 2n ** 63n - 1n },
  uint64: { low: 0n, high: 2n ** 64n - 1n },
};

const show = (value: Value): string =>
  isComplex(value) ? `${value.re}${value.im < 0 ? "" : "+"}${value.im}i` : `${value}`;

const valueKind = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "an array. Make a tensor of it first: tensor([...])"
      : ArrayBuffer.isView(value)
        ? "a typed array. Make a tensor of it first: tensor(...)"
        : foreign(value) || typeof value;

/** Returns the value; throws a DTypeError if a tensor of this dtype cannot hold it. */
export function checkedValue(who: string, value: Value, dtype: DType): Value {
  if (typeof value === "object" && isComplex(value)) {
    const { category } = dtypes[dtype];
    if (category === "complex" || category === "bool") return value;
    throw new DTypeError(
      `${who}: value cannot be converted to type ${dtype} without overflow: got the complex number ${show(value)}. ` +
        `Write its real part, or choose complex64.`,
    );
  }
  if (typeof value !== "number" && typeof value !== "bigint" && typeof value !== "boolean")
    throw new DTypeError(
      `${who}: an element must be a number, bigint, boolean or { re, im }, got ${valueKind(value)}.`,
    );
  const range = bounds[dtype];
  // Comparisons of a number with a bigint are exact; NaN fails both.
  if (range === undefined || typeof value === "boolean" || (value >= range.low && value <= range.high)) return value;
  throw new DTypeError(
    `${who}: value cannot be converted to type ${dtype} without overflow: got ${value}, and ${dtype} holds ` +
      `${dtype.startsWith("u") ? 0 : range.low} to ${range.high}. Choose a wider dtype.`,
  );
}

/** Returns the value of an integer dtype that is closest to a number. */
export function clippedValue(value: number | bigint, dtype: DType): number | bigint {
  const { low, high } = bounds[dtype] as Bounds;
  const least = dtype.startsWith("u") ? 0 : low;
  return value < least ? least : value > high ? high : value;
}

/** Like `checkedValue`, for a value that is written to an existing tensor: an integer dtype must hold it exactly. */
export function exactValue(who: string, value: Value, dtype: DType): Value {
  if (
    bounds[dtype] !== undefined &&
    ((typeof value === "number" && !Number.isInteger(value)) || ((value as number) < 0 && dtype.startsWith("u")))
  )
    throw new DTypeError(
      `${who}: ${dtype} does not hold ${show(value)}. Round or wrap it first, or convert the tensor with to(dtype).`,
    );
  return checkedValue(who, value, dtype);
}
