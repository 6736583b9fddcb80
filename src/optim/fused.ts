/**
 * Optimizers as formulas: one kernel reads a parameter, its gradient and its state, and updates parameter and state in-place, in one pass.
 * Values that change from step to step, such as the learning rate, are arguments of the kernel, so steps compile nothing. The formula
 * depends only on the options in use; parameters of all sizes share a kernel.
 */
import { elementwise, fullLike, guard, live, noGrad, outsideScopes, type Tensor } from "../index.ts";
import { evaluated, type GroupOptions, Optimizer, type ParamGroup } from "./optimizer.ts";
import type { ParamState } from "./state-dict.ts";

/** The update of the parameters of a group. */
export interface UpdateRule {
  /** The formula: reads `p`, `g` (the gradient), the state and the numbers, and names `p` and the state as outputs. */
  readonly formula: string;
  /** The names of the state's tensors, allocated on first use and filled with `initial` (0). */
  readonly state: readonly string[];
  readonly initial?: number;
  /** Numbers of the formula that depend on options only. A compiled step is traced again if they change, so its kernels have fewer operands. */
  readonly constants?: Readonly<Record<string, number>>;
  /** Returns the other numbers of the formula and updates those of the state. `step` counts from 1. */
  numbers(state: ParamState & { step: number }): Readonly<Record<string, number>>;
}

type Kernel = (operands: Record<string, Tensor | number>, options: { out: Record<string, Tensor> }) => unknown;

/** An optimizer whose step is one kernel for each parameter. */
export abstract class FusedOptimizer<O extends GroupOptions> extends Optimizer<O> {
  /** The update of the parameters of a group. */
  protected abstract updateRule(group: ParamGroup<O>): UpdateRule;

  override step(): null;
  override step<T>(closure: () => T): T;
  override step<T>(closure?: () => T): T | null {
    const loss = evaluated(closure);
    guard(() => this.paramGroups.length);
    noGrad(() => {
      for (const group of this.paramGroups) this.#stepGroup(group);
    });
    return loss;
  }

  #stepGroup(group: ParamGroup<O>): void {
    const rule = this.updateRule(group);
    // A compiled step is traced again if options change the formula or its constants.
    guard(() => describeRule(this.updateRule(group)));
    const kernel = elementwise(rule.formula) as unknown as Kernel;
    for (const param of group.params) {
      const gradient = param.grad;
      if (gradient === null) continue;
      const state = this.#stateOf(param, rule);
      // Another state is loaded.
      guard(() => this.state.get(param));
      const numbers = live(() => {
        state.step++;
        return this.updateRule(group).numbers(state);
      });
      if (param.size === 0) continue;
      const p = real(param);
      const operands: Record<string, Tensor | number> = { p, g: real(gradient) };
      const out: Record<string, Tensor> = { p };
      for (const name of rule.state) operands[name] = out[name] = real(state[name] as Tensor);
      kernel(Object.assign(operands, rule.constants, numbers), { out });
    }
  }

  #stateOf(param: Tensor, { state: names, initial = 0 }: UpdateRule): ParamState & { step: number } {
    let state = this.state.get(param);
    if (state === undefined) {
      state = { step: 0 };
      this.state.set(param, state);
    }
    for (const name of names) state[name] ??= outsideScopes(() => fullLike(param, initial));
    return state as ParamState & { step: number };
  }
}

const describeRule = ({ formula, constants = {} }: UpdateRule): string => `${formula} ${Object.values(constants)}`;

/** Complex numbers are optimized as pairs of real ones. */
const real = (t: Tensor): Tensor => (t.dtype.startsWith("complex") ? t.viewAsReal() : t);

interface DescentOptions {
  readonly maximize: boolean;
  readonly weightDecay: number;
}

/** The formula of `d`, the gradient to descend: negated to maximize, plus the weight decay. */
export const descent = ({ maximize, weightDecay }: DescentOptions): string =>
  `let d = ${maximize ? "-g" : "g"}${weightDecay === 0 ? "" : " + weightDecay * p"}; `;

/** The numbers of `descent`. */
export const decayNumbers = (weightDecay: number): Record<string, number> => (weightDecay === 0 ? {} : { weightDecay });
