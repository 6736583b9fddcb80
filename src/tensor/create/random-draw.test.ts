/** Philox against the known answers of the Random123 distribution, and against the paper's definition in bigints. */
import { expect, test } from "vitest";
import { philox } from "./random-draw.ts";

function words(counter: readonly number[], key: readonly number[]): string {
  const out = new Int32Array(4);
  const [c0, c1, c2, c3] = counter as [number, number, number, number];
  philox(out, 0, c0, c1, c2, c3, key[0] as number, key[1] as number);
  return Array.from(out, (word) => (word >>> 0).toString(16).padStart(8, "0")).join(" ");
}

const ones = 0xffffffff;
test.each([
  [[0, 0, 0, 0], [0, 0], "6627e8d5 e169c58d bc57ac4c 9b00dbd8"],
  [[ones, ones, ones, ones], [ones, ones], "408f276d 41c83b0e a20bc7c6 6d5451fd"],
  [[0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0], "d16cfe09 94fdcceb 5001e420 24126ea1"],
])("known answer %#", (counter, key, expected) => {
  expect(words(counter, key)).toBe(expected);
});

test("random counters and keys agree with the definition", () => {
  const low = (x: bigint): bigint => BigInt.asUintN(32, x);
  function byDefinition(counter: readonly number[], key: readonly number[]): string {
    let [a, b, c, d] = counter.map(BigInt) as [bigint, bigint, bigint, bigint];
    let [k, l] = key.map(BigInt) as [bigint, bigint];
    for (let round = 0; round < 10; round++) {
      const first = a * 0xd2511f53n;
      const second = c * 0xcd9e8d57n;
      [a, b, c, d] = [(second >> 32n) ^ b ^ k, low(second), (first >> 32n) ^ d ^ l, low(first)];
      k = low(k + 0x9e3779b9n);
      l = low(l + 0xbb67ae85n);
    }
    return [a, b, c, d].map((word) => word.toString(16).padStart(8, "0")).join(" ");
  }
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
  for (let round = 0; round < 500; round++) {
    const counter = [next(), next(), next(), next()];
    const key = [next(), next()];
    expect(words(counter, key)).toBe(byDefinition(counter, key));
  }
});
