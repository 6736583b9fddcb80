/**
 * The limit of a turn, and the timer that counts turns, with timers that the test calls.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { afterThisTurn, Pressure, type PressureOptions } from "./pressure.ts";

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

test("a turn is high from its limit on, until it gives bytes back or ends", () => {
  const { pressure, timers } = openPressure();
  pressure.took(999);
  expect(pressure.isHigh).toBe(false);
  pressure.took(1);
  expect(pressure.isHigh).toBe(true);
  pressure.gave(1, 0);
  expect(pressure.isHigh).toBe(false);
  pressure.took(5000);
  timers[0]?.();
  expect(pressure.isHigh).toBe(false);
  // Bytes of an earlier turn are no credit.
  pressure.took(1000);
  pressure.gave(5000, 0);
  expect(pressure.isHigh).toBe(true);
});

test("the timer is armed once a turn, by the first allocation, and not while idle", () => {
  const { pressure, timers, seen } = openPressure();
  expect(timers).toHaveLength(0);
  pressure.took(1);
  pressure.took(1);
  pressure.arm();
  expect(timers).toHaveLength(1);
  timers.pop()?.();
  expect([pressure.turn, seen.turns, timers.length]).toEqual([1, 1, 0]);
  pressure.took(1);
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
