/**
 * Linear recurrences along an axis, y[i] = x[i] + factors[i] * y[i - 1], forwards or backwards. Gradients of scans are such, and so are
 * their own gradients, without a division: zeros need no care.
 */

import type { Operand } from "../../kernel/operand.ts";
import { lowerScan } from "../../kernel/program/lower-scan.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { mul } from "../elementwise/arithmetic.ts";
import { conj } from "../elementwise/functions.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { shapeOf } from "../shape-rules.ts";
import { scanOperand } from "./axes.ts";
import { shift } from "./shift.ts";

/** The conjugate, which of real numbers is themselves. */
export const conjugate = (t: Tensor): Tensor => (dtypes[t.dtype].category === "complex" ? (conj(t) as Tensor) : t);

type Arguments = [x: Tensor, factors: Tensor, axis: number, isBackwards: boolean];
interface Recurrence extends OpFunction {
  (...args: Arguments): Tensor;
}

const gradient: GradientRule = (call) => {
  const [x, given, axis, isBackwards] = call.args as Arguments;
  const by = isBackwards ? -1 : 1;
  const factors = call.save(given);
  const y = call.needs(given) ? call.saveResult() : null;
  const needsX = call.needs(x);
  const { again } = call;
  return ([g]) => {
    const back = shift(conjugate(factors()), axis, -by as 1 | -1, 0);
    const passed = again(g, back, axis, !isBackwards) as Tensor;
    return [needsX ? passed : null, y === null ? null : (mul(passed, conjugate(shift(y(), axis, by, 0))) as Tensor)];
  };
};

/** y[i] = x[i] + factors[i] * y[i - 1], and backwards y[i + 1]; all of one shape and dtype, and the first factor is 0. */
export const recurrence: Recurrence = /* @__PURE__ */ structuredOp<Recurrence, Arguments>(
  "recurrence(x: Tensor, factors: Tensor, ...)",
  "reduce",
  {
    linear: "0",
    batch: "along 2",
    infer: (x) => ({ dtype: x.dtype, shape: shapeOf(x) }),
    lower(builder, [out], x, factors, axis, isBackwards) {
      const operand = (t: Tensor): Operand => scanOperand("recurrence", t, axis, isBackwards);
      lowerScan(builder, "recurrence", [operand(out)], operand(x), operand(factors));
    },
    gradient,
  },
);
