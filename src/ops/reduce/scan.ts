/**
 * Scans: cumulative sums, products and extremes along an axis. The kernels are in `../../kernel/scan`. Each element changes all results
 * from its index on, so gradients are scans or linear recurrences (`recurrence.ts`) in the opposite direction.
 */
import { lowerCast } from "../../kernel/copy.ts";
import type { Operand } from "../../kernel/operand.ts";
import { lowerScan } from "../../kernel/program/lower-scan.ts";
import { type Scan, scannedDType } from "../../kernel/scan/scans.ts";
import type { DType } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { Backward, GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizeAt } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { CheckedAxis } from "../../tensor/types/shape-faults.ts";
import { conjugate } from "../conjugate.ts";
import { mul } from "../elementwise/arithmetic.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { indexDType } from "../indices.ts";
import { structuredOp } from "../op.ts";
import { withNames } from "../routine/routine-op.ts";
import { shapeOf } from "../shape-rules.ts";
import { to } from "../views.ts";
import { scanOperand } from "./axes.ts";
import { recurrence, shift } from "./recurrence.ts";
import type { ExtremeOptions, SumDType, ValuesIndices } from "./reduce-types.ts";
import { atIndices, type GradientFormula } from "./reduced-call.ts";

/** An option of scans inside gradients. */
interface Backwards {
  /** Scans from the last element to the first. */
  readonly isBackwards?: boolean;
}

/** A gradient rule along an axis; a 0-d tensor is its own scan. The gradient gets the dtype of the argument. */
const alongAxis =
  (rule: (call: RecordedCall, axis: number) => (g: Tensor) => Tensor): GradientRule =>
  (call): Backward => {
    const [x, axis] = call.args as [Tensor, number];
    const { dtype } = x;
    const passed = x.rank === 0 ? (g: Tensor) => g : rule(call, axisOf("backward", x, axis));
    return ([g]) => [to(passed(g), dtype)];
  };

const cumsumGradient: GradientRule = /* @__PURE__ */ alongAxis(({ again, args: [, , options] }, axis) => {
  const { isBackwards = false } = (options ?? {}) as Backwards;
  return (g) => again(g, axis, { isBackwards: !isBackwards }) as Tensor;
});

const cumprodGradient: GradientRule = /* @__PURE__ */ alongAxis((recorded, axis) => {
  const { isBackwards = false } = (recorded.args[2] ?? {}) as Backwards;
  const by = isBackwards ? -1 : 1;
  const dtype = recorded.results[0]?.dtype;
  const [x, y] = [recorded.save(recorded.args[0] as Tensor), recorded.saveResult()];
  return (g) => {
    const factors = shift(conjugate(to(x(), dtype)), axis, -by as 1 | -1, 0);
    const before = conjugate(shift(y(), axis, by, 1));
    return mul(recurrence(g, factors, axis, !isBackwards), before);
  };
});

const falling: GradientFormula = /* @__PURE__ */ map("falling(y, next)", "exp(y - next)");
const ofExponential: GradientFormula = /* @__PURE__ */ map("ofExponential(sum, x, y)", "sum * exp(x - y)");

const logcumsumexpGradient: GradientRule = /* @__PURE__ */ alongAxis((recorded, axis) => {
  const dtype = recorded.results[0]?.dtype;
  const [x, saved] = [recorded.save(recorded.args[0] as Tensor), recorded.saveResult()];
  return (g) => {
    const y = conjugate(saved());
    // Results grow along the axis, so the factors of floats are at most 1.
    const factors = falling(y, shift(y, axis, -1, Infinity));
    return ofExponential(recurrence(g, factors, axis, true), conjugate(to(x(), dtype)), y);
  };
});

const isSame: GradientFormula = /* @__PURE__ */ map("isSame(index, next)", "index == next");

/** An element gets the gradients of all results with its index; the first of them is at its own index. */
const cummaxGradient: GradientRule = /* @__PURE__ */ alongAxis((recorded, axis) => {
  const size = sizeAt(recorded.args[0] as Tensor, axis);
  const saved = recorded.saveResult(1);
  return (g) => {
    const indices = saved();
    const factors = to(isSame(indices, shift(indices, axis, -1, -1)), g.dtype);
    return atIndices(recurrence(g, factors, axis, true), indices, axis, size);
  };
});

export interface ScanOptions {
  /** The dtype of the result; the elements are converted to it first. */
  readonly dtype?: DType | undefined;
  readonly out?: Tensor | undefined;
}

/** The type of cumulative sums and products. */
export interface RunningSum extends OpFunction {
  <X extends Tensor, const A extends Axis>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: ScanOptions,
  ): Tensor<X["shape"], SumDType<X["dtype"]>>;
  readonly method: <X extends Tensor, const A extends Axis>(
    this: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: ScanOptions,
  ) => Tensor<X["shape"], SumDType<X["dtype"]>>;
}

type RunningOptions = Omit<ExtremeOptions, "keepdims">;
/** The type of cumulative extremes and their indices. */
export interface RunningExtreme extends OpFunction {
  <X extends Tensor, const A extends Axis>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: RunningOptions,
  ): ValuesIndices<X["shape"], X["dtype"]>;
  readonly method: <X extends Tensor, const A extends Axis>(
    this: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: RunningOptions,
  ) => ValuesIndices<X["shape"], X["dtype"]>;
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
        { dtype: indexDType, shape: shapeOf(x), names: x.names, isIndex: true },
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

/** Returns the cumulative sum of elements along an axis. */
export const cumsum: RunningSum = /* @__PURE__ */ scanned("cumsum", cumsumGradient, "0");
/** Returns the cumulative product of elements along an axis. */
export const cumprod: RunningSum = /* @__PURE__ */ scanned("cumprod", cumprodGradient);
/** Returns the cumulative log-sum-exp of elements along an axis, without overflow. */
export const logcumsumexp: RunningSum = /* @__PURE__ */ scanned("logcumsumexp", logcumsumexpGradient);
/** Returns the cumulative maximum of elements along an axis, and the indices of the maxima. */
export const cummax: RunningExtreme = /* @__PURE__ */ runningExtreme("cummax");
/** Returns the cumulative minimum of elements along an axis, and the indices of the minima. */
export const cummin: RunningExtreme = /* @__PURE__ */ runningExtreme("cummin");

/** The ops that are methods of tensors. */
export default [cumsum, cumprod, logcumsumexp, cummax, cummin];
