/**
 * Compares results with recorded ones: dtypes, shapes, integers, bools, NaN and infinities exactly; floats within the tolerance of their
 * dtype, relative to the element, or a few units in the last place of the largest one.
 */
import { type DType, dtypes, isComplex, type Value } from "../../src/storage/dtype.ts";
import { Tensor } from "../../src/tensor/tensor.ts";
import { type RecordedTensor, valueOf } from "./torch-values.ts";
import type { Json } from "./values.ts";

interface Tolerance {
  /** Relative to the element. */
  readonly relative: number;
  /** Relative to the largest element, or to 1. */
  readonly absolute: number;
}

const tolerances: Readonly<Partial<Record<DType, Tolerance>>> = {
  float64: { relative: 1e-9, absolute: 32 * 2 ** -52 },
  complex128: { relative: 1e-9, absolute: 32 * 2 ** -52 },
  float32: { relative: 3e-5, absolute: 8 * 2 ** -23 },
  complex64: { relative: 3e-5, absolute: 8 * 2 ** -23 },
  float16: { relative: 2 ** -10, absolute: 2 ** -24 },
  bfloat16: { relative: 2 ** -7, absolute: 2 ** -133 },
};
/** Factorizations and solutions of systems lose a few more digits. */
const looser: Readonly<Partial<Record<DType, Tolerance>>> = {
  ...tolerances,
  float64: { relative: 1e-7, absolute: 1e-11 },
  complex128: { relative: 1e-7, absolute: 1e-11 },
};

/** The elements in row-major order, 64-bit integers as bigints. */
export function exactElements(t: Tensor): Value[] {
  const nested = t.toArray({ bigint: true }) as unknown;
  return (Array.isArray(nested) ? nested.flat(Number.POSITIVE_INFINITY) : [nested]) as Value[];
}

const partsOf = (value: Value): readonly [number, number] =>
  isComplex(value) ? [value.re, value.im] : [Number(value), 0];
const sizeOfValue = (value: Value): number => {
  const length = Math.hypot(...partsOf(value));
  return Number.isFinite(length) ? length : 0;
};

function isNear(ours: number, theirs: number, slack: number): boolean {
  if (Number.isFinite(ours) && Number.isFinite(theirs)) return Math.abs(ours - theirs) <= slack;
  return Object.is(ours, theirs);
}

/** What is wrong with a tensor, or null. */
export function tensorDifference(ours: Tensor, recorded: RecordedTensor, isLoose = false): string | null {
  const { dtype, shape, data } = recorded;
  if (ours.dtype !== dtype) return `dtype ${ours.dtype}, recorded ${dtype}`;
  if (ours.shape.join() !== shape.join()) return `shape [${ours.shape}], recorded [${shape}]`;
  return elementDifference(exactElements(ours), data.map(valueOf), dtype, isLoose);
}

/** The first element that differs by more than the tolerance of the dtype, or null. */
export function elementDifference(
  ours: readonly Value[],
  theirs: readonly Value[],
  dtype: DType,
  isLoose: boolean,
): string | null {
  const tolerance = (isLoose ? looser : tolerances)[dtype];
  const differs = (k: number): string => `element ${k} is ${show(ours[k])}, recorded ${show(theirs[k])}`;
  if (tolerance === undefined) {
    const { category } = dtypes[dtype];
    const exact = (value: Value | undefined): unknown =>
      category === "bool" ? Boolean(value) : BigInt(value as number);
    const at = theirs.findIndex((value, k) => exact(value) !== exact(ours[k]));
    return at < 0 ? null : differs(at);
  }
  const largest = theirs.reduce((max: number, value) => Math.max(max, sizeOfValue(value)), 1);
  for (let k = 0; k < theirs.length; k++) {
    const [x, y] = [partsOf(ours[k] as Value), partsOf(theirs[k] as Value)];
    const slack = Math.max(tolerance.relative * sizeOfValue(theirs[k] as Value), tolerance.absolute * largest);
    if (!isNear(x[0], y[0], slack) || !isNear(x[1], y[1], slack)) return differs(k);
  }
  return null;
}

const show = (value: Value | undefined): string =>
  isComplex(value) ? `${value.re}${value.im < 0 ? "" : "+"}${value.im}i` : String(value);

/** The parts of a result in their order: tensors and plain values, out of lists and of objects. */
export function partsOfResult(result: unknown): unknown[] {
  if (result instanceof Tensor || typeof result !== "object" || result === null) return [result];
  if (isComplex(result)) return [result];
  return Object.values(result).flatMap(partsOfResult);
}

export type RecordedPart = RecordedTensor | Value;
export const isRecordedTensor = (part: unknown): part is RecordedTensor =>
  typeof part === "object" && part !== null && "data" in part && "shape" in part;

/** The parts of a recorded result. */
export function recordedParts(out: Json): RecordedPart[] {
  if (Array.isArray(out)) return out.flatMap(recordedParts);
  if (typeof out !== "object" || out === null) return [valueOf(out)];
  const { $t, $f, $c } = out as Readonly<Record<string, Json>>;
  if ($t !== undefined) return [$t as unknown as RecordedTensor];
  if ($f !== undefined) return [valueOf($f)];
  if ($c !== undefined) return [valueOf($c)];
  return isRecordedTensor(out) ? [out] : [valueOf(out)];
}

/** What is wrong with a part, or null. */
export function partDifference(ours: unknown, recorded: RecordedPart, isLoose: boolean): string | null {
  if (isRecordedTensor(recorded))
    return ours instanceof Tensor ? tensorDifference(ours, recorded, isLoose) : `${String(ours)}, recorded a tensor`;
  const dtype: DType = typeof recorded === "boolean" ? "bool" : isComplex(recorded) ? "complex128" : "float64";
  if (ours instanceof Tensor) return `a tensor, recorded ${show(recorded)}`;
  return elementDifference([ours as Value], [recorded], dtype, isLoose);
}

/** Only dtype and shape: for random numbers and for elements that are not set. */
export function kindDifference(ours: unknown, recorded: RecordedPart): string | null {
  if (!isRecordedTensor(recorded)) return null;
  if (!(ours instanceof Tensor)) return `${String(ours)}, recorded a tensor`;
  if (ours.dtype !== recorded.dtype) return `dtype ${ours.dtype}, recorded ${recorded.dtype}`;
  const [a, b] = [ours.shape.join(), recorded.shape.join()];
  return a === b ? null : `shape [${a}], recorded [${b}]`;
}
