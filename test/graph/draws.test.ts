/** Random numbers that a compiled function draws twice: checkpoints, and states of generators that the function sets. */
import { describe, expect, test } from "vitest";
import { compile } from "../../src/graph/compile/compile.ts";
import * as sw from "../../src/index.ts";
import { BatchNorm1d, Dropout, Linear, type Module, ReLU, Sequential } from "../../src/nn/index.ts";
import { Adam } from "../../src/optim/index.ts";

type Tensor = sw.Tensor;

/** Expects a compiled function to return what an eager one does in five calls, and to leave the generators in the same states. */
function expectSame(make: (generator: sw.Generator) => () => Tensor[]): void {
  const [a, b] = [new sw.Generator(3), new sw.Generator(3)];
  const [eager, fast] = [make(a), compile(make(b))];
  for (let k = 0; k < 5; k++) {
    sw.manualSeed(k);
    const wanted = eager().map((t) => t.toArray());
    const state = sw.defaultGenerator().getState();
    sw.manualSeed(k);
    expect(
      fast().map((t) => t.toArray()),
      `call ${k}`,
    ).toEqual(wanted);
    expect(sw.defaultGenerator().getState()).toEqual(state);
    expect(b.getState()).toEqual(a.getState());
  }
}

describe("checkpoint", () => {
  test("drops the same elements in the backward pass", () => {
    expectSame(() => {
      const w = (sw.ones([8]) as Tensor).requiresGrad_(true) as Tensor;
      return () => {
        w.zeroGrad();
        const y = sw.checkpoint((x: Tensor) => sw.dropout(x, 0.5) as Tensor, w);
        y.sum().backward();
        const gradient = (w.grad as Tensor).clone() as Tensor;
        return [y.detach() as Tensor, gradient, sw.rand([2]) as Tensor];
      };
    });
  });

  test("of several random ops, nested, in a function that is two programs", () => {
    const inner = (x: Tensor): Tensor =>
      sw.dropout(x.mul(sw.randn([8])).tanh() as Tensor, 0.5).mul(sw.bernoulli(sw.full([8], 0.7))) as Tensor;
    const fn = (x: Tensor): Tensor =>
      sw.checkpoint(
        (t: Tensor) => {
          const noise = sw.zeros([8]) as Tensor;
          noise.normal_(0, 1);
          noise.mul_(2);
          return sw
            .checkpoint(inner, t.exp().mul(noise) as Tensor)
            .mul(sw.rand([8]))
            .sin() as Tensor;
        },
        x.mul(sw.rand([8])) as Tensor,
      );
    const fast = compile(fn);
    for (let k = 0; k < 4; k++) {
      const gradients = [fn, fast].map((each) => {
        sw.manualSeed(k);
        const x = (sw.rand([8]) as Tensor).requiresGrad_(true) as Tensor;
        each(x).sum().backward();
        return [(x.grad as Tensor).toArray(), sw.rand([1]).toArray()];
      });
      expect(gradients[1], `call ${k}`).toEqual(gradients[0]);
    }
  });

  test("in the training of layers with dropout and batch norm", () => {
    const trained = (wrap: <F extends (...args: never[]) => unknown>(fn: F) => F): unknown[] => {
      sw.manualSeed(1);
      const block = new Sequential(
        ...([new Linear(6, 8), new BatchNorm1d(8), new ReLU(), new Dropout(0.4)] as Module[] as Linear[]),
      );
      const head = new Linear(8, 1);
      const optimizer = new Adam([...block.parameters(), ...head.parameters()], { lr: 0.05 });
      const step = wrap((x: Tensor) => {
        optimizer.zeroGrad();
        const y = sw.checkpoint((t: Tensor) => block.forward(t) as Tensor, x.clone().requiresGrad_(true) as Tensor);
        const loss = head.forward(sw.dropout(y, 0.1)).square().mean();
        loss.backward();
        optimizer.step();
        return loss.detach() as Tensor;
      });
      return Array.from({ length: 12 }, () => step(sw.randn([5, 6]) as Tensor).item());
    };
    expect(trained(compile)).toEqual(trained((fn) => fn));
  });
});

describe("a state of a generator", () => {
  test("may be restored to draw the same numbers again", () => {
    expectSame((generator) => () => {
      const state = generator.getState();
      const a = sw.rand([3], { generator }) as Tensor;
      const b = sw.bernoulli(a, { generator } as never) as Tensor;
      const c = sw.zeros([2, 2]) as Tensor;
      c.uniform_(0, 1, { generator } as never);
      const end = generator.getState();
      generator.setState(state);
      const again = sw.rand([3], { generator }) as Tensor;
      const bits = sw.bernoulli(again, { generator } as never) as Tensor;
      const d = sw.ones([3, 2]).T.slice(1, 1) as Tensor;
      d.uniform_(0, 1, { generator } as never);
      again.add_(1);
      // The current state is that after the last draw, so this is the next one.
      const next = sw.rand([2], { generator }) as Tensor;
      expect(generator.offset).toBe(end.offset + 1);
      return [a, b, c, again, bits, d, next];
    });
  });

  const faults: Record<string, readonly [fn: (generator: sw.Generator) => unknown, message: RegExp]> = {
    "a seed": [
      (generator) => {
        generator.manualSeed(1);
        return sw.rand([3], { generator });
      },
      /^compile: rand draws after the function has set the state or the seed.*Set the state before the call$/,
    ],
    "a seed of the default generator": [
      () => {
        sw.manualSeed(0);
        return sw.rand([3]);
      },
      /^compile: rand draws after the function has set/,
    ],
    "a seed at the end": [
      (generator) => {
        const x = sw.rand([3], { generator });
        generator.manualSeed(1);
        return x;
      },
      /^compile: the function leaves a generator in another state/,
    ],
    "an offset": [
      (generator) => {
        generator.offset = 4;
        return sw.rand([3], { generator });
      },
      /^compile: rand draws after/,
    ],
    "a state that is left": [
      (generator) => {
        const state = generator.getState();
        const x = sw.rand([3], { generator });
        generator.setState(state);
        return x;
      },
      /^compile: the function leaves a generator in another state/,
    ],
    "other numbers from a state": [
      (generator) => {
        const state = generator.getState();
        const x = sw.rand([3], { generator });
        generator.setState(state);
        return [x, sw.rand([4], { generator })];
      },
      /^compile: rand draws from the state of an earlier call of rand.*the arguments differ/,
    ],
    "another probability from a state": [
      (generator) => {
        const state = generator.getState();
        const x = sw.bernoulli(sw.full([3], 0.5).exp().mul(0.1) as Tensor, { generator } as never);
        generator.setState(state);
        return [x, sw.bernoulli(sw.full([3], 0.5).exp().mul(0.2) as Tensor, { generator } as never)];
      },
      /^compile: bernoulli draws from the state of an earlier call.*the arguments differ/,
    ],
    "a branch": [
      (generator) => {
        const state = generator.getState();
        const x = sw.rand([3], { generator }) as Tensor;
        generator.setState(state);
        return sw.cond(
          x.sum().gt(0) as Tensor,
          () => sw.rand([3], { generator }) as Tensor,
          () => x.neg() as Tensor,
        );
      },
      /one of the calls is in a function of cond, whileLoop or scan/,
    ],
    "numbers without tensors": [
      (generator) => sw.ones([3]).mul(generator.uniform(1)[0]),
      /^compile: the function leaves a generator in another state/,
    ],
    "a new generator": [
      () => sw.rand([3], { generator: new sw.Generator(1) }),
      /^compile: rand draws from a generator that the function creates/,
    ],
    "a copy of a generator": [
      (generator) => sw.rand([3], { generator: generator.clone() }),
      /^compile: rand draws from a generator that the function creates/,
    ],
    "a state as a result": [
      (generator) => ({ x: sw.rand([3], { generator }), state: generator.getState() }),
      /^compile: the function returns the state of a generator/,
    ],
  };
  test.each(Object.entries(faults))("cannot be set: %s", (_name, [fn, message]) => {
    const generator = new sw.Generator(5);
    const fast = compile(() => fn(generator));
    fast();
    const states = [generator.getState(), sw.defaultGenerator().getState()];
    expect(() => fast()).toThrow(message);
    expect([generator.getState(), sw.defaultGenerator().getState()]).toEqual(states);
  });
});
