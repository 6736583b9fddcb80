/**
 * The activation functions of recurrent operators as formulas, with their alpha and beta, so that all gates of a step are one kernel.
 */
import type { Call } from "../call.ts";

/** A formula of a formula. */
export type Activation = (x: string) => string;

interface Entry {
  readonly formula: (x: string, alpha: string, beta: string) => string;
  /** The defaults; undefined for a function without this parameter. */
  readonly alpha?: number;
  readonly beta?: number;
}

const functions: Readonly<Record<string, Entry>> = {
  relu: { formula: (x) => `max(${x}, 0.0)` },
  tanh: { formula: (x) => `tanh(${x})` },
  sigmoid: { formula: (x) => `sigmoid(${x})` },
  softsign: { formula: (x) => `(${x}) / (1 + abs(${x}))` },
  softplus: { formula: (x) => `max(${x}, 0.0) + log1p(exp(-abs(${x})))` },
  affine: { formula: (x, alpha, beta) => `${alpha} * (${x}) + ${beta}`, alpha: 1, beta: 0 },
  leakyrelu: { formula: (x, alpha) => `((${x}) >= 0 ? (${x}) : ${alpha} * (${x}))`, alpha: 0.01 },
  thresholdedrelu: { formula: (x, alpha) => `((${x}) >= ${alpha} ? (${x}) : 0.0)`, alpha: 1 },
  scaledtanh: { formula: (x, alpha, beta) => `${alpha} * tanh(${beta} * (${x}))`, alpha: 1, beta: 1 },
  hardsigmoid: {
    formula: (x, alpha, beta) => `min(max(${alpha} * (${x}) + ${beta}, 0.0), 1.0)`,
    alpha: 0.2,
    beta: 0.5,
  },
  elu: { formula: (x, alpha) => `((${x}) >= 0 ? (${x}) : ${alpha} * expm1(${x}))`, alpha: 1 },
};

/** A number in a formula. */
const literal = (value: number): string => `(${Number.isInteger(value) ? value.toFixed(1) : value})`;

/** Returns the activations of a node, for one direction after the other. Their inputs are clipped if the node has the attribute clip. */
export function activationsOf(call: Call, defaults: readonly string[], directions: number): Activation[][] {
  const all = Array.from({ length: directions }, () => defaults).flat();
  const names = call.strings("activations", all).slice(0, all.length);
  if (names.length !== all.length)
    throw call.error(`activations must be ${all.length} names, got [${names.join(", ")}]`);
  const alphas = call.floats("activation_alpha", []);
  const betas = call.floats("activation_beta", []);
  const clip = call.hasAttribute("clip") ? literal(call.float("clip")) : null;
  const list = names.map((name): Activation => {
    const key = name.toLowerCase();
    if (!Object.hasOwn(functions, key))
      throw call.error(`the activation "${name}" is unknown. Use one of ${Object.keys(functions).join(", ")}`);
    const { formula, alpha, beta } = functions[key];
    // Each function takes the next value of the lists that it has a parameter for.
    const a = alpha === undefined ? "" : literal(alphas.shift() ?? alpha);
    const b = beta === undefined ? "" : literal(betas.shift() ?? beta);
    return (x) => `(${formula(clip === null ? x : `min(max(${x}, -${clip}), ${clip})`, a, b)})`;
  });
  return Array.from({ length: directions }, (_, k) => list.slice(k * defaults.length, (k + 1) * defaults.length));
}
