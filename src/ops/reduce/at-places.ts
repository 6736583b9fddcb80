/** Gradients that belong to one place along an axis. */
import { arange } from "../../tensor/create/ranges.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "../elementwise/map.ts";
import { fresh } from "../op.ts";
import { positionDType } from "../positions.ts";
import { reshape } from "../views.ts";
import type { GradientFormula } from "./reduced-call.ts";

const chosen: GradientFormula = /* @__PURE__ */ map("chosen(x, place, at)", "place == at ? x : 0");

/** x where the number along the axis, of that size, is the one in `places`, and 0 elsewhere. */
export function atPlaces(x: Tensor, places: Tensor, axis: number, size: number): Tensor {
  const numbers =
    x.device.type === "cpu" ? arange(0, size, 1, { dtype: positionDType }) : fresh(positionDType, [size], x);
  const shape = sizesOf(x).map((_, at) => (at === axis ? size : 1));
  return chosen(x, places, reshape(numbers, shape));
}
