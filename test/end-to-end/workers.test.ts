/**
 * The worker pool at work: each unit is done once, whoever does it; nobody waits for a worker that has taken nothing; errors arrive;
 * idle workers sleep. What happens when workers end is in `workers-lost.test.ts`.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { openPool } from "../../src/backends/wasm/workers/pool.ts";
import { awaitTaken, type Desk, openDesk, pause } from "../support/worker-programs.ts";

const desks: Desk[] = [];
const open = (...args: Parameters<typeof openDesk>): Desk => {
  const desk = openDesk(...args);
  desks.push(desk);
  return desk;
};
afterEach(async () => {
  vi.restoreAllMocks();
  for (const desk of desks.splice(0)) await desk.pool.shutdown();
});

const jobs = Number(process.env["LAW_CASES"] ?? 20_000);

/** 500 jobs, and more until a worker has done a chunk: on a busy machine it may get no processor for some milliseconds. */
function runUntilHelped({ run, pool }: ReturnType<typeof open>): void {
  const limit = performance.now() + 5000;
  for (let i = 0; i < 500 || (pool.report().helped === 0 && performance.now() < limit); i++)
    expect(run("count", 30, 1)).toEqual([]);
  expect(pool.report().helped).toBeGreaterThan(0);
}

test(`each unit is done once in each of ${jobs} jobs, while the sequence wraps`, { timeout: 600_000 }, async () => {
  const desk = open(3, "sound", { sequence: 2 ** 20 - Math.ceil(jobs / 2) });
  await desk.ready(2);
  let state = 7;
  for (let i = 0; i < jobs; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const units = (state >>> 8) % 40;
    const chunk = 1 + ((state >>> 16) % 5);
    const wrong = state % 3 === 0 ? desk.run("two", units, chunk, { expected: 2 }) : desk.run("count", units, chunk);
    if (wrong.length > 0) expect(wrong, `job ${i}, ${units} units by ${chunk}`).toEqual([]);
  }
  expect(desk.pool.report()).toMatchObject({ threads: 3, started: 2, lost: 0 });
  expect(desk.pool.report().helped).toBeGreaterThan(jobs / 100);
  expect(desk.warnings).toEqual([]);
});

test.each([
  [0, 1],
  [1, 1],
  [7, 0],
  [7, 7],
  [8, 7],
  [5000, 1],
  [9000, 1],
  [9000, 100_000],
])("%i units by %i are done once each, and in at most 4095 chunks", async (units, chunk) => {
  const desk = open(2);
  await desk.ready(1);
  let calls = 0;
  const before = () => {
    calls++;
  };
  expect(desk.run("count", units, chunk, { before })).toEqual([]);
  expect(calls + desk.pool.report().helped).toBeLessThanOrEqual(4095);
});

test("kernels in a worker use the scratch bytes of that worker", { timeout: 60_000 }, async () => {
  const desk = open(3);
  await desk.ready(2);
  const seen = new Set<number>();
  // On a busy machine it takes long until each worker has come in time to help.
  const end = performance.now() + 30_000;
  while (seen.size < 2 && performance.now() < end)
    for (const worker of [1, 2])
      if (desk.run("scratch", 2, 1, { expected: 1000 * worker }).length === 0 && desk.pool.report().helped > 0)
        seen.add(worker);
  expect([...seen].sort()).toEqual([1, 2]);
});

test("a job does not wait for workers that have not started", () => {
  const desk = open(3, "never starts");
  const begun = performance.now();
  for (let i = 0; i < 200; i++) expect(desk.run("count", 30, 1)).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(1000);
  expect(desk.pool.report()).toMatchObject({ started: 0, helped: 0, jobs: 200 });
});

test("a kernel that a worker has not seen may lie in memory that has grown since", async () => {
  const desk = open(2);
  await desk.ready(1);
  desk.memory.grow(300);
  // The worker takes the other chunk, so it read the module at the new end.
  let taken = false;
  const before = () => {
    taken ||= awaitTaken(desk);
  };
  expect(desk.run("count", 2, 1, { before })).toEqual([]);
  expect([taken, desk.pool.report().helped]).toEqual([true, 1]);
});

describe("errors", () => {
  test("a trap in a worker is thrown here with the kernel's name, and the pool goes on", async () => {
    const desk = open(2);
    await desk.ready(1);
    for (let i = 0; i < 3; i++) {
      const failing = () => desk.run("trap", 2, 1, { before: () => void awaitTaken(desk) });
      expect(failing).toThrow(/^trap kernel: failed in a worker: RuntimeError: unreachable/);
      expect(desk.run("count", 40, 1)).toEqual([]);
    }
    expect(desk.pool.started()).toBe(1);
  });

  test("an error on the main thread is rethrown after workers have finished their ranges", async () => {
    const desk = open(2);
    await desk.ready(1);
    for (const last of [0, 1, 20]) {
      const before = (begin: number) => {
        if (begin >= last) throw new RangeError(`at ${begin}`);
      };
      expect(() => desk.run("count", 1000, 1, { before })).toThrow(RangeError);
      expect(desk.run("count", 1000, 1)).toEqual([]);
    }
  });

  test("a job inside a job runs on this thread", async () => {
    const desk = open(2);
    await desk.ready(1);
    const inner: number[] = [];
    const job = { kernel: 99, code: 0, codeLength: 0, args: 0, units: 6, chunk: 2 };
    desk.run("count", 2, 1, { before: () => desk.pool.run(job, (begin, end) => inner.push(begin, end)) });
    expect(inner.slice(0, 6)).toEqual([0, 2, 2, 4, 4, 6]);
  });
});

test("idle workers sleep", async () => {
  const desk = open(3);
  await desk.ready(2);
  expect(desk.run("count", 100, 1)).toEqual([]);
  await pause(50);
  const before = process.cpuUsage();
  await pause(500);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(150_000);
});

test("where a thread may not sleep it looks again and again", async () => {
  vi.spyOn(Atomics, "wait").mockImplementation(() => {
    throw new TypeError("Atomics.wait cannot be called in this context");
  });
  const desk = open(2);
  await desk.ready(1);
  runUntilHelped(desk);
});

test("a thread that sleeps is woken by the last chunk", async () => {
  const desk = open(2);
  await desk.ready(1);
  const wait = vi.spyOn(Atomics, "wait");
  const woken = () => wait.mock.results.some(({ value }) => value === "ok");
  for (let i = 0; i < 500 && !woken(); i++) desk.run("slow", 2, 1, { before: () => void awaitTaken(desk) });
  expect(woken()).toBe(true);
});

describe("shutdown", () => {
  test("ends all workers; jobs go on here, and another pool may open on the same mailbox", async () => {
    const desk = open(3);
    await desk.ready(2);
    await desk.pool.shutdown();
    expect(desk.pool.report()).toMatchObject({ threads: 1, started: 0, lost: 0 });
    expect(desk.run("count", 100, 1)).toEqual([]);
    await desk.pool.shutdown();
    const again = open(3, "sound", { memory: desk.memory });
    await again.ready(2);
    runUntilHelped(again);
    expect([...desk.warnings, ...again.warnings]).toEqual([]);
  });

  test("stops workers before it returns its promise, so that the next pool has the mailbox alone", async () => {
    const desk = open(3);
    await desk.ready(2);
    const ending = desk.pool.shutdown();
    const gone = () => desk.hosts.every((host) => !host.alive());
    for (const limit = performance.now() + 5000; !gone() && performance.now() < limit; );
    expect(gone()).toBe(true);
    await ending;
  });

  test("is fine before the first worker has started", async () => {
    const desk = open(2);
    await desk.pool.shutdown();
    expect(desk.pool.started()).toBe(0);
    expect(desk.warnings).toEqual([]);
  });
});

test("there is no pool without a second thread or without shared memory", () => {
  const shared = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const unshared = new WebAssembly.Memory({ initial: 1 });
  const rest = { mailbox: 64, scratch: () => 0 };
  expect(openPool({ ...rest, memory: shared, threads: 1 })).toBeNull();
  expect(openPool({ ...rest, memory: unshared, threads: 2 })).toBeNull();
});

test("a Node without getBuiltinModule starts its workers a little later", async () => {
  const hidden = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
  const memory = new WebAssembly.Memory({ initial: 4, maximum: 8, shared: true });
  const pool = openPool({ memory, mailbox: 64, threads: 2, scratch: () => 0 });
  expect(hidden).toHaveBeenCalledWith("node:worker_threads");
  expect(pool?.report().threads).toBe(1);
  for (let i = 0; i < 400 && pool?.started() !== 1; i++) await pause(10);
  expect(pool?.started()).toBe(1);
  await pool?.shutdown();
});
