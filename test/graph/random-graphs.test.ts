/**
 * Laws of compile: random functions of 1 to 20 ops, with views, broadcasting, reductions, products and writes in place, return the same when they
 * are compiled, bit for bit, and leave their arguments the same.
 */
import { expect, test } from "vitest";
import { compile } from "../../src/graph/compile/compile.ts";
import { graphPasses } from "../../src/graph/passes/pipeline.ts";
import { checkGraph } from "../../src/graph/verify.ts";
import * as sw from "../../src/index.ts";
import { forSeeds, graphCases, graphTimeout } from "../support/graph-cases.ts";
import { expectInterpreted, reparsed } from "../support/graph-laws.ts";
import { haveSameElements } from "../support/same-elements.ts";
import { numbersFrom } from "../support/seeded-numbers.ts";

type Tensor = sw.Tensor;

type Step = (pool: Tensor[], pick: (below: number) => number) => Tensor | null;

const any = (pool: Tensor[], pick: (below: number) => number): Tensor => pool[pick(pool.length)];

/** A tensor of the pool that broadcasts with another one. */
function partner(pool: Tensor[], x: Tensor, pick: (below: number) => number): Tensor | number {
  const fitting = pool.filter((y) =>
    y.shape.every((size, k) => {
      const other = x.shape[x.rank - y.rank + k];
      return other === undefined || size === 1 || other === 1 || size === other;
    }),
  );
  const k = pick(fitting.length + 1);
  return k === fitting.length ? pick(7) - 3 : fitting[k];
}

/** True if elements share memory, so that a write throws. */
const isExpanded = (x: Tensor): boolean => x.stride.some((step, k) => step === 0 && x.shape[k] > 1);

const steps: readonly Step[] = [
  (pool, pick) => {
    const x = any(pool, pick);
    return x.add(partner(pool, x, pick)) as Tensor;
  },
  (pool, pick) => {
    const x = any(pool, pick);
    return x.mul(partner(pool, x, pick)) as Tensor;
  },
  (pool, pick) => {
    const x = any(pool, pick);
    return sw.maximum(x, sw.tensor(0.25) as Tensor) as Tensor;
  },
  (pool, pick) => any(pool, pick).relu() as Tensor,
  (pool, pick) => any(pool, pick).neg() as Tensor,
  (pool, pick) => any(pool, pick).tanh() as Tensor,
  (pool, pick) => any(pool, pick).T as Tensor,
  (pool, pick) => {
    const x = any(pool, pick);
    return x.rank < 2 ? (x.unsqueeze(0) as Tensor) : (x.transpose(0, pick(x.rank)) as Tensor);
  },
  (pool, pick) => {
    const x = any(pool, pick);
    if (x.rank === 0) return null;
    const axis = pick(x.rank);
    const size = x.shape[axis];
    const start = pick(size);
    return x.slice(axis, start, start + 1 + pick(size - start)) as Tensor;
  },
  (pool, pick) => {
    const x = any(pool, pick);
    if (x.rank === 0) return null;
    const axis = pick(x.rank);
    return x.select(axis, pick(x.shape[axis])) as Tensor;
  },
  (pool, pick) => any(pool, pick).reshape(-1) as Tensor,
  (pool, pick) => {
    const x = any(pool, pick);
    return x.rank >= 4 ? null : (x.unsqueeze(pick(x.rank + 1)) as Tensor);
  },
  (pool, pick) => {
    const x = any(pool, pick);
    if (x.rank === 0) return null;
    return x.sum(pick(x.rank), { keepdims: pick(2) === 0 }) as Tensor;
  },
  (pool, pick) => {
    const x = any(pool, pick);
    return x.rank === 0 ? null : (sw.softmax(x, pick(x.rank)) as Tensor);
  },
  (pool, pick) => {
    const x = any(pool, pick);
    return x.rank === 0 ? null : (sw.layerNorm(x, [x.shape[x.rank - 1]]) as Tensor);
  },
  (pool, pick) => {
    const x = any(pool, pick);
    return x.rank < 2 ? null : (x.matmul(x.mT) as Tensor);
  },
  (pool, pick) => {
    const x = any(pool, pick);
    return x.rank === 0 ? null : (sw.cat([x, x.neg() as Tensor], pick(x.rank)) as Tensor);
  },
  (pool, pick) => {
    const x = any(pool, pick);
    return sw.where(x.gt(0), x, partner(pool, x, pick) as Tensor) as Tensor;
  },
  (pool, pick) => any(pool, pick).clone() as Tensor,
  (pool, pick) => {
    const x = any(pool, pick);
    return x.rank === 0 ? null : (x.pick([0, x.shape[0] - 1]) as Tensor);
  },
  // What passes remove: neutral numbers, copies, inverse views, calls that were made before, constants.
  (pool, pick) => any(pool, pick).mul(1) as Tensor,
  (pool, pick) => any(pool, pick).neg().neg() as Tensor,
  (pool, pick) => any(pool, pick).clone().relu().relu() as Tensor,
  (pool, pick) => {
    const x = any(pool, pick);
    return x.rank < 2 ? null : (x.mT.mT as Tensor);
  },
  (pool, pick) => any(pool, pick).to("float64").to("float32") as Tensor,
  (pool, pick) => {
    const x = any(pool, pick);
    return x.tanh().add(x.tanh()) as Tensor;
  },
  (pool, pick) => any(pool, pick).add(sw.tensor([3]).mul(2).exp()) as Tensor,
  // Writes in place, to what the pool has: values, views and arguments.
  (pool, pick) => {
    const x = any(pool, pick);
    if (isExpanded(x)) return null;
    x.add_(0.5);
    return x;
  },
  (pool, pick) => {
    const x = any(pool, pick);
    const y = partner(pool, x, pick);
    if (
      isExpanded(x) ||
      typeof y === "number" ||
      y.rank > x.rank ||
      y.shape.some((size, k) => size !== 1 && size !== x.shape[x.rank - y.rank + k])
    )
      return null;
    x.copy_(y.clone() as Tensor);
    return x;
  },
  (pool, pick) => {
    const x = any(pool, pick);
    if (isExpanded(x) || x.rank === 0) return null;
    x.select(0, pick(x.shape[0])).fill_(pick(5));
    return x;
  },
];

/** A random function. It makes the same choices in every call. */
function randomFunction(seed: number): (...inputs: Tensor[]) => Tensor[] {
  return (...inputs) => {
    const pick = numbersFrom(seed);
    const pool = [...inputs];
    const results: Tensor[] = [];
    const count = 1 + pick(20);
    for (let k = 0; k < count; k++) {
      const t = steps[pick(steps.length)](pool, pick);
      if (t === null || t.size > 4096 || t.size === 0 || t.rank > 5) continue;
      pool.push(t);
      if (pick(4) === 0) results.push(t);
    }
    return [...results, pool[pool.length - 1]];
  };
}

const cases = graphCases(400);

function inputsOf(seed: number, round: number): Tensor[] {
  const pick = numbersFrom(seed + 77);
  sw.manualSeed(seed * 10 + round);
  // Products of more rows and columns are fused with their layout.
  const least = seed % 8 === 0 ? 17 : 1;
  const [m, n] = [least + pick(5), least + pick(6)];
  return [sw.randn([m, n]), sw.randn([n]), sw.randn([2, m, n]).transpose(0, 1)] as Tensor[];
}

/** The passes for a seed: all, none, or all but one, in turn. */
function variantOf(seed: number): readonly sw.Pass[] {
  const off = (seed % (graphPasses.length + 2)) - 2;
  return off === -1 ? [] : graphPasses.filter((_, k) => k !== off);
}

test(
  "random functions, with each pass switched off in turn",
  async () => {
    await forSeeds(cases, (seed) => {
      const fn = randomFunction(seed);
      const fast = compile(fn, { passes: variantOf(seed), onPass: (name, graph) => checkGraph(graph, name) });
      for (let round = 0; round < 3; round++) {
        const [eager, compiled] = [inputsOf(seed, round), inputsOf(seed, round)];
        const wanted = fn(...eager);
        const results = fast(...compiled);
        [...wanted, ...eager].forEach((want, k) => {
          const got = [...results, ...compiled][k];
          const where = `seed ${seed}, call ${round}, result ${k} of ${wanted.length}`;
          expect(got.shape, where).toEqual(want.shape);
          expect(haveSameElements(got, want), `${where}\n${got}\n${want}`).toBe(true);
        });
        if (round !== 2) continue;
        const parsed = reparsed(fast.graph(), `seed ${seed}`);
        expectInterpreted(parsed, inputsOf(seed, round), wanted, eager, `seed ${seed}, call ${round}`);
      }
      expect(fast.explain(), `seed ${seed}`).not.toContain("ran eagerly: an argument");
    });
  },
  graphTimeout,
);

test(
  "random functions at several sizes",
  async () => {
    let symbolic = 0;
    await forSeeds(Math.ceil(cases / 8), (seed) => {
      const fn = randomFunction(seed);
      const fast = compile(fn);
      const inputs = (size: number): Tensor[] => {
        sw.manualSeed(seed + size);
        return [sw.randn([2, size]), sw.randn([size]), sw.randn([2, 2, size])] as Tensor[];
      };
      const sizes = [6, 6, 9];
      for (const size of sizes) fast(...inputs(size));
      const parsed = reparsed(fast.graph(), `seed ${seed}`);
      if (`${parsed}`.includes("symbol n: 0..")) symbolic++;
      for (const size of sizes) {
        const eager = inputs(size);
        const wanted = fn(...eager);
        // Functions may branch on sizes: then they have several graphs, and each is that of its sizes.
        if (fast(...inputs(size)).length === parsed.outputs.length && fast.explain().includes(": 1 graph,"))
          expectInterpreted(parsed, inputs(size), wanted, eager, `seed ${seed}, size ${size}`);
      }
    });
    expect(symbolic).toBeGreaterThan(cases / 16);
  },
  graphTimeout,
);
