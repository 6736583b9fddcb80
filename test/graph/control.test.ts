/** Control flow: eager calls, compiled calls, gradients, random programs of nested branches and loops, and errors. */
import { describe, expect, test } from "vitest";
import { checkGraph } from "../../src/graph/verify.ts";
import * as sw from "../../src/index.ts";
import { compile, cond, scan, whileLoop } from "../../src/index.ts";
import { ProgramBuilder } from "../../src/kernel/program/builder.ts";
import { formatProgram } from "../../src/kernel/program/print-program.ts";
import { forSeeds, graphCases, graphTimeout } from "../support/graph-cases.ts";
import { expectInterpreted, reparsed } from "../support/graph-laws.ts";
import { tensorsIn } from "../support/op-results.ts";
import { numbersFrom } from "../support/seeded-numbers.ts";

type Tensor = sw.Tensor;

const describeResult = (result: unknown): unknown => tensorsIn(result).map((t) => [t.dtype, t.shape, t.toArray()]);

/** Compares compiled calls with eager ones, for each list of arguments in turn; the first call is eager, the second one traces. */
function expectSame(
  fn: (...args: Tensor[]) => unknown,
  calls: readonly (() => Tensor[])[],
): ReturnType<typeof compile> {
  const fast = compile(fn);
  calls.forEach((args, k) => {
    sw.manualSeed(k);
    const eager = describeResult(fn(...args()));
    sw.manualSeed(k);
    expect(describeResult(fast(...args())), `call ${k}`).toEqual(eager);
  });
  return fast;
}

const parameter = sw.ones([2]).requiresGrad_() as unknown as Tensor;

const vector = (...values: number[]): Tensor => sw.tensor(values) as Tensor;

describe("cond", () => {
  const fn = (x: Tensor): Tensor =>
    cond(
      x.sum().gt(0) as Tensor,
      (y: Tensor) => y.mul(2).add(1) as Tensor,
      (y: Tensor) => y.neg() as Tensor,
      x,
    );

  test("runs one branch in each call", () => {
    const fast = expectSame(
      fn,
      [1, 2, -3, 4, -5].map((a) => () => [vector(a, 1)]),
    );
    expect(fast.graph().nodes.map(({ op }) => op.name)).toEqual(["sum", "gt", "view", "cond"]);
    expect(fast.graph().nodes[3].regions.map(({ nodes }) => nodes.map(({ op }) => op.name))).toEqual([
      ["mul", "add"],
      ["neg"],
    ]);
  });

  test("serves every size", () => {
    const fast = expectSame(
      fn,
      [2, 2, 3, 4, 3].map((n, k) => () => [sw.randn([n]).add(k % 2 === 0 ? 9 : -9) as Tensor]),
    );
    const [region] = fast.graph().nodes[3].regions;
    expect(region.outputs.map(({ type }) => type.shape.join())).toEqual(["n"]);
  });

  test("takes booleans, numbers in tensors, and captures", () => {
    const scale = vector(3, 4);
    expectSame(
      (x) => [
        cond(
          true,
          () => x.add(scale),
          () => x,
        ),
        cond(
          x.at(0) as Tensor,
          () => scale,
          () => x,
        ),
        cond(
          x.max() as Tensor,
          () => ({ a: x.T, b: [scale.mul(x)] }),
          () => ({ a: x, b: [x] }),
        ),
      ],
      [1, 1, 0, 2].map((a) => () => [vector(a, 0)]),
    );
  });

  test("draws random numbers in the branch that runs", () => {
    expectSame(
      (x) => [
        cond(
          x.sum().gt(0) as Tensor,
          () => sw.rand([3]),
          () => sw.zeros([3]),
        ),
        sw.rand([2]),
      ],
      [1, 1, -1, 1, -1].map((a) => () => [vector(a)]),
    );
  });

  test("has a gradient", () => {
    const weight = sw.randn([3, 3], { requiresGrad: true } as never) as Tensor;
    const step = (x: Tensor): Tensor[] => {
      const y = cond(
        x.sum().gt(0) as Tensor,
        () => x.matmul(weight).tanh().square() as Tensor,
        () => weight.mul(x).sin() as Tensor,
      );
      return sw.grad(y.mul(weight).sum() as Tensor, [weight]);
    };
    expectSame(
      step,
      [1, 1, -1, 1, -1].map((a) => () => [sw.ones([3, 3]).mul(a) as Tensor]),
    );
  });

  test("selects inside vmap", () => {
    const signs = (x: Tensor): Tensor =>
      cond(
        x.gt(0) as Tensor,
        () => x.mul(10) as Tensor,
        () => x.neg() as Tensor,
      );
    expect(
      sw
        .vmap(signs)(vector(1, -2, 3))
        .toArray(),
    ).toEqual([10, 2, 30]);
    expectSame(
      (x) => sw.vmap(signs)(x),
      [1, 2, 3].map((a) => () => [vector(a, -a, 2)]),
    );
    const common = (x: Tensor, flag: Tensor): unknown =>
      sw.vmap((row: Tensor) =>
        cond(
          flag,
          () => row.exp() as Tensor,
          () => row as Tensor,
        ),
      )(x);
    expectSame(
      common,
      [1, 0, 1, 0].map((a) => () => [sw.ones([2, 3]) as Tensor, sw.tensor(a) as Tensor]),
    );
  });
});

describe("whileLoop", () => {
  const collatz = (start: Tensor): { n: Tensor; steps: Tensor } =>
    whileLoop(
      ({ n }) => n.ne(1) as Tensor,
      ({ n, steps }) => ({
        n: cond(
          n.remainder(2).eq(0) as Tensor,
          () => n.floorDivide(2) as Tensor,
          () => n.mul(3).add(1) as Tensor,
        ),
        steps: steps.add(1) as Tensor,
      }),
      { n: start, steps: sw.tensor(0) as Tensor },
    );

  test("ends where the values say", () => {
    expectSame(
      collatz,
      [7, 7, 27, 1, 6].map((n) => () => [sw.tensor(n) as Tensor]),
    );
    const fast = compile(collatz);
    for (let k = 0; k < 3; k++) fast(sw.tensor(7) as Tensor);
    expect(fast(sw.tensor(27) as Tensor).steps.item()).toBe(111);
  });

  test("swaps, views and repeats parts of its state", () => {
    expectSame(
      (x, y) =>
        whileLoop(
          ({ k }) => k.lt(3) as Tensor,
          ({ a, b, m, k }) => ({ a: b, b: a.add(1) as Tensor, m: m.T as Tensor, k: k.add(1) as Tensor }),
          { a: x, b: y, m: sw.arange(9).reshape(3, 3) as Tensor, k: sw.tensor(0) as Tensor },
        ),
      [1, 1, 2].map((a) => () => [vector(a, 2), vector(5, a)]),
    );
  });

  test("runs no round", () => {
    expectSame(
      (x) =>
        whileLoop(
          (s: Tensor) => s.sum().gt(100) as Tensor,
          (s: Tensor) => s.mul(0.5) as Tensor,
          x,
        ),
      [1, 1, 100, 2].map((a) => () => [vector(a, 2).T as Tensor]),
    );
  });

  test("draws random numbers in each iteration", () => {
    expectSame(
      (x) =>
        whileLoop(
          (s: Tensor) => s.sum().lt(5) as Tensor,
          (s: Tensor) => s.add(sw.rand([2])) as Tensor,
          x,
        ),
      [1, 1, 0, 4, 0].map((a) => () => [vector(a, 0)]),
    );
  });

  test("nests", () => {
    expectSame(
      (x) =>
        whileLoop(
          ([, k]) => k.lt(4) as Tensor,
          ([s, k]) => {
            const [inner] = whileLoop(
              ([, j]) => j.lt(k) as Tensor,
              ([t, j]) => [t.mul(1.5).add(k) as Tensor, j.add(1) as Tensor] as const,
              [s, sw.tensor(0) as Tensor] as const,
            );
            return [inner.sub(x) as Tensor, k.add(1) as Tensor] as const;
          },
          [x, sw.tensor(0) as Tensor] as const,
        ),
      [1, 1, 2].map((a) => () => [vector(a, 2, 3)]),
    );
  });

  test("is refused in a backward pass", () => {
    const w = sw.tensor(2, { requiresGrad: true } as never) as Tensor;
    const fn = (x: Tensor): unknown =>
      sw.grad(
        whileLoop(
          (s: Tensor) => s.lt(9) as Tensor,
          (s: Tensor) => s.mul(w) as Tensor,
          x,
        ) as Tensor,
        [w],
      );
    const fast = compile(fn);
    expect(describeResult(fast(sw.tensor(1) as Tensor))).toEqual([["float32", [], 32]]);
    expect(() => fast(sw.tensor(1) as Tensor)).toThrow(
      "backward: a compiled whileLoop has no gradient, because its number of iterations is not known. Use scan",
    );
  });
});

describe("scan", () => {
  const cumulate = (x: Tensor, options: sw.ScanLoopOptions = {}): unknown =>
    scan(
      (sum: Tensor, row: Tensor) => {
        const next = sum.add(row) as Tensor;
        return [next, { next: next.mul(2) as Tensor, row }] as const;
      },
      sw.zeros([2]) as Tensor,
      x,
      options,
    );

  test("stacks outputs", () => {
    const [sum, ys] = cumulate(
      sw.tensor([
        [1, 2],
        [3, 4],
        [5, 6],
      ]) as Tensor,
    ) as [Tensor, { next: Tensor }];
    expect([sum.toArray(), ys.next.toArray()]).toEqual([
      [9, 12],
      [
        [2, 4],
        [8, 12],
        [18, 24],
      ],
    ]);
    for (const reverse of [false, true])
      expectSame(
        (x) => cumulate(x, { reverse }),
        [3, 3, 5, 1, 3].map((n) => () => [sw.randn([n, 2]) as Tensor]),
      );
  });

  test("runs over several tensors, strided ones too, and over no rows", () => {
    expectSame(
      (x, y) =>
        scan(
          ([a, k]: readonly [Tensor, Tensor], { p, q }: { p: Tensor; q: Tensor }) =>
            [
              [a.mul(p.sum()).add(q) as Tensor, k.add(1) as Tensor],
              [a, q.gt(0)],
            ] as const,
          [sw.ones([3]) as Tensor, sw.tensor(0) as Tensor] as const,
          { p: x.T as Tensor, q: y.slice(0, 1) as Tensor },
        ),
      [4, 4, 2, 1, 3].map((n) => () => [sw.randn([2, n]) as Tensor, sw.randn([n + 1, 3]) as Tensor]),
    );
    const empty = (x: Tensor): unknown => cumulate(x.slice(0, 0, 0) as Tensor);
    expectSame(
      empty,
      [3, 3, 2].map((n) => () => [sw.randn([n, 2]) as Tensor]),
    );
  });

  test("has a gradient", () => {
    const [w, u] = [sw.randn([3, 3]), sw.randn([3])].map((t) => t.requiresGrad_()) as unknown as Tensor[];
    const fn = (x: Tensor): Tensor[] => {
      const [last, ys] = scan(
        (h: Tensor, row: Tensor) => {
          const next = h.matmul(w).add(row.mul(u)).tanh() as Tensor;
          return [next, next.square() as Tensor] as const;
        },
        sw.zeros([3]) as Tensor,
        x,
      );
      return [last, ...sw.grad(last.sum().add(ys.mul(x).sum()) as Tensor, [w, u])].map((t) => t.detach() as Tensor);
    };
    const fast = compile(fn);
    for (const n of [4, 4, 3, 5, 4]) {
      const x = sw.randn([n, 3]) as Tensor;
      const [eager, compiled] = [fn(x), fast(x)];
      eager.forEach((t, k) => {
        expect(sw.allclose(compiled[k], t, { rtol: 1e-5, atol: 1e-6 }), `${n} rows, result ${k}`).toBe(true);
      });
    }
    expect(fast.graph().nodes.filter(({ op }) => op.name === "scan")).toHaveLength(2);
  });

  test("has gradients of gradients", () => {
    const fn = (x: Tensor): Tensor[] => {
      const leaf = x.detach().requiresGrad_() as Tensor;
      const [last] = scan(
        (h: Tensor, row: Tensor) => [h.mul(row).sin() as Tensor, null] as const,
        sw.ones([2]) as Tensor,
        leaf,
      );
      const [first] = sw.grad(last.sum() as Tensor, [leaf], { createGraph: true });
      return sw.grad(first.square().sum() as Tensor, [leaf]);
    };
    const fast = compile(fn);
    for (let k = 0; k < 4; k++) {
      const x = sw.randn([3, 2]) as Tensor;
      expect(sw.allclose(fast(x)[0], fn(x)[0], { rtol: 1e-5, atol: 1e-6 }), `call ${k}`).toBe(true);
    }
  });

  test("is unrolled inside vmap and jvp", () => {
    const last = (x: Tensor): Tensor =>
      scan((h: Tensor, row: Tensor) => [h.mul(0.5).add(row).sin() as Tensor, h] as const, sw.zeros([]) as Tensor, x)[0];
    expectSame(
      (x) => sw.vmap(last)(x),
      [1, 2, 3].map(() => () => [sw.randn([2, 3]) as Tensor]),
    );
    expectSame(
      (x) => sw.jvp(last, x, sw.ones([3]) as Tensor).tangent,
      [1, 2, 3].map(() => () => [sw.randn([3]) as Tensor]),
    );
  });
});

/** A random program over tensors of one shape: ops, branches and loops, nested up to three deep. It makes the same choices in every call. */
function randomProgram(seed: number, size: number): (...inputs: Tensor[]) => Tensor[] {
  const block = (number: number, depth: number, pool: readonly Tensor[]): Tensor[] => {
    const pick = numbersFrom(seed * 1000 + number);
    const values = [...pool];
    const any = (): Tensor => values[pick(values.length)];
    const inner =
      (k: number) =>
      (more: readonly Tensor[]): Tensor[] =>
        block(number * 7 + k + 1, depth + 1, [...more, ...values]);
    const count = 1 + pick(4);
    for (let k = 0; k < count; k++) {
      const kind = pick(depth < 2 ? 10 : 6);
      if (kind === 0) values.push(any().add(any()) as Tensor);
      else if (kind === 1) values.push(any().mul(0.5).sub(any()) as Tensor);
      else if (kind === 2) values.push(any().matmul(sw.softmax(any(), 1)) as Tensor);
      else if (kind === 3) values.push(any().T as Tensor);
      else if (kind === 4) {
        const t = any().clone() as Tensor;
        t.at(0).add_(any().at(size - 1));
        values.push(t);
      } else if (kind === 5) values.push(any().tanh() as Tensor);
      else if (kind === 6) {
        const [x, run] = [any(), inner(k)];
        const branch = (by: number) => (): Tensor[] => run([x.add(by) as Tensor]).slice(-2);
        values.push(
          ...cond(
            any()
              .sum()
              .gt(pick(5) - 2) as Tensor,
            branch(1),
            branch(2),
          ),
        );
      } else if (kind === 7) {
        const [x, run, rounds] = [any(), inner(k), pick(4)];
        const [, last] = whileLoop(
          ([j]) => j.lt(rounds) as Tensor,
          ([j, s]) => [j.add(1) as Tensor, run([s]).at(-1)?.tanh() as Tensor] as const,
          [sw.tensor(0) as Tensor, x] as const,
        );
        values.push(last);
      } else {
        const [x, rows, run] = [any(), any(), inner(k)];
        const [carry, ys] = scan(
          (c: Tensor, row: Tensor) =>
            [
              run([c.add(row) as Tensor])
                .at(-1)
                ?.tanh() as Tensor,
              row.sub(c.sum(0)) as Tensor,
            ] as const,
          x,
          rows,
          { reverse: kind === 9 },
        );
        values.push(carry, ys);
      }
    }
    return values.slice(pool.length - 1);
  };
  return (...inputs) => block(1, 0, inputs);
}

test(
  "random programs",
  async () => {
    await forSeeds(graphCases(60), (seed) => {
      for (const size of [1 + (seed % 3), 4]) {
        const fn = randomProgram(seed, size);
        const fast = compile(fn, { onPass: (name, graph) => checkGraph(graph, name) });
        for (let round = 0; round < 4; round++) {
          sw.manualSeed(seed * 10 + round);
          const inputs = [sw.randn([size, size]), sw.randn([size, size]).T] as Tensor[];
          const [eager, compiled] = [fn(...inputs), fast(...inputs)];
          eager.forEach((t, k) => {
            expect(
              [compiled[k].shape, compiled[k].toArray()],
              `seed ${seed}, size ${size}, call ${round}, result ${k}`,
            ).toEqual([t.shape, t.toArray()]);
          });
          if (round < 3) continue;
          const where = `seed ${seed}, size ${size}`;
          sw.manualSeed(seed * 10 + round);
          sw.randn([size, size]);
          sw.randn([size, size]);
          expectInterpreted(reparsed(fast.graph(), where), inputs, eager, inputs, where);
        }
      }
    });
  },
  graphTimeout,
);

describe("errors", () => {
  const x = (): Tensor => vector(1, 2);
  const one = (): Tensor => sw.tensor(1) as Tensor;
  const positive = (s: Tensor): Tensor => s.sum().gt(0) as Tensor;

  /** Runs a function eagerly, then traces it, and returns the message of the trace. */
  function traceError(fn: (x: Tensor) => unknown): string {
    const fast = compile(fn);
    fast(x());
    try {
      fast(x());
    } catch (error) {
      return String(error);
    }
    return "";
  }

  test.each([
    [
      "the first branch, but in the second",
      (y: Tensor) =>
        cond(
          positive(y),
          () => y,
          () => y.sum() as Tensor,
        ),
      "GraphError: cond: result is float32[2] in the first branch, but in the second one float32[]. Return the same structure",
    ],
    [
      "structure",
      (y: Tensor) =>
        cond<[], unknown>(
          positive(y),
          () => [y, { a: y }],
          () => [y, { b: y }],
        ),
      "GraphError: cond: result[1].a is float32[2] in the first branch, but in the second one nothing.",
    ],
    [
      "a captured tensor is written",
      (y: Tensor) =>
        cond(
          positive(y),
          () => y.add_(1) as Tensor,
          () => y,
        ),
      "GraphError: compile: a call of add writes to a tensor from outside of then, but the functions of cond, whileLoop and scan may write to tensors that they create only. Return the new value, or write to a clone()",
    ],
    [
      "the state is written",
      (y: Tensor) =>
        whileLoop(
          (s: Tensor) => s.sum().lt(9) as Tensor,
          (s: Tensor) => s.clone().add(s.add_(1)) as Tensor,
          y,
        ),
      "GraphError: compile: a call of add writes to an argument of body",
    ],
    [
      "a view of a captured tensor is written",
      (y: Tensor) =>
        cond(
          positive(y),
          () => y.at(0).fill_(3) as Tensor,
          () => y.at(0) as Tensor,
        ),
      "GraphError: compile: a call of fill_ writes to a tensor from outside of then",
    ],
    [
      "a boolean condition",
      (y: Tensor) =>
        whileLoop(
          () => false,
          (s: Tensor) => s,
          y,
        ),
      "GraphError: whileLoop: condFn returned a boolean, which a compiled function cannot compute again in each iteration.",
    ],
    [
      "a tensor leaves its region",
      (y: Tensor) => {
        const kept: Tensor[] = [];
        cond(
          positive(y),
          () => kept[kept.push(y.mul(2) as Tensor) - 1],
          () => y,
        );
        return kept[0]?.add(1);
      },
      "GraphError: compile: a tensor of another trace is used",
    ],
    [
      "an accumulated gradient",
      (y: Tensor) => {
        const w = parameter;
        w.grad = null;
        return cond(
          positive(y),
          () => {
            w.mul(y).sum().backward();
            return y;
          },
          () => y,
        );
      },
      "GraphError: compile: then accumulates a gradient in a tensor from outside of it. Return the gradient instead: grad(loss, [tensor])",
    ],
    [
      "a read",
      (y: Tensor) => (Number(y.sum().item()) > 0 ? y : y.neg()),
      "Instead of item(), toArray() and branches on values, use where, cond or whileLoop",
    ],
  ])("%s", (_name, fn, message) => {
    expect(traceError(fn as (x: Tensor) => unknown)).toContain(message);
  });

  test("reads name their line", () => {
    expect(traceError((y) => Number(y.sum().item()))).toContain("control.test.ts:");
  });

  test("eager calls", () => {
    const state = [x(), one()];
    expect(() => whileLoop(positive as never, (s: Tensor) => s.to("float64") as Tensor, x())).toThrow(
      "GraphError: whileLoop: state is float32[2], but the next one is float64[2]. A state keeps its structure, dtypes and shapes: convert it with to(dtype)".slice(
        12,
      ),
    );
    expect(() =>
      whileLoop(
        ([a]) => positive(a),
        ([a, b]) => [a.add(1), b.unsqueeze(0)] as Tensor[],
        state,
      ),
    ).toThrow("whileLoop: state[1] is float32[], but the next one is float32[1].");
    expect(() => whileLoop(positive as never, (s: never) => s, [x(), 1] as never)).toThrow(
      "whileLoop: needs state[1] to be a tensor, or a list or plain object of tensors; wrap numbers: tensor(0), got 1",
    );
    expect(() =>
      cond(
        x(),
        () => 1,
        () => 2,
      ),
    ).toThrow("cond: the predicate must have one element, got shape [2]");
    expect(() =>
      cond(
        1 as never,
        () => 1,
        () => 2,
      ),
    ).toThrow("cond: needs the predicate to be a boolean or a tensor");
    expect(() => scan((c: Tensor) => [c, c] as const, x(), one())).toThrow("scan: xs has no axes");
    expect(() => scan((c: Tensor) => [c, c] as const, x(), [x(), sw.ones([3])] as Tensor[])).toThrow(
      "scan: xs[0] has 2 rows and xs[1] 3. Pass tensors with equal first axes",
    );
    expect(() => scan((c: Tensor) => c as never, x(), x())).toThrow("scan: needs fn to return [carry, y]");
    expect(() => scan((c: Tensor, row: Tensor) => [row, c] as const, x(), x())).toThrow(
      "scan: carry is float32[2], but the next one is float32[].",
    );
  });
});

test("a program with a loop and a branch as text", () => {
  const builder = new ProgramBuilder();
  const steps = (name: string) => (b: ProgramBuilder) => b.add({ kind: "host", name, run: () => undefined });
  builder.loop(
    "the condition is true",
    (b) => {
      steps("test")(b);
      return () => false;
    },
    (b) => b.choose("the predicate is true", () => true, steps("one"), steps("other")),
  );
  expect(formatProgram(builder.finish())).toEqual([
    "loop:",
    "  host test",
    "  stop unless the condition is true",
    "  if the predicate is true:",
    "    host one",
    "  otherwise:",
    "    host other",
  ]);
});
