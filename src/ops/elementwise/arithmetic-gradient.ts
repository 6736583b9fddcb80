/**
 * Formulas of the gradients of arithmetic where those that follow from the op's own formula would not do: they
 * would be unstable, or PyTorch has others. By the name of the op, over its operands, the gradient g and the result y.
 */
export const rsqrt = { x: "g * C(-0.5 * y * y * y)" };
export const reciprocal = { x: "-g * C(y * y)" };
export const fmax = { x: "(x >= other) | (other != other) ? g : 0", other: "(x >= other) | (other != other) ? 0 : g" };
export const fmin = { x: "(x <= other) | (other != other) ? g : 0", other: "(x <= other) | (other != other) ? 0 : g" };
export const lerp = { x: "g * C(1 - weight)", end: "g * C(weight)", weight: "g * C(end - x)" };
export const hypot = { x: "g * (x / y)", other: "g * (other / y)" };
export const logaddexp2 = { x: "g / (1 + exp2(other - x))", other: "g / (1 + exp2(x - other))" };
export const xlogy = { x: "(x == 0) & (other <= 0) ? 0 : g * log(like(other, g))", other: "g * x / other" };
export const xlog1py = { x: "(x == 0) & (other <= -1) ? 0 : g * log1p(like(other, g))", other: "g * x / (other + 1)" };
// At a bound it is x that moves.
export const clamp = {
  x: "(x >= min) & (x <= max) ? g : 0",
  min: "(x < min) & (min < max) ? g : 0",
  max: "(x > max) | (max < min) ? g : 0",
};
export const clampMin = { x: "x >= min ? g : 0", min: "x < min ? g : 0" };
export const clampMax = { x: "x <= max ? g : 0", max: "x > max ? g : 0" };
export const complexLogaddexp = { x: "g / C(1 + exp(other - x))", other: "g / C(1 + exp(x - other))" };
// With sigmoid, the gradient of an operand that is -inf has the gradient 0.
export const logaddexp = { x: "g * sigmoid(x - other)", other: "g * sigmoid(other - x)" };
