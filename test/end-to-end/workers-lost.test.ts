/**
 * Workers that fail to start or end too early, in every possible way: there is one warning, there are fewer threads, no
 * job hangs, and results are right or an error is thrown.
 */
import { afterEach, describe, expect, test } from "vitest";
import { KernelError } from "../../src/kernel/ir/error.ts";
import { awaitTaken, type Desk, openDesk, pause } from "../support/worker-programs.ts";

const desks: Desk[] = [];
const open = (...args: Parameters<typeof openDesk>): Desk => {
  const desk = openDesk(...args);
  desks.push(desk);
  return desk;
};
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.pool.shutdown();
});

const rounds = Math.ceil(Number(process.env["LAW_CASES"] ?? 4000) / 1000);

test.each(Array.from({ length: rounds }, (_, i) => i))(
  "workers stopped at random moments leave results right (%i)",
  { timeout: 60_000 },
  async (seed) => {
    const desk = open(4);
    await desk.ready(3);
    let state = seed + 1;
    const random = (): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return state / 2 ** 32;
    };
    // Between jobs or inside one: the stop reaches the worker before, in or after a chunk of this job or a later one.
    const stops = [0, 1, 2].map((worker) => ({ worker, job: 50 + Math.floor(random() * 300), inside: random() < 0.6 }));
    const stop = (job: number, inside: boolean): void => {
      for (const one of stops)
        if (one.job === job && one.inside === inside) {
          one.job = -1;
          void desk.hosts[one.worker]?.stop();
        }
    };
    for (let i = 0; i < 400; i++) {
      const chunk = i % 2 === 0 ? 1 : 3000;
      stop(i, false);
      expect(desk.run("mark", 15 * chunk, chunk, { repeatable: true, before: () => stop(i, true) })).toEqual([]);
      if (i % 50 === 49) await pause(0);
    }
    for (let i = 0; i < 200 && desk.pool.report().lost < 3; i++) await pause(10);
    expect(desk.pool.report()).toMatchObject({ threads: 1, started: 0, lost: 3 });
    expect(desk.warnings).toHaveLength(1);
  },
);

const fates = {
  "a worker that exits inside a kernel": { program: "exits", kernel: "poison", options: {} },
  "a worker that runs out of memory inside a kernel, unseen": {
    program: "runs out of memory",
    kernel: "poison",
    options: { small: true, patience: 600 },
  },
  "a worker that never comes back from a kernel": { program: "sound", kernel: "forever", options: { patience: 200 } },
} as const;

describe.each(Object.entries(fates))("%s", { timeout: 60_000 }, (_, { program, kernel, options }) => {
  const lose = (desk: Desk, repeatable: boolean) => {
    let first = true;
    const before = () => {
      if (first) expect(awaitTaken(desk)).toBe(true);
      first = false;
    };
    return desk.run(kernel, 20, 10, { repeatable, before });
  };

  test("leaves its chunk to this thread if the job is repeatable", async () => {
    const desk = open(2, program, options);
    await desk.ready(1);
    expect(lose(desk, true)).toEqual([]);
    for (let i = 0; i < 100; i++) expect(desk.run("count", 40, 1)).toEqual([]);
    await pause(50);
    expect(desk.pool.report()).toMatchObject({ threads: 1, started: 0, lost: 1 });
    expect(desk.warnings).toHaveLength(1);
    expect(desk.warnings[0]).toMatch(
      /^stridewise: a worker ended \(it .+ kernel\), so kernels run on fewer threads\. Results are unaffected, but computation is slower\.$/,
    );
  });

  test("makes the job an error that names the units if it is not", async () => {
    const desk = open(2, program, options);
    await desk.ready(1);
    expect(() => lose(desk, false)).toThrow(
      new KernelError(
        `${kernel} kernel: a worker ended while it ran units 10 to 20 of 20, so their results may be incomplete. ` +
          "Run it again from inputs that it did not overwrite.",
      ),
    );
    expect(desk.run("count", 40, 1)).toEqual([]);
  });

  test("may be lost together with another", async () => {
    const desk = open(3, program, options);
    await desk.ready(2);
    let first = true;
    const before = () => {
      if (first) expect(awaitTaken(desk)).toBe(true);
      first = false;
    };
    expect(desk.run(kernel, 30, 10, { repeatable: true, before })).toEqual([]);
    for (let i = 0; i < 100; i++) expect(desk.run("count", 40, 1)).toEqual([]);
    expect(desk.pool.report().lost).toBe(2);
    expect(desk.warnings).toHaveLength(1);
  });
});

test.each(["does not exist", "does not parse", "throws"] as const)(
  "workers whose program %s: one warning, and one thread",
  async (program) => {
    const desk = open(4, program);
    for (let i = 0; i < 400 && desk.pool.report().lost < 3; i++) await pause(10);
    expect(desk.pool.report()).toMatchObject({ threads: 1, started: 0, lost: 3 });
    expect(desk.warnings).toHaveLength(1);
    expect(desk.warnings[0]).toMatch(/^stridewise: a worker did not start \(.+\).+configure\(\{ workerUrl \}\)\.$/);
    expect(desk.run("count", 100, 1)).toEqual([]);
  },
);

test("a platform that forbids workers: one warning, and one thread", () => {
  const start = () => {
    throw new Error("forbidden by policy");
  };
  const desk = open(4, "sound", { start });
  expect(desk.warnings).toHaveLength(1);
  expect(desk.warnings[0]).toContain("forbidden by policy");
  expect(desk.run("count", 100, 1)).toEqual([]);
});

test("a worker that cannot compile a kernel ends, and has taken nothing", async () => {
  const desk = open(2);
  await desk.ready(1);
  const before = () => {
    for (const limit = performance.now() + 100; performance.now() < limit; );
  };
  expect(desk.run("broken", 2, 1, { before })).toEqual([]);
  for (let i = 0; i < 200 && desk.warnings.length === 0; i++) await pause(10);
  expect(desk.warnings[0]).toContain("a worker ended (WebAssembly.Module");
  expect(desk.pool.report()).toMatchObject({ threads: 1, lost: 1, helped: 0 });
});
