/**
 * Compares the bytes after two runs of a kernel case: outputs as values, within the allowed steps, all other bytes
 * exactly. All NaNs are equal; zeros have signs.
 */
import { reader } from "../../src/kernel/element.ts";
import type { Operand } from "../../src/kernel/operand.ts";
import { type Complex, type DType, dtypes, type Value } from "../../src/storage/dtype.ts";
import { numberToBfloat16, numberToFloat16 } from "../../src/storage/half.ts";
import { BufferMemory } from "../../src/storage/memory.ts";
import { type Arena, elementsOf, type KernelCase } from "./kernel-cases.ts";
import type { Steps } from "./kernel-specs.ts";

/** Describes the first difference; undefined if there is none. Without steps every byte counts. */
export function differenceOf(
  test: KernelCase,
  expected: readonly Uint8Array[],
  got: readonly Uint8Array[],
  steps: readonly Steps[] = [],
): string | undefined {
  for (let arena = 0; arena < expected.length; arena++) {
    const [left, right] = [expected[arena] as Uint8Array, got[arena] as Uint8Array];
    const [a, b] = [new Int32Array(left.buffer), new Int32Array(right.buffer)];
    const output = test.arenaOf.findIndex((each, k) => each === arena && k < steps.length);
    for (let word = 0; word < a.length; word++) {
      if (a[word] === b[word]) continue;
      const difference =
        output < 0
          ? `word ${word} of arena ${arena} is ${b[word]}, and should be ${a[word]}`
          : differenceAt(test, output, left, right, 4 * word, steps);
      if (difference !== undefined) return difference;
    }
  }
  return undefined;
}

const windowOf = (dtype: DType, bytes: Uint8Array) =>
  new BufferMemory("overflow", bytes.buffer as ArrayBuffer).array(dtypes[dtype].array);

/** Compares the elements of an output in 4 bytes, or the larger element that contains them. */
function differenceAt(
  test: KernelCase,
  output: number,
  left: Uint8Array,
  right: Uint8Array,
  from: number,
  steps: readonly Steps[],
): string | undefined {
  const operand = test.operands[output] as Operand;
  const { dtype } = operand;
  const { itemsize } = dtypes[dtype];
  const read = reader(dtype, "bigint");
  const [expectedWindow, got] = [windowOf(dtype, left), windowOf(dtype, right)];
  for (let at = Math.floor(from / itemsize); at * itemsize < from + 4; at++) {
    const [expected, have] = [read(expectedWindow, at), read(got, at)];
    if (isSame(expected, have)) continue;
    const number = numbersIn(operand).get(at);
    if (number === undefined)
      return `output ${output}: element ${at} of its arena is not its own, and was ${textOf(expected)}, is ${textOf(have)}`;
    const inputs = inputsAt(test, number, steps.length);
    const allowed = steps[output] as Steps;
    const max = typeof allowed === "number" ? allowed : allowed(inputs, expected);
    if (isNear(dtype, expected, have, max)) continue;
    return (
      `output ${output}: element ${number} in row-major order is ${textOf(have)}, and should be ${textOf(expected)} ` +
      `(${max} steps allowed); inputs ${inputs.map(textOf).join(", ") || "none"}`
    );
  }
  return undefined;
}

const cache = new WeakMap<Operand, ReadonlyMap<number, number>>();

/** The row-major number of each element of an operand. */
function numbersIn(operand: Operand): ReadonlyMap<number, number> {
  let numbers = cache.get(operand);
  if (numbers === undefined) {
    numbers = new Map(elementsOf(operand).map((at, number) => [at, number]));
    cache.set(operand, numbers);
  }
  return numbers;
}

/** The element with this number in row-major order. */
function elementAt({ offset, shape, stride }: Operand, number: number): number {
  let at = offset;
  for (let axis = shape.length - 1, rest = number; axis >= 0; axis--) {
    const size = shape[axis] as number;
    at += (rest % size) * (stride[axis] as number);
    rest = Math.floor(rest / size);
  }
  return at;
}

/** The inputs' values before the run, at a coordinate. */
function inputsAt({ operands, arenas, arenaOf }: KernelCase, number: number, outputs: number): Value[] {
  return operands.slice(outputs).map((operand, k) => {
    const { initial } = arenas[arenaOf[outputs + k] as number] as Arena;
    return reader(operand.dtype, "bigint")(windowOf(operand.dtype, initial), elementAt(operand, number));
  });
}

/** A value as text, with the sign of -0. */
export function textOf(value: Value): string {
  if (typeof value === "object") return `(${textOf(value.re)}, ${textOf(value.im)})`;
  return Object.is(value, -0) ? "-0" : String(value);
}

function isSame(a: Value, b: Value): boolean {
  if (typeof a === "object" && typeof b === "object") return Object.is(a.re, b.re) && Object.is(a.im, b.im);
  return Object.is(a, b);
}

function isNear(dtype: DType, expected: Value, got: Value, steps: number): boolean {
  if (steps === Infinity) return true;
  if (typeof expected === "object") return isNearInPlane(dtype, expected, got as Complex, steps);
  return typeof expected === "number" && stepsBetween(dtype, expected, got as number) <= steps;
}

/**
 * A part that is not finite must be equal; the others are compared by distance, relative to the length. Next to a NaN,
 * the sign of a zero or of an infinity is unspecified: it comes from the NaN's, and C does not specify it either (the
 * square root of -inf + i NaN).
 */
function isNearInPlane(dtype: DType, expected: Complex, got: Complex, steps: number): boolean {
  if (Number.isNaN(expected.re) && Number.isNaN(got.re) && Math.abs(expected.im) === Math.abs(got.im)) return steps > 0;
  if (Number.isNaN(expected.im) && Number.isNaN(got.im) && Math.abs(expected.re) === Math.abs(got.re)) return steps > 0;
  const [step, min] = dtype === "complex64" ? [2 ** -23, 2 ** -149] : [2 ** -52, 2 ** -1074];
  const off = (a: number, b: number): number => (Object.is(a, b) ? 0 : Number.isFinite(a) ? Math.abs(a - b) : Infinity);
  const distance = Math.hypot(off(expected.re, got.re), off(expected.im, got.im));
  const length = Math.hypot(...[expected.re, expected.im].filter(Number.isFinite));
  return steps > 0 && distance <= steps * step * length + 4 * min;
}

/** The number of floats of the dtype between two, plus one; the infinities follow the largest ones. */
function stepsBetween(dtype: DType, a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Infinity;
  const difference = rankOf(dtype, a) - rankOf(dtype, b);
  return Math.abs(Number(difference));
}

/** The ordinal of a float among those of its dtype; zeros are 0. */
function rankOf(dtype: DType, value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  const size = Math.abs(value);
  if (dtype === "float64") view.setFloat64(0, size);
  else if (dtype === "float32") view.setFloat32(4, size);
  else view.setUint16(6, dtype === "float16" ? numberToFloat16(size) : numberToBfloat16(size));
  const rank = view.getBigUint64(0);
  return value < 0 ? -rank : rank;
}
