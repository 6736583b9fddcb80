/**
 * Formulas of the gradients of activations where those that follow from the op's own formula would not do: they
 * would be unstable, or PyTorch has others. By the name of the op, over its operands, the gradient g and the result y.
 */
export const relu = { x: "y <= 0 ? 0 : g" };
export const relu6 = {
  x: "(x <= 0) | (x >= 6) ? 0 : g",
};
export const softplus = { x: "x * beta > threshold ? g : g * sigmoid(x * beta)" };
export const logSigmoid = {
  x: "g * sigmoid(-x)",
};
export const elu = { x: "x < 0 ? g * (alpha * exp(x)) : x == 0 ? g * alpha : g" };
export const selu = {
  x: "(x < 0 ? g * (1.6732632423543772 * exp(x)) : x == 0 ? g * 1.6732632423543772 : g) * 1.0507009873554805",
};
export const celu = { x: "x < 0 ? g * exp(x / alpha) : g" };
export const leakyRelu = { x: "x > 0 ? g : g * slope" };
export const hardswish = { x: "x <= -3 ? 0 : x < 3 ? g * (x / 3 + 0.5) : g" };
export const hardsigmoid = {
  x: "(x > -3) & (x < 3) ? g / 6 : 0",
};
export const hardtanh = { x: "(x <= min) | (x >= max) ? 0 : g" };
export const softshrink = { x: "(x >= -lambda) & (x <= lambda) ? 0 : g" };
