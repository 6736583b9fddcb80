/** Vector accesses: exactly their elements, at the end of memory too; lanes at any addresses; pairs. */
import { describe, expect, test } from "vitest";
import { instantiate, laneCounts, loweredDTypes } from "../../../../test/support/wasm-elements.ts";
import { dtypes } from "../../../storage/dtype.ts";
import {
  vectorLoad,
  vectorLoadLanes,
  vectorLoadPairs,
  vectorStore,
  vectorStoreLanes,
  vectorStorePairs,
} from "./memory-ops.ts";
import { representation } from "./representation.ts";
import { vectorFromLanes, vectorLane, vectorSplat } from "./vector-lanes.ts";

const params = { from: "i32", to: "i32" } as const;
const cases = loweredDTypes.flatMap((dtype) =>
  laneCounts
    .filter((lanes) => lanes > 1 && lanes * dtypes[dtype].itemsize <= 16)
    .map((lanes) => ({ dtype, lanes, size: dtypes[dtype].itemsize })),
);
const end = 2 * 65536;

/** Bytes that are all different from 0xee, and 0 or 1 for bool. */
function fill(memory: Uint8Array, dtype: string): void {
  for (let i = 0; i < memory.length; i++)
    memory[i] = dtype === "bool" ? (i * 7 + (i >> 3)) & 1 : (i * 7 + (i >> 4)) % 200;
}

/** The bytes of the elements at these indices from an address on. */
function elements(memory: Uint8Array, address: number, size: number, indices: readonly number[]): number[] {
  return indices.flatMap((allocate) => [
    ...memory.subarray(address + allocate * size, address + (allocate + 1) * size),
  ]);
}

const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe.each(cases)("$dtype by $lanes", ({ dtype, lanes, size }) => {
  test("a load and a store touch their elements and nothing else, up to the last byte of memory", () => {
    const { run, memory } = instantiate((a) => {
      const value = a.local("v128");
      a.get(0);
      vectorLoad(a, dtype, lanes, 8);
      a.set(value);
      vectorStore(a, dtype, lanes, 1, value, 16);
    }, params);
    fill(memory, dtype);
    const bytes = lanes * size;
    const expected = [...memory.subarray(end - bytes)];
    memory.fill(0xee, 0, 128);
    run(end - bytes - 8, 40 - 16);
    expect([...memory.subarray(32, 64 + 16)]).toEqual([
      ...Array(8).fill(0xee),
      ...expected,
      ...Array(40 - bytes).fill(0xee),
    ]);
    memory.fill(dtype === "bool" ? 1 : 0x5c, 8, 8 + bytes);
    run(0, end - bytes - 16);
    expect([...memory.subarray(end - bytes)]).toEqual(Array(bytes).fill(dtype === "bool" ? 1 : 0x5c));
  });

  test("lanes are loaded from and stored to any addresses", () => {
    const indices = count(lanes).map((lane) => (lane * 5 + 3) % 16);
    const { run, memory } = instantiate((a) => {
      const value = a.local("v128");
      const pushFrom = (base: number) => (lane: number) => {
        a.get(base);
        a.op("i32.const", (indices[lane] as number) * size);
        a.op("i32.add");
      };
      vectorLoadLanes(a, dtype, lanes, pushFrom(0), 24);
      a.set(value);
      vectorStore(a, dtype, lanes, 1, value);
      vectorStoreLanes(a, dtype, lanes, pushFrom(1), value, 64);
    }, params);
    fill(memory, dtype);
    const expected = elements(memory, 1024, size, indices);
    memory.fill(0xee, 2048, 4096);
    run(1000, 2048);
    expect([...memory.subarray(2048, 2048 + lanes * size)]).toEqual(expected);
    expect(elements(memory, 2048 + 64, size, indices)).toEqual(expected);
    const others = count(32).filter((allocate) => !indices.includes(allocate));
    expect(elements(memory, 2048 + 64, size, others).every((byte) => byte === 0xee)).toBe(true);
  });

  test("splats, and lanes extracted and inserted in reverse order, keep the values", () => {
    const { run, memory } = instantiate((a) => {
      const value = a.local("v128");
      a.get(0);
      vectorLoad(a, dtype, lanes);
      a.set(value);
      const scalars = count(lanes).map((lane) => {
        const scalar = a.local(representation(dtype).type);
        a.get(value);
        vectorLane(a, dtype, lanes, lanes - 1 - lane);
        a.set(scalar);
        return scalar;
      });
      vectorFromLanes(a, dtype, scalars);
      a.set(value);
      vectorStore(a, dtype, lanes, 1, value);
      a.get(scalars[1] as number);
      vectorSplat(a, dtype);
      a.set(value);
      vectorStore(a, dtype, lanes, 1, value, 32);
    }, params);
    fill(memory, dtype);
    const reversed = count(lanes).map((lane) => lanes - 1 - lane);
    const expected = elements(memory, 512, size, reversed);
    const same = elements(memory, 512, size, Array(lanes).fill(lanes - 2));
    run(512, 2048);
    expect([...memory.subarray(2048, 2048 + lanes * size)]).toEqual(expected);
    expect([...memory.subarray(2048 + 32, 2048 + 32 + lanes * size)]).toEqual(same);
  });

  if (dtype === "bool") return;
  test("pairs are split and joined, and nothing after them is touched", () => {
    const { run, memory } = instantiate((a) => {
      const first = a.local("v128");
      const second = a.local("v128");
      vectorLoadPairs(a, dtype, lanes, 0, first, second, 8);
      vectorStore(a, dtype, lanes, 1, first);
      vectorStore(a, dtype, lanes, 1, second, 32);
      vectorStorePairs(a, dtype, lanes, 1, second, first, 64);
    }, params);
    fill(memory, dtype);
    const from = end - 2 * lanes * size;
    const part = (k: number) => count(lanes).map((lane) => 2 * lane + k);
    const swapped = count(2 * lanes).map((allocate) => allocate ^ 1);
    memory.fill(0xee, 2048, 2048 + 128);
    run(from - 8, 2048);
    expect(elements(memory, 2048, size, count(lanes))).toEqual(elements(memory, from, size, part(0)));
    expect(elements(memory, 2048 + 32, size, count(lanes))).toEqual(elements(memory, from, size, part(1)));
    expect(elements(memory, 2048 + 64, size, count(2 * lanes))).toEqual(elements(memory, from, size, swapped));
    expect(memory[2048 + 64 + 2 * lanes * size]).toBe(0xee);
  });
});
