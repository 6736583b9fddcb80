/**
 * Forced collections: when one is requested, the time that they take, and that each method makes the engine collect.
 * The limit of a turn, and the timer that counts turns, with timers that the test calls.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { afterThisTurn, Collector, Pressure, type PressureOptions } from "./collector.ts";

/** A collector with a clock and an engine of the test: `collect` takes `cost` milliseconds. */
function openCollector(cost = 1, isCertain = true) {
  const state = { time: 0, asked: 0, cost };
  const collector = new Collector({
    collectAfter: 1000,
    collect: () => {
      state.asked++;
      state.time += state.cost;
      return isCertain;
    },
    now: () => state.time,
  });
  /** A turn of 100 ms that ends with this many bytes in use. */
  const turn = (used: number, isFull = false): number => {
    state.time += 100;
    const before = state.asked;
    collector.endTurn(used, isFull);
    return state.asked - before;
  };
  return { collector, state, turn };
}

test("a collection is requested when the used bytes have grown by the limit and have doubled", () => {
  const { collector, turn } = openCollector();
  expect([turn(400), turn(999), turn(1000)]).toEqual([0, 0, 1]);
  collector.noteCollection();
  // 600 are live: 1000 more are garbage or new.
  expect([turn(600), turn(1599), turn(1600)]).toEqual([0, 0, 1]);
  collector.noteCollection();
  // 5000 are live: 5000 more.
  expect([turn(5000), turn(9999), turn(10_000)]).toEqual([0, 0, 1]);
});

test("bytes that are freed explicitly never cause a collection", () => {
  const { turn } = openCollector();
  for (let i = 0; i < 1000; i++) expect([turn(50), turn(999)]).toEqual([0, 0]);
});

test("a forced collection happens once; hints are repeated each turn until the engine has collected", () => {
  const certain = openCollector();
  expect([certain.turn(1000), certain.turn(1100), certain.turn(1200)]).toEqual([1, 0, 0]);
  const hints = openCollector(1, false);
  expect([hints.turn(1000), hints.turn(1100), hints.turn(1200)]).toEqual([1, 1, 1]);
  hints.collector.noteCollection();
  expect([hints.turn(100), hints.turn(200)]).toEqual([0, 0]);
});

test("hints that an engine ignores take 5 % of the time", () => {
  const { state, turn } = openCollector(1, false);
  for (let i = 0; i < 10_000; i++) turn(1000 + i);
  expect(state.asked / state.time).toBeLessThan(0.051);
});

test.each([
  [1, 500, 0.05, 1500],
  [10, 500, 0.05, 1500],
  [100, 1, 0.05, 2500],
  [100, 500, 0.17, 2500],
  [1000, 500, 0.56, 4000],
])(
  "collections of %d ms in turns of %d bytes take %d of the time at most, and hold %d bytes",
  (cost, bytes, share, max) => {
    const { collector, state, turn } = openCollector(cost);
    let used = 0;
    let peak = 0;
    for (let i = 0; i < 20_000; i++) {
      used += bytes;
      peak = Math.max(peak, used);
      if (turn(used) === 0) continue;
      collector.noteCollection();
      used = 0;
    }
    expect(state.asked).toBeGreaterThan(5);
    expect((state.asked * cost) / state.time).toBeLessThan(share);
    expect(peak).toBeLessThanOrEqual(max);
  },
);

test("a full heap requests a collection at a quarter of the growth, for any live bytes", () => {
  const { collector, turn } = openCollector(5);
  turn(1000);
  collector.noteCollection();
  turn(50_000);
  expect([turn(50_100, true), turn(50_250, true)]).toEqual([0, 1]);
  collector.noteCollection();
  expect([turn(50_000), turn(50_250), turn(50_250, true)]).toEqual([0, 0, 1]);
});

test("nothing is requested while collections are disabled", () => {
  const { collector, turn } = openCollector();
  collector.isAllowed = false;
  expect([turn(400), turn(10_000), turn(100_000, true)]).toEqual([0, 0, 0]);
});

const turns = async (collector: Collector, max: number): Promise<void> => {
  for (let i = 0; i < max && collector.collections === 0; i++) {
    collector.endTurn(2000, false);
    await new Promise((resolve) => setTimeout(resolve));
  }
};

test("hints make the engine collect", async () => {
  const collector: Collector = new Collector({ collectAfter: 1000, collect: () => collector.hint() });
  await turns(collector, 300);
  expect(collector.collections).toBe(1);
});

test("a failed hint is not an error", () => {
  class Refused {
    constructor() {
      throw new RangeError("Array buffer allocation failed");
    }
  }
  vi.stubGlobal("ArrayBuffer", Refused);
  let hinted: unknown;
  try {
    hinted = new Collector().hint();
  } finally {
    vi.unstubAllGlobals();
  }
  expect(hinted).toBe(false);
});

test("Bun collects buffers outside the heap every 64 MB, unless that is switched off", () => {
  const gc = vi.fn();
  vi.stubGlobal("Bun", { gc });
  try {
    const { collector } = openCollector();
    for (let i = 0; i < 130; i++) collector.noteBuffer(2 ** 20);
    expect(gc.mock.calls).toEqual([[true], [true]]);
    collector.isAllowed = false;
    for (let i = 0; i < 130; i++) collector.noteBuffer(2 ** 20);
    expect(gc).toHaveBeenCalledTimes(2);
  } finally {
    vi.unstubAllGlobals();
  }
});

describe("pressure", () => {
  function openPressure(options: PressureOptions = {}) {
    const timers: (() => void)[] = [];
    const seen = { turns: 0 };
    const pressure = new Pressure(
      {
        turnLimit: 1000,
        schedule: (callback) => timers.push(callback),
        ...options,
      },
      () => seen.turns++,
    );
    return { pressure, timers, seen };
  }

  test("pressure is high from the limit on, until the turn frees bytes or ends", () => {
    const { pressure, timers } = openPressure();
    pressure.allocated(999);
    expect(pressure.isHigh).toBe(false);
    pressure.allocated(1);
    expect(pressure.isHigh).toBe(true);
    pressure.freed(1, 0);
    expect(pressure.isHigh).toBe(false);
    pressure.allocated(5000);
    timers[0]?.();
    expect(pressure.isHigh).toBe(false);
    // Bytes of an earlier turn do not count.
    pressure.allocated(1000);
    pressure.freed(5000, 0);
    expect(pressure.isHigh).toBe(true);
  });

  test("the timer is armed once per turn, by the first allocation, and not while idle", () => {
    const { pressure, timers, seen } = openPressure();
    expect(timers).toHaveLength(0);
    pressure.allocated(1);
    pressure.allocated(1);
    pressure.arm();
    expect(timers).toHaveLength(1);
    timers.pop()?.();
    expect([pressure.turn, seen.turns, timers.length]).toEqual([1, 1, 0]);
    pressure.allocated(1);
    expect(timers).toHaveLength(1);
  });

  describe("a turn ends in a later macrotask, not in a microtask", () => {
    afterEach(() => {
      vi.unstubAllGlobals();
    });
    test.each([
      ["with setImmediate", []],
      ["with a message channel", ["setImmediate"]],
      ["with a timeout", ["setImmediate", "MessageChannel"]],
    ])("%s", async (_, missing) => {
      const { setTimeout } = globalThis;
      for (const name of missing) vi.stubGlobal(name, undefined);
      let ended = 0;
      afterThisTurn(() => ended++);
      for (let i = 0; i < 100; i++) await Promise.resolve();
      expect(ended).toBe(0);
      for (let i = 0; i < 100 && ended === 0; i++) await new Promise((resolve) => setTimeout(resolve, 2));
      expect(ended).toBe(1);
    });
  });
});
