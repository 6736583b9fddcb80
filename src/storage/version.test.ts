/**
 * The version counter: counts, is shared as one object, and throws when it is read while disabled.
 */
import { expect, test } from "vitest";
import { VersionCounter } from "./version.ts";

test("a counter starts at 0 and counts bumps", () => {
  const counter = new VersionCounter();
  expect([counter.value, counter.enabled]).toEqual([0, true]);
  counter.bump();
  counter.bump();
  expect(counter.value).toBe(2);
  counter.value = 7;
  expect(counter.value).toBe(7);
});

test("a disabled counter counts nothing and cannot be read", () => {
  const counter = VersionCounter.disabled();
  counter.bump();
  expect(counter.enabled).toBe(false);
  expect(() => counter.value).toThrow("version: inference tensors have no version counter. Use a clone()");
  expect(() => {
    counter.value = 1;
  }).toThrow("version: inference tensors have no version counter. Use a clone()");
});
