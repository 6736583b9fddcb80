/**
 * Calls that compute a formula: their way back is the derived formula (`../ops/formula/derive.ts`) over the gradients of the outputs
 * and what it reads of operands and outputs, in one pass; then the sum over what was broadcast.
 */

import { backwardFormula, type DerivativeSource } from "../ops/formula/derive.ts";
import { computeInOrder } from "../ops/formula-op.ts";
import type { FormulaOperand } from "../ops/formula-variant.ts";
import { sumTo } from "../ops/sum-to.ts";
import { isComplexDType } from "../storage/dtype.ts";
import type { FormulaCall } from "../tensor/dispatch/operator.ts";
import { hasSizes } from "../tensor/geometry.ts";
import { isComplexTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { partView, to } from "../tensor/views/view-ops.ts";
import { type Direction, type Plan, plansFor } from "./formula-plan.ts";
import { edgeOf } from "./history.ts";
import { type Edge, GradNode, type OutputInfo, zerosFor } from "./node.ts";
import { type Kept, keptOf, unkept, versionOf } from "./saved.ts";

const backwards: Direction = { isForward: false, derive: backwardFormula };

/** What a plan reads: a tensor as it is kept, or a number; null where it is a gradient, or was given up. */
type Read = Kept | FormulaOperand | null;

export class FormulaNode extends GradNode {
  declare private readonly plans: readonly Plan[];
  /** What the plans read, one after the other, and the versions of what is kept. */
  private readonly reads: Read[] = [];
  private readonly versions: number[] = [];

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
    for (let p = 0; p < plans.length; p++) {
      const { sources } = plans[p];
      for (let k = 0; k < sources.length; k++) {
        const { kind, index } = sources[k];
        if (kind === "gradient" || (kind === "result" && copy !== null)) this.keep(null, null, 0);
        else if (kind === "result") this.keep(results[index], this, index);
        else {
          const operand = given[index] as FormulaOperand;
          this.keep(operand instanceof Tensor && copy !== null ? copy(operand) : operand, null, 0);
        }
      }
    }
  }

  private keep(read: FormulaOperand | null, node: GradNode | null, output: number): void {
    const isTensor = read instanceof Tensor;
    this.reads.push(isTensor ? keptOf(read, node, output) : read);
    this.versions.push(isTensor ? versionOf(read) : -1);
  }

  /** The tensor that the call writes to is written, and may have other axes now. */
  settle(written: Tensor, info: OutputInfo): void {
    this.outputs[0] = info;
    this.plans
      .flatMap(({ sources }) => sources)
      .forEach(({ kind, index }, k) => {
        if (kind !== "result") return;
        this.reads[k] = keptOf(written, this, index);
        this.versions[k] = versionOf(written);
      });
  }

  /** What the plans read at a place, as it was kept. */
  private readAt(k: number, { kind, index }: DerivativeSource): FormulaOperand {
    const version = this.versions[k];
    if (version < 0) return this.reads[k] as FormulaOperand;
    return unkept(this.reads[k] as Kept | null, version, kind === "result" ? this : null, index);
  }

  run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const { edges, plans } = this;
    const passed: (Tensor | null)[] = [];
    for (let k = 0; k < edges.length; k++) passed.push(null);
    let next = 0;
    for (let p = 0; p < plans.length; p++) {
      const { kernels, sources, targets } = plans[p];
      const given: FormulaOperand[] = [];
      for (let k = 0; k < sources.length; k++) {
        const source = sources[k];
        const at = next++;
        if (source.kind === "gradient")
          given.push(gradients[source.index] ?? zerosFor(this.outputs[source.index], gradients));
        else given.push(this.readAt(at, source));
      }
      const made = computeInOrder(kernels, given);
      for (let k = 0; k < targets.length; k++) {
        const target = targets[k];
        passed[target] = fitted(made[k], edges[target] as Edge);
      }
    }
    return passed;
  }

  override get savedTensors(): readonly Tensor[] {
    const sources = this.plans.flatMap((plan) => plan.sources);
    return sources.flatMap((source, k) => (this.versions[k] < 0 ? [] : [this.readAt(k, source) as Tensor]));
  }

  override release(): void {
    const { reads, versions } = this;
    for (let k = 0; k < reads.length; k++) if (versions[k] >= 0) reads[k] = null;
  }

  /**
   * The node of a call with these results, of which the operands in `wanted` ask for gradients; null if nothing passes. Of a call that is
   * still to write, `copy` says what is kept of its operands; `settle` follows.
   */
  static of(
    name: string,
    call: FormulaCall,
    wanted: number,
    results: readonly Tensor[],
    infos: OutputInfo[],
    copy: ((t: Tensor) => Tensor) | null,
  ): FormulaNode | null {
    const { given } = call;
    const edges: (Edge | null)[] = [];
    let complex = isComplexTensor(results[0]);
    for (let k = 0; k < given.length; k++) {
      const operand = given[k];
      edges.push(operand instanceof Tensor ? edgeOf(operand) : null);
      complex ||= isComplexTensor(operand);
    }
    const plans = plansFor(call, wanted, complex, backwards);
    return plans.length === 0 ? null : new FormulaNode(name, edges, infos, plans, given, results, copy);
  }
}

const fitted = (gradient: Tensor, { node, output }: Edge): Tensor => likeInput(gradient, node.outputs[output]);

/** What reaches an operand: without the axes along which it was broadcast, in its dtype. */
export function likeInput(gradient: Tensor, { shape, dtype }: OutputInfo): Tensor {
  const isNarrower = isComplexTensor(gradient) && !isComplexDType(dtype);
  const part = isNarrower ? partView(gradient, "real") : gradient;
  const sum = hasSizes(part, shape) ? part : sumTo(part, shape);
  return sum.type === dtype ? sum : to(sum, dtype);
}
