/**
 * Pooling as layers, each a class of an op. The constructor takes the size of the windows and the op's options.
 */
import {
  adaptiveAvgPool1d,
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool1d,
  adaptiveMaxPool2d,
  adaptiveMaxPool3d,
  avgPool1d,
  avgPool2d,
  avgPool3d,
  lpPool1d,
  lpPool2d,
  maxPool1d,
  maxPool2d,
  maxPool3d,
  type Tensor,
} from "../index.ts";
import { layerOf } from "./layer-of.ts";

type PerAxis = number | readonly number[];
type MaxOptions = Omit<NonNullable<Parameters<typeof maxPool2d>[2]>, "returnIndices">;
type AverageOptions = NonNullable<Parameters<typeof avgPool2d>[2]>;
type NormOptions = NonNullable<Parameters<typeof lpPool2d>[3]>;
type Image = [x: Tensor];
type Pooling<O> = [kernelSize: PerAxis, options?: O];
type NormPooling = [power: number, kernelSize: PerAxis, options?: NormOptions];
type Adaptive = [outputSize: number | readonly (number | null)[]];

/** The largest element of each window of signals. */
export class MaxPool1d extends /* @__PURE__ */ layerOf<Image, Pooling<MaxOptions>>(maxPool1d) {}
/** The largest element of each window of images. */
export class MaxPool2d extends /* @__PURE__ */ layerOf<Image, Pooling<MaxOptions>>(maxPool2d) {}
/** The largest element of each window of volumes. */
export class MaxPool3d extends /* @__PURE__ */ layerOf<Image, Pooling<MaxOptions>>(maxPool3d) {}
/** The mean of each window of signals. */
export class AvgPool1d extends /* @__PURE__ */ layerOf<Image, Pooling<AverageOptions>>(avgPool1d) {}
/** The mean of each window of images. */
export class AvgPool2d extends /* @__PURE__ */ layerOf<Image, Pooling<AverageOptions>>(avgPool2d) {}
/** The mean of each window of volumes. */
export class AvgPool3d extends /* @__PURE__ */ layerOf<Image, Pooling<AverageOptions>>(avgPool3d) {}
/** The mean of each window of signals; the windows follow from the output size. */
export class AdaptiveAvgPool1d extends /* @__PURE__ */ layerOf<Image, Adaptive>(adaptiveAvgPool1d) {}
/** The mean of each window of images; the windows follow from the output size. */
export class AdaptiveAvgPool2d extends /* @__PURE__ */ layerOf<Image, Adaptive>(adaptiveAvgPool2d) {}
/** The mean of each window of volumes; the windows follow from the output size. */
export class AdaptiveAvgPool3d extends /* @__PURE__ */ layerOf<Image, Adaptive>(adaptiveAvgPool3d) {}
/** The largest element of each window of signals; the windows follow from the output size. */
export class AdaptiveMaxPool1d extends /* @__PURE__ */ layerOf<Image, Adaptive>(adaptiveMaxPool1d) {}
/** The largest element of each window of images; the windows follow from the output size. */
export class AdaptiveMaxPool2d extends /* @__PURE__ */ layerOf<Image, Adaptive>(adaptiveMaxPool2d) {}
/** The largest element of each window of volumes; the windows follow from the output size. */
export class AdaptiveMaxPool3d extends /* @__PURE__ */ layerOf<Image, Adaptive>(adaptiveMaxPool3d) {}
/** The p-norm of each window of signals. */
export class LPPool1d extends /* @__PURE__ */ layerOf<Image, NormPooling>(lpPool1d) {}
/** The p-norm of each window of images. */
export class LPPool2d extends /* @__PURE__ */ layerOf<Image, NormPooling>(lpPool2d) {}
