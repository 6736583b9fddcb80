/**
 * Random numbers by position: element i of a draw depends only on (seed, draw number, i).
 * So a draw may be filled in any pieces, in any order, by any thread, with the same result; and a longer draw begins with the
 * shorter one. The key of Philox is the seed; its counter is (block of elements, attempt, draw number), where only integers
 * that must be rejected take a second attempt. Normal numbers use Math.log, cos and sin, whose last bits engines may differ in.
 * Large draws compute the same words by a kernel, some thousand blocks at a time.
 *
 * Philox4x32-10: four random words as a pure function of a 128-bit counter and a 64-bit key (Salmon, Moraes, Dror, Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", 2011). There is no state to share, so any element of any draw can be
 * computed anywhere.
 */
import { makesWords, runNormals, runUniforms, withPhilox } from "../../kernel/random-words.ts";
import type { Memory } from "../../storage/memory.ts";

/** One draw of a generator: the words of its seed and of its number. */
export interface RandomDraw {
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly drawLow: number;
  readonly drawHigh: number;
}

/** The number of blocks that a kernel computes at once, and the smallest number for which it is used. */
const chunk = 8192;
const min = 256;

/** The blocks that were computed last. */
interface Computed {
  /** The words of a chunk, followed by those of a single block. */
  words: Int32Array | null;
  /** The draw of the chunk, and the indices of its first block and of the block after its last. */
  draw: RandomDraw | null;
  start: number;
  end: number;
  /** The index of the current block in `words`. */
  at: number;
}

const computed: Computed = { words: null, draw: null, start: 0, end: 0, at: 0 };

/**
 * Computes the four words of block `block` < 2^52 at an attempt; the attempt is stored above the 20 upper bits of the block. `needed` is
 * the number of blocks that will be needed from this one on.
 */
export function computeBlock(draw: RandomDraw, block: number, attempt: number, needed = 1): void {
  if (attempt === 0 && draw === computed.draw && block >= computed.start && block < computed.end) {
    computed.at = 4 * (block - computed.start);
    return;
  }
  computed.words ??= new Int32Array(4 * chunk + 4);
  const { words } = computed;
  const low = block % 2 ** 32;
  const upper = Math.floor(block / 2 ** 32);
  if (attempt === 0 && needed >= min && low + chunk < 2 ** 32 && makesWords()) {
    const count = Math.min(Math.ceil(needed), chunk);
    withPhilox(count, [low, upper, draw.drawLow, draw.drawHigh], [draw.seedLow, draw.seedHigh], (memory, from) => {
      words.set(memory.array("i32").subarray(from / 4, from / 4 + 4 * count));
    });
    computed.draw = draw;
    computed.start = block;
    computed.end = block + count;
    computed.at = 0;
    return;
  }
  computed.at = 4 * chunk;
  philox(
    words,
    computed.at,
    low | 0,
    upper | (attempt << 20),
    draw.drawLow,
    draw.drawHigh,
    draw.seedLow,
    draw.seedHigh,
  );
}

/** A word of the current block. */
export const word = (lane: number): number => (computed.words as Int32Array)[computed.at + lane] >>> 0;

/** 53 random bits of the words 2 * lane and 2 * lane + 1, as an integer. */
const bits53 = (lane: number): number => (word(2 * lane) >>> 5) * 2 ** 26 + (word(2 * lane + 1) >>> 6);

/**
 * Fills whole blocks of float32 numbers by kernels, if there are many and the first element begins one; `make` converts words to numbers.
 * Returns the first element that is left.
 */
function fillBlocks(
  target: Float32Array | Float64Array,
  draw: RandomDraw,
  begin: number,
  end: number,
  make: (memory: Memory, from: number, to: number, count: number) => void,
): number {
  const rest = end - (end % 4);
  if (begin % 4 !== 0 || rest - begin < 4 * min || end > 2 ** 34 || !makesWords()) return begin;
  for (let first = begin; first < rest; first += 4 * chunk) {
    const count = Math.min(rest - first, 4 * chunk);
    const counter = [first / 4, 0, draw.drawLow, draw.drawHigh] as const;
    withPhilox(count / 4, counter, [draw.seedLow, draw.seedHigh], (memory, from) => {
      make(memory, from, from + 4 * count, count);
      target.set(memory.array("f32").subarray(from / 4 + count, from / 4 + 2 * count), first);
    });
  }
  return rest;
}

/**
 * target[i] uniform in [0, 1) for begin <= i < end: multiples of 2^-53 in a Float64Array, else of 2^-bits.
 * Fewer bits are for values that are rounded to a shorter float later: 11 for float16, 8 for bfloat16, or 1 would appear.
 */
export function fillUniform(
  target: Float32Array | Float64Array,
  draw: RandomDraw,
  begin = 0,
  end = target.length,
  bits = 24,
): void {
  if (target.BYTES_PER_ELEMENT === 8) {
    for (let i = begin; i < end; i++) {
      const lane = i % 2;
      if (lane === 0 || i === begin) computeBlock(draw, (i - lane) / 2, 0, (end - i) / 2);
      target[i] = bits53(lane) * 2 ** -53;
    }
    return;
  }
  const shift = 32 - bits;
  const unit = 2 ** -bits;
  begin = fillBlocks(target, draw, begin, end, (memory, from, to, count) => runUniforms(memory, from, to, count, bits));
  for (let i = begin; i < end; i++) {
    const lane = i % 4;
    if (lane === 0 || i === begin) computeBlock(draw, (i - lane) / 4, 0, (end - i) / 4);
    target[i] = (word(lane) >>> shift) * unit;
  }
}

/** target[i] of the standard normal distribution for begin <= i < end, in pairs by the Box-Muller transform. */
export function fillNormal(
  target: Float32Array | Float64Array,
  draw: RandomDraw,
  begin = 0,
  end = target.length,
): void {
  const isDouble = target.BYTES_PER_ELEMENT === 8;
  const pairsPerBlock = isDouble ? 1 : 2;
  if (!isDouble)
    begin = fillBlocks(target, draw, begin, end, (memory, from, to, count) => runNormals(memory, from, to, count / 2));
  for (let pair = Math.floor(begin / 2); 2 * pair < end; pair++) {
    const lane = pair % pairsPerBlock;
    if (lane === 0 || 2 * pair <= begin)
      computeBlock(draw, (pair - lane) / pairsPerBlock, 0, (end / 2 - pair) / pairsPerBlock);
    // In (0, 1], so that the logarithm exists.
    const first = isDouble ? (bits53(0) + 1) * 2 ** -53 : (word(2 * lane) + 1) * 2 ** -32;
    const second = isDouble ? bits53(1) * 2 ** -53 : word(2 * lane + 1) * 2 ** -32;
    const radius = Math.sqrt(-2 * Math.log(first));
    const angle = 2 * Math.PI * second;
    if (2 * pair >= begin) target[2 * pair] = radius * Math.cos(angle);
    if (2 * pair + 1 < end) target[2 * pair + 1] = radius * Math.sin(angle);
  }
}

/** Typed arrays that hold integers, or floats that can. */
export type IntegerTarget =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** target[i] uniform among the integers low <= x < high, without bias, for begin <= i < end; high - low is at most 2^53. */
export function fillIntegers(
  target: IntegerTarget,
  draw: RandomDraw,
  low: number,
  high: number,
  begin = 0,
  end = target.length,
): void {
  const count = high - low;
  if (count > 2 ** 32) {
    for (let i = begin; i < end; i++) target[i] = low + integerBelow(draw, count, i, 0, end - i);
    return;
  }
  const limit = 2 ** 32 - (2 ** 32 % count);
  let hasBlock = false;
  for (let i = begin; i < end; i++) {
    const lane = i % 4;
    if (lane === 0 || !hasBlock) computeBlock(draw, (i - lane) / 4, 0, (end - i) / 4);
    const value = word(lane);
    hasBlock = value < limit;
    target[i] = low + (hasBlock ? value % count : integerBelow(draw, count, i, 1));
  }
}

/** The same for 64-bit integers, with any range up to 2^64. */
export function fillBigIntegers(
  target: BigInt64Array | BigUint64Array,
  draw: RandomDraw,
  low: bigint,
  high: bigint,
  begin = 0,
  end = target.length,
): void {
  const count = high - low;
  const isNarrow = count <= 2n ** 53n;
  for (let i = begin; i < end; i++)
    target[i] =
      low + (isNarrow ? BigInt(integerBelow(draw, Number(count), i, 0, end - i)) : bigIntegerBelow(draw, count, i));
}

/** Element i of a draw of integers 0 <= x < count <= 2^53, starting at an attempt. */
function integerBelow(draw: RandomDraw, count: number, i: number, firstAttempt = 0, needed = 1): number {
  const isShort = count <= 2 ** 32;
  const perBlock = isShort ? 4 : 2;
  const values = isShort ? 2 ** 32 : 2 ** 53;
  // Values past the last whole multiple of count would make the small answers more likely: they are drawn again.
  const limit = values - (values % count);
  const lane = i % perBlock;
  for (let attempt = firstAttempt; ; attempt++) {
    computeBlock(draw, (i - lane) / perBlock, attempt, needed / perBlock);
    const value = isShort ? word(lane) : bits53(lane);
    if (value < limit) return value % count;
  }
}

function bigIntegerBelow(draw: RandomDraw, count: bigint, i: number): bigint {
  const limit = 2n ** 64n - (2n ** 64n % count);
  const lane = i % 2;
  for (let attempt = 0; ; attempt++) {
    computeBlock(draw, (i - lane) / 2, attempt);
    const value = (BigInt(word(2 * lane)) << 32n) | BigInt(word(2 * lane + 1));
    if (value < limit) return value % count;
  }
}

/** Fills target with a uniform random permutation of 0 to length - 1: swap i takes element i of the draw. */
export function fillPermutation(target: IntegerTarget, draw: RandomDraw): void {
  const count = target.length;
  for (let i = 0; i < count; i++) target[i] = i;
  for (let i = 0; i + 1 < count; i++) {
    const other = i + integerBelow(draw, count - i, i, 0, count - i);
    const swapped = target[i];
    target[i] = target[other];
    target[other] = swapped;
  }
}

/** The upper 32 bits of the unsigned product of two words. */
function mulHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) >>> 0;
  const other = (Math.imul(aLow, bHigh) + (middle & 0xffff)) >>> 0;
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (other >>> 16)) | 0;
}

/** Writes the four words for a counter (four words, lowest first) and a key (two words) into `out` from `at` on, as signed words. */
export function philox(
  out: Int32Array,
  at: number,
  counter0: number,
  counter1: number,
  counter2: number,
  counter3: number,
  key0: number,
  key1: number,
): void {
  let x0 = counter0 | 0;
  let x1 = counter1 | 0;
  let x2 = counter2 | 0;
  let x3 = counter3 | 0;
  let k0 = key0 | 0;
  let k1 = key1 | 0;
  for (let round = 0; round < 10; round++) {
    const high0 = mulHigh(x0, 0xd2511f53);
    const high2 = mulHigh(x2, 0xcd9e8d57);
    const low0 = Math.imul(x0, 0xd2511f53);
    const low2 = Math.imul(x2, 0xcd9e8d57);
    x0 = high2 ^ x1 ^ k0;
    x1 = low2;
    x2 = high0 ^ x3 ^ k1;
    x3 = low0;
    k0 = (k0 + 0x9e3779b9) | 0;
    k1 = (k1 + 0xbb67ae85) | 0;
  }
  out[at] = x0;
  out[at + 1] = x1;
  out[at + 2] = x2;
  out[at + 3] = x3;
}
