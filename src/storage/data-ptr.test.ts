/**
 * DataPtr: owners, pointers without ownership, and that a deleter runs once, with the context.
 */
import { expect, test } from "vitest";
import { DataPtr } from "./data-ptr.ts";
import { memoryOf } from "./memory.ts";

const index = () => ({ memory: memoryOf(new ArrayBuffer(64)), byteOffset: 0 });

function owned() {
  const freed: unknown[] = [];
  const context = { name: "context" };
  const deleter = (context: unknown) => freed.push(context);
  return { freed, context, deleter, pointer: new DataPtr(index(), context, deleter) };
}

test("clear runs the deleter once, with the context and not the data", () => {
  const { freed, context, pointer } = owned();
  expect(pointer.isNull).toBe(false);
  pointer.clear();
  pointer.clear();
  expect(freed).toEqual([context]);
  expect([pointer.data, pointer.get(), pointer.context, pointer.deleter, pointer.isNull]).toEqual([
    null,
    null,
    null,
    null,
    true,
  ]);
});

test("a released context is not freed, and the data stays readable", () => {
  for (const giveUp of ["moveContext", "releaseContext", "take"] as const) {
    const { freed, context, deleter, pointer } = owned();
    const data = pointer.data;
    const taken = pointer[giveUp]();
    if (giveUp === "releaseContext") expect(taken).toBe(context);
    else expect(taken).toMatchObject({ context, deleter });
    expect(pointer.data).toBe(data);
    pointer.clear();
    expect(freed).toEqual([]);
    if (giveUp === "take") (taken as DataPtr).clear();
    expect(freed).toEqual(giveUp === "take" ? [context] : []);
  }
});

test("the deleter is replaced only if it is the expected one", () => {
  const { freed, context, deleter, pointer } = owned();
  const other: unknown[] = [];
  const next = (context: unknown) => other.push(context);
  expect(pointer.compareExchangeDeleter(next, next)).toBe(false);
  expect(pointer.compareExchangeDeleter(deleter, next)).toBe(true);
  pointer.clear();
  expect([freed, other]).toEqual([[], [context]]);
});

test("castContext returns the context only for the right deleter", () => {
  const { context, deleter, pointer } = owned();
  expect(pointer.castContext(deleter)).toBe(context);
  expect(pointer.castContext(() => {})).toBeNull();
  expect(pointer.castContext(null)).toBeNull();
});

test("a pointer without data but with a context is not null", () => {
  expect(new DataPtr(null, {}).isNull).toBe(false);
  expect(new DataPtr(index()).isNull).toBe(false);
  expect(new DataPtr(null).isNull).toBe(true);
  expect(() => new DataPtr(null).clear()).not.toThrow();
});
