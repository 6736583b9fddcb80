/** The end of the way back: hands what reaches a leaf to whoever keeps its gradient. */
import type { Tensor } from "../tensor/tensor.ts";
import { GradNode } from "./node.ts";

export class AccumulateGrad extends GradNode {
  readonly variable: Tensor;
  private readonly take: (gradient: Tensor) => void;

  constructor(variable: Tensor, take: (gradient: Tensor) => void) {
    super("AccumulateGrad", [], true);
    this.variable = variable;
    this.take = take;
    this.outputs.push({ shape: variable.shape, dtype: variable.dtype });
  }

  run([gradient]: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    if (gradient != null) this.take(gradient);
    return [];
  }
}
