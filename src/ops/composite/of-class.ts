/**
 * Elements by class number: a gather that says of a number that is no class which one it is, and how many classes there are.
 */
import { IndexError } from "../../base/errors.ts";
import { sizeAt } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { gather } from "../movement/gather.ts";
import { indexRange } from "../movement/index-range.ts";

/** The elements of x at these class numbers along an axis. */
export function ofClass(who: string, x: Tensor, axis: number, classes: Tensor): Tensor {
  try {
    return gather(x, axis, classes);
  } catch (error) {
    if (!(error instanceof IndexError)) throw error;
    const [min, max] = indexRange(who, classes);
    const count = sizeAt(x, axis);
    throw new IndexError(
      `${who}: class ${max < count ? min : max} is out of bounds, the classes are 0 to ${count - 1}`,
    );
  }
}
