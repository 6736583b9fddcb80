/**
 * Pairs of neighbours in memory, such as complex numbers, as two vectors: the first and the second element of each pair.
 * 2 * lanes elements are read and written, all of them and nothing else. bool has no pairs.
 */
import type { DType } from "../../../storage/dtype.ts";
import type { Assembler } from "./assembler.ts";
import { loadBytes, logarithm, storeBytes } from "./memory-ops.ts";
import { representation } from "./representation.ts";

/** The bytes of a shuffle of two vectors whose result has element number `element(place)` of both at each place. */
function picking(bytes: number, element: (place: number) => number): number[] {
  const chosen: number[] = [];
  for (let i = 0; i < 16; i++) chosen.push((element(Math.floor(i / bytes)) * bytes + (i % bytes)) % 32);
  return chosen;
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
    a.get(low);
    a.get(high);
    a.op(
      "i8x16.shuffle",
      picking(bytes, (place) => 2 * place + part),
    );
    a.set(part === 0 ? first : second);
  }
}

/** Writes pairs made of the lanes of two v128 locals to the address in a local. */
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
    a.get(address);
    a.get(first);
    a.get(second);
    a.op(
      "i8x16.shuffle",
      picking(bytes, (place) => from + Math.floor(place / 2) + (place % 2) * inVector),
    );
    storeBytes(a, size, logarithm(bytes), offset + from * 2 * bytes);
  }
}
