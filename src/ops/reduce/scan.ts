/**
 * Scans: running sums, products and extremes along an axis. The kernels are in `../../kernel/scan`.
 */
import { runScan } from "../../kernel/launch/run-scan.ts";
import type { Operand } from "../../kernel/operand.ts";
import { type Scan, scannedDType } from "../../kernel/scan/scans.ts";
import type { DType } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { to } from "../../tensor/clone.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { positionDType } from "../positions.ts";
import { withNames } from "../routine/routine-op.ts";
import { shapeOf } from "../shape-rules.ts";
import { inputOperand } from "./axes.ts";
import type { ExtremeOptions, SumDType, ValuesIndices } from "./reduce-types.ts";

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

/** The operand with the scanned axis last; a tensor without axes has one of size 1. */
function along(name: string, t: Tensor, axis: number): Operand {
  const operand = inputOperand(name, t, t.rank === 0 ? [] : [axis]);
  return t.rank === 0 ? { ...operand, shape: [1], stride: [1] } : operand;
}

function scanned<F extends OpFunction>(name: Scan): F {
  const dtypeOf = (x: Tensor, options?: ScanOptions): DType => options?.dtype ?? x.dtype;
  return structuredOp<F, [x: Tensor, axis: Axis, options?: ScanOptions]>(`${name}; 2 dtype`, "reduce", {
    isLaunch: true,
    infer(x, axis, options) {
      checkTensor(name, x);
      axisOf(name, x, axis);
      const result = options?.dtype ?? scannedDType(name, name, dtypeOf(x, options));
      return { dtype: result, shape: shapeOf(x), names: x.names };
    },
    fill([out], given, axis, options) {
      const x = to(given, dtypeOf(given, options));
      const at = axisOf(name, x, axis);
      runScan(name, [along(name, out as Tensor, at)], along(name, x, at));
    },
  });
}

function runningExtreme(name: "cummax" | "cummin"): RunningExtreme {
  const two = structuredOp<OpFunction, [x: Tensor, axis: Axis]>(name, "reduce", {
    isLaunch: true,
    infer(x, axis) {
      checkTensor(name, x);
      axisOf(name, x, axis);
      return [
        { dtype: scannedDType(name, name, x.dtype), shape: shapeOf(x), names: x.names },
        { dtype: positionDType, shape: shapeOf(x), names: x.names },
      ];
    },
    fill([values, indices], x, axis) {
      const at = axisOf(name, x, axis);
      runScan(name, [along(name, values as Tensor, at), along(name, indices as Tensor, at)], along(name, x, at));
    },
  });
  return withNames(two, ["values", "indices"]);
}

/** The sums of the elements up to each along an axis. */
export const cumsum: RunningSum = /* @__PURE__ */ scanned("cumsum");
/** The products of the elements up to each along an axis. */
export const cumprod: RunningSum = /* @__PURE__ */ scanned("cumprod");
/** log(sum(exp(x))) of the elements up to each along an axis, without overflow. */
export const logcumsumexp: RunningSum = /* @__PURE__ */ scanned("logcumsumexp");
/** The largest element up to each along an axis, and its place. */
export const cummax: RunningExtreme = /* @__PURE__ */ runningExtreme("cummax");
/** The smallest element up to each along an axis, and its place. */
export const cummin: RunningExtreme = /* @__PURE__ */ runningExtreme("cummin");
