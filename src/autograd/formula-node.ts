/**
 * The node of a call that computes a formula. Its gradients are the derived formula (`../ops/formula/derive.ts`) over the gradients of the
 * outputs and the operands and outputs that it reads, in one pass; then the sum over broadcast axes.
 */
import { backwardFormula } from "../ops/formula/derive.ts";
import { computeInOrder } from "../ops/formula-op.ts";
import type { FormulaOperand } from "../ops/formula-variant.ts";
import type { FormulaCall } from "../tensor/dispatch/operator.ts";
import { isComplexTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { type Direction, type Plan, plansFor } from "./formula-plan.ts";
import { edgeOf } from "./history.ts";
import { type Edge, GradNode, type OutputInfo, zerosFor } from "./node.ts";
import { SavedTensor } from "./saved.ts";

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
    given: FormulaCall["given"],
    results: readonly Tensor[],
    copy: ((t: Tensor) => Tensor) | null,
  ) {
    super(name, edges, infos);
    this.plans = plans;
    this.reads = [];
    for (let p = 0; p < plans.length; p++) {
      const { sources } = plans[p];
      for (let k = 0; k < sources.length; k++) {
        const { kind, place } = sources[k];
        if (kind === "gradient" || (kind === "result" && copy !== null)) this.reads.push(null);
        else if (kind === "result") this.reads.push(new SavedTensor(results[place], this, place));
        else {
          const operand = given[place] as FormulaOperand;
          const isTensor = operand instanceof Tensor;
          this.reads.push(isTensor ? new SavedTensor(copy === null ? operand : copy(operand), null) : operand);
        }
      }
    }
  }

  /** Called after the call has written to its tensor, which may have other axes now. */
  settle(written: Tensor, info: OutputInfo): void {
    this.outputs[0] = info;
    const sources = this.plans.flatMap((plan) => plan.sources);
    sources.forEach(({ kind, place }, k) => {
      if (kind === "result") this.reads[k] = new SavedTensor(written, this, place);
    });
  }

  run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const { edges, plans, reads } = this;
    const passed: (Tensor | null)[] = [];
    for (let k = 0; k < edges.length; k++) passed.push(null);
    let next = 0;
    for (let p = 0; p < plans.length; p++) {
      const { kernels, sources, targets } = plans[p];
      const given: FormulaOperand[] = [];
      for (let k = 0; k < sources.length; k++) {
        const { kind, place } = sources[k];
        const read = reads[next++];
        if (kind === "gradient") given.push(gradients[place] ?? zerosFor(this.outputs[place], gradients));
        else given.push(read instanceof SavedTensor ? read.unpack() : (read as FormulaOperand));
      }
      const computed = computeInOrder(kernels, given);
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
    const { given } = call;
    const edges: (Edge | null)[] = [];
    /** The operands that require gradients, one bit for each. */
    let wanted = 0;
    let isComplex = isComplexTensor(results[0]);
    for (let k = 0; k < given.length; k++) {
      const operand = given[k];
      const edge = operand instanceof Tensor ? edgeOf(operand) : null;
      edges.push(edge);
      if (edge !== null) wanted += 2 ** k;
      isComplex ||= isComplexTensor(operand);
    }
    if (wanted === 0) return null;
    const plans = plansFor(call, wanted, isComplex, backwards);
    return plans.length === 0 ? null : new FormulaNode(name, edges, infos, plans, given, results, copy);
  }
}
