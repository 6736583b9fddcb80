/**
 * Views with negative steps: random functions that read and write through them return the same when they are compiled, and have the same
 * gradients, bit for bit.
 */
import { describe, expect, test } from "vitest";
import { compile } from "../../src/graph/compile/compile.ts";
import { checkGraph } from "../../src/graph/verify.ts";
import * as sw from "../../src/index.ts";
import { forSeeds, graphCases, graphTimeout } from "../support/graph-cases.ts";
import { bitsOf, reparsed } from "../support/graph-laws.ts";

type Tensor = sw.Tensor;

/** A sequence of numbers below a bound, by a seed. */
function numbersFrom(seed: number): (below: number) => number {
  const generator = new sw.Generator(seed);
  return (below) => generator.integers(1, 0, below)[0];
}

type Pick = (below: number) => number;

/** A view of a tensor with one to three slices, of steps from -3 to 3; at times transposed. */
function viewIn(t: Tensor, pick: Pick): Tensor {
  let x = t;
  for (let k = 0; k <= pick(3); k++) {
    if (x.rank === 0) return x;
    const axis = pick(x.rank);
    const size = x.shape[axis];
    if (pick(5) === 0) x = x.T as Tensor;
    else if (pick(6) === 0) x = x.select(axis, pick(size)) as Tensor;
    else if (pick(3) > 0) x = x.slice(axis, null, null, -1 - pick(3)) as Tensor;
    else x = x.slice(axis, pick(size), null, 1 + pick(2)) as Tensor;
  }
  return x;
}

const writes: readonly ((view: Tensor, pick: Pick) => unknown)[] = [
  (view) => view.add_(1),
  (view) => view.mul_(view.clone()),
  (view) => view.relu_(),
  (view, pick) => view.fill_(pick(9)),
  (view) => view.copy_(view.exp() as Tensor),
  (view) => view.copy_((view.rank === 0 ? view.neg() : view.clone().slice(0, null, null, -1)) as Tensor),
  (view, pick) => view.assign(pick(5)),
  (view) => sw.sin(view.clone() as Tensor, { out: view }),
  (view) => sw.add(view, view.clone() as Tensor, { out: view } as never),
];

/** A random function of an argument, a captured tensor and new tensors. It makes the same choices in every call. */
function randomFunction(seed: number, captured: Tensor): (...inputs: Tensor[]) => Tensor[] {
  return (x, y) => {
    const pick = numbersFrom(seed);
    const own = pick(2) === 0 ? x.tanh() : x.mT.exp();
    const pool = [x, y, captured, own as Tensor];
    const results: Tensor[] = [];
    for (let k = 0; k < 1 + pick(5); k++) {
      const base = pool[pick(pool.length)];
      const view = viewIn(base, pick);
      if (view.size === 0) continue;
      // A value from before the write stays in use.
      const before = pick(2) === 0 ? viewIn(base, pick).mul(2) : null;
      writes[pick(writes.length)](view, pick);
      if (pick(3) === 0) pool.push(view);
      if (pick(3) === 0) results.push(view);
      if (before !== null) results.push(before as Tensor);
      if (pick(3) === 0) results.push(view.relu() as Tensor);
    }
    return [...results, own as Tensor];
  };
}

const cases = graphCases(120);

function inputsOf(seed: number, round: number): Tensor[] {
  sw.manualSeed(seed * 10 + round);
  const [m, n] = [2 + (seed % 4), 2 + (seed % 3)];
  return [sw.rand([m, n]), seed % 2 === 0 ? sw.rand([m, n]).slice(0, null, null, -1) : sw.rand([n, m, 2])] as Tensor[];
}

test(
  "random functions that write through views",
  async () => {
    await forSeeds(cases, (seed) => {
      const captures = [0, 1].map(() =>
        viewIn(sw.arange(12).reshape([3, 4]).to("float32") as Tensor, numbersFrom(seed)),
      );
      const functions = captures.map((each) => randomFunction(seed, each));
      const fast = compile(functions[1], { onPass: (name, graph) => checkGraph(graph, name) });
      for (let round = 0; round < 4; round++) {
        const [eager, compiled] = [inputsOf(seed, round), inputsOf(seed, round)];
        const where = `seed ${seed}, call ${round}`;
        const wanted = functions[0](...eager);
        const results = fast(...compiled);
        expect([...results, ...compiled, captures[1]].map(bitsOf), where).toEqual(
          [...wanted, ...eager, captures[0]].map(bitsOf),
        );
      }
      reparsed(fast.graph(), `seed ${seed}`);
    });
  },
  graphTimeout,
);

test(
  "gradients through views",
  async () => {
    await forSeeds(Math.ceil(cases / 2), (seed) => {
      const write = numbersFrom(seed + 5)(3);
      const fn = (x: Tensor, weight: Tensor): Tensor => {
        const pick = numbersFrom(seed);
        const y = x.mul(weight) as Tensor;
        const view = viewIn(y, pick);
        if (write > 0) view.mul_(viewIn(weight, numbersFrom(seed)).sin());
        if (write > 1 && view.rank > 0) view.slice(0, null, null, -1).copy_(view.exp() as Tensor);
        const read = viewIn(y, pick);
        return read.mul(sw.arange(read.size).reshape(read.shape)).sum().add(y.square().sum()) as Tensor;
      };
      const fast = compile(fn);
      const step = (x: Tensor, weight: Tensor): Tensor[] => {
        weight.zeroGrad();
        fn(x, weight).backward();
        return [(weight.grad as Tensor).clone() as Tensor];
      };
      const [weight, other] = [0, 1].map(() => {
        sw.manualSeed(seed);
        return (sw.rand([3, 4]) as Tensor).requiresGrad_(true) as Tensor;
      });
      const fastStep = compile(step);
      for (let round = 0; round < 3; round++) {
        const x = sw.rand([3, 4]) as Tensor;
        const wanted = step(x, weight);
        const where = `seed ${seed}, call ${round}`;
        expect(fastStep(x, other).map(bitsOf), `${where}, training step`).toEqual(wanted.map(bitsOf));
        other.zeroGrad();
        fast(x, other).backward();
        expect(bitsOf(other.grad as Tensor), `${where}, two programs`).toEqual(bitsOf(wanted[0]));
        other.zeroGrad();
      }
    });
  },
  graphTimeout,
);

describe("a write to a view with a negative step", () => {
  const cases: Record<string, (view: Tensor) => unknown> = {
    add_: (view) => view.add_(1),
    relu_: (view) => view.relu_(),
    fill_: (view) => view.fill_(7),
    copy_: (view) => view.copy_(sw.tensor([7, 8, 9])),
    assign: (view) => view.assign([7, 8, 9] as never),
    out: (view) => sw.add(sw.tensor([7, 8, 9]), 1, { out: view } as never),
  };
  test.each(Object.entries(cases))("%s", (_name, write) => {
    const fn = (x: Tensor): Tensor => {
      const w = x.exp() as Tensor;
      write(w.slice(0, null, null, -1) as Tensor);
      return w;
    };
    const fast = compile(fn);
    for (let k = 0; k < 4; k++) {
      const x = sw.randn([3]) as Tensor;
      expect(fast(x).toArray()).toEqual(fn(x).toArray());
    }
  });
});

test("values of control flow with negative steps", () => {
  const back = (x: Tensor): Tensor => x.slice(0, null, null, -1) as Tensor;
  const fn = (x: Tensor): Tensor[] => {
    const y = sw.cond(
      x.sum().gt(0) as Tensor,
      () => back(x.exp() as Tensor),
      () => back(x.neg() as Tensor),
    );
    y.slice(0, 1).add_(1);
    const { z } = sw.whileLoop(
      ({ k }) => k.lt(3) as Tensor,
      ({ k, z }) => {
        const next = back(z.add(1) as Tensor);
        back(next.slice(0, 1) as Tensor).mul_(2);
        return { k: k.add(1) as Tensor, z: next };
      },
      { k: sw.tensor(0) as Tensor, z: back(x) },
    );
    back(z).add_(x);
    const [last, rows] = sw.scan(
      (c: Tensor, row: Tensor) => [back(c.add(row) as Tensor), back(c)] as const,
      back(x),
      x.expand(3, -1),
    );
    return [y, z, last, rows] as Tensor[];
  };
  const fast = compile(fn, { onPass: (name, graph) => checkGraph(graph, name) });
  for (let k = 0; k < 5; k++) {
    const x = sw.randn([4]) as Tensor;
    expect(fast(x).map(bitsOf), `call ${k}`).toEqual(fn(x).map(bitsOf));
  }
});
