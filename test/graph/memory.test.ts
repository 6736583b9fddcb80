/** The memory budget of compile: values that are computed again instead of kept have the same bits, and programs need fewer bytes. */
import { describe, expect, test } from "vitest";
import * as sw from "../../src/index.ts";
import { compile } from "../../src/index.ts";
import { GELU, LayerNorm, Linear, Sequential } from "../../src/nn/index.ts";
import * as optim from "../../src/optim/index.ts";
import { forSeeds, graphCases, graphTimeout } from "../support/graph-cases.ts";
import { haveSameElements } from "../support/same-elements.ts";
import { numbersFrom } from "../support/seeded-numbers.ts";

type Tensor = sw.Tensor;

/** The bytes of the workspace for values. */
const bytesOf = (fast: { explain(): string }): number =>
  Number(/([\d,]+) bytes of workspace for values/.exec(fast.explain())?.[1].replaceAll(",", ""));

/** A training step of a deep network, with the memory budget. */
function training(memory?: number) {
  sw.manualSeed(3);
  const layers = Array.from({ length: 6 }, () => [new Linear(32, 32), new GELU(), new LayerNorm([32])]).flat();
  const model = new Sequential(...(layers as Linear[]));
  const optimizer = new optim.Adam(model.parameters(), { lr: 0.01 });
  const fast = compile(
    (x: Tensor, y: Tensor) => {
      optimizer.zeroGrad();
      const loss = (model.forward(x) as Tensor).sub(y).square().mean() as Tensor;
      loss.backward();
      optimizer.step();
      return loss.detach() as Tensor;
    },
    { memory },
  );
  const run = (steps: number): number[] =>
    Array.from({ length: steps }, (_, k) => {
      sw.manualSeed(k);
      return fast(sw.randn([256, 32]) as Tensor, sw.randn([256, 32]) as Tensor).item() as number;
    });
  return { fast, run, model };
}

describe("a training step", () => {
  test("computes the same bits in less memory, down to a limit that the error states", () => {
    const whole = training();
    const losses = whole.run(8);
    const bytes = bytesOf(whole.fast);
    const sizes = [0.9, 0.75].map((share) => {
      const budget = Math.floor(bytes * share);
      const small = training(budget);
      expect(small.run(8), `${share} of the memory`).toEqual(losses);
      expect(bytesOf(small.fast)).toBeLessThanOrEqual(budget);
      const [a, b] = [small, whole].map(({ model }) => Object.values(model.stateDict()).map((p) => p.toArray()));
      expect(a).toEqual(b);
      return bytesOf(small.fast);
    });
    expect(sizes[1]).toBeLessThan(sizes[0]);
    const tiny = training(1000);
    expect(() => tiny.run(2)).toThrow(
      new RegExp(
        `^compile: \\w+ needs \\d+ bytes of memory for its values \\(${bytes} bytes without recomputing values\\), but the budget is 1000. Raise the option memory, or pass smaller tensors$`,
      ),
    );
  });

  test("that fits is not changed", () => {
    const [whole, same] = [training(), training(2 ** 30)];
    expect(same.run(3)).toEqual(whole.run(3));
    expect(bytesOf(same.fast)).toBe(bytesOf(whole.fast));
  });
});

test(
  "random chains of kept values, at budgets near the smallest possible one",
  async () => {
    await forSeeds(Math.ceil(graphCases(300) / 10), (seed) => {
      const fn = (x: Tensor): Tensor => {
        const pick = numbersFrom(seed);
        const values = [x];
        const any = (): Tensor => values[pick(values.length)];
        for (let k = 0; k < 12; k++) {
          const kind = pick(7);
          const t = any();
          if (kind === 0) values.push(t.add(any()).tanh() as Tensor);
          else if (kind === 1) values.push(t.mul(0.5).sub(any()) as Tensor);
          else if (kind === 2) values.push(t.matmul(t.T) as Tensor);
          else if (kind === 3) values.push(t.T.exp().log1p() as Tensor);
          else if (kind === 4) values.push(sw.softmax(t, 1) as Tensor);
          else if (kind === 5) values.push((t.clone() as Tensor).add_(1) as Tensor);
          else values.push(sw.rand([40, 40]).add(t) as Tensor);
        }
        // Every value is used again, in the opposite order.
        return values.reduceRight((sum, t) => sum.matmul(t).add(t).tanh() as Tensor, sw.ones([40, 40]) as Tensor);
      };
      const runs = (memory?: number) => {
        const fast = compile(fn, { memory });
        const results = Array.from({ length: 3 }, (_, k) => {
          sw.manualSeed(seed + k);
          return fast(sw.randn([40, 40]) as Tensor);
        });
        return { results, bytes: bytesOf(fast) };
      };
      const whole = runs();
      const least = leastOf(() => runs(0));
      for (const memory of [least, Math.ceil((least + whole.bytes) / 2)]) {
        const small = runs(memory);
        expect(small.bytes, `seed ${seed}`).toBeLessThanOrEqual(memory);
        small.results.forEach((t, k) => {
          expect(haveSameElements(t, whole.results[k]), `seed ${seed}, call ${k}`).toBe(true);
        });
      }
    });
  },
  graphTimeout,
);

/** The bytes that the error of a call with an impossible budget states. */
function leastOf(run: () => unknown): number {
  try {
    run();
  } catch (error) {
    return Number(/needs (\d+) bytes/.exec(String(error))?.[1]);
  }
  return 0;
}

test("a budget must be a number of bytes", () => {
  for (const memory of [-1, 1.5, Number.NaN, "1 MB" as unknown as number])
    expect(() => compile((x: Tensor) => x, { memory })).toThrow("compile: memory must be a number of bytes, got ");
});
