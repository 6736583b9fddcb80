/** State that compiled functions reach without arguments: gradients, the state and options of optimizers, captured tensors. */
import { describe, expect, test } from "vitest";
import { compile } from "../../src/graph/compile/compile.ts";
import { guard, ones, type Tensor, tensor } from "../../src/index.ts";
import { Linear, parameter } from "../../src/nn/index.ts";
import { Adam, type AnyOptimizer, SGD } from "../../src/optim/index.ts";

type Compile = <F extends (...args: never[]) => unknown>(fn: F) => F;
const eagerly: Compile = (fn) => fn;

/** Expects the same results with compiled functions as with eager ones. */
const expectSame = (run: (compiled: Compile) => unknown[]): void => expect(run(compile)).toEqual(run(eagerly));

const leaf = (size = 1): Tensor => ones([size]).requiresGrad_() as unknown as Tensor;
const values = (t: Tensor | null): unknown => t?.toArray() ?? null;
const calls = Array.from({ length: 7 }, (_, k) => k + 1);
/** An argument that differs from call to call. */
const numbers = (k: number): Tensor => tensor([k, 1]) as Tensor;

describe("gradients", () => {
  test("from before the call are read", () => {
    expectSame((compiled) => {
      const w = leaf();
      const optimizer = new SGD([w], { lr: 0.1 });
      const update = compiled(() => {
        optimizer.step();
      });
      return calls.map((k) => {
        optimizer.zeroGrad();
        w.mul(k).sum().backward();
        update();
        return values(w);
      });
    });
    expectSame((compiled) => {
      const w = leaf(2);
      const doubled = compiled(() => (w.grad as Tensor).mul(2) as Tensor);
      return calls.map((k) => {
        w.zeroGrad();
        w.mul(k).sum().backward();
        return values(doubled());
      });
    });
  });

  test("accumulate over calls, and are cleared by others", () => {
    expectSame((compiled) => {
      const w = leaf(2);
      const optimizer = new SGD([w], { lr: 0.01 });
      const accumulate = compiled((x: Tensor) => {
        w.mul(x).square().sum().backward();
      });
      const update = compiled(() => {
        optimizer.step();
        optimizer.zeroGrad();
      });
      return calls.map((k) => {
        accumulate(numbers(k));
        accumulate(numbers(k + 1));
        const before = values(w.grad);
        update();
        return [before, values(w), w.grad];
      });
    });
  });

  test("appear and disappear between calls", () => {
    expectSame((compiled) => {
      const w = leaf(2);
      const backward = compiled((x: Tensor) => {
        w.mul(x).sum().backward();
      });
      return calls.map((k) => {
        if (k % 3 === 0) w.grad = null;
        if (k === 5) w.grad = numbers(7);
        backward(numbers(k));
        return values(w.grad);
      });
    });
  });

  test("are as before after a trace that throws", () => {
    const w = leaf(2);
    w.mul(3).sum().backward();
    const fails = compile((x: Tensor) => {
      w.zeroGrad();
      w.mul(x).sum().backward();
      return x.sum().item();
    });
    fails(numbers(2));
    expect(() => fails(numbers(2))).toThrow(/the elements of a traced tensor are not known/);
    expect(values(w.grad)).toEqual([2, 1]);
  });
});

const optimizers: Record<string, (params: Tensor[]) => AnyOptimizer> = {
  SGD: (params) => new SGD(params, { lr: 0.1 }),
  momentum: (params) => new SGD(params, { lr: 0.1, momentum: 0.9 }),
  Adam: (params) => new Adam(params, { lr: 0.1 }),
};

describe.each(Object.entries(optimizers))("the state of %s", (_name, create) => {
  /** Runs steps; `change` is called before each. */
  const train = (change: (k: number, optimizer: AnyOptimizer, a: Tensor, b: Tensor) => void): void =>
    expectSame((compiled) => {
      const [a, b] = [leaf(), leaf()];
      const optimizer = create([a]);
      const step = compiled(() => {
        optimizer.zeroGrad();
        a.mul(b).square().sum().backward();
        optimizer.step();
      });
      return calls.map((k) => {
        change(k, optimizer, a, b);
        step();
        return [values(a), values(b)];
      });
    });

  test("is loaded again", () => {
    let saved: ReturnType<AnyOptimizer["stateDict"]>;
    train((k, optimizer) => {
      if (k === 4) saved = structuredCopy(optimizer);
      if (k === 6) optimizer.loadStateDict(saved);
    });
  });

  test.each([2, 4])("grows by a group before call %i", (at) => {
    train((k, optimizer, _a, b) => {
      if (k === at) optimizer.addParamGroup({ params: [b] } as never);
    });
  });

  test.each([2, 4])("has other options from call %i on", (at) => {
    train((k, optimizer) => {
      if (k === at) Object.assign(optimizer.paramGroups[0], { momentum: 0.5, weightDecay: 0.1 });
    });
  });

  test("leaves a frozen parameter alone", () => {
    train((k, _optimizer, a) => {
      if (k === 4) a.requiresGrad_(false).requiresGrad_(true);
    });
  });
});

/** The state of an optimizer with copies of its tensors. */
function structuredCopy(optimizer: AnyOptimizer): ReturnType<AnyOptimizer["stateDict"]> {
  const { state, paramGroups } = optimizer.stateDict();
  const copied = Object.entries(state).map(([key, each]) => [
    key,
    Object.fromEntries(
      Object.entries(each).map(([name, value]) => [name, typeof value === "number" ? value : value.clone()]),
    ),
  ]);
  return { state: Object.fromEntries(copied), paramGroups: paramGroups.map((group) => ({ ...group })) };
}

describe("captured tensors", () => {
  test("that are disposed throw as in an eager call", () => {
    const weight = ones([1]);
    const fast = compile((x: Tensor) => x.mul(weight));
    for (let k = 0; k < 3; k++) fast(ones([1]) as Tensor);
    weight.dispose();
    expect(() => fast(ones([1]) as Tensor)).toThrow(/was disposed/);
  });

  test("are replaced if they are guarded", () => {
    const layer = new Linear(1, 1, { bias: false });
    const fast = compile((x: Tensor) => {
      guard(() => layer.weight);
      return layer.forward(x).detach();
    });
    for (let k = 1; k < 6; k++) {
      if (k !== 2) layer.weight = parameter(tensor([[k]])) as Tensor;
      expect(fast(ones([1, 1]) as Tensor).item()).toBe(k === 2 ? 1 : k);
    }
  });
});
