/** Gradients of reductions and scans: against differences, in first and second order, and where PyTorch has a convention. */
import { describe, expect, test } from "vitest";
import { gradcheck } from "../../src/autograd/gradcheck.ts";
import * as sw from "../../src/index.ts";
import { grad, type Tensor, tensor } from "../../src/index.ts";

const leaf = (data: unknown, dtype: "float64" | "float32" = "float64"): Tensor =>
  tensor(data as number[], { dtype, requiresGrad: true }) as Tensor;

/** Returns numbers of a shape that are not multiples of each other. */
function numbers(shape: readonly number[], phase = 0): Tensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const data = Array.from({ length: count }, (_, k) => 1.3 * Math.sin(1.7 * k + 0.4 + phase) + 0.1 * (k % 13) - 0.3);
  return (tensor(data, { dtype: "float64" }) as Tensor).reshape(...shape) as Tensor;
}

/** The gradient that a leaf has got. */
const gradOf = (x: { readonly grad: Tensor | null }): Tensor => x.grad as Tensor;

type F = (x: Tensor) => Tensor;

/** The sum of the results and of their squares, each with a weight of its own. */
const weighted = (y: Tensor): Tensor =>
  y
    .add(0.3)
    .square()
    .mul(numbers(y.shape as number[], 2) as never)
    .sum();

function differences(f: F, x: Tensor): number[] {
  const flat = x.data.reshape(-1);
  const step = 1e-6;
  return Array.from({ length: x.size }, (_, at) => {
    const value = flat.get(at) as number;
    const moved = (to: number): number => {
      flat.set(at, to);
      return Number(f(x).item());
    };
    const slope = (moved(value + step) - moved(value - step)) / (2 * step);
    flat.set(at, value);
    return slope;
  });
}

const flat = (t: Tensor): number[] => t.reshape(-1).toArray() as number[];

function expectClose(got: readonly number[], expected: readonly number[], what: string): void {
  expect(got.length, what).toBe(expected.length);
  got.forEach((value, k) => {
    expect(
      Math.abs(value - (expected[k] as number)),
      `${what}, element ${k}: ${value} and ${expected[k]}`,
    ).toBeLessThanOrEqual(1e-5 * (1 + Math.abs(expected[k] as number)));
  });
}

/** First and second order against differences. */
function check(what: string, f: F, start: Tensor, orders = 2): void {
  const x = start.detach().clone().requiresGrad_(true) as Tensor;
  let current: F = (t) => weighted(f(t));
  for (let order = 1; order <= orders; order++) {
    const now = current;
    const gradient: F = (t) => grad(now(t), t, { createGraph: true, allowUnused: true }) as Tensor;
    expectClose(flat(gradient(x)), differences(now, x), `${what}, order ${order}`);
    current = (t) => weighted(gradient(t));
  }
}

const forms: readonly (readonly [string, unknown[]])[] = [
  ["of all", []],
  ["of an axis", [1]],
  ["of a negative axis, kept", [-1, { keepdims: true }]],
  ["of axes", [[0, 2]]],
  ["of axes in a different order, kept", [[2, 0], { keepdims: true }]],
  ["of all, options first", [{ keepdims: true }]],
];

type Reducing = (x: Tensor, ...args: unknown[]) => Tensor;
/** An op by its name. */
const named = (name: string): Reducing => Object.entries(sw).find(([key]) => key === name)?.[1] as unknown as Reducing;
const call =
  (op: unknown, args: unknown[]): F =>
  (x) =>
    (op as Reducing)(x, ...args);

describe("reductions", () => {
  for (const name of [
    "sum",
    "mean",
    "prod",
    "amax",
    "amin",
    "variance",
    "std",
    "logsumexp",
    "nansum",
    "nanmean",
  ] as const)
    for (const [form, args] of forms)
      test(`${name} ${form}`, () => {
        check(name, call(named(name), args), numbers([2, 3, 2]));
      });

  for (const p of [0.5, 1, 1.5, 2, 3, -2, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    for (const [form, args] of [
      ["of all", [{ ord: p }]],
      ["of an axis", [1, { ord: p, keepdims: true }]],
    ] as [string, unknown[]][])
      test(`the norm of order ${p} ${form}`, () => check("norm", call(sw.vectorNorm, args), numbers([3, 2, 2])));

  test("extremes of all and along an axis, and both at once", () => {
    const x = numbers([3, 4]);
    check("max", (t) => t.max(), x);
    check("min", (t) => t.min({ keepdims: true }), x);
    check("max along", (t) => t.max(0).values, x);
    check("min along", (t) => t.min(-1, { keepdims: true }).values, x);
    check("aminmax", (t) => sw.aminmax(t, 1).min.mul(sw.aminmax(t, 1).max as never), x);
  });

  test("moments with a correction, and two at once", () => {
    const x = numbers([2, 5]);
    check("var", (t) => t.var(1, { correction: 0 }), x);
    check("std", (t) => t.std({ unbiased: false }), x);
    check("varMean", (t) => sw.varMean(t, 1)[0].mul(sw.varMean(t, 1)[1] as never) as Tensor, x);
    check("stdMean", (t) => sw.stdMean(t, [0, 1])[0].add(sw.stdMean(t)[1] as never) as Tensor, x);
    check("a mean alone", (t) => sw.varMean(t, 0)[1], x);
  });

  test("of a 0-d tensor", () => {
    const x = tensor(1.5, { dtype: "float64" }) as Tensor;
    for (const name of ["prod", "amax", "logsumexp", "max"] as const) check(name, call(named(name), []), x, 1);
    check("max along", (t) => t.max(0).values, x, 1);
    check("norm", (t) => sw.vectorNorm(t), x, 1);
  });

  test("on the meta device have shapes", () => {
    const functions = [
      (t: Tensor) => t.max(1).values.sum(),
      (t: Tensor) => t.prod(),
      (t: Tensor) => sw.cummax(t, 0).values.sum(),
    ];
    for (const f of functions) {
      const x = sw.empty([2, 3], { device: "meta", requiresGrad: true }) as Tensor;
      f(x).backward();
      expect([x.grad?.shape, x.grad?.device.type]).toEqual([[2, 3], "meta"]);
    }
  });

  test("of strided elements", () => {
    const x = numbers([3, 4]);
    for (const name of ["prod", "std", "amax"] as const) check(name, (t) => named(name)(t.T, 1), x);
  });
});

describe("products", () => {
  for (const [what, data] of [
    ["one zero", [2, 0, 3, -1.5]],
    ["two zeros", [2, 0, 3, 0]],
    ["zeros alone", [0, 0, 0]],
    ["one element, 0", [0]],
  ] as const) {
    test(`with ${what} have exact gradients of three orders`, () => {
      check("prod", (t) => t.prod(), tensor([...data], { dtype: "float64" }) as Tensor, 3);
      check("cumprod", (t) => t.cumprod(0), tensor([...data], { dtype: "float64" }) as Tensor, 3);
    });
  }

  test("with a zero in one row only", () => {
    check("prod", (t) => t.prod(1), tensor([[1, 2], [0, 3], [0, 0]], { dtype: "float64" }) as Tensor); // biome-ignore format: a matrix
  });

  test("pass on gradients that neither overflow nor vanish", () => {
    const x = leaf([1e-30, 1e30, 2], "float32");
    x.prod().backward();
    expect(flat(gradOf(x))).toEqual([2e30, 2e-30, 1].map(Math.fround));
  });
});

describe("ties", () => {
  test("are shared by extremes over axes", () => {
    for (const f of [(t: Tensor) => t.amax(), (t: Tensor) => t.max(), (t: Tensor) => t.amax(0)]) {
      const x = leaf([1, 3, 3, 2]);
      f(x).backward();
      expect(flat(gradOf(x))).toEqual([0, 0.5, 0.5, 0]);
    }
    const x = leaf([-3, 3, 1, 0]);
    sw.vectorNorm(x, { ord: Number.POSITIVE_INFINITY }).backward();
    expect(flat(gradOf(x))).toEqual([-0.5, 0.5, 0, 0]);
  });

  test("go to the returned place along an axis", () => {
    const x = leaf([[1, 3, 3], [2, 2, 2]]); // biome-ignore format: a matrix
    x.max(1).values.sum().backward();
    expect(flat(gradOf(x))).toEqual([0, 1, 0, 1, 0, 0]);
    const y = leaf([2, 2, 1, 3]);
    sw.cummax(y, 0).values.sum().backward();
    expect(flat(gradOf(y))).toEqual([1, 2, 0, 1]);
  });

  test("NaN is the extreme of all, and shares; the gradient of amax is NaN", () => {
    const x = leaf([Number.NaN, 1, Number.NaN]);
    x.max().backward();
    expect(flat(gradOf(x))).toEqual([0.5, 0, 0.5]);
    x.grad = null;
    x.amax().backward();
    expect(flat(gradOf(x))).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });
});

describe("where there is no slope", () => {
  test("norms at 0 and deviations of equal elements pass 0", () => {
    for (const p of [0.5, 1, 1.5, 2, 3, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const x = leaf([0, 0]);
      sw.vectorNorm(x, { ord: p }).backward();
      expect(flat(gradOf(x)), `order ${p}`).toEqual([0, 0]);
    }
    const x = leaf([2, 2, 2]);
    x.std().backward();
    expect(flat(gradOf(x))).toEqual([0, 0, 0]);
  });

  test("counting passes nothing, and the result has a history", () => {
    const x = leaf([1, 0]);
    const y = sw.vectorNorm(x, { ord: 0 });
    expect(y.requiresGrad).toBe(true);
    y.backward();
    expect(x.grad).toBe(null);
    expect(sw.countNonzero(x).requiresGrad).toBe(false);
  });

  test("logsumexp passes nothing to -inf", () => {
    const x = leaf([Number.NEGATIVE_INFINITY, 1, 1]);
    x.logsumexp().backward();
    expect(flat(gradOf(x)).map((v) => Number(v.toFixed(12)))).toEqual([0, 0.5, 0.5]);
  });

  test("sums without NaN pass 0 to NaN", () => {
    const x = leaf([1, Number.NaN, 4]);
    sw.nansum(x).backward();
    expect(flat(gradOf(x))).toEqual([1, 0, 1]);
    x.grad = null;
    sw.nanmean(x).backward();
    expect(flat(gradOf(x))).toEqual([0.5, 0, 0.5]);
  });
});

describe("scans", () => {
  for (const name of ["cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"] as const)
    for (const axis of [0, 1, -1])
      test(`${name} along axis ${axis}`, () => {
        const f: F = (x) => {
          const y = named(name)(x, axis);
          return (y as unknown as { values?: Tensor }).values ?? y;
        };
        check(name, f, numbers([2, 3, 4]));
        check(name, f, numbers([9, 5]), 1);
        check(`${name} again`, f, numbers([2, 3, 4], 1), 1);
        check(`${name} of rows apart`, (x) => f(x.T), numbers([4, 3]), 1);
      });

  test("logcumsumexp of numbers far apart stays finite", () => {
    const x = leaf([-1000, 0, 1000, 3]);
    sw.logcumsumexp(x, 0).sum().backward();
    expect(flat(gradOf(x))).toEqual([1, 1, 2, 0]);
  });

  test("logcumsumexp of complex numbers is the logarithm of running sums, and stays finite", () => {
    const numbers = (re: number[], im: number[]): Tensor =>
      sw.complex(tensor(re, { dtype: "float64" }), tensor(im, { dtype: "float64" })) as Tensor;
    const x = numbers([0.5, -1, 2, 0.3], [0.1, 2, -1, -3]);
    const expected = x.exp().cumsum(0).log() as Tensor;
    expect(sw.logcumsumexp(x, 0).allclose(expected as never)).toBe(true);
    expect(gradcheck((t) => sw.logcumsumexp(t, 0) as Tensor, [x.clone().requiresGrad_() as Tensor])).toBe(true);
    const far = sw.logcumsumexp(numbers([-900, 0, 900], [1, 0, 2]), 0).toArray();
    expect(far).toEqual([sw.complex(-900, 1), sw.complex(0, 0), sw.complex(900, 2)]);
  });

  test("of a 0-d tensor, and of nothing", () => {
    for (const name of ["cumsum", "cumprod", "logcumsumexp"] as const) {
      check(name, (x) => named(name)(x, 0), tensor(1.5, { dtype: "float64" }) as Tensor, 1);
      const x = sw.zeros([0, 2], { dtype: "float64", requiresGrad: true }) as Tensor;
      named(name)(x, 0).sum().backward();
      expect(x.grad?.shape).toEqual([0, 2]);
    }
  });
});

describe("dtypes", () => {
  test("the gradient has the dtype of the argument, whatever the result has", () => {
    const options = { dtype: "float64" } as const;
    for (const f of [
      (t: Tensor) => t.sum(0, options),
      (t: Tensor) => t.mean(0, options),
      (t: Tensor) => t.prod(0, options),
      (t: Tensor) => t.cumsum(0, options).sum(),
      (t: Tensor) => t.cumprod(0, options).sum(),
      (t: Tensor) => sw.vectorNorm(t, options),
      (t: Tensor) => t.amax(0, options),
      (t: Tensor) => sw.nansum(t, 0, options),
    ]) {
      const x = leaf([1, 2, 3], "float32");
      const y = f(x);
      expect(y.dtype).toBe("float64");
      y.backward();
      expect(x.grad?.dtype).toBe("float32");
    }
  });

  test("of complex products it is the conjugate of the product of the others, zeros or not", () => {
    const data = [
      { re: 1, im: 2 },
      { re: 0, im: 0 },
      { re: 3, im: -1 },
    ];
    const zero = { re: 0, im: 0 };
    for (const f of [(t: Tensor) => t.prod(), (t: Tensor) => t.cumprod(0).select(0, 2)]) {
      const x = tensor(data, { dtype: "complex128", requiresGrad: true }) as Tensor;
      f(x).backward(tensor({ re: 0, im: 1 }, { dtype: "complex128" }) as Tensor);
      // (1 + 2i)(3 - i) = 5 + 5i, and its conjugate times i is 5 + 5i again.
      expect(x.grad?.toArray()).toEqual([zero, { re: 5, im: 5 }, zero]);
    }
  });

  test("half floats get half floats", () => {
    for (const f of [
      (t: Tensor) => t.var(),
      (t: Tensor) => t.prod(),
      (t: Tensor) => t.max(),
      (t: Tensor) => t.logsumexp(),
    ]) {
      const x = tensor([1, 2, 3], { dtype: "float16", requiresGrad: true }) as Tensor;
      f(x).backward();
      expect(x.grad?.dtype).toBe("float16");
    }
  });
});

describe("nothing to reduce", () => {
  test("has gradients without elements", () => {
    for (const f of [
      (t: Tensor) => t.sum(),
      (t: Tensor) => t.mean(),
      (t: Tensor) => t.prod(),
      (t: Tensor) => t.amax(1).sum(),
      (t: Tensor) => t.std(),
    ]) {
      const x = sw.zeros([0, 3], { requiresGrad: true }) as Tensor;
      f(x).backward();
      expect(x.grad?.shape).toEqual([0, 3]);
    }
  });
});
