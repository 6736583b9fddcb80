/**
 * Random operands for reductions and scans, and the results of plain loops over their elements. The kept axes of an
 * operand come first; `regionsOf` returns the elements of each output in row-major order, read one by one.
 */
import { rounder, writer } from "../../src/kernel/element.ts";
import type { ElementStorage, Operand } from "../../src/kernel/operand.ts";
import { type Complex, type DType, dtypes, type Value } from "../../src/storage/dtype.ts";
import { memoryOf } from "../../src/storage/memory.ts";
import { type Dice, exact, randomOperand } from "./operands.ts";

export type Allocate = (buffer: ArrayBuffer, byteOffset?: number) => ElementStorage;

/** Buffers whose storages are in use: a storage in the heap lives as long as its buffer. */
const held: ArrayBuffer[] = [];
/**
 * Random elements by the state of the dice before them, with the state after them, so that each backend receives the
 * same.
 */
const drawn = new Map<string, { readonly elements: ArrayBuffer; readonly state: number }>();

/** Releases all storages that were allocated here. */
export const forgetBuffers = (): void => {
  held.length = 0;
  drawn.clear();
};

/** Elements of a buffer: the largest operands have 3,000 with gaps between them. */
const length = 10000;

/** Elements of a dtype: small numbers, many of them equal; some NaN and infinite if allowed. */
function randomValue(roll: Dice, dtype: DType, isWild: boolean): Value {
  const { category } = dtypes[dtype];
  const small = (): number => (roll(0, 200) - 100) / 16;
  if (category === "bool") return roll(0, 3) === 0;
  if (category === "complex") return { re: small(), im: small() };
  if (category === "integer") return roll(0, 3) === 0 ? 0 : roll(0, 100) - (dtype.startsWith("u") ? 0 : 50);
  if (isWild && roll(0, 12) === 0)
    return [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0][roll(0, 3)] as number;
  return roll(0, 6) === 0 ? 0 : small();
}

/** An operand of this shape with random elements, strides and offset. */
export function randomInput(roll: Dice, dtype: DType, shape: number[], storageOf: Allocate, isWild: boolean): Operand {
  const key = `${dtype} ${isWild} ${roll.state}`;
  const { elements, state } = drawn.get(key) ?? randomElements(roll, dtype, isWild);
  drawn.set(key, { elements, state });
  roll.state = state;
  const buffer = elements.slice(0);
  held.push(buffer);
  return randomOperand(roll, storageOf(buffer), dtype, shape, true);
}

function randomElements(roll: Dice, dtype: DType, isWild: boolean): { elements: ArrayBuffer; state: number } {
  const { array, itemsize } = dtypes[dtype];
  const buffer = new ArrayBuffer(length * itemsize);
  const window = memoryOf(buffer).array(array);
  const write = writer(dtype);
  for (let i = 0; i < length; i++) write(window, i, randomValue(roll, dtype, isWild));
  return { elements: buffer, state: roll.state };
}

/** An operand to write to: dense axes in some order. */
export function randomOutput(roll: Dice, dtype: DType, shape: number[], storageOf: Allocate): Operand {
  const buffer = new ArrayBuffer(length * dtypes[dtype].itemsize);
  held.push(buffer);
  return randomOperand(roll, storageOf(buffer), dtype, shape, false);
}

/** The elements reduced to each output. */
export function regionsOf(input: Operand, rank: number): Value[][] {
  const values = exact(input);
  const count = input.shape.slice(0, rank).reduce((a, b) => a * b, 1);
  const each = input.shape.slice(rank).reduce((a, b) => a * b, 1);
  return Array.from({ length: count }, (_, k) => values.slice(k * each, k * each + each));
}

export const isNaNValue = (value: Value): boolean => typeof value === "number" && Number.isNaN(value);
export const asComplex = (value: Value): Complex => (typeof value === "object" ? value : { re: Number(value), im: 0 });

/** The allowed error in units of the dtype's precision, relative to `size`. */
const precision: Readonly<Partial<Record<DType, number>>> = {
  float16: 2 ** -11,
  bfloat16: 2 ** -8,
  float32: 2 ** -24,
  complex64: 2 ** -24,
};

/** The number, with parts beyond the dtype's range replaced by infinities. */
function withinRange({ re, im }: Complex, dtype: DType): Complex {
  const round = rounder(dtype === "complex64" ? "float32" : dtype === "complex128" ? "float64" : dtype);
  const part = (value: number): number => (Number.isFinite(round(value)) ? value : (round(value) as number));
  return { re: part(re), im: part(im) };
}

/** True if two values are equal, or within `units` roundings of numbers of this size. */
export function isNear(got: Value, expected: Value, dtype: DType, size: number, units: number): boolean {
  const [a, b] = [asComplex(got), withinRange(asComplex(expected), dtype)];
  const limit = units * (precision[dtype] ?? 2 ** -53) * Math.max(size, Math.abs(b.re), Math.abs(b.im));
  const isPart = (x: number, y: number): boolean => Object.is(x, y) || x === y || Math.abs(x - y) <= limit;
  return isPart(a.re, b.re) && isPart(a.im, b.im);
}
