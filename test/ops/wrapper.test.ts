/** User-defined tensor classes: they see every op that they take part in, and its results are of the class. */
import { describe, expect, test } from "vitest";
import {
  add,
  cat,
  elementwise,
  gradOf,
  jvp,
  library,
  type Mode,
  type Operator,
  ones,
  scope,
  softmax,
  sum,
  type Tensor,
  tensor,
  vmap,
  WrapperTensor,
  withMode,
  zeros,
} from "../../src/index.ts";

class Plain extends WrapperTensor {}

const log: string[] = [];
class Logged extends WrapperTensor {
  override call(op: Operator, _args: readonly unknown[], next: () => unknown): unknown {
    log.push(op.name);
    return next();
  }
}
const seen = (): string => log.splice(0).join(" ");

/** Adding meters to seconds throws. */
class Quantity extends WrapperTensor {
  readonly unit: string;
  constructor(value: Tensor, unit: string) {
    super(value);
    this.unit = unit;
  }
  override wrap(value: Tensor): Quantity {
    return new Quantity(value, this.unit);
  }
  override call(op: Operator, args: readonly unknown[], next: () => unknown): unknown {
    const units = args.flatMap((arg) => (arg instanceof Quantity ? [arg.unit] : []));
    if (op.name === "add" && new Set(units).size > 1) throw new RangeError(`add: ${units.join(" and ")}`);
    return next();
  }
}

test("results are of the class: of ops, views, several results, lists, formulas and iteration", () => {
  const x = new Plain(tensor([3, 1, 2]));
  const { values } = x.topk(2);
  const all = [
    x.add(1),
    x.at(0),
    sum(x),
    values,
    ...x.split(2),
    cat([x, ones([1])]),
    elementwise("x + 1", { x }),
    ...x,
  ];
  expect(all.map((t) => t.constructor.name)).toEqual(all.map(() => "Plain"));
  expect([all[0]?.toArray(), all[2]?.item(), values.toArray()]).toEqual([[4, 2, 3], 6, [3, 2]]);
});

test("a wrapper is read and printed as its value", () => {
  const value = ones([2, 2]);
  const x = new Plain(value);
  expect([x.toArray(), String(x), x.shape, x.dtype, x.value === value]).toEqual([
    [
      [1, 1],
      [1, 1],
    ],
    String(value),
    [2, 2],
    "float32",
    true,
  ]);
});

test("it sees ops as they are called, as any argument", () => {
  const x = new Logged(ones([2, 2]));
  x.add(1)
    .softmax(1)
    .matmul(ones([2, 2]))
    .T.at(0);
  expect(seen()).toBe("add softmax matmul T at");
  cat([ones([2, 2]), x]);
  add(ones([2]), 1, { out: zeros([2]) });
  ones([2, 2]).assign(x);
  expect(seen()).toBe("cat copy_");
  const index = new Logged(tensor([1, 0], { dtype: "int32" }));
  expect(tensor([5, 6]).at(index)).toBeInstanceOf(Logged);
  expect(ones([2]).assignAt([index], 3).toArray()).toEqual([3, 3]);
  expect(tensor([5, 6]).at(0).item()).toBe(5);
  expect(seen()).toBe("at assignAt_");
  const own = library("mine");
  const twice = own.define<(x: Tensor) => Tensor>("twice");
  own.register(twice, "composite", ((t: Tensor) => t.mul(2)) as never);
  expect(twice(x)).toBeInstanceOf(Logged);
  own.dispose();
  expect(seen()).toBe("mine.twice");
});

test("writes return the wrapper itself, and change its value", () => {
  const value: Tensor = ones([2, 3]);
  const x = new Logged(value);
  expect(x.add_(1)).toBe(x);
  expect(x.transpose_(0, 1)).toBe(x);
  expect([x.shape, value.shape, value.at(0).toArray()]).toEqual([
    [3, 2],
    [3, 2],
    [2, 2],
  ]);
  x.resize_(2, 4).fill_(5);
  expect([x.toArray(), value.toArray()]).toEqual([
    [
      [5, 5, 5, 5],
      [5, 5, 5, 5],
    ],
    x.toArray(),
  ]);
  const out: Tensor = zeros([2]);
  expect(add(new Logged(ones([2])), 1, { out })).toBe(out);
  expect(out.toArray()).toEqual([2, 2]);
  seen();
});

test("`call` may throw, change arguments and keep other fields of the class", () => {
  const length = new Quantity(tensor([1, 2]), "m");
  expect((length.mul(2) as Quantity).unit).toBe("m");
  expect(() => length.add(new Quantity(ones([2]), "s"))).toThrow("add: m and s");
  class Doubled extends WrapperTensor {
    override call(_op: Operator, args: readonly unknown[], next: (args?: readonly unknown[]) => unknown): unknown {
      return next([args[0], 10]);
    }
  }
  expect(new Doubled(ones([1])).add(1).toArray()).toEqual([11]);
});

test("inside `call` wrappers are plain tensors", () => {
  const found: unknown[] = [];
  class Watched extends WrapperTensor {
    override call(_op: Operator, args: readonly unknown[], next: () => unknown): unknown {
      found.push((args[0] as Tensor).sum().item());
      return next();
    }
  }
  expect(new Watched(ones([2])).mul(3).mul(2).toArray()).toEqual([6, 6]);
  expect(found).toEqual([2, 6]);
});

test("of several classes the first decides, a subclass before its superclass, and the others see the ops it calls", () => {
  const order: string[] = [];
  class A extends WrapperTensor {
    override call(_op: Operator, _args: readonly unknown[], next: () => unknown): unknown {
      order.push("A");
      return next();
    }
  }
  class B extends WrapperTensor {
    override call(_op: Operator, _args: readonly unknown[], next: () => unknown): unknown {
      order.push("B");
      return next();
    }
  }
  class Special extends A {}
  const names = (t: Tensor): string => (t instanceof WrapperTensor ? `${t.constructor.name} ${names(t.value)}` : "-");
  expect(names(new A(new B(ones([1]))).add(1))).toBe("A B -");
  expect(names(new A(ones([1])).add(new B(ones([1]))))).toBe("A B -");
  expect(names(new A(ones([1])).add(new Special(ones([1]))))).toBe("Special -");
  expect(order.join("")).toBe("ABABA");
});

describe("together with other features", () => {
  test("gradients", () => {
    const value = tensor([1, 2], { requiresGrad: true });
    const y = new Logged(value).square().sum();
    expect([y.requiresGrad, y.gradFn?.name]).toEqual([true, "SumBackward0"]);
    y.backward();
    expect(value.grad?.toArray()).toEqual([2, 4]);
    const leaf = new Logged(tensor([1, 2])).requiresGrad_();
    leaf.mul(3).sum().backward();
    expect([leaf.isLeaf, leaf.grad?.toArray(), leaf.value.requiresGrad]).toEqual([true, [3, 3], true]);
    expect(seen()).toBe("square sum mul sum");
    const isLogged: boolean[] = [];
    const gradient = gradOf((x) => {
      isLogged.push(x instanceof Logged);
      return x.square().sum();
    })(new Logged(tensor([1, 2])));
    expect([gradient.toArray(), isLogged, seen()]).toEqual([[2, 4], [true], "square sum"]);
  });

  test("tangents", () => {
    const inside = jvp((x) => new Logged(x).square().sum(), tensor([1, 2]), ones([2]));
    expect([inside.value.item(), inside.tangent.item()]).toEqual([5, 6]);
    const around = jvp((x) => x.square().sum(), new Logged(tensor([1, 2])), ones([2]));
    expect([around.tangent.item(), seen()]).toEqual([6, "square sum square sum"]);
  });

  test("vmap, around and inside", () => {
    expect(vmap((x: Tensor) => x.sum())(new Logged(ones([2, 3]))).toArray()).toEqual([3, 3]);
    const result = vmap((x: Tensor) => new Logged(x).sum())(ones([2, 3]));
    expect([result instanceof Logged, result.toArray(), seen()]).toEqual([true, [3, 3], "sum sum"]);
  });

  test("modes see the ops that a wrapper calls", () => {
    const ops: string[] = [];
    const mode: Mode = {
      call(op, _args, next) {
        ops.push(op.name);
        return next();
      },
    };
    const x = new Logged(ones([2]));
    withMode(mode, () => softmax(x, 0));
    expect([seen(), ops]).toEqual(["softmax", ["softmax"]]);
  });

  test("scopes keep the value of a wrapper that leaves, and dispose that of one that stays", () => {
    let stays: WrapperTensor | null = null;
    const leaves = scope(() => {
      stays = new Plain(ones([2])).mul(2) as Plain;
      return stays.add(1) as Plain;
    });
    expect(leaves.add(1).toArray()).toEqual([4, 4]);
    const ended = stays as unknown as WrapperTensor;
    expect([ended.isDisposed, ended.value.isDisposed]).toEqual([true, true]);
  });

  test("a disposed wrapper does not dispose the tensor that it was given", () => {
    const value = ones([2]);
    const x = new Plain(value);
    x.dispose();
    expect([x.isDisposed, value.toArray()]).toEqual([true, [1, 1]]);
    const other = new Plain(value);
    value.dispose();
    expect(other.toArray()).toEqual([1, 1]);
  });
});

test("a value that is not a tensor is refused", () => {
  expect(() => new Plain(3 as never)).toThrow("WrapperTensor: wraps a tensor, got 3. Example");
  const gone = ones([1]);
  gone.dispose();
  expect(() => new Plain(gone)).toThrow("got a disposed one");
});
