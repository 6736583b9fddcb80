/** The findings about memory compared with brute force: proofs are correct, and errors are errors. */
import { expect, test } from "vitest";
import { randomNumbers } from "../../../test/support/kernels.ts";
import { evaluate } from "../../expr/evaluate.ts";
import type { Kernel, Statement } from "./kernel.ts";
import { parseKernel } from "./parse.ts";
import { printKernel } from "./print.ts";
import { verifyKernel } from "./verify.ts";
import { scalarsOf } from "./visit.ts";

interface Touch {
  readonly unit: number;
  readonly buffer: string;
  readonly at: number;
  readonly isStore: boolean;
}

/** Every element that the kernel accesses, by running its loops. */
function touchesOf(kernel: Kernel, sizes: Readonly<Record<string, number>>): readonly Touch[] {
  const touches: Touch[] = [];
  const run = (list: readonly Statement[], values: Record<string, number>): void => {
    for (const statement of list) {
      if (statement.kind === "index") values[statement.name] = evaluate(statement.value, values);
      const touch = (buffer: string, at: number, isStore: boolean) =>
        touches.push({ unit: values["u"] as number, buffer, at, isStore });
      for (const value of scalarsOf(statement))
        if (value.kind === "load") touch(value.buffer, evaluate(value.index, values), false);
      if (statement.kind === "store") touch(statement.buffer, evaluate(statement.index, values), true);
      if (statement.kind !== "loop") continue;
      const to = evaluate(statement.to, values);
      for (let i = evaluate(statement.from, values); i < to; i++)
        run(statement.body, { ...values, [statement.index]: i });
    }
  };
  run(kernel.body, { ...sizes });
  return touches;
}

function randomText(random: () => number): string {
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const index = (): string => {
    const term = (name: string): string =>
      pick([`${below(5)}*${name}`, `${pick([1, 4, 8, 16])}*${name}`, `${name}%${1 + below(5)}`, `${name}/2`, "0"]);
    return `${pick([0, 0, 1, -1])} + ${pick([0, 0, 1, 4, 8, 16, -16])}*u + ${term("i")} + ${pick(["j", "j - i", "j - c", term("j"), "0"])}`;
  };
  const from = pick(["0", "0", "1", "c", "u", "2*u"]);
  const to = pick(["3", "3", "n", "min(n, u + 2)", "c + 2", "2*u + 2", `${from} + 2`, `min(n, ${from} + 3)`]);
  const innerFrom = pick(["0", "i", "c", "3"]);
  const innerTo = pick(["2", "i + 2", "n", "min(n, i + 1)", "c + 3"]);
  return `
kernel k
  buffer out: int32 readwrite
  size n: 0..${pick([2, 6, 100])}
  size units: 0..${pick([1, 4, 100])}
{
  parallel u in 0..units {
    allocate t: int32[${pick([4, 8, 40])}] in smem
    index c = ${pick(["u", "4*u", "u/2", "0"])}
    serial i in ${from}..${to} {
      serial j in ${innerFrom}..${innerTo} {
        t[${index()}] = int32(0)
        out[${index()}] = ${pick(["int32(0)", `out[${index()}]`])}
      }
    }
  }
}`;
}

const rounds = 400;

test("no finding about bounds or writes is wrong", () => {
  const random = randomNumbers(11);
  const seen = { "bounds proved": 0, "bounds error": 0, "writes proved": 0, "writes error": 0 };
  for (let round = 0; round < rounds; round++) {
    const kernel = parseKernel(randomText(random));
    const findings = verifyKernel(kernel);
    const verdict = (rule: string): string => {
      const own = findings.filter((finding) => finding.rule === rule);
      return own.length === 0 ? "proved" : own.some(({ level }) => level === "error") ? "error" : "open";
    };
    const [bounds, writes] = [verdict("bounds"), verdict("writes")];
    for (const [n, units] of [
      [0, 2],
      [1, 3],
      [2, 4],
      [5, 4],
      [6, 1],
    ] as const) {
      const [size, count] = kernel.sizes.map(({ max }) => max) as [number, number];
      if (n > size || units > count) continue;
      const touches = touchesOf(kernel, { n, units });
      const where = `${printKernel(kernel)}\nn = ${n}, units = ${units}`;
      const { length } = (kernel.body[0] as unknown as { body: [{ length: number }] }).body[0];
      const inner = touches.filter(({ buffer }) => buffer === "t");
      const isOutside = inner.some(({ at }) => at < 0 || at >= length);
      if (bounds === "proved") expect(isOutside, where).toBe(false);
      if (bounds === "error" && inner.length > 0) expect(isOutside, where).toBe(true);

      const outer = touches.filter(({ buffer }) => buffer === "out");
      const stores = outer.filter(({ isStore }) => isStore);
      const meet = stores.some((a) => outer.some((b) => a.unit !== b.unit && a.at === b.at));
      if (writes === "proved") expect(meet, where).toBe(false);
      if (writes === "error" && units > 1 && stores.length > 0) expect(meet, where).toBe(true);
    }
    for (const name of [`bounds ${bounds}`, `writes ${writes}`]) if (name in seen) seen[name as keyof typeof seen]++;
  }
  for (const [verdict, count] of Object.entries(seen)) expect(count, verdict).toBeGreaterThan(rounds / 100);
});
