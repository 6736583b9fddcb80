/**
 * Lanes of vectors: widening and narrowing, masks and bytes, splats, scalars extracted from lanes and inserted into them.
 * `representation.ts` defines how a v128 holds values; `vector-ops.ts` and `casts.ts` compute in the lanes.
 */
import type { DType } from "../../../storage/dtype.ts";
import type { Op } from "../encoder/instructions.ts";
import { type Assembler, integerShape, type Representation, representation, tee } from "./representation.ts";

/** Bytes of one lane of a mask. */
export const maskBytes = (lanes: number): number => 16 / lanes;

/** A local with a v128 that repeats the low `bytes` bytes of `bits`. */
export function repeated(a: Assembler, bytes: number, bits: bigint): number {
  return a.hoist("v128", `repeated ${bytes} ${bits}`, () => {
    const all: number[] = [];
    for (let i = 0; i < 16; i++) all.push(Number((bits >> BigInt(8 * (i % bytes))) & 255n));
    a.op("v128.const", all);
  });
}

/** A local with a v128 of this float in each lane. */
export function repeatedFloat(a: Assembler, r: Representation, value: number): number {
  return a.hoist("v128", `repeated ${r.type} ${Object.is(value, -0) ? "-0" : value}`, () => {
    const array = r.bytes === 4 ? new Float32Array(4) : new Float64Array(2);
    a.op("v128.const", [...new Uint8Array(array.fill(value).buffer)]);
  });
}

/** Extends each lane of `from` bytes on the stack to `to` >= `from` bytes. */
export function widenLanes(a: Assembler, from: number, to: number, signed: boolean): void {
  for (let bytes = from; bytes < to; bytes *= 2)
    a.op(`${integerShape(2 * bytes)}.extend_low_${integerShape(bytes)}_${signed ? "s" : "u"}` as Op);
}

/** Packs the low `to` bytes of each lane of `from` >= `to` bytes on the stack. */
export function narrowLanes(a: Assembler, lanes: number, from: number, to: number): void {
  if (from === to) return;
  const bytes: number[] = [];
  // Repeated up to 16 bytes: engines recognize shuffles that take every second lane.
  for (let i = 0; i < 16; i++) bytes.push((Math.floor(i / to) % lanes) * from + (i % to));
  const value = a.local("v128");
  a.emit(tee(value), value, ["i8x16.shuffle", bytes]);
}

/** Converts the bytes on the stack to a mask: all ones where a byte is not 0. */
export function maskFromBytes(a: Assembler, lanes: number): void {
  a.emit(repeated(a, 1, 0n), "i8x16.ne");
  widenLanes(a, 1, maskBytes(lanes), true);
}

/** Converts the mask on the stack to packed bytes 0 and 1. */
export function bytesFromMask(a: Assembler, lanes: number): void {
  narrowLanes(a, lanes, maskBytes(lanes), 1);
  a.emit(repeated(a, 1, 1n), "v128.and");
}

/** Copies the scalar on the stack to every lane. */
export function vectorSplat(a: Assembler, dtype: DType): void {
  const r = representation(dtype);
  a.emitFor(r.shape, ".splat");
  if (r.kind === "bool") a.op("i8x16.neg");
}

/** Extracts the scalar in one lane of the vector on the stack. */
export function vectorLane(a: Assembler, dtype: DType, lanes: number, lane: number): void {
  const r = representation(dtype);
  if (r.kind === "bool") a.emit(["i8x16.extract_lane_u", lane * maskBytes(lanes)], ["i32.const", 1], "i32.and");
  else a.op(`${r.shape}.extract_lane${r.bytes > 2 ? "" : `_${r.sign}`}` as Op, lane);
}

/** Pushes a vector whose lanes are these scalar locals. */
export function vectorFromLanes(a: Assembler, dtype: DType, scalars: readonly number[]): void {
  const { shape, kind } = representation(dtype);
  for (let lane = 0; lane < scalars.length; lane++) {
    a.emitFor(shape, scalars[lane], lane === 0 ? ".splat" : [`${shape}.replace_lane` as Op, lane]);
  }
  if (kind === "bool") maskFromBytes(a, scalars.length);
}

/** Computes lane by lane: `emit` leaves the result of scalar locals of dtype `from` on the stack. */
export function byLanes(
  a: Assembler,
  from: DType,
  to: DType,
  lanes: number,
  args: readonly number[],
  emit: (operands: readonly number[]) => void,
): void {
  const operands = args.map(() => a.local(representation(from).type));
  const results: number[] = [];
  for (let lane = 0; lane < lanes; lane++) {
    for (let i = 0; i < args.length; i++) {
      a.get(args[i]);
      vectorLane(a, from, lanes, lane);
      a.set(operands[i]);
    }
    emit(operands);
    const result = a.local(representation(to).type);
    a.set(result);
    results.push(result);
  }
  vectorFromLanes(a, to, results);
}
