/**
 * The heap: alignment, growth that keeps bytes, statistics, and each of the fallbacks of its memory.
 */
import { describe, expect, test, vi } from "vitest";
import {
  canShareMemory,
  type GrowingMemory,
  type Heap,
  type MemoryDescription,
  maximaToTry,
  openHeap,
  openWasmMemory,
  reservedBytes,
} from "./heap.ts";

const wasm = (description: MemoryDescription) => new WebAssembly.Memory(description) as GrowingMemory;
const open = (options: Parameters<typeof openHeap>[0]) => openHeap({ maximumPages: 256, ...options }) as Heap;

describe.each([true, false])("shared: %s", (shared) => {
  test("blocks are aligned, disjoint, and after the first 64 kB", () => {
    const heap = open({ shared });
    const sizes = [1, 63, 64, 65, 5000, 70000, 4097, 200000];
    const nodes = sizes.map((size) => heap.allocate(size));
    const spans = nodes.map((node, i) => ({
      at: heap.offsetOf(node),
      size: heap.sizeOf(node),
      asked: sizes[i] as number,
    }));
    for (const { at, size, asked: requested } of spans) {
      expect(at % 64).toBe(0);
      expect(at).toBeGreaterThanOrEqual(reservedBytes);
      expect(size).toBe(Math.ceil(requested / 64) * 64);
    }
    spans.sort((a, b) => a.at - b.at);
    for (let i = 1; i < spans.length; i++)
      expect(spans[i]?.at).toBeGreaterThanOrEqual((spans[i - 1]?.at ?? 0) + (spans[i - 1]?.size ?? 0));
    const used = spans.reduce((sum, { size }) => sum + size, 0);
    expect(heap.free).toBe(heap.reserved - reservedBytes - used);
    for (const node of nodes) heap.release(node);
    expect(heap.blocks.list()).toHaveLength(1);
    expect(heap.free).toBe(heap.reserved - reservedBytes);
  });

  test("growth keeps every byte, and new windows reach the new ones", () => {
    const heap = open({ shared, initialPages: 2 });
    const { memory } = heap;
    const first = heap.offsetOf(heap.allocate(256));
    memory.array("i32").set([1, 2, 3], first / 4);
    const before = memory.array("i32");
    const second = heap.offsetOf(heap.allocate(8 * 65536));
    expect(memory.array("i32") === before).toBe(false);
    expect(memory.array("i32")[first / 4 + 2]).toBe(3);
    memory.array("f64")[second / 8] = 7;
    expect(memory.array("f64")[second / 8]).toBe(7);
    expect(memory.buffer.byteLength).toBe(heap.reserved);
    expect(before.length === 0).toBe(!shared);
  });

  test("allocation in a full heap fails, it stays usable, and grows up to its maximum", () => {
    const heap = open({ shared, maximumPages: 32 });
    const nodes: number[] = [];
    for (let node = heap.allocate(65536); node >= 0; node = heap.allocate(65536)) nodes.push(node);
    expect(heap.reserved).toBe(32 * 65536);
    expect(nodes).toHaveLength(31);
    heap.release(nodes[5] as number);
    expect(heap.offsetOf(heap.allocate(65536))).toBe(6 * 65536);
  });
});

test("growth is by half or by 32 MB: 10,000 blocks grow the memory a few times", () => {
  let grown = 0;
  const heap = open({
    maximumPages: 4096,
    memory: (description) => {
      const memory = wasm(description);
      return {
        get buffer() {
          return memory.buffer;
        },
        grow: (pages) => {
          grown++;
          return memory.grow(pages);
        },
      };
    },
  });
  for (let i = 0; i < 10_000; i++) heap.allocate(20_000);
  expect(heap.reserved).toBeGreaterThan(10_000 * 20_000);
  expect(grown).toBeLessThan(20);
});

test("after a failed growth a smaller one is tried, and the failed one not again", () => {
  const requested: number[] = [];
  const heap = open({
    memory: (description) => {
      const memory = wasm(description);
      return {
        get buffer() {
          return memory.buffer;
        },
        grow: (pages) => {
          requested.push(pages);
          if (memory.buffer.byteLength / 65536 + pages > 24) throw new RangeError("no");
          return memory.grow(pages);
        },
      };
    },
  });
  expect(heap.allocate(30 * 65536)).toBe(-1);
  expect(heap.allocate(20 * 65536)).toBeGreaterThanOrEqual(0);
  const count = requested.length;
  expect(heap.allocate(30 * 65536)).toBe(-1);
  expect(requested.length - count).toBeLessThanOrEqual(1);
});

test("the heap grows to 4 GiB, and its windows reach the last allocated byte", () => {
  const heap = openHeap() as Heap;
  const nodes: number[] = [];
  for (const size of [2 ** 31, 2 ** 30, 2 ** 29, 2 ** 28, 2 ** 24])
    for (let node = heap.allocate(size); node >= 0; node = heap.allocate(size)) nodes.push(node);
  expect([heap.shared, heap.reserved]).toEqual([true, 2 ** 32]);
  const last = Math.max(...nodes.map((node) => heap.offsetOf(node) + heap.sizeOf(node))) - 1;
  expect(last).toBeGreaterThan(2 ** 32 - 2 ** 28);
  heap.memory.array("u8")[last] = 9;
  expect(heap.memory.array("u8")[last]).toBe(9);
  expect(heap.memory.array("f32").length).toBe(2 ** 30);
  // No array of bytes may reach the last one, so no block has it.
  expect(heap.blocks.end * 64).toBe(2 ** 32 - 64);
});

test("if larger growth fails, the heap grows by exactly the missing bytes", () => {
  const heap = open({
    initialPages: 2,
    memory: (description) => {
      const memory = wasm(description);
      return {
        get buffer() {
          return memory.buffer;
        },
        grow: (pages) => {
          if (memory.buffer.byteLength / 65536 + pages > 23) throw new RangeError("no");
          return memory.grow(pages);
        },
      };
    },
  });
  expect(heap.allocate(22 * 65536)).toBeGreaterThanOrEqual(0);
  expect([heap.reserved, heap.free]).toEqual([23 * 65536, 0]);
});

describe("the maximum is the first that the engine accepts", () => {
  const rows: [string, (d: MemoryDescription) => boolean, { shared: boolean; maximumPages: number } | null][] = [
    ["any", () => true, { shared: true, maximumPages: 65536 }],
    ["at most 1 GiB", (d) => d.maximum <= 16384, { shared: true, maximumPages: 16384 }],
    ["at most 256 MiB", (d) => d.maximum <= 4096, { shared: true, maximumPages: 4096 }],
    ["only unshared", (d) => !d.shared, { shared: false, maximumPages: 65536 }],
    ["only unshared and small", (d) => !d.shared && d.maximum <= 8192, { shared: false, maximumPages: 8192 }],
    ["none", () => false, null],
  ];
  test.each(rows)("%s", (_, allows, expected) => {
    const memory = (description: MemoryDescription): GrowingMemory => {
      if (!allows(description)) throw new RangeError("refused");
      return { buffer: new ArrayBuffer(description.initial * 65536), grow: () => 0 };
    };
    const opened = openWasmMemory({ shared: true, memory });
    expect(opened === null ? null : { shared: opened.shared, maximumPages: opened.maximumPages }).toEqual(expected);
  });

  test.each([
    ["Node", { versions: { node: "20.0.0" } }, undefined, true],
    ["a page that is cross-origin isolated", undefined, true, true],
    ["a page that is not", undefined, false, false],
    ["an unknown runtime", undefined, undefined, false],
  ])("%s", (_name, process, crossOriginIsolated, expected) => {
    vi.stubGlobal("process", process);
    vi.stubGlobal("crossOriginIsolated", crossOriginIsolated);
    const answer = canShareMemory();
    vi.unstubAllGlobals();
    expect(answer).toBe(expected);
  });

  test("a page that cannot share does not try a shared memory", () => {
    const requested: boolean[] = [];
    const memory = (description: MemoryDescription): GrowingMemory => {
      requested.push(description.shared);
      throw new RangeError("refused");
    };
    const warnings: string[] = [];
    expect(openHeap({ shared: false, memory }, (text) => warnings.push(text))).toBeNull();
    expect(requested).toEqual(maximaToTry.map(() => false));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("wasm-unsafe-eval");
  });
});
