/** Forward mode: levels, tensors with tangents, and writes. */
import { describe, expect, test } from "vitest";
import {
  add,
  arange,
  besselJ0,
  cat,
  complex,
  dualLevel,
  elementwise,
  full,
  inferenceMode,
  jvp,
  makeDual,
  noGrad,
  normal_,
  onesLike,
  scope,
  sort,
  type Tensor,
  tensor,
  unpackDual,
  withMode,
  zeros,
} from "../../src/index.ts";

const at = (...values: number[]): Tensor => tensor(values, { dtype: "float64" }) as Tensor;
const dual = (values: number[], tangents: number[]): Tensor => makeDual(at(...values), at(...tangents));
const tangentOf = (t: Tensor): unknown => unpackDual(t).tangent?.toArray() ?? null;

describe("a level", () => {
  test("gives tangents to results computed in it, and ends them", () => {
    let kept = at(0);
    const tangent = dualLevel(() => {
      kept = dual([1, 2], [1, 10]);
      return tangentOf(kept.square());
    });
    expect(tangent).toEqual([2, 40]);
    expect(unpackDual(kept).primal).toBe(kept);
    expect(unpackDual(kept).tangent).toBe(null);
    expect(dualLevel(() => tangentOf(kept.square()))).toBe(null);
  });

  test("ends when its function throws", () => {
    expect(() =>
      dualLevel(() => {
        throw new RangeError("stop");
      }),
    ).toThrow("stop");
    expect(dualLevel(() => tangentOf(dual([1], [2])))).toEqual([2]);
  });

  test("throws if PyTorch does", () => {
    const [x, t] = [at(1), at(1)];
    const refusals: (() => unknown)[] = [
      () => makeDual(x, t),
      () => dualLevel(() => dualLevel(() => 1)),
      () => dualLevel(() => makeDual(x, at(1, 2))),
      () => dualLevel(() => makeDual(tensor([1], { dtype: "int32" }) as Tensor, t)),
      () => dualLevel(() => makeDual(x, tensor([1], { dtype: "int32" }) as Tensor)),
      () => dualLevel(() => makeDual(makeDual(x, t), t)),
      () => dualLevel(() => makeDual(x, makeDual(x, t))),
      () => dualLevel(() => makeDual(x, tensor([{ re: 1, im: 2 }]) as Tensor)),
      () => inferenceMode(() => dualLevel(() => 1)),
    ];
    const messages = refusals.map((refused) => {
      try {
        return refused();
      } catch (error) {
        return String(error);
      }
    });
    expect(messages).toMatchInlineSnapshot(`
      [
        "AutogradError: makeDual: Trying to create a dual Tensor for forward AD but no level exists, make sure to call dualLevel(() => ...) first.",
        "AutogradError: dualLevel: Nested forward mode AD is not supported at the moment. Use jvp inside",
        "AutogradError: makeDual: Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. Tensor is of size [1] while the given forward gradient is of size [2].",
        "AutogradError: makeDual: primal must be floating point or complex, got int32. Convert it: x.to("float32")",
        "AutogradError: makeDual: tangent must be floating point or complex, got int32. Convert it: x.to("float32")",
        "AutogradError: makeDual: the primal already has a tangent at this level. Take its primal: unpackDual(x).primal",
        "AutogradError: makeDual: the tangent itself has a tangent at this level. Take its primal: unpackDual(x).primal",
        "AutogradError: makeDual: the tangent of a float64 tensor is real, got complex64. Take its real part: real(x)",
        "AutogradError: dualLevel: no tangents are computed in inferenceMode. Call it outside of inferenceMode(...)",
      ]
    `);
  });

  test("a dual tensor shares memory with its primal, and unpacking gives that back", () => {
    const x = at(1, 2);
    dualLevel(() => {
      const d = makeDual(x, at(3, 4));
      expect(d.dataPtr()).toBe(x.dataPtr());
      const { primal, tangent } = unpackDual(d);
      expect([primal.toArray(), tangent?.toArray()]).toEqual([
        [1, 2],
        [3, 4],
      ]);
      expect(tangentOf(primal.mul(2))).toBe(null);
      expect(tangentOf(d.detach())).toBe(null);
      expect(tangentOf(onesLike(d))).toBe(null);
    });
  });

  test("results that are not differentiable have no tangent, and step functions have zeros", () => {
    dualLevel(() => {
      const d = dual([-1, 2], [1, 1]);
      expect(tangentOf(d.gt(0))).toBe(null);
      expect(tangentOf(d.argmax() as Tensor)).toBe(null);
      expect(tangentOf(d.to("int32") as Tensor)).toBe(null);
      expect(tangentOf(d.sign())).toEqual([0, 0]);
    });
  });

  test("an op without a derivative says so", () => {
    expect(() => jvp((x) => besselJ0(x) as Tensor, at(1), at(1))).toThrow(
      "besselJ0: forward mode is not implemented. Detach the argument, or define the tangent: defineFunction({ forward, backward, jvp })",
    );
  });

  test("inferenceMode inside a level computes no tangents", () => {
    dualLevel(() => {
      const d = dual([1], [1]);
      expect(inferenceMode(() => tangentOf(d.mul(2)))).toBe(null);
      expect(noGrad(() => tangentOf(d.mul(2)))).toEqual([2]);
    });
  });

  test("tangents are broadcast, and take the dtype of the result", () => {
    dualLevel(() => {
      const d = dual([1, 2], [5, 7]);
      expect(tangentOf(d.add(zeros([2, 2])))).toEqual([
        [5, 7],
        [5, 7],
      ]);
      const { tangent } = unpackDual(d.to("float32") as Tensor);
      expect(tangent?.dtype).toBe("float32");
      expect(tangentOf(cat([d, at(1)]) as Tensor)).toEqual([5, 7, 0]);
      expect(tangentOf(sort(dual([3, 1], [30, 10])).values)).toEqual([10, 30]);
    });
  });

  test("user-defined formulas have tangents, several results too", () => {
    dualLevel(() => {
      const { s, p } = elementwise("s = x + 2 * y; p = x * y", { x: dual([2], [1]), y: dual([3], [10]) });
      expect([tangentOf(s), tangentOf(p)]).toEqual([[21], [23]]);
    });
  });

  test("complex numbers", () => {
    dualLevel(() => {
      const z = complex(dual([3], [1]), dual([4], [2])) as Tensor;
      expect(tangentOf(z.abs() as Tensor)).toEqual([11 / 5]);
      expect(tangentOf(z.mul(z as never).imag as Tensor)).toEqual([2 * (3 * 2 + 4)]);
      expect(tangentOf(z.real)).toEqual([1]);
    });
  });

  test("tangents live as long as their tensors, scopes or not", () => {
    dualLevel(() => {
      const d = scope(() =>
        scope(() => dual([1, 2], [3, 4]))
          .mul(2)
          .cumsum(0)
          .exp(),
      );
      expect(tangentOf(d)).toEqual([6 * Math.exp(2), 14 * Math.exp(6)]);
      const base = zeros([2], { dtype: "float64" });
      scope(() => base.select(0, 1).copy_(dual([1], [5]).select(0, 0)) && null);
      expect(tangentOf(base)).toEqual([0, 5]);
    });
  });

  test("names of axes stay", () => {
    dualLevel(() => {
      const x = tensor([[1, 2]], { names: ["row", "column"] }) as Tensor;
      const d = makeDual(x, tensor([[3, 4]]) as Tensor);
      expect(tangentOf(d.sum("column") as Tensor)).toEqual([7]);
      expect(unpackDual(d.mul(2)).tangent?.names).toEqual(["row", "column"]);
    });
  });

  test("modes see the calls below", () => {
    const seen: string[] = [];
    dualLevel(() => {
      const d = dual([1, 2], [1, 1]);
      withMode(
        {
          call(op, _args, next) {
            seen.push(op.name);
            return next();
          },
        },
        () => expect(tangentOf(d.exp().sum() as Tensor)).toBeCloseTo(Math.E + Math.E ** 2, 12),
      );
    });
    expect(seen.slice(0, 1)).toEqual(["exp"]);
    expect(seen.filter((name) => name === "sum")).toHaveLength(2);
  });
});

describe("writes", () => {
  test("in place, with tangents on either side", () => {
    dualLevel(() => {
      const x = at(1, 2).mul(1);
      x.mul_(dual([3, 4], [10, 20]));
      expect(tangentOf(x)).toEqual([10, 40]);
      x.mul_(x);
      expect([x.toArray(), tangentOf(x)]).toEqual([
        [9, 64],
        [60, 640],
      ]);
      x.add_(1);
      expect(tangentOf(x)).toEqual([60, 640]);
      x.exp_();
      expect(tangentOf(x)).toEqual([60 * Math.exp(10), 640 * Math.exp(65)]);
      x.fill_(3);
      expect(tangentOf(x)).toEqual([0, 0]);
      x.copy_(dual([1, 1], [8, 9]));
      expect(tangentOf(x)).toEqual([8, 9]);
      x.zero_();
      expect(tangentOf(x)).toEqual([0, 0]);
    });
  });

  test("to `out`", () => {
    dualLevel(() => {
      const out = at(0, 0);
      add(dual([1, 2], [3, 4]), 1, { out });
      expect([out.toArray(), tangentOf(out)]).toEqual([
        [2, 3],
        [3, 4],
      ]);
      add(at(1, 2), 1, { out });
      expect(tangentOf(out)).toEqual([0, 0]);
      const single = zeros([2]);
      add(dual([1, 2], [3, 4]), 1, { out: single as never });
      expect(unpackDual(single).tangent?.dtype).toBe("float32");
      // What is written to integers is no longer differentiable.
      const numbers = zeros([2], { dtype: "int32" });
      numbers.copy_(dual([1, 2], [3, 4]) as never);
      expect(tangentOf(numbers)).toBe(null);
    });
  });

  test("through a view to its base, and to other views of it", () => {
    dualLevel(() => {
      const base = arange(6, { dtype: "float64" }).view(2, 3) as Tensor;
      const [row, column, all] = [base.select(0, 1), base.select(1, 0), base.T];
      expect(tangentOf(row)).toBe(null);
      row.copy_(dual([7, 8, 9], [1, 2, 3]));
      expect(tangentOf(base)).toEqual([
        [0, 0, 0],
        [1, 2, 3],
      ]);
      expect([tangentOf(row), tangentOf(column), tangentOf(column.mul(2))]).toEqual([
        [1, 2, 3],
        [0, 1],
        [0, 2],
      ]);
      column.mul_(dual([2, 2], [1, 0]));
      expect(tangentOf(all)).toEqual([
        [0, 2],
        [0, 2],
        [0, 3],
      ]);
      base.mul_(10);
      expect(tangentOf(row)).toEqual([20, 20, 30]);
      row.zero_();
      expect(tangentOf(base)).toEqual([
        [0, 0, 0],
        [0, 0, 0],
      ]);
    });
  });

  test("to a view of a dual tensor, which its primal does not see", () => {
    const x = at(1, 2, 3);
    dualLevel(() => {
      const d = makeDual(x, at(1, 1, 1));
      const part = d.slice(0, 1);
      expect(tangentOf(part)).toEqual([1, 1]);
      part.mul_(5);
      expect([tangentOf(d), tangentOf(x)]).toEqual([[1, 5, 5], null]);
    });
  });

  test("to parts of complex tensors", () => {
    dualLevel(() => {
      const z = zeros([2], { dtype: "complex128" }) as Tensor;
      z.imag.copy_(dual([1, 2], [3, 4]));
      expect(tangentOf(z)).toEqual([
        { re: 0, im: 3 },
        { re: 0, im: 4 },
      ]);
      expect(tangentOf(z.viewAsReal())).toEqual([
        [0, 3],
        [0, 4],
      ]);
      const pairs = zeros([1, 2], { dtype: "float64" }) as Tensor;
      pairs.viewAsComplex().copy_(makeDual(tensor([{ re: 0, im: 0 }]) as Tensor, tensor([{ re: 5, im: 6 }]) as Tensor));
      expect(tangentOf(pairs)).toEqual([[5, 6]]);
    });
  });

  test("by index, and of axes", () => {
    dualLevel(() => {
      const x = at(1, 2, 3, 4).mul(1);
      x.assignAt([tensor([0, 2], { dtype: "int32" }) as never], dual([5, 6], [1, 2]) as never);
      expect(tangentOf(x)).toEqual([1, 0, 2, 0]);
      const y = dual([1, 2, 3, 4], [1, 2, 3, 4]).view(2, 2).clone();
      y.transpose_(0, 1);
      expect(tangentOf(y)).toEqual([
        [1, 3],
        [2, 4],
      ]);
      normal_(y);
      expect(tangentOf(y)).toEqual([
        [0, 0],
        [0, 0],
      ]);
    });
  });
});

test("outside of levels nothing is looked at", () => {
  expect(full([2], 1).add(1).toArray()).toEqual([2, 2]);
  expect(unpackDual(at(1)).tangent).toBe(null);
});
