/**
 * A new tensor filled with random numbers by an in-place op. Errors of that op carry the name of the function that was called.
 */
import { empty, type ShapedOptions } from "../../tensor/create/create.ts";
import type { RandomOptions } from "../../tensor/create/random.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { renameError } from "../op.ts";

/** Returns a new tensor of the given shape, filled by `draw`. */
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
    throw renameError(who, error);
  }
}
