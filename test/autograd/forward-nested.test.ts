/** Forward and reverse mode in each other, and functions with tangents of their own. */
import { describe, expect, test } from "vitest";
import {
  checkpoint,
  defineFunction,
  dualLevel,
  enableGrad,
  grad,
  gradcheck,
  gradgradcheck,
  gradOf,
  hessian,
  hvp,
  jacobian,
  jvp,
  makeDual,
  noGrad,
  type Tensor,
  tensor,
  unpackDual,
  vjp,
  zeros,
} from "../../src/index.ts";

const at = (...values: number[]): Tensor => tensor(values, { dtype: "float64" }) as Tensor;
const dual = (values: number[], tangents: number[]): Tensor => makeDual(at(...values), at(...tangents));
const tangentOf = (t: Tensor): unknown => unpackDual(t).tangent?.toArray() ?? null;

const quartic = (x: Tensor): Tensor => x.pow(4).sum() as Tensor;

describe("modes in each other", () => {
  test("forward over reverse: a product with the Hessian", () => {
    expect(jvp(gradOf(quartic), at(1, 2), at(1, 10)).tangent.toArray()).toEqual([12, 480]);
    dualLevel(() => {
      const x = dual([1, 2], [1, 10]).requiresGrad_();
      const y = x.mul(x);
      y.mul(y).add(y).sum().backward();
      expect(x.grad?.toArray()).toEqual([6, 36]);
      expect(tangentOf(x.grad as Tensor)).toEqual([14, 500]);
    });
  });

  test("a gradient that was added to has the sum of the tangents", () => {
    dualLevel(() => {
      const x = dual([2], [1]).requiresGrad_();
      x.pow(3).sum().backward();
      x.pow(2).sum().backward();
      expect([x.grad?.toArray(), tangentOf(x.grad as Tensor)]).toEqual([[16], [14]]);
    });
  });

  test("reverse over forward: gradients of tangents", () => {
    const [x, t] = [at(1, 2).requiresGrad_(), at(3, 4).requiresGrad_()];
    const tangent = dualLevel(() => unpackDual(makeDual(x, t).pow(3).cumsum(0)).tangent as Tensor);
    const [byX, byT] = grad(tangent.sum() as Tensor, [x, t]);
    // The sum is 2 * 3 x0^2 t0 + 3 x1^2 t1.
    expect([byX?.toArray(), byT?.toArray()]).toEqual([
      [36, 48],
      [6, 12],
    ]);
  });

  test("writes save the values that the backward pass needs, tangents included", () => {
    dualLevel(() => {
      const [x, w] = [dual([2], [1]), at(3).requiresGrad_()];
      const y = x.mul(1);
      y.mul_(w);
      const [byW] = grad(y.sum() as Tensor, [w]);
      expect([byW?.toArray(), tangentOf(byW as Tensor)]).toEqual([[2], [1]]);
    });
  });

  test("jvp nests, and so do all functions of functions in it", () => {
    const sine = (x: Tensor): Tensor => x.sin();
    const along = (f: (x: Tensor) => Tensor) => (x: Tensor) => jvp(f, x, at(1)).tangent;
    expect(along(along(sine))(at(0.3)).item()).toBeCloseTo(-Math.sin(0.3), 12);
    expect(along(along(along(sine)))(at(0.3)).item()).toBeCloseTo(-Math.cos(0.3), 12);
    expect(along((x) => vjp(sine, x, at(1)).gradients[0] as Tensor)(at(0.3)).item()).toBeCloseTo(-Math.sin(0.3), 12);
    expect(gradOf((x) => along(sine)(x).sum() as Tensor)(at(0.3)).item()).toBeCloseTo(-Math.sin(0.3), 12);
    expect(jvp((x) => hessian(quartic, x), at(1, 2), at(1, 1)).tangent.toArray()).toEqual([
      [24, 0],
      [0, 48],
    ]);
    expect(jvp((x) => hvp(quartic, x, at(1, 1)), at(1, 2), at(1, 1)).tangent.toArray()).toEqual([24, 48]);
  });

  test("jvp takes several arguments, and gives zeros where nothing depends on them", () => {
    const { value, tangent } = jvp((x, y) => x.mul(y), [at(2), at(3)], [at(1), at(10)]);
    expect([value.toArray(), tangent.toArray()]).toEqual([[6], [23]]);
    expect(jvp(() => at(1, 2), at(1), at(1)).tangent.toArray()).toEqual([0, 0]);
    expect(
      noGrad(() =>
        jvp((x) => x.softmax(0), at(1, 2), at(1, 1))
          .tangent.sum()
          .item(),
      ),
    ).toBeCloseTo(0, 12);
  });

  test("Jacobians by columns are those by rows", () => {
    const f = (x: Tensor, y: Tensor): Tensor => x.unsqueeze(1).mul(y).exp() as Tensor;
    const [x, y] = [at(0.1, 0.2, 0.3), at(0.5, 0.7)];
    const [rows, columns] = [jacobian(f, [x, y]), jacobian(f, [x, y], { mode: "forward" })];
    columns.forEach((column, k) => {
      expect(column.shape).toEqual(rows[k]?.shape);
      expect(column.allclose(rows[k] as never)).toBe(true);
    });
    expect(jacobian((t) => t.mul(2), zeros([0]) as Tensor, { mode: "forward" }).shape).toEqual([0, 0]);
  });

  test("gradcheck compares forward mode, too", () => {
    const x = at(0.3, -0.4, 1.1).requiresGrad_();
    const f = (t: Tensor): Tensor => t.logSoftmax(0).mul(t.tanh()) as Tensor;
    expect(gradcheck(f, x, { checkForward: true })).toBe(true);
    expect(gradgradcheck(f, x, { checkForward: true })).toBe(true);
    const wrong = defineFunction({
      forward: (context, t: Tensor) => {
        context.saveForBackward(t);
        return t.mul(t);
      },
      backward: ({ savedTensors: [t] }, g) => g.mul((t as Tensor).mul(2) as never) as Tensor,
      jvp: (_context, t) => t,
    });
    expect(gradcheck(wrong, x)).toBe(true);
    expect(() => gradcheck(wrong, x, { checkForward: true })).toThrow("Jacobian mismatch in forward mode for output 0");
  });

  test("checkpoints have tangents", () => {
    dualLevel(() => expect(tangentOf(checkpoint((x) => x.square(), dual([3], [1])))).toEqual([6]));
  });
});

describe("user-defined functions", () => {
  const product = defineFunction({
    name: "Product",
    forward(context, x: Tensor, y: Tensor, _factor: number) {
      context.saveForBackward(x, y);
      expect(tangentOf(x.mul(1))).toBe(null);
      return x.mul(y);
    },
    backward({ savedTensors: [x, y] }, g) {
      return [g.mul(y as never) as Tensor, g.mul(x as never) as Tensor, null];
    },
    jvp({ savedTensors: [x, y] }, s, t, factor) {
      expect(factor).toBe(null);
      return (s as Tensor).mul(y as never).add((t as Tensor).mul(x as never) as never) as Tensor;
    },
  });

  test("have the tangent that they define", () => {
    dualLevel(() => {
      expect(tangentOf(product(dual([2], [1]), dual([3], [10]), 5))).toEqual([23]);
      // Missing tangents are zeros.
      expect(tangentOf(product(at(2), dual([3], [10]), 5))).toEqual([20]);
      expect(tangentOf(product(at(2), at(3), 5))).toBe(null);
    });
    const x = at(2).requiresGrad_();
    const tangent = dualLevel(() => unpackDual(product(makeDual(x, at(1)), x, 1)).tangent as Tensor);
    expect(enableGrad(() => grad(tangent.sum() as Tensor, x)).toArray()).toEqual([1]);
  });

  test("may write to an argument, and give it back as it is", () => {
    const doubled = defineFunction({
      forward(context, x: Tensor) {
        context.markDirty(x);
        return x.mul_(2);
      },
      backward: (_context, g) => g.mul(2) as Tensor,
      jvp: (_context, t) => (t as Tensor).mul(2) as Tensor,
    });
    const same = defineFunction({
      forward: (_context, x: Tensor) => x,
      backward: (_context, g) => g,
      jvp: (_context, t) => (t as Tensor).mul(7) as Tensor,
    });
    dualLevel(() => {
      const base = dual([1, 2], [1, 1]).clone();
      doubled(base.select(0, 1));
      expect(tangentOf(base)).toEqual([1, 2]);
      expect([tangentOf(same(base)), tangentOf(base)]).toEqual([
        [7, 14],
        [1, 2],
      ]);
    });
  });

  test("refuse a missing or wrong jvp", () => {
    const withJvp = (jvp?: () => unknown) =>
      defineFunction({
        name: "Mine",
        forward: (_context, x: Tensor) => x.mul(2),
        backward: (_context, g) => g,
        ...(jvp && { jvp: jvp as never }),
      });
    const refusal = (jvp?: () => unknown): string => {
      try {
        dualLevel(() => withJvp(jvp)(dual([1], [1])));
        return "";
      } catch (error) {
        return String(error);
      }
    };
    const cases = [undefined, () => [at(1), at(1)], () => 3, () => at(1, 2)];
    expect(cases.map(refusal)).toMatchInlineSnapshot(`
      [
        "AutogradError: Mine: forward mode needs its jvp. Write defineFunction({ forward, backward, jvp })",
        "AutogradError: Mine: jvp must return 1 tangents, one for each result of forward, got 2",
        "AutogradError: Mine: tangent 0 must be a tensor or null, got 3",
        "AutogradError: Mine: Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. Tensor is of size [1] while the given forward gradient is of size [2].",
      ]
    `);
    expect(dualLevel(() => tangentOf(withJvp(() => null)(dual([1], [1]))))).toBe(null);
  });
});
