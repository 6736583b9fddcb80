/**
 * Pulses, the limit of a turn, and the timer that counts turns, with a clock in the test's hand.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { afterThisTurn, dropBuffer, Pressure, type PressureOptions } from "./pressure.ts";

function openPressure(options: PressureOptions = {}) {
  const timers: (() => void)[] = [];
  const seen = { pulses: 0, turns: 0 };
  const pressure = new Pressure(
    {
      turnLimit: 1000,
      pulseEvery: 400,
      pulse: () => seen.pulses++,
      schedule: (callback) => timers.push(callback),
      ...options,
    },
    () => seen.turns++,
  );
  return { pressure, timers, seen };
}

test("there is one pulse for each 400 bytes kept, and none for bytes that come back", () => {
  const { pressure, seen } = openPressure();
  for (let i = 0; i < 39; i++) pressure.took(10);
  expect(seen.pulses).toBe(0);
  pressure.took(10);
  expect(seen.pulses).toBe(1);
  for (let i = 0; i < 1000; i++) {
    const pulses = pressure.pulses;
    pressure.took(10);
    pressure.gave(10, 0, pulses);
  }
  expect(seen.pulses).toBe(1);
  // What was taken before the last pulse does not delay the next one.
  pressure.took(390);
  pressure.gave(200, 0, 0);
  pressure.took(10);
  expect(seen.pulses).toBe(2);
});

test("a turn is high from its limit on, until it gives bytes back or ends", () => {
  const { pressure, timers } = openPressure();
  pressure.took(999);
  expect(pressure.isHigh).toBe(false);
  pressure.took(1);
  expect(pressure.isHigh).toBe(true);
  pressure.gave(1, 0, -1);
  expect(pressure.isHigh).toBe(false);
  pressure.took(5000);
  timers[0]?.();
  expect(pressure.isHigh).toBe(false);
  // Bytes of an earlier turn are no credit.
  pressure.took(1000);
  pressure.gave(5000, 0, -1);
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

test("a pulse that the engine refuses is no error", () => {
  class Refused {
    constructor() {
      throw new RangeError("Array buffer allocation failed");
    }
  }
  vi.stubGlobal("ArrayBuffer", Refused);
  let error: unknown = null;
  try {
    dropBuffer();
  } catch (thrown) {
    error = thrown;
  }
  vi.unstubAllGlobals();
  expect(error).toBeNull();
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
