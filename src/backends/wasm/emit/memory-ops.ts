/**
 * Loads and stores of one element, a vector of adjacent elements, a vector of elements at any addresses, and pairs.
 * A vector access touches exactly the bytes of its elements. Addresses are i32; `offset` is a constant number of bytes added to
 * them. In memory a bool is one byte: any but 0 is read as true, and true is written as 1.
 *
 * Adjacent pairs in memory, such as complex numbers, become two vectors: the first and the second element of each pair.
 * A pair access reads or writes exactly 2 * lanes elements. bool has no pairs.
 */
import { listOf } from "../../../base/list-of.ts";
import type { DType } from "../../../storage/dtype.ts";
import type { Instruction, Op } from "../encoder/instructions.ts";
import { type Assembler, representation, set } from "./representation.ts";
import { bytesFromMask, maskFromBytes } from "./vector-lanes.ts";

/** log2 of a power of two. */
export const logarithm = (bytes: number): number => 31 - Math.clz32(bytes);

/** Loads the element at the address on the stack. */
export function scalarLoad(a: Assembler, dtype: DType, offset = 0): void {
  const r = representation(dtype);
  const part = r.bytes > 2 ? "" : `${8 * r.bytes}_${r.sign}`;
  a.op(`${r.type}.load${part}` as Op, logarithm(r.bytes), offset);
  if (r.kind === "bool") a.emit(["i32.const", 0], "i32.ne");
}

/** Stores the scalar on the stack at the address below it. */
export function scalarStore(a: Assembler, dtype: DType, offset = 0): void {
  const r = representation(dtype);
  a.op(`${r.type}.store${r.bytes > 2 ? "" : 8 * r.bytes}` as Op, logarithm(r.bytes), offset);
}

/** Loads exactly this many bytes, 2 to 16, to the low end of a v128. */
function loadBytes(a: Assembler, bytes: number, align: number, offset: number): void {
  const name = bytes === 16 ? "v128.load" : bytes === 2 ? "v128.load16_splat" : `v128.load${8 * bytes}_zero`;
  a.op(name as Op, align, offset);
}

/** Stores exactly the low `bytes` bytes, 2 to 16, of the v128 on the stack to the address below it. */
function storeBytes(a: Assembler, bytes: number, align: number, offset: number): void {
  if (bytes === 16) a.op("v128.store", align, offset);
  else a.op(`v128.store${8 * bytes}_lane` as Op, align, offset, 0);
}

/** Loads the adjacent elements from the address on the stack on. */
export function vectorLoad(a: Assembler, dtype: DType, lanes: number, offset = 0): void {
  const { bytes, kind } = representation(dtype);
  loadBytes(a, lanes * bytes, logarithm(bytes), offset);
  if (kind === "bool") maskFromBytes(a, lanes);
}

/** Stores the lanes of a v128 local from the address in a local on. */
export function vectorStore(
  a: Assembler,
  dtype: DType,
  lanes: number,
  address: number,
  value: number,
  offset = 0,
): void {
  const { bytes, kind } = representation(dtype);
  a.get(address);
  a.get(value);
  if (kind === "bool") bytesFromMask(a, lanes);
  storeBytes(a, lanes * bytes, logarithm(bytes), offset);
}

/** Loads elements at any addresses: `push` leaves the address of a lane on the stack; it is called once per lane, from lane 0 on. */
export function vectorLoadLanes(
  a: Assembler,
  dtype: DType,
  lanes: number,
  push: (lane: number) => void,
  offset = 0,
): void {
  const { bytes, kind } = representation(dtype);
  const value = a.local("v128");
  for (let lane = 0; lane < lanes; lane++) {
    push(lane);
    if (lane === 0) a.op(`v128.load${8 * bytes}_splat` as Op, logarithm(bytes), offset);
    else a.emit(value, [`v128.load${8 * bytes}_lane` as Op, logarithm(bytes), offset, lane]);
    if (lane < lanes - 1) a.set(value);
  }
  if (kind === "bool") maskFromBytes(a, lanes);
}

/** Stores the lanes of a v128 local at any addresses, in order: `push` leaves the address of a lane on the stack. */
export function vectorStoreLanes(
  a: Assembler,
  dtype: DType,
  lanes: number,
  push: (lane: number) => void,
  value: number,
  offset = 0,
): void {
  const { bytes, kind } = representation(dtype);
  let source = value;
  if (kind === "bool") {
    source = a.local("v128");
    a.get(value);
    bytesFromMask(a, lanes);
    a.set(source);
  }
  for (let lane = 0; lane < lanes; lane++) {
    push(lane);
    a.emit(source, [`v128.store${8 * bytes}_lane` as Op, logarithm(bytes), offset, lane]);
  }
}

/** A shuffle of two vectors whose result has, at each index, element number `element(index)` of both. */
function shuffle(bytes: number, element: (index: number) => number): Instruction {
  return ["i8x16.shuffle", listOf(16, (i) => (element(Math.floor(i / bytes)) * bytes + (i % bytes)) % 32)];
}

/** Sets the two v128 locals to the first and second elements of the pairs at the address in a local. */
export function vectorLoadPairs(
  a: Assembler,
  dtype: DType,
  lanes: number,
  address: number,
  first: number,
  second: number,
  offset = 0,
): void {
  const { bytes } = representation(dtype);
  const size = Math.min(16, 2 * lanes * bytes);
  const low = a.local("v128");
  let high = low;
  a.get(address);
  loadBytes(a, size, logarithm(bytes), offset);
  a.set(low);
  if (lanes * bytes === 16) {
    high = a.local("v128");
    a.get(address);
    loadBytes(a, size, logarithm(bytes), offset + 16);
    a.set(high);
  }
  for (const part of [0, 1]) {
    const pick = shuffle(bytes, (index) => 2 * index + part);
    a.emit(low, high, pick, set(part === 0 ? first : second));
  }
}

/** Stores the lanes of two v128 locals as pairs at the address in a local. */
export function vectorStorePairs(
  a: Assembler,
  dtype: DType,
  lanes: number,
  address: number,
  first: number,
  second: number,
  offset = 0,
): void {
  const { bytes } = representation(dtype);
  const size = Math.min(16, 2 * lanes * bytes);
  const inVector = 16 / bytes;
  for (let from = 0; from < lanes; from += inVector / 2) {
    const interleave = shuffle(bytes, (index) => from + Math.floor(index / 2) + (index % 2) * inVector);
    a.emit(address, first, second, interleave);
    storeBytes(a, size, logarithm(bytes), offset + from * 2 * bytes);
  }
}
