/** The greedy order of many factors: the cheapest pair at each step, as trying every pair finds it, in time that is not cubic. */
import { expect, test } from "vitest";
import { type ContractionOrder, contractionOrder } from "./contraction-order.ts";

const alphabet = [..."abcdefgh"];
const sizes = new Map(alphabet.map((letter, k) => [letter, [1, 2, 3, 5][k % 4] as number]));

/** The definition: of all pairs the cheapest, the first of equal ones. */
function byTrying(factors: readonly (readonly string[])[], output: readonly string[]): ContractionOrder {
  let list = factors.slice();
  const order: (readonly [number, number])[] = [];
  while (list.length > 1) {
    let best: readonly [number, number] = [0, 1];
    let min = Number.POSITIVE_INFINITY;
    for (let i = 0; i < list.length; i++)
      for (let j = i + 1; j < list.length; j++) {
        const union = new Set([...(list[i] as string[]), ...(list[j] as string[])]);
        const cost = [...union].reduce((product, letter) => product * (sizes.get(letter) as number), 1);
        if (cost < min) [min, best] = [cost, [i, j]];
      }
    const [i, j] = best;
    const rest = list.filter((_, k) => k !== i && k !== j);
    const needed = new Set([...output, ...rest.flat()]);
    list = [
      ...rest,
      [...new Set([...(list[i] as string[]), ...(list[j] as string[])])].filter((one) => needed.has(one)),
    ];
    order.push(best);
  }
  return order;
}

test("the order is that of trying every pair at each step", () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  for (let round = 0; round < 100; round++) {
    const factors = Array.from({ length: 9 + random(12) }, () => alphabet.filter(() => random(4) === 0));
    const output = alphabet.filter(() => random(4) === 0);
    expect(contractionOrder(factors, output, sizes), JSON.stringify({ factors, output })).toEqual(
      byTrying(factors, output),
    );
  }
});

test("600 factors take well under the seconds that all pairs at each step took", () => {
  const started = process.cpuUsage();
  const order = contractionOrder(
    Array.from({ length: 600 }, (_, k) => [`i${k}`, `i${k + 1}`]),
    ["i0", "i600"],
    new Map(Array.from({ length: 601 }, (_, k) => [`i${k}`, 2 + (k % 7)])),
  );
  expect(order.length).toBe(599);
  expect(process.cpuUsage(started).user / 1000, "milliseconds").toBeLessThan(2000);
});
