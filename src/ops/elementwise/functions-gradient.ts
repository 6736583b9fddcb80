/**
 * Formulas of the gradients of functions where those that follow from the op's own formula would not do: they would be unstable, or PyTorch
 * has others. By the name of the op, over its operands, the gradient g and the result y.
 */
import { isComplexTensor } from "../../tensor/operand.ts";

export const expm1 = { x: "g * C(y + 1)" };
export const log1p = { x: "g / C(x + 1)" };
export const logit = ({ eps }: Readonly<Record<string, unknown>>) => ({
  x:
    eps === null
      ? "(x < 0) | (x > 1) ? nan : g / (x * (1 - x))"
      : "(x >= eps) & (x <= 1 - eps) ? g / (x * (1 - x)) : 0",
});
export const asin = { x: "g / C(sqrt(1 - x * x))" };
export const acos = { x: "-g / C(sqrt(1 - x * x))" };
export const atan = { x: "g / C(x * x + 1)" };
export const asinh = { x: "g / C(sqrt(x * x + 1))" };
export const acosh = ({ x }: Readonly<Record<string, unknown>>) => ({
  x: `g / C(sqrt(${isComplexTensor(x) ? "x - 1) * sqrt(x + 1" : "x * x - 1"}))`,
});
export const atanh = { x: "g / C(1 - x * x)" };
export const angle = ({ x }: Readonly<Record<string, unknown>>) => ({
  x: isComplexTensor(x) ? "x == 0 ? 0 : g * 1i * (x / abs(x) / abs(x))" : "like(0, g)",
});
