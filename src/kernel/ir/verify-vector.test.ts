/** The findings about the rounds of vector loops compared with brute force: proofs are correct, and errors are errors. */
import { expect, test } from "vitest";
import { randomNumbers } from "../../../test/support/kernels.ts";
import { evaluate } from "../../expr/evaluate.ts";
import type { LoopStatement, Statement } from "./kernel.ts";
import { parseKernel } from "./parse.ts";
import { verifyKernel } from "./verify.ts";
import { scalarsOf } from "./visit.ts";

interface Touch {
  readonly round: number;
  readonly element: string;
  readonly isStore: boolean;
}

/** The accesses of the rounds of the vector loop of one unit. */
function touchesOf(loop: LoopStatement, values: Readonly<Record<string, number>>): readonly Touch[] {
  const touches: Touch[] = [];
  const run = (list: readonly Statement[], known: Record<string, number>, round: number): void => {
    for (const statement of list) {
      if (statement.kind === "index") known[statement.name] = evaluate(statement.value, known);
      for (const value of scalarsOf(statement))
        if (value.kind === "load")
          touches.push({ round, element: `${value.buffer}${evaluate(value.index, known)}`, isStore: false });
      if (statement.kind === "store")
        touches.push({ round, element: `${statement.buffer}${evaluate(statement.index, known)}`, isStore: true });
      if (statement.kind !== "loop") continue;
      for (let j = evaluate(statement.from, known); j < evaluate(statement.to, known); j++)
        run(statement.body, { ...known, [statement.index]: j }, round);
    }
  };
  for (let i = evaluate(loop.from, values); i < evaluate(loop.to, values); i++)
    run(loop.body, { ...values, [loop.index]: i }, i);
  return touches;
}

function randomText(random: () => number): string {
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const index = (): string =>
    `40*u + 20 + ${pick(["i", "2*i", "3*i", "4*i", "i/2", "i%3", "c", "s*i", "-i", "0"])} + ${pick(["j", "j", "0", "1", "j - i", "2*j", "c"])}`;
  return `
kernel k
  buffer out: int32 readwrite
  buffer other: int32 readwrite
  size n: 0..8
  size s: ${pick(["1..3", "0..3", "-3..3", "2..2"])}
{
  parallel u in 0..4 {
    vector i in ${pick(["0", "u", "1"])}..${pick(["n", "4", "u + 1", "min(n, 6)"])} by 4 {
      index c = ${pick(["i", "2*i", "u", "i + u"])}
      serial j in ${pick(["0", "i"])}..${pick(["2", "i + 2", "3"])} {
        out[${index()}] = ${pick(["int32(0)", `out[${index()}]`, `other[${index()}]`])}
      }
    }
  }
}`;
}

const kernels = 300;

test("no finding about the rounds of a vector loop is wrong", () => {
  const random = randomNumbers(5);
  const seen = { proved: 0, error: 0 };
  for (let number = 0; number < kernels; number++) {
    const text = randomText(random);
    const kernel = parseKernel(text);
    const findings = verifyKernel(kernel).filter(({ rule }) => rule === "vector");
    const isError = findings.some(({ level }) => level === "error");
    if (findings.length > 0 && !isError) continue;
    seen[isError ? "error" : "proved"]++;
    const loop = (kernel.body[0] as LoopStatement).body[0] as LoopStatement;
    const strides = kernel.sizes.find(({ name }) => name === "s") as { min: number; max: number };
    let everMeet = false;
    for (const n of [0, 1, 3, 8])
      for (let s = strides.min; s <= strides.max; s++)
        for (let u = 0; u < 4; u++) {
          const touches = touchesOf(loop, { n, s, u });
          const stores = touches.filter(({ isStore }) => isStore);
          const meet = stores.some((a) => touches.some((b) => a.round !== b.round && a.element === b.element));
          if (!isError) expect(meet, `${text}\nn = ${n}, s = ${s}, u = ${u}`).toBe(false);
          everMeet ||= meet;
        }
    if (isError) expect(everMeet, text).toBe(true);
  }
  expect(seen.proved).toBeGreaterThan(kernels / 50);
  expect(seen.error).toBeGreaterThan(kernels / 100);
});
