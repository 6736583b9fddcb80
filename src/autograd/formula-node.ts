/**
 * The node of a call that computes a formula. Its gradients are the derived formula (`../ops/formula/derive.ts`) over the gradients of the
 * outputs and the operands and outputs that it reads, in one pass; then the sum over broadcast axes.
 */
import { getOrCompute } from "../base/lazy.ts";
import { maxOperands } from "../kernel/map/spec.ts";
import { backwardFormula, type Derivative, type DerivativeSource } from "../ops/formula/derive.ts";
import type { Formula } from "../ops/formula/node.ts";
import { FormulaKernels } from "../ops/formula-kernels.ts";
import { computeInOrder } from "../ops/formula-op.ts";
import type { FormulaOperand } from "../ops/formula-variant.ts";
import type { FormulaCall } from "../tensor/dispatch/operator.ts";
import { isComplexTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { edgeOf } from "./history.ts";
import { type Edge, GradNode, type OutputInfo, zerosFor } from "./node.ts";
import { SavedTensor } from "./saved.ts";

/** The computation of a derived formula, which depends on the formula and not on the call. */
export interface Plan {
  readonly kernels: FormulaKernels;
  /** In the order of the operands of the derived formula. */
  readonly sources: readonly DerivativeSource[];
  /** The operand that each output is the gradient of, or the result that it is the tangent of. */
  readonly targets: readonly number[];
}

/** The mode in which a formula is differentiated with respect to some operands: forward or backward. */
export interface Direction {
  readonly isForward: boolean;
  readonly derive: (
    formula: Formula,
    operands: readonly string[],
    isComplex: boolean,
    gradients: FormulaCall["gradients"],
  ) => Derivative | null;
}

/** The plans of a formula, by operands, direction and domain. They live as long as the formula. */
const derived = /* @__PURE__ */ new WeakMap<Formula, Map<number, readonly Plan[]>>();
const noPlans = (): Map<number, readonly Plan[]> => new Map();

const has = (needed: number, operand: number): boolean => Math.floor(needed / 2 ** operand) % 2 === 1;

/** The plans for wanted operands, one bit for each: the parts in which the derivative is computed, usually one; none if the derivative is 0. */
export function plansFor(call: FormulaCall, needed: number, isComplex: boolean, direction: Direction): readonly Plan[] {
  const formula = call.formula as Formula;
  const key = 4 * needed + 2 * Number(direction.isForward) + Number(isComplex);
  const plans = getOrCompute(derived, formula, noPlans);
  let known = plans.get(key);
  if (known === undefined) {
    known = makePlans(call, needed, isComplex, direction);
    plans.set(key, known);
  }
  return known;
}

function makePlans(call: FormulaCall, needed: number, isComplex: boolean, direction: Direction): readonly Plan[] {
  const formula = call.formula as Formula;
  const neededOperands = formula.operands.filter((_, k) => has(needed, k));
  const derivative = direction.derive(formula, neededOperands, isComplex, call.gradients);
  if (derivative === null) return [];
  const { names } = derivative;
  const kernels = new FormulaKernels(derivative.formula);
  const { operands: reads, outputs } = kernels.formula;
  // A kernel has a limited number of tensors; past that each operand gets its own pass.
  if (reads.length + outputs.length > maxOperands && neededOperands.length > 1)
    return formula.operands.flatMap((_, k) => (has(needed, k) ? plansFor(call, 2 ** k, isComplex, direction) : []));
  return [
    {
      kernels,
      sources: reads.map((name) => names.sourceOf(name) ?? { kind: "operand", index: formula.operands.indexOf(name) }),
      targets: derivative.targets,
    },
  ];
}

const backwards: Direction = { isForward: false, derive: backwardFormula };

export class FormulaNode extends GradNode {
  declare private readonly plans: readonly Plan[];
  /** The sources of all plans, in their order; null for gradients. */
  declare private readonly reads: (SavedTensor | FormulaOperand | null)[];

  private constructor(
    name: string,
    edges: readonly (Edge | null)[],
    infos: OutputInfo[],
    plans: readonly Plan[],
    operands: FormulaCall["operands"],
    results: readonly Tensor[],
    copy: ((t: Tensor) => Tensor) | null,
  ) {
    super(name, edges, infos);
    this.plans = plans;
    this.reads = [];
    for (let p = 0; p < plans.length; p++) {
      const { sources } = plans[p];
      for (let k = 0; k < sources.length; k++) {
        const { kind, index } = sources[k];
        if (kind === "gradient" || (kind === "result" && copy !== null)) this.reads.push(null);
        else if (kind === "result") this.reads.push(new SavedTensor(results[index], this, index));
        else {
          const operand = operands[index] as FormulaOperand;
          const isTensor = operand instanceof Tensor;
          this.reads.push(isTensor ? new SavedTensor(copy === null ? operand : copy(operand), null) : operand);
        }
      }
    }
  }

  /** Called after the call has written to its tensor, which may have other axes now. */
  saveResult(written: Tensor, info: OutputInfo): void {
    this.outputs[0] = info;
    const sources = this.plans.flatMap((plan) => plan.sources);
    sources.forEach(({ kind, index }, k) => {
      if (kind === "result") this.reads[k] = new SavedTensor(written, this, index);
    });
  }

  run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const { edges, plans, reads } = this;
    const passed: (Tensor | null)[] = [];
    for (let k = 0; k < edges.length; k++) passed.push(null);
    let next = 0;
    for (let p = 0; p < plans.length; p++) {
      const { kernels, sources, targets } = plans[p];
      const inputs: FormulaOperand[] = [];
      for (let k = 0; k < sources.length; k++) {
        const { kind, index } = sources[k];
        const read = reads[next++];
        if (kind === "gradient") inputs.push(gradients[index] ?? zerosFor(this.outputs[index], gradients));
        else inputs.push(read instanceof SavedTensor ? read.unpack() : (read as FormulaOperand));
      }
      const computed = computeInOrder(kernels, inputs);
      for (let k = 0; k < targets.length; k++) passed[targets[k]] = computed[k];
    }
    return passed;
  }

  override get savedTensors(): readonly Tensor[] {
    return this.reads.flatMap((read) => (read instanceof SavedTensor ? [read.unpack()] : []));
  }

  override release(): void {
    const { reads } = this;
    for (let k = 0; k < reads.length; k++) {
      const read = reads[k];
      if (read instanceof SavedTensor) read.release();
    }
  }

  /**
   * The node of a call with these results; null if no operand requires a gradient, or none has one. If the call has not written its result yet,
   * `copy` returns the tensor to save for an operand; `settle` follows.
   */
  static of(
    name: string,
    call: FormulaCall,
    results: readonly Tensor[],
    infos: OutputInfo[],
    copy: ((t: Tensor) => Tensor) | null,
  ): FormulaNode | null {
    const { operands } = call;
    const edges: (Edge | null)[] = [];
    /** The operands that require gradients, one bit for each. */
    let needed = 0;
    let isComplex = isComplexTensor(results[0]);
    for (let k = 0; k < operands.length; k++) {
      const operand = operands[k];
      const edge = operand instanceof Tensor ? edgeOf(operand) : null;
      edges.push(edge);
      if (edge !== null) needed += 2 ** k;
      isComplex ||= isComplexTensor(operand);
    }
    if (needed === 0) return null;
    const plans = plansFor(call, needed, isComplex, backwards);
    return plans.length === 0 ? null : new FormulaNode(name, edges, infos, plans, operands, results, copy);
  }
}
