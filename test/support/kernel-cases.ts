/**
 * Operands for the agreement laws: each has an arena of bytes, in the heap or in user memory, filled with difficult
 * values, and in it a strided region.
 *
 * Regions are lines of 0 to 67 elements, planes, and boxes of up to five modes, transposed, with negative strides and
 * gaps. Inputs have stride 0 in some modes, or overlap themselves or each other; an output may coincide with an input.
 * The same dice produce the same case.
 */
import { fixedStorage } from "../../src/kernel/copy.ts";
import { reader, writer } from "../../src/kernel/element.ts";
import type { MapSpec } from "../../src/kernel/map/spec.ts";
import type { Operand } from "../../src/kernel/operand.ts";
import { type DType, dtypeNames, dtypes, type Value } from "../../src/storage/dtype.ts";
import { BufferMemory, type Memory, memoryOf } from "../../src/storage/memory.ts";
import { Storage } from "../../src/storage/storage.ts";
import { type Dice, dice } from "./operands.ts";

/** Bytes of an arena, and of one for large cases. */
const arenaBytes = 8192;
const largeBytes = 2 ** 19;

/** The bytes that contain an operand. */
export interface Arena {
  readonly memory: Memory;
  /** Their address in the memory. */
  readonly first: number;
  /** Their values before a run. */
  readonly initial: Uint8Array;
}

export interface KernelCase {
  readonly shape: readonly number[];
  readonly arenas: readonly Arena[];
  /** Outputs first, and the number of each one's arena. */
  readonly operands: readonly Operand[];
  readonly arenaOf: readonly number[];
  readonly scalars: readonly Value[];
  /** Elements per unit and bytes per side of a tile, which determine the units of the kernel. */
  readonly unit: number;
  readonly side: number;
  readonly idempotent: boolean;
}

const integral = [0, 1, 3, 7, 2 ** 23 + 1, 2 ** 31, 2 ** 53 + 2, 2 ** 63, 65504, 65520];
const floats = [...integral, 0.5, 1.5, 2.5, 3e38, 1e-40, 2 ** -14];
const unfinite = [Infinity, -Infinity, Number.NaN];

/**
 * Halfway between two numbers of bfloat16, float16 or float32, or next to that: cases in which double rounding is
 * visible.
 */
function tieOf(roll: Dice): number {
  const bits = [8, 11, 24][roll(0, 2)] as number;
  return 1 + (2 * roll(0, 2 ** (bits - 1) - 1) + 1) / 2 ** bits + roll(-1, 1) * 2 ** -45;
}

function floatValue(roll: Dice): number {
  const sign = roll(0, 1) === 0 ? 1 : -1;
  switch (roll(0, 9)) {
    case 0:
      return roll(0, 3) === 0
        ? (unfinite[roll(0, 2)] as number)
        : sign * (floats[roll(0, floats.length - 1)] as number);
    case 1:
      return sign * 2 ** roll(-40, 40) * (1 + roll(0, 2 ** 23) / 2 ** 23);
    case 2:
      return sign * 2 ** roll(-18, 12) * tieOf(roll);
    case 3:
    case 4:
      return (sign * roll(0, 1000)) / 8;
    default:
      return (sign * roll(0, 2 ** 31)) / 2 ** 28;
  }
}

function valueOf(dtype: DType, roll: Dice): Value {
  const { category, itemsize } = dtypes[dtype];
  if (category === "complex") return { re: floatValue(roll), im: floatValue(roll) };
  if (category === "float") return floatValue(roll);
  const top = 1n << BigInt(8 * itemsize - (dtype.startsWith("u") ? 0 : 1));
  const ends = [top - 1n, top - 2n, -top, 1n - top, top / 2n, top / 2n - 1n];
  if (itemsize === 8 && roll(0, 5) === 0)
    return (BigInt(2 * roll(0, 2 ** 24) + 1) << BigInt(roll(0, 38))) + BigInt(roll(-1, 1));
  return roll(0, 4) === 0 ? (ends[roll(0, 5)] as bigint) : BigInt(roll(-9, 70));
}

const poolBytes = 2 ** 20;
/** The number of random bytes in a pool; the others repeat them. */
const variedBytes = 2 ** 15;
let pools: ReadonlyMap<DType, Uint8Array> | undefined;

/** Bytes of values of a dtype; an eighth of them are random bits. */
function poolOf(dtype: DType): Uint8Array {
  pools ??= new Map(
    dtypeNames.map((each, k) => {
      const roll = dice(77 + k);
      const bytes = new Uint8Array(poolBytes);
      const array = new BufferMemory("overflow", bytes.buffer).array(dtypes[each].array);
      const { itemsize } = dtypes[each];
      for (let i = 0; i < variedBytes / itemsize; i++) {
        if (roll(0, 7) === 0) for (let b = 0; b < itemsize; b++) bytes[i * itemsize + b] = roll(0, 255);
        else writer(each)(array, i, each === "bool" ? roll(0, 1) === 1 : valueOf(each, roll));
      }
      for (let at = variedBytes; at < poolBytes; at += variedBytes) bytes.copyWithin(at, 0, variedBytes);
      return [each, bytes];
    }),
  );
  return pools.get(dtype) as Uint8Array;
}

const heapArenas = new Map<number, Storage>();
const userArenas = new Map<number, Memory>();

/** Arena number k with these bytes; there is one for each size. */
function openArena(k: number, isFar: boolean, initial: Uint8Array): Arena {
  const key = k + (initial.length === arenaBytes ? 0 : 1000);
  if (isFar) {
    const memory = userArenas.get(key) ?? memoryOf(new ArrayBuffer(initial.length));
    userArenas.set(key, memory);
    return { memory, first: 0, initial };
  }
  const storage = heapArenas.get(key) ?? Storage.allocate(initial.length);
  heapArenas.set(key, storage);
  return { memory: storage.writable(), first: storage.byteOffset, initial };
}

/** The current bytes of an arena, not copied. */
export const bytesIn = ({ memory, first, initial }: Arena): Uint8Array =>
  memory.array("u8").subarray(first, first + initial.length) as Uint8Array;

/** The element of each coordinate in row-major order, by nested loops. */
export function elementsOf({ offset, shape, stride }: Operand): number[] {
  let elements = [offset];
  shape.forEach((size, axis) => {
    const step = stride[axis] as number;
    elements = elements.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * step));
  });
  return elements;
}

function randomShape(roll: Dice): number[] {
  switch (roll(0, 9)) {
    case 0:
      return [];
    case 1:
    case 2:
    case 3:
    case 4:
      return [roll(0, 67)];
    case 5:
    case 6:
    case 7:
      return [roll(1, 9), roll(1, 35)];
    case 8:
      return [roll(1, 5), roll(1, 4), roll(0, 40) === 0 ? 0 : roll(1, 9)];
    default:
      return Array.from({ length: roll(4, 5) }, () => roll(1, 3));
  }
}

const largeShape = (roll: Dice): number[] =>
  roll(0, 1) === 0 ? [roll(90, 120), roll(90, 120)] : [roll(2, 3), roll(50, 70), roll(50, 70)];

interface Region {
  readonly stride: readonly number[];
  /** The number of elements below the first one, and in all. */
  readonly low: number;
  readonly span: number;
}

/** Axes in some order, dense or with gaps, some of them reversed, and in inputs some with stride 0 or overlaps. */
function randomRegion(roll: Dice, shape: readonly number[], isInput: boolean): Region {
  const order = shape.map((_, axis) => axis).reverse();
  if (roll(0, 2) === 0) order.reverse();
  const isPlain = roll(0, 2) === 0;
  const mayOverlap = isInput && roll(0, 5) === 0;
  const stride = shape.map(() => 0);
  let [step, low, span] = [isPlain || roll(0, 2) > 0 ? 1 : roll(2, 3), 0, 1];
  for (const axis of order) {
    const size = shape[axis] as number;
    if (!isPlain && isInput && roll(0, 5) === 0) continue;
    const sign = !isPlain && roll(0, 4) === 0 ? -1 : 1;
    stride[axis] = sign * step;
    const reach = Math.max(0, size - 1) * step;
    if (sign < 0) low += reach;
    span += reach;
    if (mayOverlap) step = roll(1, 4);
    else step *= Math.max(1, size) + (!isPlain && roll(0, 3) === 0 ? 1 : 0);
  }
  return { stride, low, span };
}

function fittingRegion(roll: Dice, shape: readonly number[], isInput: boolean, max: number): Region {
  for (;;) {
    const region = randomRegion(roll, shape, isInput);
    if (region.span <= max) return region;
  }
}

/** A value to pass; a 64-bit integer as a number or a bigint. */
function scalarOf(dtype: DType, roll: Dice): Value {
  const window = new BufferMemory("overflow", poolOf(dtype).buffer as ArrayBuffer).array(dtypes[dtype].array);
  const value = reader(dtype, "bigint")(window, roll(0, 200));
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) && roll(0, 1) === 0 ? Number(value) : value;
}

/**
 * A case of a spec. With a length, dense lines of it at any address. A large case has several tiles and several staged
 * pieces.
 */
export function kernelCase(spec: MapSpec, roll: Dice, length?: number | "large"): KernelCase {
  const isLarge = length === "large";
  const size = isLarge ? largeBytes : arenaBytes;
  const all = [...spec.outputs, ...spec.inputs];
  const outputs = spec.outputs.length;
  const shape = typeof length === "number" ? [length] : isLarge ? largeShape(roll) : randomShape(roll);
  const arenas: Arena[] = [];
  const arenaOf: number[] = [];
  const operands: Operand[] = [];
  const operandIn = (k: number, arena: number, dtype: DType, isInput: boolean): Operand => {
    const { memory, first } = arenas[arena] as Arena;
    const { itemsize } = dtypes[dtype];
    const max = size / itemsize - 8;
    const { stride, low } =
      typeof length === "number" ? { stride: [1], low: 0 } : fittingRegion(roll, shape, isInput, max);
    arenaOf[k] = arena;
    return { storage: fixedStorage(memory, first), dtype, offset: low + roll(0, 5), shape, stride };
  };
  const open = (dtype: DType): number => {
    const from = 16 * roll(0, (poolBytes - size) / 16);
    // Masked operands are not staged.
    const isFar = roll(0, isLarge ? 1 : 9) === 0 && !spec.isMasked;
    arenas.push(openArena(arenas.length, isFar, poolOf(dtype).slice(from, from + size)));
    return arenas.length - 1;
  };
  // In place: the output uses an input's arena and region.
  const partner = all.map((dtype, k) => {
    if (k >= outputs || roll(0, 4) > 0) return -1;
    return all.findIndex((other, j) => j >= outputs && dtypes[other].itemsize === dtypes[dtype].itemsize);
  });
  for (let k = 0; k < all.length; k++) {
    const dtype = all[k] as DType;
    const input = partner[k] as number;
    const isTaken = input >= 0 && partner.indexOf(input) < k;
    if (k < outputs && input >= 0 && !isTaken) {
      // Its values are those of the input; its offsets are an output's: all different.
      const arena = open(all[input] as DType);
      const operand = operandIn(k, arena, dtype, false);
      operands[k] = operand;
      operands[input] = { ...operand, dtype: all[input] as DType };
      arenaOf[input] = arena;
    } else if (operands[k] === undefined) {
      const isShared = k > outputs && roll(0, 5) === 0;
      const arena = isShared && partner.every((each) => each < 0) ? (arenaOf[k - 1] as number) : open(dtype);
      operands[k] = operandIn(k, arena, dtype, k >= outputs);
    }
  }
  const scalars = spec.scalars.map((dtype) => scalarOf(dtype, roll));
  const isWhole = isLarge || roll(0, 1) === 0;
  const unit = isWhole ? 16384 : roll(5, 40);
  const side = isWhole ? 128 : 16 * roll(1, 4);
  const isStatic = roll(0, 7) === 0;
  const known = isStatic ? operands.map((operand) => ({ ...operand, isStatic })) : operands;
  return { ...stillAxis(roll, shape, known), arenas, arenaOf, scalars, unit, side };
}

/** Sometimes one more axis, with stride 0. */
function stillAxis(
  roll: Dice,
  shape: readonly number[],
  operands: readonly Operand[],
): Pick<KernelCase, "shape" | "operands" | "idempotent"> {
  const isOnItself = operands.some(({ storage }, k) =>
    operands.some((other, j) => j !== k && other.storage.byteOffset === storage.byteOffset),
  );
  if (isOnItself || roll(0, 15) > 0) return { shape, operands, idempotent: false };
  const longer = [...shape, 3];
  return {
    shape: longer,
    operands: operands.map((operand) => ({ ...operand, shape: longer, stride: [...operand.stride, 0] })),
    idempotent: true,
  };
}
