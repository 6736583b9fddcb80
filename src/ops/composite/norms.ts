/**
 * Normalization of each sample: over its last axes, or over groups of its channels.
 */
import { ShapeError } from "../../base/errors.ts";
import type { DType } from "../../storage/dtype.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { compositeOp } from "../op.ts";
import { show } from "../shape-rules.ts";
import type { Maybe, SameShapeOp } from "./composite-types.ts";
import { checkFloat } from "./rows.ts";
import { type EpsOption, inGroups, standardize } from "./standardize.ts";

/** Returns the last axes of x, which must have the given shape; throws if the arguments do not fit. */
function lastAxes(who: string, x: Tensor, shape: readonly number[], weight: Maybe, bias: Maybe): number[] {
  checkTensor(who, x);
  checkFloat(who, x.dtype);
  const sizes = sizesOf(x);
  const first = sizes.length - shape.length;
  if (shape.length === 0) throw new ShapeError(`${who}: shape must have at least one size, got []`);
  if (first < 0 || shape.some((size, k) => size !== sizes[first + k]))
    throw new ShapeError(`${who}: x must have shape [*, ${shape.join(", ")}], got ${show(sizes)}`);
  for (const [name, t] of [
    ["weight", weight],
    ["bias", bias],
  ] as const)
    if (t && (t.rank !== shape.length || sizesOf(t).some((size, k) => size !== shape[k])))
      throw new ShapeError(`${who}: ${name} must have shape ${show(shape)}, got ${showShape(t)}`);
  return shape.map((_, k) => first + k);
}

/** Applies layer normalization: normalizes x to mean 0 and variance 1 over the last axes, which have the given shape, then multiplies by weight and adds bias. */
export const layerNorm: SameShapeOp<
  [normalizedShape: readonly number[], weight?: Maybe, bias?: Maybe, options?: EpsOption]
> = /* @__PURE__ */ compositeOp(
  "layerNorm(x: Tensor, normalizedShape: int[], weight?: Tensor, bias?: Tensor; eps, out)",
  (x: Tensor, shape: readonly number[], weight?: Maybe, bias?: Maybe, { eps = 1e-5, out }: EpsOption = {}) =>
    standardize(x, lastAxes("layerNorm", x, shape, weight, bias), weight, bias, { eps, isCentered: true, out }),
);

const smallest: Readonly<Partial<Record<DType, number>>> = {
  float16: 2 ** -10,
  bfloat16: 2 ** -7,
  float32: 2 ** -23,
};
/** Applies root mean square normalization: divides x by its root mean square over the last axes, which have the given shape, then multiplies by weight. `eps` is the machine epsilon of the dtype by default. */
export const rmsNorm: SameShapeOp<[normalizedShape: readonly number[], weight?: Maybe, options?: EpsOption]> =
  /* @__PURE__ */ compositeOp(
    "rmsNorm(x: Tensor, normalizedShape: int[], weight?: Tensor; eps, out)",
    (x: Tensor, shape: readonly number[], weight?: Maybe, { eps, out }: EpsOption = {}) =>
      standardize(x, lastAxes("rmsNorm", x, shape, weight, null), weight, null, {
        eps: eps ?? smallest[x.dtype] ?? 2 ** -52,
        isCentered: false,
        out,
      }),
  );

/** Applies group normalization: normalizes each group of channels of each sample to mean 0 and variance 1, then multiplies by the weight of the channel and adds its bias. */
export const groupNorm: SameShapeOp<
  [numGroups: number, weight?: Maybe, bias?: Maybe, options?: Omit<EpsOption, "out">]
> = /* @__PURE__ */ compositeOp(
  "groupNorm(x: Tensor, numGroups: any, weight?: Tensor, bias?: Tensor; eps)",
  (x: Tensor, groups: number, weight?: Maybe, bias?: Maybe, { eps = 1e-5 }: EpsOption = {}) =>
    inGroups("groupNorm", x, groups, weight, bias, eps),
);
