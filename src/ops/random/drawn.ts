/**
 * A new tensor with random numbers drawn into it by an op that writes; errors of that op are said by the function that was called.
 */
import { empty, type ShapedOptions } from "../../tensor/create/create.ts";
import type { RandomOptions } from "../../tensor/create/random.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { saidBy } from "../op.ts";

/** The tensor of a shape that `draw` has written to. */
export function drawn(
  who: string,
  shape: readonly number[],
  options: ShapedOptions & RandomOptions,
  draw: (t: Tensor, source: RandomOptions) => unknown,
): Tensor {
  const t = empty(shape, options, who);
  try {
    return draw(t, { generator: options.generator }) as Tensor;
  } catch (error) {
    throw saidBy(who, error);
  }
}
