/**
 * Scans: running sums, products and extremes along an axis. The kernels are in `../../kernel/scan`.
 */
import { lowerCast } from "../../kernel/copy.ts";
import type { Operand } from "../../kernel/operand.ts";
import { lowerScan } from "../../kernel/program/lower-scan.ts";
import { type Scan, scannedDType } from "../../kernel/scan/scans.ts";
import type { DType } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { positionDType } from "../positions.ts";
import { withNames } from "../routine/routine-op.ts";
import { shapeOf } from "../shape-rules.ts";
import { scanOperand } from "./axes.ts";
import type { ExtremeOptions, SumDType, ValuesIndices } from "./reduce-types.ts";
import {
  type Backwards,
  cummaxGradient,
  cumprodGradient,
  cumsumGradient,
  logcumsumexpGradient,
} from "./scan-gradient.ts";

export interface ScanOptions {
  /** The dtype of the result; the elements are converted to it first. */
  readonly dtype?: DType | undefined;
  readonly out?: Tensor | undefined;
}

/** A running sum or product. */
export interface RunningSum extends OpFunction {
  <X extends Tensor>(x: X, axis: Axis, options?: ScanOptions): Tensor<X["shape"], SumDType<X["dtype"]>, "none">;
  readonly method: <X extends Tensor>(
    this: X,
    axis: Axis,
    options?: ScanOptions,
  ) => Tensor<X["shape"], SumDType<X["dtype"]>, "none">;
}

type RunningOptions = Omit<ExtremeOptions, "keepdims">;
/** A running extreme with its places. */
export interface RunningExtreme extends OpFunction {
  (x: Tensor, axis: Axis, options?: RunningOptions): ValuesIndices;
  readonly method: (this: Tensor, axis: Axis, options?: RunningOptions) => ValuesIndices;
}

function scanned<F extends OpFunction>(name: Scan, gradient: GradientRule, linear?: string): F {
  const dtypeOf = (x: Tensor, options?: ScanOptions): DType => options?.dtype ?? x.dtype;
  return structuredOp<F, [x: Tensor, axis: Axis, options?: ScanOptions & Backwards]>(
    `${name}(x: Tensor, axis; dtype)`,
    "reduce",
    {
      linear,
      batch: "along 1",
      infer(x, axis, options) {
        axisOf(name, x, axis);
        const result = options?.dtype ?? scannedDType(name, name, dtypeOf(x, options));
        return { dtype: result, shape: shapeOf(x), names: x.names };
      },
      lower(builder, [out], x, axis, options) {
        const at = axisOf(name, x, axis);
        const operand = (t: Tensor): Operand => scanOperand(name, t, at, options?.isBackwards);
        const input = lowerCast(builder, operand(x), dtypeOf(x, options));
        lowerScan(builder, name, [operand(out)], input);
      },
      gradient,
    },
  );
}

function runningExtreme(name: "cummax" | "cummin"): RunningExtreme {
  const two = structuredOp<OpFunction, [x: Tensor, axis: Axis]>(`${name}(x: Tensor, ...)`, "reduce", {
    batch: "along 1",
    infer(x, axis) {
      axisOf(name, x, axis);
      return [
        { dtype: scannedDType(name, name, x.dtype), shape: shapeOf(x), names: x.names },
        { dtype: positionDType, shape: shapeOf(x), names: x.names, isIndex: true },
      ];
    },
    lower(builder, [values, indices], x, axis) {
      const at = axisOf(name, x, axis);
      lowerScan(
        builder,
        name,
        [scanOperand(name, values, at), scanOperand(name, indices, at)],
        scanOperand(name, x, at),
      );
    },
    gradient: cummaxGradient,
  });
  return withNames(two, ["values", "indices"]);
}

/** The sums of the elements up to each along an axis. */
export const cumsum: RunningSum = /* @__PURE__ */ scanned("cumsum", cumsumGradient, "0");
/** The products of the elements up to each along an axis. */
export const cumprod: RunningSum = /* @__PURE__ */ scanned("cumprod", cumprodGradient);
/** log(sum(exp(x))) of the elements up to each along an axis, without overflow. */
export const logcumsumexp: RunningSum = /* @__PURE__ */ scanned("logcumsumexp", logcumsumexpGradient);
/** The largest element up to each along an axis, and its place. */
export const cummax: RunningExtreme = /* @__PURE__ */ runningExtreme("cummax");
/** The smallest element up to each along an axis, and its place. */
export const cummin: RunningExtreme = /* @__PURE__ */ runningExtreme("cummin");

/** The ops that are methods of tensors. */
export default [cumsum, cumprod, logcumsumexp, cummax, cummin];
