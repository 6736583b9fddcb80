/**
 * Functions of a user's module, called in workers: every range once, errors in the module's words, and the promise settles whatever
 * happens to the workers.
 */
import { afterEach, expect, test } from "vitest";
import { KernelError } from "../../src/kernel/ir/error.ts";
import { type Desk, moduleOf, openDesk, pause } from "../support/worker-programs.ts";

const desks: Desk[] = [];
const open = (...args: Parameters<typeof openDesk>): Desk => {
  const desk = openDesk(...args);
  desks.push(desk);
  return desk;
};
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.pool.shutdown();
});

const module = moduleOf(`
  import { threadId } from "node:worker_threads";
  export function add(view, begin, end, by) { for (let i = begin; i < end; i++) view[i] += by; }
  export async function slow(view, begin, end) {
    await new Promise((done) => setTimeout(done, 5));
    for (let i = begin; i < end; i++) view[i] = threadId;
  }
  export function fail(view, begin) { if (begin >= 4) throw new RangeError("no more than 4"); }
  export function leave() { process.exit(5); }
  export const five = 5;
`);
const viewOf = (desk: Desk, units: number) => new Float32Array(desk.memory.buffer, 131072, units).fill(0);

test.each([
  [0, undefined],
  [1, undefined],
  [1000, undefined],
  [1000, 7],
  [10, 1000],
])(
  "each of %i units is done once, by %s at a time, with jobs before and after",
  { timeout: 60_000 },
  async (units, chunk) => {
    const desk = open(3);
    await desk.ready(2);
    const view = viewOf(desk, units);
    for (let round = 1; round <= 20; round++) {
      expect(desk.run("count", 30, 1)).toEqual([]);
      await desk.pool.call({ module, export: "add", view, units, info: 2, ...(chunk === undefined ? {} : { chunk }) });
      expect(view.every((value) => value === 2 * round)).toBe(true);
    }
    const { helped } = desk.pool.report();
    // On a busy machine it takes long until a worker has come in time to help.
    const end = performance.now() + 30_000;
    while (desk.pool.report().helped === helped && performance.now() < end) desk.run("count", 30, 1);
    expect(desk.pool.report().helped).toBeGreaterThan(helped);
  },
);

test("workers share the ranges, and calls may overlap", async () => {
  const desk = open(3);
  await desk.ready(2);
  const view = viewOf(desk, 40);
  const other = new Float32Array(desk.memory.buffer, 262144, 40).fill(0);
  await Promise.all([
    desk.pool.call({ module, export: "slow", view, units: 40 }),
    desk.pool.call({ module, export: "add", view: other, units: 40, info: 1 }),
  ]);
  expect(new Set(view).size).toBe(2);
  expect(view.includes(0)).toBe(false);
  expect(other.every((value) => value === 1)).toBe(true);
});

test.each([
  ["fail", module, /^fail of data:.*: RangeError: no more than 4$/s],
  ["five", module, /^five of data:.*: TypeError: the module has no function five$/s],
  ["none", module, /: TypeError: the module has no function none$/],
  ["add", "file:///no/such/module.js", /^add of file:\/\/\/no\/such\/module\.js: Error.*: Cannot find module/],
  ["leave", module, /: worker \d ended \(it ended with code 5\), so its ranges may be incomplete$/],
])("%s of a module is refused in its own words", async (name, module, message) => {
  for (const threads of name === "leave" ? [3] : [3, 1]) {
    const desk = open(3);
    if (threads === 1) await desk.pool.shutdown();
    const call = desk.pool.call({ module, export: name, view: viewOf(desk, 10), units: 10, chunk: 1 });
    const error = await call.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(KernelError);
    expect(error.message).toMatch(message);
  }
});

test("values that cannot be posted throw", async () => {
  const desk = open(2);
  const call = desk.pool.call({ module, export: "add", view: null, units: 1, info: () => 1 });
  await expect(call).rejects.toThrow(/DataCloneError/);
  await desk.pool.call({ module, export: "add", view: viewOf(desk, 1), units: 1, info: 1 });
});

test("a pool whose workers cannot start calls the function here", async () => {
  const desk = open(3, "does not exist");
  const view = viewOf(desk, 100);
  await desk.pool.call({ module, export: "add", view, units: 100, info: 3 });
  await desk.pool.call({ module, export: "add", view, units: 100, info: 3 });
  expect(view.every((value) => value === 6)).toBe(true);
});

test("a shutdown ends calls that have not settled", async () => {
  const desk = open(2);
  await desk.ready(1);
  const call = desk.pool.call({ module, export: "slow", view: viewOf(desk, 1000), units: 1000, chunk: 1 });
  const settled = expect(call).rejects.toThrow("the pool was shut down");
  await pause(20);
  await desk.pool.shutdown();
  await settled;
});
