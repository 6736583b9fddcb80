/**
 * Dispatch: the kernel that a call reaches, by the keys of its tensors, guards, modes and libraries; and the meta
 * device.
 */
import { afterEach, describe, expect, test } from "vitest";
import * as api from "../../src/index.ts";
import { elementwise, ones, rand, tensor, zeros, zerosLike } from "../../src/index.ts";
import { _ } from "../../src/layout/coord.ts";
import { mm } from "../../src/ops/contract/matmul.ts";
import { add, mul } from "../../src/ops/elementwise/arithmetic.ts";
import { sinc } from "../../src/ops/elementwise/functions.ts";
import { sum } from "../../src/ops/reduce/reduce.ts";
import { formatKeySet, keySet } from "../../src/tensor/dispatch/keys.ts";
import { library, operatorNamed } from "../../src/tensor/dispatch/library.ts";
import { type Mode, withMode } from "../../src/tensor/dispatch/modes.ts";
import { fallthrough, keysOf, type Operator, setFallback, withKeys } from "../../src/tensor/dispatch/operator.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";

describe("keys", () => {
  test("a tensor has the key of its device", () => {
    expect(formatKeySet(keysOf(ones([1])))).toBe("DispatchKeySet(cpu)");
    expect(formatKeySet(keysOf(ones([1], { device: "meta" })))).toBe("DispatchKeySet(meta)");
    expect(formatKeySet(keysOf(ones([2, 2], { device: "meta" }).T))).toBe("DispatchKeySet(meta)");
  });

  test("a key that does not exist is named", () => {
    expect(() => keySet("gpu" as never)).toThrow('keySet: unknown key "gpu"; the keys are cpu, meta');
  });

  test("the highest included key decides, and may redispatch", () => {
    const seen: string[] = [];
    setFallback("autocast", (op, keys, args) => {
      seen.push(op.name);
      return op.callBelow("autocast", keys, args);
    });
    const x = tensor([1, 2]);
    const result = withKeys({ include: keySet("autocast") }, () => add(x, 1));
    setFallback("autocast", null);
    expect(seen).toEqual(["add"]);
    expect(result.toArray()).toEqual([2, 3]);
    expect(add(tensor([1, 2]), 1).toArray()).toEqual([2, 3]);
    expect(seen).toHaveLength(1);
  });

  test("an excluded key is skipped, and so is one without a kernel", () => {
    const seen: string[] = [];
    setFallback("autocast", (op) => seen.push(op.name));
    const guard = { include: keySet("autocast", "tracer") };
    const x = tensor([1]);
    withKeys(guard, () => withKeys({ exclude: keySet("autocast") }, () => add(x, 1)));
    setFallback("autocast", null);
    expect(seen).toEqual([]);
  });

  test("an excluded key stays excluded, included before, after or at once, until it is allowed", () => {
    const seen: string[] = [];
    const key = keySet("autocast");
    setFallback("autocast", (op, keys, args) => {
      seen.push(op.name);
      return op.callBelow("autocast", keys, args);
    });
    const x = tensor([1]);
    withKeys({ include: key, exclude: key }, () => add(x, 1));
    withKeys({ exclude: key }, () => withKeys({ include: key }, () => mul(x, 1)));
    withKeys({ include: key }, () => withKeys({ exclude: key }, () => sum(x)));
    expect(seen).toEqual([]);
    withKeys({ exclude: key }, () => withKeys({ include: key, allow: key }, () => add(x, 1)));
    setFallback("autocast", null);
    expect(seen).toEqual(["add"]);
  });

  test("fallthrough removes an op from the kernels of a key, and from its composition", () => {
    const seen: string[] = [];
    const key = keySet("autocast");
    setFallback("autocast", (op, keys, args) => {
      seen.push(op.name);
      return op.callBelow("autocast", keys, args);
    });
    const own = library("mine");
    const x = tensor([1, 2]);
    own.register(add, "autocast", fallthrough);
    expect(withKeys({ include: key }, () => mul(add(x, 1), 2)).toArray()).toEqual([4, 6]);
    expect(seen).toEqual(["mul"]);
    own.dispose();
    withKeys({ include: key }, () => add(x, 1));
    setFallback("autocast", null);
    expect(seen).toEqual(["mul", "add"]);
    const next = library("mine");
    const twice = next.define<(x: Tensor) => Tensor>("twice");
    next.register(twice, "composite", ((t: Tensor) => add(t, t)) as never);
    next.register(twice, "cpu", ((t: Tensor) => mul(t, 20)) as never);
    expect(withKeys({ include: key }, () => twice(x)).toArray()).toEqual([2, 4]);
    next.register(twice, "autocast", fallthrough);
    expect(withKeys({ include: key }, () => twice(x)).toArray()).toEqual([20, 40]);
    next.dispose();
  });

  test("a fallback above composites no longer is one after it is set again", () => {
    const seen: string[] = [];
    const handOn = (op: Operator, keys: number, args: readonly unknown[]): unknown => {
      seen.push(op.name);
      return op.callBelow("autocast", keys, args);
    };
    const [a, b] = [ones([2, 3]), ones([3, 2])];
    for (const isAbove of [true, false]) {
      setFallback("autocast", handOn, isAbove);
      withKeys({ include: keySet("autocast") }, () => mm(a, b));
      setFallback("autocast", null);
    }
    expect(seen).toEqual(["mm", "matmul", "matmul"]);
  });

  test("the public function takes { above }, and a boolean as before", () => {
    const seen: string[] = [];
    const handOn = (op: Operator, keys: number, args: readonly unknown[]): unknown => {
      seen.push(op.name);
      return op.callBelow("autocast", keys, args);
    };
    const run = () => withKeys({ include: keySet("autocast") }, () => mm(ones([2, 3]), ones([3, 2])));
    const names = () => seen.splice(0).filter((name) => name !== "ones");
    api.setFallback("autocast", handOn, { above: true });
    run();
    expect(names()).toEqual(["mm", "matmul"]);
    api.setFallback("autocast", handOn, true);
    run();
    expect(names()).toEqual(["mm", "matmul"]);
    for (const options of [undefined, {}, { above: false }, false] as const) {
      api.setFallback("autocast", handOn, options as { above?: boolean });
      run();
      expect(names()).toEqual(["matmul"]);
    }
    api.setFallback("autocast", null);
  });

  test("without a backend the error lists the keys", () => {
    const x = tensor([1]);
    expect(() => withKeys({ exclude: keySet("cpu") }, () => add(x, 1))).toThrow(
      "add: the keys DispatchKeySet(cpu) are excluded, and no other remains. Call it outside of withKeys({ exclude })",
    );
  });
});

describe("key arguments are checked", () => {
  const key = keySet("autocast");

  test.each<[unknown, unknown, string]>([
    [{ exclude: "autograd" }, () => 1, 'got exclude: "autograd". Write withKeys({ exclude: keySet("autograd") }'],
    [{ only: key }, () => 1, `got only: ${key}. Write withKeys({ exclude: keySet("autograd") }, () => ...)`],
    [
      "autograd",
      () => 1,
      'a function, got "autograd" and a function. Write withKeys({ exclude: keySet("autograd") }, () => ...)',
    ],
    [
      { exclude: key },
      3,
      'a function, got an object and 3. Write withKeys({ exclude: keySet("autograd") }, () => ...)',
    ],
    [{ exclude: key }, async () => 1, "withKeys: the function returned a promise"],
  ])("withKeys %s", (guard, fn, message) => {
    expect(() => api.withKeys(guard as never, fn as never)).toThrow(message);
  });

  test("a fallback is a function, and keys are those of a tensor", () => {
    expect(() => api.setFallback("autocast", 3 as never)).toThrow(
      'the fallback of "autocast" must be a function of (op,',
    );
    expect(() => api.keysOf(3 as never)).toThrow("keysOf: needs a tensor, got 3. Create one: tensor(...)");
    expect(api.withKeys({ include: key }, () => add(ones([1]), 1)).toArray()).toEqual([2]);
  });
});

describe("modes", () => {
  const logging = (log: unknown[], name = ""): Mode => ({
    call(op, _args, next) {
      log.push(name + op.name);
      return next();
    },
  });

  test("a mode sees every op that runs in it, and nothing after it", () => {
    const log: string[] = [];
    const result = withMode(logging(log), () => sum(mul(ones([2]), 2)));
    expect(result.item()).toBe(4);
    expect(log).toEqual(["ones", "mul", "sum"]);
    mul(ones([2]), 2);
    expect(log).toHaveLength(3);
  });

  test("views, copies, writes, new tensors and formulas are seen too", () => {
    const log: string[] = [];
    const x = ones([2, 3]);
    withMode(logging(log), () => {
      x.T.reshape(6).view(2, 3).at(0).select(0, 1);
      x.flatten().contiguous().to("float64");
      x.zero_().copy_(rand([2, 3]));
      x.transpose_(0, 1).assign([[1, 2]]);
      x.localTile([1, 2], [0, 0]);
      elementwise("2 * x", { x });
      elementwise("x + 1")({ x: zerosLike(x) });
    });
    expect(log.join(" ")).toBe(
      "T clone view view at select view clone fill_ rand copy_ transpose takeAxes_ copy_ localTile elementwise fullLike elementwise",
    );
  });

  test("of nested modes the inner one is first", () => {
    const x = ones([1]);
    const log: string[] = [];
    withMode(logging(log, "outer "), () => withMode(logging(log, "inner "), () => mul(x, 2)));
    expect(log).toEqual(["inner mul", "outer mul"]);
  });

  test("a composite op is seen as the ops it calls, which is how FLOPs are counted", () => {
    let flops = 0;
    const counting: Mode = {
      call(op, args, next) {
        const result = next();
        if (op.name === "matmul") flops += 2 * (result as Tensor).size * ((args[0] as Tensor).shape.at(-1) as number);
        return result;
      },
    };
    withMode(counting, () => mm(ones([2, 3]), ones([3, 5])));
    expect(flops).toBe(2 * 2 * 5 * 3);
  });

  test("a mode may change arguments and results", () => {
    const doubling: Mode = { call: (_op, args, next) => mul(next([args[0], 10]) as Tensor, 2) };
    const x = tensor([1]);
    expect(withMode(doubling, () => add(x, 1)).toArray()).toEqual([22]);
  });

  test("a mode that returns nothing, and a function that continues after the mode, throw", () => {
    const forgetful: Mode = { call: (_op, _args, next) => void next() };
    expect(() => withMode(forgetful, () => ones([2]))).toThrow(
      "withMode: the mode returned nothing for ones. Return its result: return next()",
    );
    expect(() => withMode(logging([]), async () => ones([2]))).toThrow("withMode: the function returned a promise");
  });

  test("iteration is seen as the views that it returns", () => {
    const log: string[] = [];
    const x = ones([2]);
    withMode(logging(log), () => [...x]);
    expect(log).toEqual(["select", "select"]);
  });

  test("an error ends the mode", () => {
    const log: string[] = [];
    expect(() =>
      withMode(logging(log), () => {
        throw new Error("stop");
      }),
    ).toThrow("stop");
    add(tensor([1]), 1);
    expect(log).toEqual([]);
  });
});

describe("libraries", () => {
  const resources: { dispose(): void }[] = [];
  afterEach(() => {
    for (const one of resources.splice(0)) one.dispose();
  });
  const open = (name: string): ReturnType<typeof library> => {
    const own = library(name);
    resources.push(own);
    return own;
  };

  test("a user-defined op has the registered kernels", () => {
    const own = open("mine");
    const twice = own.define<(x: Tensor) => Tensor>("twice");
    expect(() => twice(ones([2]))).toThrow(
      "mine.twice: no kernel for the keys DispatchKeySet(cpu); registered: none. Register one: library(...).register",
    );
    own.register("twice", "cpu", ((x: Tensor) => mul(x, 2)) as never);
    expect(twice(ones([2])).toArray()).toEqual([2, 2]);
    expect(() => twice(ones([2], { device: "meta" }))).toThrow(
      "DispatchKeySet(meta); registered: cpu. Register one: library(...).register",
    );
    expect(operatorNamed("mine.twice")).toBe(twice.operator);
  });

  test("a name is defined once", () => {
    const own = open("mine");
    own.define("once");
    expect(() => own.define("once")).toThrow(
      "define: the op mine.once is already defined. Dispose its library, or choose another name",
    );
  });

  test("a disposed library accepts nothing any more", () => {
    const own = open("mine");
    own.dispose();
    const message = 'library: "mine" is disposed. Create a new one: library("mine")';
    expect(() => own.define("late")).toThrow(message);
    expect(() => own.register(add, "cpu", (() => null) as never)).toThrow(message);
    expect(() => own.dispose()).not.toThrow();
    expect(open("mine").define("late")).toBeTypeOf("function");
  });

  test.each([
    ["", '""'],
    [undefined, "nothing"],
    [3, "3"],
  ])("the name %s of a library or an op is refused", (name, text) => {
    const message = (who: string): string =>
      `${who}: a name must be a non-empty string, got ${text}. Choose one: ${who}("mine")`;
    expect(() => library(name as string)).toThrow(message("library"));
    const own = open("mine");
    expect(() => own.define(name as string)).toThrow(message("define"));
  });

  test("an op of Stridewise can be replaced, and is restored without the library", () => {
    expect(sinc(tensor([0])).toArray()).toEqual([1]);
    const own = open("mine");
    own.register("sinc", "cpu", ((x: Tensor) => add(x, 41)) as never);
    expect(sinc(tensor([1])).toArray()).toEqual([42]);
    expect(tensor([1]).sinc().toArray()).toEqual([42]);
    own.dispose();
    expect(sinc(tensor([0])).toArray()).toEqual([1]);
  });

  test("a kernel for every key needs no tensor to run", () => {
    const own = open("mine");
    const threes = own.define<(n: number) => Tensor>("threes");
    own.register(threes, "composite", ((n: number) => ones([n]).mul(3)) as never);
    expect(threes(2).toArray()).toEqual([3, 3]);
    own.register(sinc, "composite", ((x: Tensor) => x) as never);
    own.dispose();
    expect(() => threes(2)).toThrow(
      "no kernel for the keys DispatchKeySet(cpu); registered: none. Register one: library(...).register",
    );
  });

  test("a kernel can call the one that it replaces, and one for autograd defines the gradients", () => {
    const own = open("mine");
    const before = sinc.operator.kernelFor("cpu") as (x: Tensor) => Tensor;
    own.register(sinc, "cpu", ((x: Tensor) => before(x).mul(10)) as never);
    expect(sinc(tensor([0])).toArray()).toEqual([10]);
    const twice = own.define<(x: Tensor) => Tensor>("twice");
    own.register(twice, "cpu", ((x: Tensor) => x.mul(2)) as never);
    const recorded = api.defineFunction({ forward: (_, x: Tensor) => twice(x), backward: (_, g: Tensor) => g.mul(7) });
    own.register(twice, "autograd", recorded as never);
    const x = tensor([1], { requiresGrad: true });
    twice(x).backward();
    expect(x.grad?.toArray()).toEqual([7]);
  });

  test("libraries that replace one kernel can be disposed in any order", () => {
    const x = tensor([0]);
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [2, 1, 0],
      [2, 0, 1],
      [1, 2, 0],
    ]) {
      const all = ["a", "b", "c"].map((name) => open(name));
      all.forEach((own, k) => {
        own.register(sinc, "cpu", (() => k) as never);
      });
      const left = new Set([0, 1, 2]);
      for (const k of order) {
        expect(sinc(x) as unknown).toBe(Math.max(...left));
        all[k]?.dispose();
        left.delete(k);
      }
      expect(sinc(x).toArray()).toEqual([1]);
    }
  });

  test("views and the functions that create tensors can be replaced too", () => {
    const own = open("mine");
    own.register("reshape", "cpu", ((x: Tensor) => x) as never);
    own.register("zeros", "cpu", (() => ones([1])) as never);
    expect(ones([2, 3]).reshape(6).shape).toEqual([2, 3]);
    expect(zeros([4]).toArray()).toEqual([1]);
    own.dispose();
    expect(ones([2, 3]).reshape(6).shape).toEqual([6]);
    expect(zeros([2]).toArray()).toEqual([0, 0]);
  });

  test("throws unless given an op, a key and a function", () => {
    const own = open("mine");
    expect(() => own.register("nothing", "cpu", (() => 0) as never)).toThrow(
      'register: unknown op "nothing". Define it: library(...).define',
    );
    expect(() => own.register("sinc", "gpu" as never, (() => 0) as never)).toThrow('unknown key "gpu"');
    expect(() => own.register("sinc", "cpu", 3 as never)).toThrow(
      "the kernel of sinc for cpu must be a function, got 3",
    );
    expect(() => own.register("sinc", "gpu" as never, (() => 0) as never)).toThrow('unknown key "gpu"');
    expect(() => own.register("sinc", "cpu", 3 as never)).toThrow(
      "the kernel of sinc for cpu must be a function, got 3",
    );
    for (const [op, message] of [
      [undefined, "nothing"],
      [() => 0, "a function"],
      [{}, "an object"],
    ] as const)
      expect(() => own.register(op as never, "cpu", (() => 0) as never)).toThrow(
        `register: an op must be a function of Stridewise or returned by define, got ${message}`,
      );
    expect(sinc(tensor([0])).toArray()).toEqual([1]);
  });
});

describe("the meta device", () => {
  test("ops return shapes and dtypes without elements", () => {
    const x = zeros([3, 1], { device: "meta" });
    const result = x.add(ones([4], { device: "meta", dtype: "float64" }));
    expect([result.shape, result.dtype, result.device.type]).toEqual([[3, 4], "float64", "meta"]);
    expect(result.sum(0).shape).toEqual([4]);
    expect(String(result)).toContain("meta");
    expect(() => result.toArray()).toThrow(/no data/);
  });

  test("index tensors work there too, on either device", () => {
    const x = ones([4, 3], { device: "meta" });
    for (const index of [tensor([0, 1], { dtype: "int64" }), zeros([2], { dtype: "int64", device: "meta" })]) {
      const chosen = x.at(index);
      expect([chosen.shape, chosen.device.type]).toEqual([[2, 3], "meta"]);
      expect([x.pick(index, 1).shape, x.at(_, index).shape]).toEqual([
        [4, 2],
        [4, 2],
      ]);
      expect(x.assignAt([index], 3)).toBe(x);
      expect(x.assignAt([index], ones([3]))).toBe(x);
    }
    expect(() => x.at(ones([2], { device: "meta" }))).toThrow(
      'index tensors must be integers or bool, got float32. Create it with { dtype: "int32" }, or pass a list to pick([...])',
    );
    expect(() => ones([4]).at(zeros([2], { dtype: "int64", device: "meta" }))).toThrow("no data");
  });

  test("tensors with axes are on one device", () => {
    const x = ones([2], { device: "meta" });
    expect(() => add(ones([2]), x)).toThrow("add: tensors are on the devices meta and cpu.");
    expect(add(tensor(2), x).shape).toEqual([2]);
  });
});
