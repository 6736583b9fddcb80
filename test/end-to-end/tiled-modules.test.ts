/**
 * The module form of parallelLoops: every region once, in workers and without them, with errors in the module's words; and kernels
 * over regions that give the same bits on one thread and on two.
 */
import { threadId } from "node:worker_threads";
import { fromBuffer, type Tensor, tensor, zeros } from "stridewise";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { configure } from "../../src/backends/wasm/options.ts";
import type { Threads } from "../../src/backends/wasm/threads.ts";
import { kernelBackend } from "../../src/kernel/backend.ts";
import { tiled } from "../../src/ops/tiled/tiled.ts";
import { moduleOf, pause } from "../support/worker-programs.ts";

const threadsOf = (): Threads => (kernelBackend() as unknown as { threads: Threads }).threads;

beforeAll(() => {
  configure({ threads: 3 });
});
afterAll(async () => {
  await threadsOf().shutdown();
  configure({ threads: "auto" });
});

const module = moduleOf(`
  import { threadId } from "node:worker_threads";
  export function add(data, position, stride, [n]) { for (let i = 0; i < n; i++) data[position + i] += 1; }
  export async function mark(data, position) {
    await new Promise((done) => setTimeout(done, 1));
    data[position] = threadId;
  }
  export async function held(data, position) {
    data[position] = 1;
    while (data[position + 1] === 0) await new Promise((done) => setTimeout(done, 1));
  }
  export function shape(data, position, stride, restShape) {
    data[position] = stride * 100 + restShape.length * 10 + restShape[1];
  }
  export function fail(data, position) { if (position >= 8) throw new RangeError("no more than 8"); }
  export const five = 5;
`);

test.each([undefined, 1, 2, 7])("each region is done once, threads: %s", async (threads) => {
  const options = threads === undefined ? {} : { threads };
  const t = zeros([40, 25, 10]) as Tensor;
  for (let round = 1; round <= 5; round++) {
    await tiled(t).parallelLoops(1, { module, export: "add" }, options);
    expect((t.toTypedArray() as Float32Array).every((value) => value === round)).toBe(true);
    expect(t.version).toBe(round);
  }
  const every = tiled(t).parallelLoops(-2, { reduce: "sum" });
  expect((every.toTypedArray() as Float32Array).every((value) => value === 50)).toBe(true);
});

test("workers share the regions of a view; without workers the calling thread has them", async () => {
  const t = zeros([30, 4]) as Tensor;
  await tiled(t.transpose(0, 1).transpose(0, 1) as Tensor).parallelLoops(0, { module, export: "mark" });
  const workers = new Set((t.toArray() as number[][]).map(([first]) => first));
  expect([workers.size, workers.has(0)]).toEqual([2, false]);
  await tiled(t).parallelLoops(0, { module, export: "mark" }, { threads: 1 });
  const here = new Set((t.toArray() as number[][]).map(([first]) => first));
  expect(here.size).toBe(1);
  expect(workers.has([...here][0])).toBe(false);
});

test("configure decides for the next call: one thread, or workers from another address", async () => {
  const markers = async (): Promise<unknown[]> => {
    const t = zeros([30, 4]) as Tensor;
    await tiled(t).parallelLoops(0, { module, export: "mark" });
    return [...new Set((t.toArray() as number[][]).map(([first]) => first))];
  };
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  expect(await markers()).not.toContain(threadId);
  configure({ threads: 1 });
  expect(await markers()).toEqual([threadId]);
  configure({ threads: 3, workerUrl: "file:///no/such/worker.js" });
  expect(await markers()).toEqual([threadId]);
  expect(warn).toHaveBeenCalledOnce();
  configure({ workerUrl: new URL("../../src/backends/wasm/workers/worker.js", import.meta.url) });
  expect(await markers()).not.toContain(threadId);
  warn.mockRestore();
});

test("configure waits for calls that have not settled", async () => {
  const t = zeros([2, 2]) as Tensor;
  const held = tiled(t).parallelLoops(0, { module, export: "held" });
  const begun = () => (t.toArray() as number[][]).some(([first]) => first === 1);
  for (let i = 0; i < 1000 && !begun(); i++) await pause(5);
  configure({ threads: 2 });
  await tiled(zeros([3, 4]) as Tensor).parallelLoops(0, { module, export: "add" });
  t.fill_(1);
  await expect(held).resolves.toBeUndefined();
  configure({ threads: 3 });
});

test("memory of the user's is done on the calling thread", async () => {
  const own = new Float32Array(12);
  const t = fromBuffer(own, { shape: [3, 4] }) as Tensor;
  await tiled(t).parallelLoops(0, { module, export: "add" });
  expect([...own]).toEqual(new Array(12).fill(1));
});

test.each([1, 2])("the function gets position, stride and shape, threads: %i", async (threads) => {
  const t = zeros([4, 6, 3]) as Tensor;
  const view = t.narrow(0, 1, 2) as Tensor;
  await tiled(view).parallelLoops(0, { module: new URL(module), export: "shape" }, { threads });
  const firsts = (t.toArray() as number[][][]).map(([row]) => (row as number[])[0]);
  expect(firsts).toEqual([0, 1823, 1823, 0]);
});

test.each([
  ["fail", module, /^parallelLoops: fail of data:.*: RangeError: no more than 8$/s],
  ["five", module, /^parallelLoops: five of data:.*: TypeError: the module has no function five$/s],
  [
    "add",
    "file:///no/such/module.js",
    /^parallelLoops: add of file:\/\/\/no\/such\/module\.js: Error.*: Cannot find module/,
  ],
  [
    "add",
    "./work.js",
    /^parallelLoops: the module's address must be absolute.* new URL\("\.\/work\.js", import\.meta\.url\)/,
  ],
  ["add", 5 as never, /^parallelLoops: expects \{ module: URL, export: name \}, got 5 and "add"$/],
])("%s is refused in the module's words, with workers and without", async (name, from, message) => {
  for (const threads of [1, 2]) {
    const t = zeros([8, 4]) as Tensor;
    const run = tiled(t).parallelLoops(0, { module: from, export: name }, { threads });
    await expect(run).rejects.toThrow(message);
  }
});

test("an empty tensor calls nothing, and regions that share memory are refused", async () => {
  await tiled(zeros([3, 0]) as Tensor).parallelLoops(0, { module, export: "fail" });
  const repeated = zeros([4]).expand(3, 4) as Tensor;
  await expect(tiled(repeated).parallelLoops(0, { module, export: "add" })).rejects.toThrow(
    "more than one element of the written-to tensor refers to a single memory location",
  );
});

test("reductions and formulas over many regions have the same bits on one thread and on two", async () => {
  const values = Float32Array.from({ length: 3_000_000 }, (_, i) => Math.fround(Math.sin(i) * 3));
  const results: unknown[] = [];
  for (const threads of [1, 2]) {
    await threadsOf().shutdown();
    configure({ threads });
    const t = tensor(values).reshape([300, 100, 100]) as Tensor;
    for (let round = 0; round < 12; round++) tiled(t).parallelLoops(0, "x * 1.01 + 0.5");
    const sums = ([0, 1] as const).map((axis) => {
      let result = tiled(t).parallelLoops(axis, { reduce: "sum", map: "x * x" });
      for (let round = 0; round < 12; round++) result = tiled(t).parallelLoops(axis, { reduce: "sum", map: "x * x" });
      return [...(result.toTypedArray() as Float32Array)];
    });
    if (threads === 2) expect(threadsOf().report()?.jobs).toBeGreaterThan(0);
    results.push([sums, [...(t.toTypedArray() as Float32Array)].slice(0, 5000)]);
  }
  expect(results[1]).toEqual(results[0]);
});
