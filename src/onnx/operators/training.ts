/**
 * The optimizers of the domain ai.onnx.preview.training: one step of Adagrad, Adam or Momentum for several tensors. Inputs are the rate, the number of
 * steps before this one, the tensors, their gradients and their states; outputs are the new tensors and states.
 */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";

type Tensor = sw.Tensor;

interface StepInput {
  readonly rate: Tensor;
  readonly time: Tensor;
  readonly x: Tensor;
  /** The gradient with that of the regularization. */
  readonly gradient: Tensor;
  readonly states: readonly Tensor[];
}

/** Applies one step to each tensor of a node. `step` returns the new tensor and its new states. */
function optimizer(states: number, step: (call: Call, input: StepInput) => readonly Tensor[]) {
  return (call: Call): readonly Tensor[] => {
    const groups = 2 + states;
    const tensors = call.tensors(2);
    const count = tensors.length / groups;
    if (!Number.isInteger(count) || count < 1)
      throw call.error(`the inputs after the first two must be ${groups} for each tensor, got ${tensors.length}`);
    const norm = call.float("norm_coefficient", 0);
    const results = Array.from({ length: count }, (_, k) => {
      const [x, own, ...rest] = Array.from({ length: groups }, (_, j) => tensors[j * count + k]);
      const gradient = sw.add(sw.mul(x, norm), own);
      return step(call, { rate: call.tensor(0), time: call.tensor(1), x, gradient, states: rest });
    });
    return Array.from({ length: 1 + states }, (_, j) => results.map((each) => each[j])).flat();
  };
}

/** The time as a number of the tensor's dtype. */
const timeOf = ({ time, x }: StepInput): Tensor => time.to(x.dtype as sw.DType);

function adagrad(call: Call, input: StepInput): readonly Tensor[] {
  const { rate, x, gradient, states } = input;
  const factor = sw.div(rate, sw.add(sw.mul(timeOf(input), call.float("decay_factor", 0)), 1));
  const squares = sw.add(states[0], sw.mul(gradient, gradient));
  const root = sw.add(sw.sqrt(squares), call.float("epsilon", 0));
  return [sw.sub(x, sw.div(sw.mul(factor, gradient), root)), squares];
}

function adam(call: Call, input: StepInput): readonly Tensor[] {
  const { rate, x, gradient, states } = input;
  const alpha = call.float("alpha", Math.fround(0.9));
  const beta = call.float("beta", Math.fround(0.999));
  const mean = sw.add(sw.mul(states[0], alpha), sw.mul(gradient, 1 - alpha));
  const squares = sw.add(sw.mul(states[1], beta), sw.mul(sw.mul(gradient, gradient), 1 - beta));
  const time = timeOf(input);
  const remaining = (base: number): Tensor => sw.sub(1, sw.pow(base, time));
  const corrected = sw.div(sw.mul(rate, sw.sqrt(remaining(beta))), remaining(alpha));
  const step = sw.where(sw.gt(time, 0), corrected, rate);
  const root = sw.add(sw.sqrt(squares), call.float("epsilon", 0));
  const next = sw.sub(x, sw.div(sw.mul(step, mean), root));
  return [sw.mul(next, 1 - call.float("norm_coefficient_post", 0)), mean, squares];
}

function momentum(call: Call, input: StepInput): readonly Tensor[] {
  const { rate, x, gradient, states } = input;
  const alpha = call.float("alpha");
  const mode = call.string("mode");
  if (mode !== "standard" && mode !== "nesterov") throw call.error(`mode must be standard or nesterov, got "${mode}"`);
  const beta = sw.where(sw.gt(timeOf(input), 0), call.float("beta"), 1);
  const next = sw.add(sw.mul(states[0], alpha), sw.mul(beta, gradient));
  const direction = mode === "standard" ? next : sw.add(gradient, sw.mul(next, alpha));
  return [sw.sub(x, sw.mul(rate, direction)), next];
}

export const training: OperatorTable = {
  Adagrad: optimizer(1, adagrad),
  Adam: optimizer(2, adam),
  Momentum: optimizer(1, momentum),
};
