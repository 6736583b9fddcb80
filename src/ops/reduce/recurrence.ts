/**
 * Linear recurrences along an axis, y[i] = x[i] + factors[i] * y[i - 1], forwards or backwards. The gradients of scans are such
 * recurrences, and so are their own gradients. Nothing is divided, so zeros need no special case.
 */

import type { Operand } from "../../kernel/operand.ts";
import { lowerScan } from "../../kernel/program/lower-scan.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizeAt } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { conjugate } from "../conjugate.ts";
import { mul } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { shapeOf } from "../shape-rules.ts";
import { scanOperand } from "./axes.ts";

interface Shift extends OpFunction {
  (x: Tensor, axis: number, by: 1 | -1, value: number): Tensor;
}
/** y[i] = x[i - by], and the value where x[i - by] does not exist. */
export const shift: Shift = /* @__PURE__ */ structuredOp<Shift, Parameters<Shift>>(
  "shift(x: Tensor, ...)",
  "movement",
  {
    linear: "0,3",
    batch: "along 1",
    infer: (x) => ({ dtype: x.dtype, shape: shapeOf(x) }),
    lower(builder, [out], x, axis, by, value) {
      if (out.size === 0) return;
      const last = sizeAt(out, axis) - 1;
      lowerFillAll(builder, narrow(out, axis, by === 1 ? 0 : last, 1), value, "shift");
      lowerCopyAll(
        builder,
        narrow(x, axis, by === 1 ? 0 : 1, last),
        narrow(out, axis, by === 1 ? 1 : 0, last),
        "shift",
      );
    },
    gradient: ({ args, again }) => {
      const [, axis, by] = args as Parameters<Shift>;
      return ([g]) => [again(g, axis, -by, 0) as Tensor];
    },
  },
);

type Arguments = [x: Tensor, factors: Tensor, axis: number, isBackwards: boolean];
interface Recurrence extends OpFunction {
  (...args: Arguments): Tensor;
}

const gradient: GradientRule = (call) => {
  const [x, multipliers, axis, isBackwards] = call.args as Arguments;
  const by = isBackwards ? -1 : 1;
  const factors = call.save(multipliers);
  const y = call.needs(multipliers) ? call.saveResult() : null;
  const needsX = call.needs(x);
  const { again } = call;
  return ([g]) => {
    const back = shift(conjugate(factors()), axis, -by as 1 | -1, 0);
    const passed = again(g, back, axis, !isBackwards) as Tensor;
    return [needsX ? passed : null, y === null ? null : (mul(passed, conjugate(shift(y(), axis, by, 0))) as Tensor)];
  };
};

/** y[i] = x[i] + factors[i] * y[i - 1], or backwards y[i + 1]; all have one shape and dtype, and the first factor is 0. */
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
