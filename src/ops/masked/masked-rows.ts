/**
 * Ops along an axis that keep the shape, on the elements that a mask leaves: softmax, running sums, normalisation.
 */
import type { DType } from "../../storage/dtype.ts";
import type { Axis } from "../../tensor/axes.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Keeping, Making, Part } from "../composite/composite-types.ts";
import { softmin as plainSoftmin } from "../composite/gates.ts";
import { logSoftmax as plainLogSoftmax, softmax as plainSoftmax } from "../composite/softmax.ts";
import { logaddexp as plainLogaddexp } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { map } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { vectorNorm } from "../reduce/reduce.ts";
import { cumprod as plainCumprod, cumsum as plainCumsum } from "../reduce/scan.ts";
import { to } from "../views.ts";
import { filled, floats, type MaskOption } from "./mask.ts";

interface RowOptions extends MaskOption {
  /** The dtype of the result; the elements are converted to it first. */
  readonly dtype?: DType | undefined;
}
/** Along an axis, of what a mask leaves. */
export interface MaskedRows extends OpFunction {
  <X extends Tensor>(x: X, axis: Axis, options?: RowOptions): Tensor<X["shape"], DType, "none">;
}
type Rows = (x: Tensor, axis: Axis, options?: { readonly dtype: DType }) => Tensor;

/** An op along an axis to which elements of one value make no difference. */
function withFilling(name: string, rows: unknown, value: number): MaskedRows {
  return compositeOp(
    `masked.${name}(x: Tensor, axis; dtype, mask: Tensor)`,
    (x: Tensor, axis: Axis, { mask, dtype }: RowOptions = {}) => {
      const left = filled(`masked.${name}`, x, mask, value);
      return dtype === undefined ? (rows as Rows)(left, axis) : (rows as Rows)(left, axis, { dtype });
    },
  );
}

/** softmax along an axis of the elements that the mask leaves; 0 at the others. */
export const softmax: MaskedRows = /* @__PURE__ */ withFilling("softmax", plainSoftmax, -Infinity);
/** logSoftmax along an axis of the elements that the mask leaves; minus infinity at the others. */
export const logSoftmax: MaskedRows = /* @__PURE__ */ withFilling("logSoftmax", plainLogSoftmax, -Infinity);
/** softmin along an axis of the elements that the mask leaves; 0 at the others. */
export const softmin: MaskedRows = /* @__PURE__ */ withFilling("softmin", plainSoftmin, Infinity);
/** The sums of the elements that the mask leaves, up to each along an axis. */
export const cumsum: MaskedRows = /* @__PURE__ */ withFilling("cumsum", plainCumsum, 0);
/** The products of the elements that the mask leaves, up to each along an axis. */
export const cumprod: MaskedRows = /* @__PURE__ */ withFilling("cumprod", plainCumprod, 1);

interface NormalizeOptions extends MaskOption {
  /** The least length that is divided by: 1e-12 unless given. */
  readonly eps?: number | undefined;
}
const byLength = /* @__PURE__ */ map<Part>("byLength(x, length, eps)", "x / max(length, 1.0 * eps)");
/** Vectors along an axis divided by their norm of order `ord`; what the mask leaves out counts as 0. */
export const normalize: Keeping<[ord: number, axis: Axis, options?: NormalizeOptions]> = /* @__PURE__ */ compositeOp(
  "masked.normalize(x: Tensor, ord: any, axis: any; eps, mask: Tensor)",
  (x: Tensor, ord: number, axis: Axis, { mask, eps = 1e-12 }: NormalizeOptions = {}) => {
    const left = filled("masked.normalize", x, mask, 0);
    const counting = ord < 0 ? filled("masked.normalize", x, mask, Infinity) : left;
    return byLength(left, vectorNorm(counting, axis, { ord, keepdims: true }), eps);
  },
);

interface TwoMasks {
  /** True where an element of the first counts. */
  readonly inputMask?: Tensor | null | undefined;
  /** True where an element of the second counts. */
  readonly otherMask?: Tensor | null | undefined;
}
/** log(exp(x) + exp(other)) of the elements that the masks leave, without overflow; minus infinity where both leave none. */
export const logaddexp: Making<[other: Tensor, options?: TwoMasks]> = /* @__PURE__ */ compositeOp(
  "masked.logaddexp(x: Tensor, other: Tensor; inputMask: Tensor, otherMask: Tensor)",
  (x: Tensor, other: Tensor, { inputMask, otherMask }: TwoMasks = {}) =>
    plainLogaddexp(
      filled("masked.logaddexp", to(x, floats(x)), inputMask, -Infinity),
      filled("masked.logaddexp", to(other, floats(other)), otherMask, -Infinity),
    ),
);
