/**
 * Optimisers as formulas: one kernel reads a parameter, its gradient and its state, and writes parameter and state, in one pass and in
 * place. What changes from step to step, the learning rate above all, are numbers that the kernel takes as arguments, so no step
 * compiles anything. The text depends on which options are in use alone; parameters of all sizes share a kernel.
 */
import { elementwise, fullLike, noGrad, outsideScopes, type Tensor } from "../index.ts";
import { evaluated, type GroupOptions, Optimizer, type ParamGroup } from "./optimizer.ts";
import type { ParamState } from "./state-dict.ts";

/** How parameters of a group change. */
export interface Plan {
  /** The formula: reads `p`, `g` (the gradient), the state and the numbers, and names `p` and the state as outputs. */
  readonly formula: string;
  /** The names of the state's tensors, made full of `initial` (0) when first needed. */
  readonly state: readonly string[];
  readonly initial?: number;
  /** The numbers of the formula. The state's numbers are brought up to date here; `step` counts from 1 already. */
  numbers(state: ParamState & { step: number }): Readonly<Record<string, number>>;
}

type Kernel = (operands: Record<string, Tensor | number>, options: { out: Record<string, Tensor> }) => unknown;

/** An optimiser whose step is one kernel for each parameter. */
export abstract class FusedOptimizer<O extends GroupOptions> extends Optimizer<O> {
  /** What a step does to the parameters of a group. */
  protected abstract plan(group: ParamGroup<O>): Plan;

  override step(): null;
  override step<T>(closure: () => T): T;
  override step<T>(closure?: () => T): T | null {
    const loss = evaluated(closure);
    noGrad(() => {
      for (const group of this.paramGroups) this.#stepGroup(group);
    });
    return loss;
  }

  #stepGroup(group: ParamGroup<O>): void {
    const plan = this.plan(group);
    const kernel = elementwise(plan.formula) as unknown as Kernel;
    for (const param of group.params) {
      const gradient = param.grad;
      if (gradient === null) continue;
      const state = this.#stateOf(param, plan);
      state.step++;
      const numbers = plan.numbers(state);
      if (param.size === 0) continue;
      const p = real(param);
      const operands: Record<string, Tensor | number> = { p, g: real(gradient) };
      const out: Record<string, Tensor> = { p };
      for (const name of plan.state) operands[name] = out[name] = real(state[name] as Tensor);
      kernel(Object.assign(operands, numbers), { out });
    }
  }

  #stateOf(param: Tensor, { state: names, initial = 0 }: Plan): ParamState & { step: number } {
    let state = this.state.get(param);
    if (state === undefined) {
      state = { step: 0 };
      this.state.set(param, state);
    }
    for (const name of names) state[name] ??= outsideScopes(() => fullLike(param, initial));
    return state as ParamState & { step: number };
  }
}

/** Complex numbers count as pairs of real ones. */
const real = (t: Tensor): Tensor => (t.dtype.startsWith("complex") ? t.viewAsReal() : t);

/** The gradient to go against, as the formula's `d`: with its sign turned to maximise, and with the weights' own pull. */
export function descent({
  maximize,
  weightDecay,
}: {
  readonly maximize: boolean;
  readonly weightDecay: number;
}): string {
  return `let d = ${maximize ? "-g" : "g"}${weightDecay === 0 ? "" : " + weightDecay * p"}; `;
}

/** The numbers that `descent` needs. */
export const decayNumbers = (weightDecay: number): Record<string, number> => (weightDecay === 0 ? {} : { weightDecay });
