/** The check of gradients by differences: it passes what is right, and says where a gradient is wrong. */
import { describe, expect, test } from "vitest";
import { gradcheck, gradgradcheck } from "../../src/autograd/gradcheck.ts";
import { complex, randn, type Tensor, tensor } from "../../src/index.ts";
import { mul } from "../../src/ops/elementwise/arithmetic.ts";
import type { GradientRule } from "../../src/tensor/dispatch/gradient.ts";
import { Operator } from "../../src/tensor/dispatch/operator.ts";

const parameter = (...shape: number[]): Tensor => randn(shape, { dtype: "float64", requiresGrad: true }) as Tensor;

/** The square as an op with a rule of its own. */
function squareWith(gradient: GradientRule): (x: Tensor) => Tensor {
  const op = new Operator("mySquare", "elementwise");
  op.setUsual(((x: Tensor) => mul(x, x as never)) as never);
  op.gradient = gradient;
  return (x) => op.call([x]) as Tensor;
}

const timesTwo: GradientRule = (call) => {
  const x = call.save(call.args[0] as Tensor);
  return ([g]) => [(g as Tensor).mul(x() as never).mul(2) as Tensor];
};

describe("gradcheck", () => {
  test("passes functions of several inputs and outputs, and leaves the inputs as they were", () => {
    const [a, b] = [parameter(2, 3), parameter(3)];
    const before = [a.toArray(), b.toArray()];
    const fn = (x: Tensor, y: Tensor): unknown => [x.mul(y as never).tanh(), { product: x.matmul(y) }];
    expect(gradcheck(fn as never, [a, b])).toBe(true);
    expect(gradgradcheck(fn as never, [a, b])).toBe(true);
    expect([a.toArray(), b.toArray()]).toEqual(before);
    expect([a.grad, b.grad]).toEqual([null, null]);
  });

  test("moves only inputs that ask, and sees inputs of any layout", () => {
    const a = randn([3, 2], { dtype: "float64" }).T.requiresGrad_() as Tensor;
    const fixed = tensor([1, 2, 3], { dtype: "float64" }) as Tensor;
    expect(gradcheck((x, y) => x.mul(y as never).exp(), [a, fixed])).toBe(true);
    expect(() => gradcheck((x) => x.exp(), fixed)).toThrow("no input requires grad. Call x.requiresGrad_() first");
  });

  test("does not count results of integers, and takes a constant for one", () => {
    const a = parameter(4);
    expect(gradcheck((x) => [x.argsort(), x.mul(3), tensor([1, 2], { dtype: "float64" })], a)).toBe(true);
  });

  test("follows both parts of complex elements", () => {
    const z = tensor([complex(1, 2), complex(-0.5, 0.25)], { dtype: "complex128", requiresGrad: true }) as Tensor;
    expect(gradcheck((x) => x.mul(x as never).exp(), z)).toBe(true);
    expect(gradgradcheck((x) => x.mul(x as never), z)).toBe(true);
  });

  test("says which element of which input has a wrong gradient, with the numbers", () => {
    const x = tensor([3, 1], { dtype: "float64", requiresGrad: true }) as Tensor;
    expect(gradcheck(squareWith(timesTwo), x)).toBe(true);
    expect(gradgradcheck(squareWith(timesTwo), x)).toBe(true);
    const wrong = squareWith((call) => {
      const saved = call.save(call.args[0] as Tensor);
      return ([g]) => [(g as Tensor).mul(saved() as never) as Tensor];
    });
    const message =
      /^gradcheck: Jacobian mismatch for output 0 with respect to input 1,\nnumerical:tensor\(\[\[6\.0000, 0\.0000\],[\s\S]*\nanalytical:tensor\(\[\[3\., 0\.\],[\s\S]*\n2 of 4 elements differ, most at output \[0\], input \[0\]: numerical (6\.0\d*|5\.9\d*|6), analytical 3 \(eps 0\.000001, atol 0\.00001, rtol 0\.001\)$/;
    expect(() => gradcheck((_, t) => wrong(t), [parameter(2), x])).toThrow(message);
  });

  test("finds gradients that have no gradients, and those that are lost", () => {
    const x = parameter(2);
    const once = squareWith((call) => {
      const saved = call.save(call.args[0] as Tensor);
      return ([g]) => [(g as Tensor).mul(saved().detach() as never).mul(2) as Tensor];
    });
    expect(gradcheck(once, x)).toBe(true);
    expect(() => gradgradcheck(once, x)).toThrow("gradgradcheck: Jacobian mismatch");
    expect(() => gradcheck((t) => t.mul(t.detach() as never), x)).toThrow("Jacobian mismatch");
  });

  test("says that float32 is too rough", () => {
    const x = tensor([0.3, 12], { requiresGrad: true }) as Tensor;
    expect(() => gradcheck((t) => t.exp(), x)).toThrow(
      'The input is float32, and differences need float64: x.to("float64")',
    );
  });
});
