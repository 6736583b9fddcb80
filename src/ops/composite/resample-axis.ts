/**
 * Resamples one axis of a tensor: each element of the result is a weighted sum of elements of the axis, with indices and weights that depend on sizes
 * only.
 */
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "../elementwise/map.ts";
import { indexSelect } from "../movement/gather.ts";
import { reshape } from "../views.ts";
import type { Part } from "./composite-types.ts";
import type { Taps } from "./resample.ts";
import { listLike } from "./tensors-like.ts";

const two = /* @__PURE__ */ map<Part>("twoTaps(a, b, v, w)", "a * v + b * w");
const oneMore = /* @__PURE__ */ map<Part>("oneMoreTap(x, a, v)", "x + a * v");

/** Resamples one axis of x; weighted sums are of float32, or float64 for float64. */
export function resampled(x: Tensor, axis: number, { indices, weights }: Taps): Tensor {
  const rest = Array.from({ length: x.rank - 1 - axis }, () => 1);
  const dtype = x.dtype === "float64" ? "float64" : "float32";
  const element = (k: number): Tensor => indexSelect(x, axis, listLike(x, indices[k], "int64"));
  if (weights === null) return element(0);
  const weight = (k: number): Tensor => {
    const list = weights[k];
    return reshape(listLike(x, list, dtype), [list.length, ...rest]);
  };
  if (indices.length === 1) return element(0);
  let result = two(element(0), element(1), weight(0), weight(1));
  for (let k = 2; k < indices.length; k++) result = oneMore(result, element(k), weight(k));
  return result;
}
