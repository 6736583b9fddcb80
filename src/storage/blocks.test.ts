/**
 * The block bookkeeping against a naive model: a list of used intervals. Every step is checked.
 */
import { describe, expect, test } from "vitest";
import { Blocks } from "./blocks.ts";

/** A small seeded generator, so that a failure can be run again. */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}

interface Used {
  readonly node: number;
  readonly start: number;
  length: number;
}

/** Every unit is in one block, used blocks are those of the model, and no two free blocks are adjacent. */
function check(blocks: Blocks, from: number, used: readonly Used[]): void {
  const list = blocks.list();
  let at = from;
  let free = 0;
  const faults: string[] = [];
  list.forEach((block, i) => {
    if (block.start !== at || block.length <= 0) faults.push(`block ${i} is ${JSON.stringify(block)}, not at ${at}`);
    if (!block.used && list[i + 1]?.used === false) faults.push(`adjacent free blocks at ${at}`);
    if (!block.used) free += block.length;
    at += block.length;
  });
  expect(at).toBe(blocks.end);
  expect(free).toBe(blocks.free);
  for (const one of used) if (blocks.startOf(one.node) !== one.start) faults.push(`node ${one.node} moved`);
  const sorted = [...used].sort((a, b) => a.start - b.start);
  expect(faults).toEqual([]);
  expect(list.filter((block) => block.used)).toEqual(
    sorted.map(({ start, length }) => ({ start, length, used: true })),
  );
}

describe("random allocations, releases, resizes and extensions agree with a naive model", () => {
  test.each([1, 2, 3, 4])("seed %i", (seed) => {
    const next = random(seed);
    const blocks = new Blocks(100);
    const used: Used[] = [];
    const size = () => 1 + next(next(4) === 0 ? 3000 : 40);
    for (let step = 0; step < 1500; step++) {
      const choice = next(10);
      if (choice === 0) blocks.extend(next(2000));
      else if (choice < 6) {
        const length = size();
        const fits = blocks.list().some((block) => !block.used && block.length >= length);
        const node = blocks.allocate(length);
        if (node >= 0) used.push({ node, start: blocks.startOf(node), length });
        // A block that fits is found, but among many of nearly its size.
        else if (fits) expect(blocks.list().filter((block) => !block.used).length).toBeGreaterThan(32);
      } else if (used.length > 0) {
        const i = next(used.length);
        const one = used[i] as Used;
        if (choice < 9) {
          blocks.release(one.node);
          used.splice(i, 1);
        } else {
          const length = size();
          const next = blocks.list().find((block) => block.start === one.start + one.length);
          const space = one.length + (next === undefined || next.used ? 0 : next.length);
          expect(blocks.resize(one.node, length)).toBe(length <= space);
          if (length <= space) one.length = length;
        }
      }
      if (step % 20 === 0) check(blocks, 100, used);
    }
    while (used.length > 0) blocks.release((used.splice(next(used.length), 1)[0] as Used).node);
    expect(blocks.list()).toEqual([{ start: 100, length: blocks.end - 100, used: false }]);
  });
});

test("freed space is reused before the range is extended", () => {
  const blocks = new Blocks(0);
  blocks.extend(1000);
  const nodes = Array.from({ length: 10 }, () => blocks.allocate(100));
  expect(blocks.allocate(1)).toBe(-1);
  blocks.release(nodes[3] as number);
  blocks.release(nodes[4] as number);
  expect(blocks.startOf(blocks.allocate(200))).toBe(300);
});

test("a block that fits exactly is found among smaller ones", () => {
  const blocks = new Blocks(0);
  blocks.extend(1001);
  expect(blocks.allocate(1001)).toBeGreaterThanOrEqual(0);
  expect(blocks.free).toBe(0);
});
