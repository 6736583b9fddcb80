/** Laws of every optimizer: its cost, errors, groups, closures, state as records. */
import { kernelStatistics, memoryStatistics, noGrad, ones, randn, scope, type Tensor, tensor } from "stridewise";
import {
  Adadelta,
  Adagrad,
  Adam,
  Adamax,
  AdamW,
  LBFGS,
  NAdam,
  type Optimizer,
  RAdam,
  RMSprop,
  SGD,
} from "stridewise/optim";
import { describe, expect, test } from "vitest";

type Make = (params: never, options?: object) => Optimizer;
const kinds: readonly (readonly [string, Make])[] = [
  ["SGD", (params, options) => new SGD(params, { lr: 0.1, momentum: 0.9, nesterov: true, ...options })],
  ["Adam", (params, options) => new Adam(params, { amsgrad: true, weightDecay: 0.1, ...options })],
  ["AdamW", (params, options) => new AdamW(params, options)],
  ["RMSprop", (params, options) => new RMSprop(params, { centered: true, momentum: 0.5, ...options })],
  ["Adagrad", (params, options) => new Adagrad(params, { lrDecay: 0.1, ...options })],
  ["Adadelta", (params, options) => new Adadelta(params, options)],
  ["Adamax", (params, options) => new Adamax(params, options)],
  ["NAdam", (params, options) => new NAdam(params, options)],
  ["RAdam", (params, options) => new RAdam(params, options)],
];
const values = (t: Tensor): unknown => t.detach().toArray();
const leaf = (data: number[]): Tensor => tensor(data, { requiresGrad: true }) as Tensor;
const withGrad = (data: number[], gradient: number[]): Tensor => {
  const t = leaf(data);
  t.grad = tensor(gradient) as Tensor;
  return t;
};

describe.each(kinds)("%s", (_name, make) => {
  test("compiles one kernel for parameters of all sizes, and none for another learning rate or step", () => {
    const params = [
      randn([64, 7], { requiresGrad: true }),
      randn([33], { requiresGrad: true }),
      randn([2, 3, 5], { requiresGrad: true }),
    ];
    for (const t of params) t.grad = randn(t.shape as number[]) as never;
    make(params.slice(0, 1) as never).step();
    const { compiled } = kernelStatistics();
    const optimizer = make(params as never);
    for (let k = 0; k < 20; k++) {
      for (const group of optimizer.paramGroups) group.lr = 0.1 / (k + 2);
      optimizer.step();
    }
    expect(kernelStatistics().compiled).toBe(compiled);
  });

  test("allocates nothing after the first step", () => {
    const params = [randn([30, 7], { requiresGrad: true }), tensor(1, { requiresGrad: true })];
    for (const t of params) t.grad = randn(t.shape as number[]) as never;
    const optimizer = make(params as never);
    optimizer.step();
    optimizer.step();
    const { live, count } = memoryStatistics();
    let highest = live;
    for (let k = 2; k < 1000; k++) {
      optimizer.step();
      highest = Math.max(highest, memoryStatistics().live);
    }
    expect(highest).toBe(live);
    expect(memoryStatistics().count).toBe(count);
  });

  test("continues from its state as if it had not been interrupted", () => {
    const [a, b] = [leaf([1, -2, 3]), leaf([1, -2, 3])];
    const gradientAt = (k: number) => tensor([1, k, -1 / (k + 1)]) as Tensor;
    const whole = make([a] as never, { lr: 0.05 });
    const first = make([b] as never, { lr: 0.05 });
    for (let k = 0; k < 6; k++) {
      a.grad = gradientAt(k);
      whole.step();
    }
    for (let k = 0; k < 3; k++) {
      b.grad = gradientAt(k);
      first.step();
    }
    const second = make([b] as never);
    second.loadStateDict(first.stateDict());
    for (let k = 3; k < 6; k++) {
      b.grad = gradientAt(k);
      second.step();
    }
    expect(values(b)).toEqual(values(a));
    expect(second.paramGroups[0]?.lr).toBe(0.05);
    // The state was copied: the first optimizer does not affect the second.
    const kept = JSON.stringify(Object.values(second.stateDict().state[0] ?? {}).map(String));
    first.step();
    expect(JSON.stringify(Object.values(second.stateDict().state[0] ?? {}).map(String))).toBe(kept);
  });

  test("skips parameters without a gradient, and keeps the layout of a transposed one", () => {
    const frozen = leaf([1, 2]);
    const rows = randn([3, 4]).detach() as Tensor;
    const turned = rows.T.requiresGrad_() as Tensor;
    turned.grad = ones([4, 3]) as Tensor;
    const before = rows.clone() as Tensor;
    const optimizer = make([frozen, turned] as never);
    optimizer.step();
    expect(values(frozen)).toEqual([1, 2]);
    expect(optimizer.state.has(frozen)).toBe(false);
    expect(
      rows
        .eq(before as never)
        .any()
        .item(),
    ).toBe(false);
  });

  test("minimizes a quadratic bowl, or maximizes it", () => {
    for (const maximize of [false, true]) {
      const x = leaf([1, -1]);
      const optimizer = make([x] as never, { lr: 0.05, maximize, weightDecay: 0 });
      const height = () =>
        x
          .square()
          .sum()
          .mul(maximize ? -1 : 1) as Tensor;
      const start = Math.abs(height().item() as number);
      for (let k = 0; k < 20; k++)
        optimizer.step(() => {
          optimizer.zeroGrad();
          const y = height();
          y.backward();
          return y;
        });
      expect(Math.abs(height().item() as number)).toBeLessThan(start);
    }
  });

  test("treats complex numbers as pairs of real ones", () => {
    const z = tensor([{ re: 1, im: -2 }, { re: 0.5, im: 3 }], { requiresGrad: true }) as Tensor; // biome-ignore format: short
    z.grad = tensor([{ re: 0.1, im: 0.2 }, { re: -0.3, im: 0.4 }]) as Tensor; // biome-ignore format: short
    const pairs = withGrad([1, -2, 0.5, 3], [0.1, 0.2, -0.3, 0.4]);
    for (const t of [z, pairs]) {
      const optimizer = make([t] as never);
      optimizer.step();
      optimizer.step();
    }
    expect(z.detach().viewAsReal().flatten().toArray()).toEqual(values(pairs));
  });

  test("throws for invalid learning rates", () => {
    for (const lr of [-0.1, Number.NaN, Number.POSITIVE_INFINITY, "0.1"])
      expect(() => make([leaf([1])] as never, { lr })).toThrow(
        `lr must be a non-negative number, got ${typeof lr === "string" ? JSON.stringify(lr) : lr}`,
      );
  });
});

test("state outlives the scope of the first step", () => {
  const x = leaf([1, 2]);
  const optimizer = new Adam([x], { lr: 0.1 });
  for (let k = 0; k < 3; k++)
    scope(() => {
      optimizer.zeroGrad();
      x.square().sum().backward();
      optimizer.step();
    });
  expect((values(x) as number[])[0]).toBeCloseTo(0.7, 2);
});

test("noGrad stays in effect: a step inside it with a closure computes gradients", () => {
  const x = leaf([3]);
  const optimizer = new SGD([x], { lr: 0.1 });
  const loss = noGrad(() =>
    optimizer.step(() => {
      const y = x.square().sum() as Tensor;
      y.backward();
      return y;
    }),
  );
  expect(loss.item()).toBe(9);
  expect((values(x) as number[])[0]).toBeCloseTo(2.4, 6);
  expect(x.isLeaf && x.requiresGrad).toBe(true);
  expect(optimizer.step()).toBe(null);
});

test("zeroGrad drops gradients, or fills them with zeros", () => {
  const x = withGrad([1], [5]);
  const optimizer = new SGD([x], { lr: 1 });
  const { grad } = x;
  optimizer.zeroGrad({ setToNull: false });
  expect(x.grad?.toArray()).toEqual([0]);
  expect(grad?.toArray()).toEqual([0]);
  optimizer.zeroGrad();
  expect(x.grad).toBe(null);
});

test("groups have their own options, and more can be added", () => {
  const [a, b, c] = [withGrad([1], [1]), withGrad([1], [1]), withGrad([1], [1])];
  const optimizer = new SGD([{ params: [a], lr: 0.5 }, { params: b }], { lr: 0.25 });
  optimizer.addParamGroup({ params: [c], lr: 0.125, momentum: 0.5 });
  optimizer.step();
  expect([a, b, c].map(values)).toEqual([[0.5], [0.75], [0.875]]);
  expect(optimizer.paramGroups.map(({ momentum }) => momentum)).toEqual([0, 0, 0.5]);
});

test("mistakes throw named errors", () => {
  const x = leaf([1, 2]);
  const lr = 0.1;
  const say = (fn: () => unknown): string => {
    try {
      fn();
    } catch (error) {
      return String(error);
    }
    return "nothing was thrown";
  };
  const none = undefined as never;
  expect([
    say(() => new SGD([], { lr })),
    say(() => new SGD(x as never, { lr })),
    say(() => new SGD([x], none)),
    say(() => new SGD([x.mul(2) as Tensor], { lr })),
    say(() => new SGD([x, x], { lr })),
    say(() => new SGD([{ params: [x] }, { params: [x] }], { lr })),
    say(() => new SGD([x, 3 as never], { lr })),
    say(() => new SGD([{ params: [] }], { lr })),
    say(() => new SGD([x], { lr, nesterov: true })),
    say(() => new SGD([{ params: [x], lr: -1 }], { lr })),
    say(() => new Adam([x], { betas: [0.9, 1] })),
    say(() => new Adam([x], { eps: Number.NaN })),
    say(() => new LBFGS([x]).step()),
    say(() => new LBFGS([x], { lineSearch: "wolfe" as never })),
    say(() => new LBFGS([x]).addParamGroup({ params: [leaf([1])] })),
    say(() => new SGD([x], { lr }).loadStateDict(new SGD([leaf([1]), leaf([2])], { lr }).stateDict())),
  ]).toMatchInlineSnapshot(`
    [
      "OptimError: SGD: optimizer got an empty parameter list. Pass the tensors to optimize",
      "OptimError: SGD: params must be a list of tensors or of groups { params, lr }, got one tensor. Write [w]",
      "OptimError: SGD: lr must be a non-negative number, got nothing. Pass it by name: { lr }",
      "OptimError: SGD: can't optimize a non-leaf tensor, parameter 0 is a result of <MulBackward0>. Pass the leaf tensor, or detach() it first",
      "OptimError: SGD: parameter 1 appears twice. Each tensor belongs to one group, once",
      "OptimError: SGD: parameter 0 appears twice. Each tensor belongs to one group, once",
      "OptimError: SGD: optimizer can only optimize tensors, parameter 1 is 3",
      "OptimError: SGD: a group has no parameters, got { params: [] }. Pass at least one tensor",
      "OptimError: SGD: nesterov momentum requires a momentum and zero dampening, got momentum 0, dampening 0. Pass { momentum: 0.9, nesterov: true }",
      "OptimError: SGD: lr must be a non-negative number, got -1",
      "OptimError: Adam: betas[1] must be a number in [0, 1), got 1",
      "OptimError: Adam: eps must be a non-negative number, got NaN",
      "OptimError: LBFGS.step: needs a closure that computes the loss and its gradients: step(() => { ... return loss })",
      "OptimError: LBFGS: lineSearch must be "strongWolfe" or null, got "wolfe"",
      "OptimError: LBFGS: groups of parameters are not supported. Pass a plain list of tensors",
      "OptimError: SGD.loadStateDict: loaded state dict has groups of [2] parameters, this optimizer has groups of [1]. Use the same parameters, in the same order",
    ]
  `);
});

test("a state that does not fit changes nothing", () => {
  const [x, y] = [withGrad([1, 2], [1, 1]), withGrad([1, 2, 3], [1, 1, 1])];
  const [small, large] = [new Adam([x]), new Adam([y], { lr: 0.5 })];
  small.step();
  large.step();
  const before = String(x.detach());
  const mean = small.state.get(x)?.["expAvg"];
  expect(() => small.loadStateDict(large.stateDict())).toThrow(
    "Adam.loadStateDict: expAvg of parameter 0 has shape [3], but the parameter has [2]",
  );
  expect(() => small.loadStateDict({ state: {}, paramGroups: [{ params: [0], lr: -1 }] })).toThrow(
    "lr must be a non-negative number, got -1",
  );
  expect(() => small.loadStateDict({} as never)).toThrow(
    "a state must be { state, paramGroups }, the result of stateDict()",
  );
  expect([small.paramGroups[0]?.lr, small.state.get(x)?.["expAvg"] === mean, String(x.detach())]).toEqual([
    1e-3,
    true,
    before,
  ]);
});

test("a loop whose steps have scopes uses constant memory", () => {
  const [w, b] = [randn([8, 4], { requiresGrad: true }) as Tensor, randn([4], { requiresGrad: true }) as Tensor];
  const x = randn([16, 8]) as Tensor;
  const optimizer = new AdamW([w, b]);
  const step = (): void =>
    scope(() => {
      optimizer.zeroGrad();
      x.matmul(w).add(b).square().mean().backward();
      optimizer.step();
    });
  for (let k = 0; k < 5; k++) step();
  const { live } = memoryStatistics();
  for (let k = 0; k < 300; k++) step();
  expect(memoryStatistics().live).toBe(live);
});

test("L-BFGS continues from its state", () => {
  const run = (interrupt: boolean): unknown => {
    const x = tensor([-1.5, 2], { dtype: "float64", requiresGrad: true }) as Tensor;
    let optimizer = new LBFGS([x], { maxIter: 4, lineSearch: "strongWolfe", historySize: 3 });
    for (let k = 0; k < 4; k++) {
      if (interrupt && k === 2) {
        const saved = optimizer.stateDict();
        optimizer = new LBFGS([x]);
        optimizer.loadStateDict(saved);
      }
      optimizer.step(() => {
        optimizer.zeroGrad();
        const [a, b] = [x.select(0, 0) as Tensor, x.select(0, 1) as Tensor];
        const loss = a.neg().add(1).square().add(b.sub(a.square()).square().mul(100)) as Tensor;
        loss.backward();
        return loss;
      });
    }
    return values(x);
  };
  expect(run(true)).toEqual(run(false));
});
