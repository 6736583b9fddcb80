/** Compiled functions inside transformations, transformations inside compiled functions, and the example networks. */
import { describe, expect, test } from "vitest";
import { CharacterModel } from "../../examples/characters.ts";
import { DigitNet } from "../../examples/digits.ts";
import * as sw from "../../src/index.ts";
import { compile, gradOf, hessian, jvp, vmap } from "../../src/index.ts";
import { Linear, type Module } from "../../src/nn/index.ts";
import { AdamW } from "../../src/optim/index.ts";
import { tensorsIn } from "../support/op-results.ts";

type Tensor = sw.Tensor;
type Fn = (...args: Tensor[]) => Tensor;

const describeResult = (result: unknown): unknown => tensorsIn(result).map((t) => [t.dtype, t.shape, t.toArray()]);

const inputs = (k: number): [Tensor, Tensor] => {
  sw.manualSeed(k);
  return [sw.randn([3]) as Tensor, sw.randn([3]) as Tensor];
};

/** A scalar function of several ops, and one with a result of the shape of its argument. */
const scalar: Fn = (x, y) =>
  x
    .mul(y ?? 2)
    .sin()
    .add(x.exp())
    .square()
    .sum() as Tensor;
const same: Fn = (x, y) =>
  x
    .tanh()
    .mul(y ?? 3)
    .add(x.sum())
    .div(2) as Tensor;

/** Transformations as functions of two tensors. */
const transformations: Record<string, (scalar: Fn, same: Fn) => Fn> = {
  itself: (f) => f,
  gradOf: (f) => (x, y) => gradOf(f)(x, y),
  "gradOf gradOf": (f) => (x, y) => gradOf((u) => gradOf(f)(u, y).mul(y).sum() as Tensor)(x),
  vmap: (_, g) => (x, y) => vmap((u: Tensor) => g(u))(sw.stack([x, y]) as Tensor) as Tensor,
  "vmap of gradOf": (f) => (x, y) => vmap(gradOf((u: Tensor) => f(u)))(sw.stack([x, y]) as Tensor) as Tensor,
  "gradOf of vmap": (f) => (x, y) =>
    gradOf((u: Tensor) => (vmap((v: Tensor) => f(v))(sw.stack([u, y]) as Tensor) as Tensor).sum() as Tensor)(x),
  jvp: (_, g) => (x, y) => jvp((u) => g(u), x, y).tangent,
  "jvp of gradOf": (f) => (x, y) =>
    jvp(
      gradOf((u: Tensor) => f(u)),
      x,
      y,
    ).tangent,
  hessian: (f) => (x, y) => hessian((u) => f(u, y), x),
  noGrad: (_, g) => (x, y) => sw.noGrad(() => g(x, y)),
};

const names = Object.keys(transformations);

/** Compares calls of two functions of two tensors. */
function expectSame(fast: Fn, fn: Fn): void {
  for (let k = 0; k < 4; k++)
    expect(describeResult(fast(...inputs(k))), `call ${k}`).toEqual(describeResult(fn(...inputs(k))));
}

describe.each(names)("%s", (name) => {
  const transform = transformations[name] as (scalar: Fn, same: Fn) => Fn;

  test("of compiled functions", () => {
    expectSame(transform(compile(scalar), compile(same)), transform(scalar, same));
  });

  test("compiled", () => {
    const fast = compile(transform(scalar, same));
    expectSame(fast, transform(scalar, same));
    expect(fast.explain()).toContain("1 instance");
  });

  test("of compiled functions, compiled", () => {
    const fast = compile(transform(compile(scalar), compile(same)));
    expectSame(fast, transform(scalar, same));
    expect(fast.explain()).toContain("1 instance");
  });
});

test("compiled functions inside others are parts of their graphs", () => {
  const inner = compile((x: Tensor) => x.mul(2).relu() as Tensor);
  const outer = compile((x: Tensor) => inner(inner(x).add(1) as Tensor));
  for (let k = 0; k < 3; k++) outer(inputs(k)[0]);
  expect(outer.graph().nodes.map(({ op }) => op.name)).toEqual(["mul", "relu", "add", "mul", "relu"]);
});

test("a compiled training step calls a compiled forward pass", () => {
  const make = () => {
    sw.manualSeed(2);
    const layer = new Linear(3, 2);
    return { layer, optimizer: new AdamW(layer.parameters(), { lr: 0.1 }) };
  };
  const [a, b] = [make(), make()];
  const stepOf =
    ({ layer, optimizer }: ReturnType<typeof make>, forward: (x: Tensor) => Tensor) =>
    (x: Tensor): Tensor => {
      optimizer.zeroGrad();
      const loss = forward(x).square().sum() as Tensor;
      loss.backward();
      optimizer.step();
      void layer;
      return loss.detach() as Tensor;
    };
  const eager = stepOf(a, (x) => a.layer.forward(x) as Tensor);
  const fast = compile(
    stepOf(
      b,
      compile((x: Tensor) => b.layer.forward(x) as Tensor),
    ),
  );
  for (let k = 0; k < 6; k++) expect(fast(inputs(k)[0]).item(), `step ${k}`).toBe(eager(inputs(k)[0]).item());
});

describe("example networks", () => {
  const networks: Record<string, readonly [make: () => Module, input: () => Tensor, target: () => Tensor]> = {
    "the digit network": [
      () => new DigitNet(),
      () => sw.randn([4, 1, 8, 8]) as Tensor,
      () => sw.randint(0, 10, [4]) as Tensor,
    ],
    "the character model": [
      () => new CharacterModel(11),
      () => sw.randint(0, 11, [2, 12]).to("int32") as Tensor,
      () => sw.randint(0, 11, [24]) as Tensor,
    ],
  };

  test.each(Object.entries(networks))("%s", (_name, [make, input, target]) => {
    const setup = () => {
      sw.manualSeed(4);
      const model = make() as Module & { forward(x: Tensor): Tensor };
      const optimizer = new AdamW(model.parameters(), { lr: 0.01 });
      const step = (x: Tensor, labels: Tensor): Tensor => {
        optimizer.zeroGrad();
        const scores = model.forward(x);
        const loss = sw.crossEntropy(scores.flatten(0, scores.rank - 2) as Tensor, labels) as Tensor;
        loss.backward();
        optimizer.step();
        return loss.detach() as Tensor;
      };
      return { model, step };
    };
    const [eager, compiled] = [setup(), setup()];
    const fast = compile(compiled.step);
    const answer = compile((x: Tensor) => sw.noGrad(() => compiled.model.forward(x)));
    for (let k = 0; k < 5; k++) {
      sw.manualSeed(k);
      const [x, labels] = [input(), target()];
      expect(fast(x, labels).item(), `step ${k}`).toBe(eager.step(x, labels).item());
      expect(describeResult(answer(x))).toEqual(describeResult(sw.noGrad(() => eager.model.forward(x))));
    }
  });
});
