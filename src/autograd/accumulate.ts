/** The end of the way back: hands what reaches a leaf to whoever keeps its gradient. */
import type { Tensor } from "../tensor/tensor.ts";
import { GradNode } from "./node.ts";

export class AccumulateGrad extends GradNode {
  declare readonly variable: Tensor;
  private readonly take: (gradient: Tensor, isOurs: boolean) => boolean;

  /** `take` may keep a gradient as it is if nobody else has it, and says whether it did. */
  constructor(variable: Tensor, take: (gradient: Tensor, isOurs: boolean) => boolean) {
    super("AccumulateGrad", [], [{ shape: variable.shape, dtype: variable.dtype }], true);
    this.variable = variable;
    this.take = take;
  }

  /** Adds a gradient to that of the leaf; true if it was kept as it is. */
  accept(gradient: Tensor, isOurs: boolean): boolean {
    return this.take(gradient, isOurs);
  }

  run([gradient]: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    if (gradient != null) this.take(gradient, false);
    return [];
  }
}
