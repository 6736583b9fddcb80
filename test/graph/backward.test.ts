/** Compiled functions whose outputs require gradients: one node, whose gradients equal the eager ones, bit for bit. */
import { describe, expect, test } from "vitest";
import * as sw from "../../src/index.ts";
import { compile } from "../../src/index.ts";
import { BatchNorm1d, Dropout, GELU, LayerNorm, Linear, LSTM, Sequential } from "../../src/nn/index.ts";
import { SGD } from "../../src/optim/index.ts";

type Tensor = sw.Tensor;

const leaf = (...shape: number[]): Tensor => (sw.randn(shape) as Tensor).requiresGrad_() as Tensor;

const network = () => {
  sw.manualSeed(5);
  return new Sequential(
    ...([
      new Linear(6, 8),
      new LayerNorm(8),
      new GELU(),
      new BatchNorm1d(8),
      new Dropout(0.25),
      new Linear(8, 3),
    ] as Linear[]),
  );
};

test("forward and backward pass of a network are programs", () => {
  const [eager, compiled] = [network(), network()];
  let calls = 0;
  const fast = compile((x: Tensor) => {
    calls++;
    return compiled.forward(x) as Tensor;
  });
  for (let k = 0; k < 8; k++) {
    sw.manualSeed(k);
    const x = leaf(5 + (k > 5 ? 1 : 0), 6);
    const y = x.detach().requiresGrad_() as Tensor;
    sw.manualSeed(k);
    const a = eager.forward(x) as Tensor;
    sw.manualSeed(k);
    const b = fast(y);
    expect(b.toArray(), `call ${k}`).toEqual(a.toArray());
    if (k > 0) expect(String(b.gradFn)).toBe("<CompiledBackward>");
    a.square().sum().backward();
    b.square().sum().backward();
    expect(y.grad?.toArray(), `gradient of x in call ${k}`).toEqual(x.grad?.toArray());
    const all = [eager, compiled].map((model) =>
      [...model.parameters().map((p) => p.grad as Tensor), ...Object.values(model.stateDict())].map((t) => t.toArray()),
    );
    expect(all[1], `parameters and buffers in call ${k}`).toEqual(all[0]);
  }
  // One eager call, two traces, and one for a different size.
  expect(calls).toBe(4);
  expect(fast.explain()).toContain("2 instances");
});

test("a loss outside of the compiled function, with an optimizer", () => {
  const setup = () => {
    const model = network();
    return { model, optimizer: new SGD(model.parameters(), { lr: 0.1, momentum: 0.9 }) };
  };
  const [a, b] = [setup(), setup()];
  const forward = compile((x: Tensor) => b.model.forward(x) as Tensor);
  const step = ({ optimizer }: ReturnType<typeof setup>, run: (x: Tensor) => Tensor, k: number): unknown => {
    sw.manualSeed(k);
    const [x, y] = [sw.randn([4, 6]), sw.randn([4, 3])] as Tensor[];
    optimizer.zeroGrad();
    const loss = sw.mseLoss(run(x), y) as Tensor;
    loss.backward();
    optimizer.step();
    return loss.item();
  };
  for (let k = 0; k < 20; k++)
    expect(step(b, forward, k), `step ${k}`).toBe(step(a, (x) => a.model.forward(x) as Tensor, k));
});

test("several outputs, nested results, and gradients of some of them", () => {
  const w = leaf(4, 4);
  const fn = ({ x, y }: { x: Tensor; y: Tensor }) => {
    const h = x.matmul(w).tanh() as Tensor;
    return { h, parts: [h.mul(y).sum(0), h.detach().argmax(1)], constant: sw.ones([2]) } as const;
  };
  const fast = compile(fn);
  for (let k = 0; k < 4; k++) {
    const [x, y] = [leaf(3, 4), sw.randn([3, 4]) as Tensor];
    const [a, b] = [fn({ x, y }), fast({ x, y })];
    const losses = [a, b].map(({ h, parts }) => (k % 2 === 0 ? h.exp().sum() : parts[0].square().sum()) as Tensor);
    const [one, other] = losses.map((loss) => sw.grad(loss, [x, w]).map((t) => t.toArray()));
    expect(other).toEqual(one);
    expect(b.parts[1].toArray()).toEqual(a.parts[1].toArray());
    expect([b.h.requiresGrad, b.parts[1].requiresGrad, b.constant.requiresGrad]).toEqual([true, false, false]);
  }
});

test("recurrent layers and control flow", () => {
  sw.manualSeed(1);
  const lstm = new LSTM(3, 4);
  const fns: ((x: Tensor) => Tensor)[] = [
    (x) => lstm.forward(x).output as Tensor,
    (x) =>
      sw.cond(
        x.sum().gt(0) as Tensor,
        () => x.mul(2).sin() as Tensor,
        () => x.exp() as Tensor,
      ),
    (x) => x.T.contiguous().mul(x.sum()).reshape(-1) as Tensor,
  ];
  for (const fn of fns) {
    const fast = compile(fn);
    for (let k = 0; k < 4; k++) {
      const x = leaf(5, 2, 3);
      const [one, other] = [fn, fast].map((run) => {
        const y = run(x);
        return [y, ...sw.grad(y.mul(y).sum() as Tensor, [x])].map((t) => t.detach().toArray());
      });
      expect(other).toEqual(one);
    }
  }
});

describe("semantics of autograd", () => {
  const w = leaf(3, 3);
  const fn = (x: Tensor): Tensor => x.matmul(w).sin() as Tensor;
  const ready = (): ((x: Tensor) => Tensor) => {
    const fast = compile(fn);
    fast(leaf(2, 3));
    fast(leaf(2, 3));
    return fast;
  };

  test("versions of saved tensors are checked", () => {
    const fast = ready();
    const x = leaf(2, 3);
    const y = fast(x);
    sw.noGrad(() => w.add_(1));
    expect(() => y.sum().backward()).toThrow("has been modified by an in-place operation");
    const z = fast(x);
    sw.noGrad(() => x.mul_(2));
    expect(() => z.sum().backward()).toThrow("has been modified by an in-place operation");
  });

  test("a second backward pass needs retainGraph", () => {
    const y = ready()(leaf(2, 3)).sum() as Tensor;
    y.backward(null, { retainGraph: true });
    y.backward();
    expect(() => y.backward()).toThrow("backward through the graph a second time");
  });

  test("gradients have gradients", () => {
    const fast = ready();
    const base = leaf(2, 3);
    const x = base.mul(2) as Tensor;
    const [one, other] = [fn, fast].map((run) => {
      const [first] = sw.grad(run(x).square().sum() as Tensor, [x], { createGraph: true });
      return sw.grad(first.square().sum() as Tensor, [base, w]);
    }) as [Tensor[], Tensor[]];
    for (const [k, t] of one.entries()) expect(sw.allclose(other[k] as Tensor, t, { rtol: 1e-5 })).toBe(true);
    const dropped = compile((x: Tensor) => sw.dropout(x.mul(w)) as Tensor);
    for (let k = 0; k < 2; k++) dropped(leaf(3, 3));
    const input = leaf(3, 3);
    expect(() => sw.grad(dropped(input).sum() as Tensor, [input], { createGraph: true })).toThrow(
      "gradients of gradients of a compiled function run it again, but this one draws random numbers. Call it without compile",
    );
  });

  test("freezing a captured tensor, and noGrad, are seen", () => {
    const fast = ready();
    expect(fast(sw.ones([2, 3]) as Tensor).requiresGrad).toBe(true);
    w.requiresGrad_(false);
    for (let k = 0; k < 3; k++) expect(fast(sw.ones([2, 3]) as Tensor).requiresGrad).toBe(false);
    w.requiresGrad_(true);
    for (let k = 0; k < 3; k++) expect(fast(sw.ones([2, 3]) as Tensor).requiresGrad).toBe(true);
    expect(sw.noGrad(() => fast(sw.ones([2, 3]) as Tensor)).requiresGrad).toBe(false);
  });

  test("hooks, gradients of all samples at once, and outputs that are written", () => {
    const fast = ready();
    const x = leaf(2, 3);
    const y = fast(x);
    let seen: unknown;
    y.registerHook((g) => {
      seen = g.toArray();
      return g.mul(2) as Tensor;
    });
    y.sum().backward();
    const want = sw.grad(fn(x).sum().mul(2) as Tensor, [x])[0];
    expect([seen, x.grad?.toArray()]).toEqual([
      [
        [1, 1, 1],
        [1, 1, 1],
      ],
      want.toArray(),
    ]);
    const jacobians = [fn, fast].map((f) => sw.jacobian(f, x.detach() as Tensor, { vectorize: true }).toArray());
    expect(jacobians[1]).toEqual(jacobians[0]);
    const [one, other] = [fn, fast].map((run) => {
      const t = run(x).add(0) as Tensor;
      t.mul_(3);
      const u = run(x);
      u.mul_(3);
      return sw.grad(t.sum().add(u.sum()) as Tensor, [x])[0].toArray();
    });
    expect(other).toEqual(one);
  });

  test("functions that cannot be split run eagerly", () => {
    const other = leaf(2, 3);
    const hidden = other.mul(2) as Tensor;
    const fns: ((x: Tensor) => Tensor)[] = [
      (x) => x.T as Tensor,
      (x) => x.mul(hidden) as Tensor,
      (x) => x,
      (x) => x.mul_(2) as Tensor,
    ];
    for (const run of fns) {
      const fast = compile(run);
      for (let k = 0; k < 3; k++) {
        const x = leaf(2, 3);
        const [a, b] = [run, fast].map((f) => {
          const y = f(x.mul(1) as Tensor);
          return [y, sw.grad(y.exp().sum() as Tensor, [x], { retainGraph: true })[0]].map((t) => t.detach().toArray());
        });
        expect(b).toEqual(a);
      }
    }
  });
});
