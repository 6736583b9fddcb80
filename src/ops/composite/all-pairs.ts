/**
 * Norms of the differences of all pairs of rows of two lists: one reduction over both, in which differences are never stored.
 */

import { remember } from "../../base/remember.ts";
import { runReduce } from "../../kernel/launch/run-reduce.ts";
import type { Operand } from "../../kernel/operand.ts";
import { makeDistance, normOf } from "../../kernel/reduce/norms.ts";
import type { ReduceKernel } from "../../kernel/reduce/spec.ts";
import type { Int } from "../../layout/int.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import { contiguous, to } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { nestedBit, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { fresh, structuredOp } from "../op.ts";
import { broadcastSizes, shapeOf } from "../shape-rules.ts";
import { allPairsGradient } from "./all-pairs-gradient.ts";

/** The type of the op. */
interface AllPairs extends OpFunction {
  (x: Tensor, other: Tensor, p: number): Tensor;
}

const kernels = /* @__PURE__ */ new Map<string, ReduceKernel>();

/** The p-norms of the differences of all pairs of a row of the first and a row of the second list. */
export const allPairs: AllPairs = /* @__PURE__ */ structuredOp<AllPairs, [x: Tensor, other: Tensor, p: number]>(
  "cdistPairs(x, other)",
  "reduce",
  {
    isLaunch: true,
    infer(x, other) {
      const [first, second] = [shapeOf(x), shapeOf(other)];
      const batch = broadcastSizes("cdist", first.slice(0, -2), second.slice(0, -2));
      const dtype = promoteTypes(x.dtype, other.dtype);
      return { dtype, shape: [...batch, first.at(-2) as Int, second.at(-2) as Int] };
    },
    fill([out], x, other, p) {
      const dtype = promoteTypes(x.dtype, other.dtype);
      const target = out as Tensor;
      const isFit = target.dtype === dtype && (target.bits & nestedBit) === 0;
      const result = isFit ? target : fresh(dtype, sizesOf(target));
      const sizes = [...sizesOf(result), sizeAt(x, x.rank - 1)];
      const norm = normOf(p);
      const kernel = remember(kernels, `${norm} ${dtype}`, () => makeDistance("cdist", norm, dtype));
      const operand = (t: Tensor, axis: number): Operand => {
        const flat = to(t.bits & nestedBit ? contiguous(t) : t, dtype);
        return operandOf(expand(unsqueeze(flat, axis), sizes), "cdist");
      };
      const scalars = norm === "power" ? [p] : [];
      runReduce(kernel, [operandOf(result, "cdist")], [operand(x, -2), operand(other, -3)], scalars);
      if (result !== target) copyAll(result, target, "cdist");
    },
    gradient: allPairsGradient,
  },
);
