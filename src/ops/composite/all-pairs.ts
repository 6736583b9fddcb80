/**
 * Norms of the differences of all pairs of rows of two lists: one reduction over both, in which differences are never stored.
 */

import { remember } from "../../base/remember.ts";
import { lowerCast, lowerResults } from "../../kernel/copy.ts";
import { expandOperand } from "../../kernel/operand.ts";
import { lowerReduce } from "../../kernel/program/lower-reduce.ts";
import { makeDistance, normOf } from "../../kernel/reduce/norms.ts";
import type { ReduceKernel } from "../../kernel/reduce/spec.ts";
import type { Int } from "../../layout/int.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import { sizeAt } from "../../tensor/geometry.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { broadcastSizes, shapeOf } from "../shape-rules.ts";
import { allPairsGradient } from "./all-pairs-gradient.ts";

/** The type of the op. */
interface AllPairs extends OpFunction {
  (x: Tensor, other: Tensor, p: number): Tensor;
}

const kernels = /* @__PURE__ */ new Map<string, ReduceKernel>();

/** The p-norms of the differences of all pairs of a row of the first and a row of the second list. */
export const allPairs: AllPairs = /* @__PURE__ */ structuredOp<AllPairs, [x: Tensor, other: Tensor, p: number]>(
  "cdistPairs(x: Tensor, other: Tensor, ...)",
  "reduce",
  {
    batch: "pairs",
    infer(x, other) {
      const [first, second] = [shapeOf(x), shapeOf(other)];
      const batch = broadcastSizes("cdist", first.slice(0, -2), second.slice(0, -2));
      const dtype = promoteTypes(x.dtype, other.dtype);
      return { dtype, shape: [...batch, first.at(-2) as Int, second.at(-2) as Int] };
    },
    lower(builder, [out], x, other, p) {
      const dtype = promoteTypes(x.dtype, other.dtype);
      const result = operandOf(out, "cdist");
      const sizes = [...result.shape, sizeAt(x, x.rank - 1)];
      const norm = normOf(p);
      const kernel = remember(kernels, `${norm} ${dtype}`, () => makeDistance("cdist", norm, dtype));
      const inputs = [unsqueeze(x, -2), unsqueeze(other, -3)].map((t) =>
        expandOperand(lowerCast(builder, operandOf(t, "cdist"), dtype), sizes),
      );
      const scalars = norm === "power" ? [p] : [];
      lowerResults(builder, [result], [dtype], (targets) => lowerReduce(builder, kernel, targets, inputs, scalars));
    },
    gradient: allPairsGradient,
  },
);
