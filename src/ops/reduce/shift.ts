/** Elements moved along an axis, for gradients: what leaves is gone, and what comes in is one value. */
import { copyAll } from "../../tensor/copy-all.ts";
import { sizeAt } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { shapeOf } from "../shape-rules.ts";

interface Shift extends OpFunction {
  (x: Tensor, axis: number, by: 1 | -1, value: number): Tensor;
}
/** y[i] = x[i - by], and the value where there is none. */
export const shift: Shift = /* @__PURE__ */ structuredOp<Shift, Parameters<Shift>>(
  "shift(x: Tensor, ...)",
  "movement",
  {
    linear: "0,3",
    batch: "along 1",
    infer: (x) => ({ dtype: x.dtype, shape: shapeOf(x) }),
    fill([result], x, axis, by, value) {
      const out = result;
      if (out.size === 0) return;
      const last = sizeAt(out, axis) - 1;
      fillUnchecked(narrow(out, axis, by === 1 ? 0 : last, 1), value, "shift");
      copyAll(narrow(x, axis, by === 1 ? 0 : 1, last), narrow(out, axis, by === 1 ? 1 : 0, last), "shift");
    },
    gradient: ({ args, again }) => {
      const [, axis, by] = args as Parameters<Shift>;
      return ([g]) => [again(g, axis, -by, 0) as Tensor];
    },
  },
);
