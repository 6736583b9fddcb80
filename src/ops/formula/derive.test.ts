/** Derivatives as nodes: explicit gradients, names, and their text. test/autograd tests their values. */
import { complex, elementwise, grad, type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";
import { backwardFormula, type Derivative } from "./derive.ts";
import { parseFormula } from "./parse.ts";

const backward = (text: string, operands: readonly string[], explicit = {}): Derivative => {
  const derivative = backwardFormula(parseFormula(text), operands, false, explicit);
  if (derivative === null) throw new Error("there is no derivative");
  return derivative;
};
const leaf = (...values: number[]): Tensor => tensor(values, { dtype: "float64", requiresGrad: true }) as Tensor;

test("an explicit gradient is any formula, and shares its values with those of other operands", () => {
  const gradients = { x: "let s = exp(x * other * 2); g * s * s", other: "g * exp(x * other * 2)" };
  const { formula, names } = backward("x * other", ["x", "other"], gradients);
  const [x, other] = [leaf(0.5, -1.5).detach(), leaf(2, 0.25).detach()];
  const operands = { x, other, [names.gradient(0)]: leaf(1, 1).detach() };
  const [dx, dother] = Object.values(elementwise(formula.text, operands)) as unknown as [Tensor, Tensor];
  const s = x.mul(other).mul(2).exp();
  expect([dx.toArray(), dother.toArray()]).toEqual([s.mul(s).toArray(), s.toArray()]);
  // A value that is used twice is one object of the kernel.
  const values = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || values.has(value)) return;
    values.add(value);
    Object.values(value).forEach(visit);
  };
  visit(elementwise(formula.text).kernel(operands));
  expect([...values].filter((value) => "fn" in value && value.fn === "exp")).toHaveLength(1);
});

test("names of gradients differ from those of operands at every order", () => {
  const [x_999999, g0_1, y0_2] = [leaf(0.5, -1.5), leaf(2, 0.25), leaf(1.5, -0.5)];
  let value = elementwise("x_999999 * g0_1 * y0_2", { x_999999, g0_1, y0_2 }).sum() as Tensor;
  for (const t of [x_999999, g0_1, y0_2]) value = (grad(value, t, { createGraph: true }) as Tensor).sum() as Tensor;
  expect(value.item()).toBe(2);
});

test("the text of a deep derivative can be parsed, with the same operands", () => {
  let text = "let t0 = x; ";
  for (let k = 0; k < 300; k++) text += `let t${k + 1} = -t${k} * 0.5 + 1; `;
  const { formula } = backward(`${text}t300`, ["x"]);
  expect(parseFormula(formula.text).operands).toEqual(formula.operands);
});

test("numbers of a formula are exact in its derivative's text", () => {
  const { formula } = backward("x * -0.0 + x * 1e300 * 3 + x * nan - x * inf + x * 2.0", ["x"]);
  for (const number of ["-0.0", "1e+300", "3", "nan", "inf", "2.0"]) expect(formula.text).toContain(`, ${number})`);
});

test("a negative imaginary number is conjugated", () => {
  const x = tensor([complex(1, 2)], { dtype: "complex128", requiresGrad: true }) as Tensor;
  const y = elementwise("x * -3i", { x });
  const gradient = grad(y, x, { gradOutputs: y.detach().mul(0).add(1) as Tensor }) as Tensor;
  expect(gradient.toArray()).toEqual([{ re: expect.closeTo(0), im: 3 }]);
});

test("a derivative has only the operands that its text shows, by which dispatched calls find it", () => {
  for (const text of ["sign(x)", "floor(x)", "floor(x * x)", "sign(x * y) + y", "where(x > 0, sign(x), sign(y))"])
    for (const isComplex of [false, true]) {
      const derived = backwardFormula(parseFormula(text), ["x"], isComplex);
      for (const name of derived?.formula.operands ?? [])
        expect(derived?.formula.text).toMatch(new RegExp(`\\b${name}\\b`));
    }
});
