/** Gradients with vmap: of each sample inside, through it from outside, in forward mode, and whole Jacobians. */
import { describe, expect, test } from "vitest";
import {
  checkpoint,
  conv2d,
  crossEntropy,
  defineFunction,
  embedding,
  enableGrad,
  grad,
  gradOf,
  hessian,
  hvp,
  jacobian,
  jvp,
  layerNorm,
  matmul,
  maxPool2d,
  noGrad,
  softmax,
  type Tensor,
  tensor,
  valueAndGrad,
  vjp,
  vmap,
} from "../../src/index.ts";
import { expectClose } from "../support/op-results.ts";
import { dot, drawn, rows, side } from "../support/samples-of-batches.ts";

type T = Tensor;

describe("gradients", () => {
  const mlp = (w: T, v: T, x: T): T =>
    matmul(v, matmul(w, x as never).tanh() as never)
      .square()
      .sum() as T;

  test("per sample, of a network of two layers", () => {
    const [w, v, x] = [drawn(5, 3), drawn(2, 5), drawn(7, 3)];
    const each = vmap(valueAndGrad.bind(null, mlp) as (...args: T[]) => { value: T; gradients: T[] }, {
      inAxes: [null, null, 0],
    });
    const { value, gradients } = each(w, v, x);
    const expected = rows(x).map((t) => valueAndGrad(mlp, w, v, t));
    expectClose(value, side(expected.map((one) => one.value)));
    for (const k of [0, 1, 2]) expectClose(gradients[k], side(expected.map((one) => one.gradients[k] as T)));
    expectClose(vmap(gradOf(mlp), { inAxes: [null, null, 0] })(w, v, x), gradients[0]);
  });

  test("per sample, of a network of convolutions with labels", () => {
    const [w, b, last, x] = [drawn(3, 1, 3, 3), drawn(3), drawn(4, 12), drawn(5, 1, 6, 6)];
    const labels = tensor([0, 3, 1, 2, 3], { dtype: "int64" }) as T;
    const loss = (weight: T, bias: T, head: T, image: T, label: T): T => {
      const features = maxPool2d(conv2d(image, weight, bias).relu() as T, 2) as T;
      return crossEntropy(matmul(head, features.flatten() as never) as never, label as never) as T;
    };
    const all = vmap(gradOf(loss), { inAxes: [null, null, null, 0, 0] })(w, b, last, x, labels);
    expectClose(all, side(rows(x).map((t, k) => gradOf(loss)(w, b, last, t, labels.select(0, k) as T))));
  });

  test("per sample, of weights that are shared and asked for by grad", () => {
    const [w, x] = [drawn(3).requiresGrad_() as T, drawn(4, 3)];
    const f = (t: T): T => grad(dot(w, t).sin() as T, w);
    expectClose(vmap(f)(x), side(rows(x).map(f)));
  });

  test("through vmap from outside", () => {
    const f = (w: T, t: T): T =>
      softmax(matmul(w, t as never) as never, 0)
        .square()
        .sum() as T;
    const [w, x] = [drawn(4, 3).requiresGrad_() as T, drawn(5, 3).requiresGrad_() as T];
    const all = grad(vmap(f, { inAxes: [null, 0] })(w, x).sum() as T, [w, x]);
    const expected = grad(side(rows(x).map((t) => f(w, t))).sum() as T, [w, x]);
    expectClose(all, expected);
  });

  test("of gradients inside, from outside", () => {
    const f = (t: T): T => t.pow(3).sum() as T;
    const x = drawn(4, 3).requiresGrad_() as T;
    expectClose(grad(vmap(gradOf(f))(x).sum() as T, x), x.mul(6));
  });

  test("two levels inside", () => {
    const [w, x] = [drawn(3), drawn(2, 4, 3)];
    const f = (a: T, b: T): T => dot(a, b).exp() as T;
    const inner = (a: T, b: T): T => vmap(gradOf(f), { inAxes: [null, 0] })(a, b);
    const expected = side(rows(x).map((t) => side(rows(t).map((one) => gradOf(f)(w, one)))));
    expectClose(vmap(inner, { inAxes: [null, 0] })(w, x), expected);
    const sums = (a: T, b: T): T => vmap(f, { inAxes: [null, 0] })(a, b).sum() as T;
    expectClose(vmap(gradOf(sums), { inAxes: [null, 0] })(w, x), expected.sum(1));
  });

  test("vjp, jvp, jacobian, hessian and hvp inside", () => {
    const f = (t: T): T =>
      t
        .sin()
        .mul(t.sum() as never)
        .cumsum(0) as T;
    const g = (t: T): T => f(t).square().sum() as T;
    const [x, d] = [drawn(4, 3), drawn(4, 3)];
    const each = (fn: (t: T, direction: T) => T): void => {
      expectClose(vmap(fn)(x, d), side(rows(x).map((t, k) => fn(t, d.select(0, k) as T))));
    };
    each((t, direction) => vjp(f, t, direction).gradients[0] as T);
    each((t, direction) => jvp(f, t, direction).tangent);
    each((t) => jacobian(f, t));
    each((t) => jacobian(f, t, { vectorize: true }));
    each((t) => jacobian(f, t, { mode: "forward" }));
    each((t) => hessian(g, t));
    each((t, direction) => hvp(g, t, direction));
    // One direction for all, and one point for all.
    expectClose(
      vmap((t: T) => jvp(f, t, d.select(0, 0) as T).tangent)(x),
      side(rows(x).map((t) => jvp(f, t, d.select(0, 0) as T).tangent)),
    );
    expectClose(
      vmap((t: T) => jvp(f, x.select(0, 0) as T, t).tangent)(d),
      side(rows(d).map((t) => jvp(f, x.select(0, 0) as T, t).tangent)),
    );
  });

  test("jacobian and hessian in one backward pass, and in forward mode", () => {
    const f = (t: T): T =>
      t
        .sin()
        .mul(t.sum() as never)
        .cumsum(0) as T;
    const g = (t: T): T => f(t).square().sum() as T;
    const x = drawn(6);
    expectClose(jacobian(f, x, { vectorize: true }), jacobian(f, x));
    expectClose(jacobian(f, x, { vectorize: true, mode: "forward" }), jacobian(f, x));
    expectClose(hessian(g, x, { vectorize: true }), hessian(g, x));
    expectClose(
      hessian(g, x),
      vmap((d: T) => hvp(g, x, d))(
        tensor(
          rows(drawn(6, 6)).map((_, k) => Array.from({ length: 6 }, (_one, j) => Number(j === k))),
          { dtype: "float64" },
        ) as T,
      ),
    );
  });

  test("of normalizations and embeddings with weights for each sample", () => {
    const [x, w] = [drawn(4, 2, 3), drawn(3)];
    const norm = (weight: T, t: T): T =>
      layerNorm(t, [3], weight as never)
        .pow(3)
        .sum() as T;
    expectClose(vmap(gradOf(norm), { inAxes: [null, 0] })(w, x), side(rows(x).map((t) => gradOf(norm)(w, t))));
    const [table, ids] = [
      drawn(5, 3),
      tensor(
        [
          [0, 1],
          [4, 4],
          [2, 0],
        ],
        { dtype: "int64" },
      ) as T,
    ];
    const lookup = (weight: T, i: T): T =>
      embedding(i as never, weight as never)
        .pow(2)
        .sum() as T;
    expectClose(
      vmap(gradOf(lookup), { inAxes: [null, 0] })(table, ids),
      side(rows(ids).map((i) => gradOf(lookup)(table, i))),
    );
  });

  test("of vmap in forward mode, and of gradients in it", () => {
    const f = (w: T, t: T): T =>
      dot(w, t)
        .sin()
        .mul(t as never)
        .sum() as T;
    const [w, dw, x] = [drawn(3), drawn(3), drawn(4, 3)];
    const all = (v: T): T => vmap(f, { inAxes: [null, 0] })(v, x);
    expectClose(jvp(all, w, dw).tangent, side(rows(x).map((t) => jvp((v) => f(v, t), w, dw).tangent)));
    const each = (v: T): T => vmap(gradOf(f), { inAxes: [null, 0] })(v, x);
    expectClose(jvp(each, w, dw).tangent, side(rows(x).map((t) => hvp((v) => f(v, t), w, dw))));
    expectClose(jacobian(all, w), side(rows(x).map((t) => gradOf(f)(w, t))));
  });

  test("of a function that is computed again", () => {
    const f = (t: T): T => checkpoint((u: T) => u.sin().mul(u as never) as T, t).sum() as T;
    const x = drawn(3, 2);
    expectClose(vmap(gradOf(f))(x), side(rows(x).map((t) => gradOf(f)(t))));
  });

  test("of a function with its own gradient", () => {
    const double = defineFunction<[T], T>({
      forward(context, t) {
        context.saveForBackward(t);
        return t.square() as T;
      },
      backward: ({ savedTensors: [t] }, g) => (t as T).mul(g as never).mul(20) as T,
    });
    const f = (t: T): T => double(t.mul(2) as T).sum() as T;
    const x = drawn(3, 2);
    expectClose(vmap(f)(x), side(rows(x).map(f)));
    expectClose(vmap(gradOf(f))(x), x.mul(80));
  });

  test("noGrad and enableGrad inside", () => {
    const x = drawn(3, 2).requiresGrad_() as T;
    expect(vmap((t: T) => noGrad(() => t.mul(2) as T))(x).requiresGrad).toBe(false);
    expect(noGrad(() => vmap((t: T) => enableGrad(() => t.mul(2) as T))(x)).requiresGrad).toBe(true);
  });

  test("backward inside is refused", () => {
    expect(() =>
      vmap((t: T) => {
        const y = t.mul(2).sum() as T;
        y.backward();
        return y;
      })(drawn(3, 2).requiresGrad_() as T),
    ).toThrow(/^backward: this tensor represents all samples of a vmap/);
  });

  test("a result that is not a scalar has no gradient of its own", () => {
    expect(() => vmap(gradOf((t: T) => t.mul(2) as T))(drawn(3, 2))).toThrow(
      "gradOf: grad can be implicitly created only for scalar outputs, got shape [2]",
    );
  });
});

test("checkpoints inside vmap have the values and gradients of their functions", () => {
  const rows = tensor(
    [
      [1, 2],
      [3, 4],
    ],
    { dtype: "float64", requiresGrad: true },
  ) as Tensor;
  const cube = (x: Tensor): Tensor => checkpoint((y: Tensor) => y.pow(3) as Tensor, x);
  const values = vmap(cube)(rows);
  expect(values.detach().toArray()).toEqual([
    [1, 8],
    [27, 64],
  ]);
  expect(grad(values.sum(), rows).toArray()).toEqual([
    [3, 12],
    [27, 48],
  ]);
  expect(vmap(gradOf((x) => cube(x).sum()))(rows.detach()).toArray()).toEqual([
    [3, 12],
    [27, 48],
  ]);
});
