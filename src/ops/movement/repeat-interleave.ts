/**
 * Every element, or row of an axis, several times in a row: as often as a number says, or as a list says for each.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { contiguous, to } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { DispatchError } from "../../tensor/dispatch/operator.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { expand, unflatten } from "../../tensor/views/views-shape.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { metaOutput } from "../meta-output.ts";
import { compositeOp, op, structuredOp } from "../op.ts";
import { reshape, unsqueeze } from "../views.ts";
import { indexSelect } from "./gather.ts";
import { interleaveGradient } from "./layout-gradient.ts";
import type { Moves } from "./movement-types.ts";
import { integersOf } from "./positions.ts";

export interface InterleaveOptions {
  /** The size of the axis in the result, where it is known: the meta device needs it. */
  readonly outputSize?: number | undefined;
}

interface Evenly extends OpFunction {
  (x: Tensor, times: number, axis: number): Tensor;
}

/** Every row of an axis `times` times. */
const evenly: Evenly = /* @__PURE__ */ structuredOp("repeatInterleave.number(x: Tensor, ...)", "movement", {
  linear: "0",
  batch: "along 2",
  infer: (x: Tensor, times: number, axis: number) => ({
    dtype: x.dtype,
    shape: sizesOf(x).with(axis, sizeAt(x, axis) * times),
    names: x.names,
  }),
  fill([result], x: Tensor, times: number, axis: number) {
    if (result?.size === 0) return;
    const rows = unflatten(result, axis, [sizeAt(x, axis), times]);
    copyAll(expand(unsqueeze(x, axis + 1), sizesOf(rows)), rows, "repeatInterleave");
  },
  gradient: interleaveGradient,
});

interface Places extends OpFunction {
  (repeats: Tensor, count: number, options: InterleaveOptions): Tensor;
}

/** Each position so often as the list says. */
const places: Places = /* @__PURE__ */ op("repeatInterleave.places(x: Tensor, ...; outputSize)", "movement", {
  cpu(repeats: Tensor, count: number, { outputSize }: InterleaveOptions) {
    const times = to(contiguous(expand(repeats, [count])), "float64");
    const start = times.storage.byteOffset / 8 + times.start;
    const list = times.storage
      .readable()
      .array("f64")
      .slice(start, start + count);
    let total = 0;
    for (const each of list) {
      if (each < 0) throw new StridewiseError(`repeatInterleave: repeats can not be negative, got ${each}`);
      total += each;
    }
    if (outputSize !== undefined && outputSize !== total)
      throw new ShapeError(`repeatInterleave: outputSize is ${outputSize}, and the repeats add up to ${total}`);
    checkResultBytes("repeatInterleave", total, 8);
    const found = new Int32Array(total);
    let at = 0;
    for (let k = 0; k < count; k++) {
      found.fill(k, at, at + list[k]);
      at += list[k];
    }
    return integersOf(found, [total]);
  },
  meta(repeats: Tensor, _count: number, { outputSize }: InterleaveOptions) {
    if (outputSize !== undefined) return metaOutput("repeatInterleave", "int64", [outputSize], [repeats]);
    throw new DispatchError(
      "repeatInterleave: the shape depends on the values of repeats, which a tensor on the meta device does not have. Give outputSize",
    );
  },
});

/** Every element several times in a row, or with an axis every row of it; a list of repeats has a number for each. */
export const repeatInterleave: Moves<[repeats: number | Tensor, axis?: Axis | null, options?: InterleaveOptions]> =
  /* @__PURE__ */ compositeOp(
    "repeatInterleave(x: Tensor, ...; outputSize)",
    (x: Tensor, repeats: number | Tensor, axis?: Axis | null, options: InterleaveOptions = {}) => {
      const source = axis == null ? reshape(x, [-1]) : x.rank === 0 ? unsqueeze(x, 0) : x;
      const at = axis == null ? 0 : axisOf("repeatInterleave", source, axis);
      if (!(repeats instanceof Tensor)) {
        if (!Number.isSafeInteger(repeats) || repeats < 0)
          throw new StridewiseError(`repeatInterleave: repeats must be non-negative, got ${describeValue(repeats)}`);
        return evenly(source, repeats, at);
      }
      if (repeats.dtype !== "int64" && repeats.dtype !== "int32")
        throw new DTypeError(
          `repeatInterleave: repeats must be int32 or int64, got ${repeats.dtype}. Convert it: repeats.to("int64")`,
        );
      const count = sizeAt(source, at);
      if (repeats.rank > 1 || (repeats.size !== 1 && repeats.size !== count))
        throw new ShapeError(
          `repeatInterleave: needs one repeat for each of the ${count} elements along axis ${at}, got ${repeats.size}`,
        );
      return indexSelect(source, at, places(repeats, count, options));
    },
    "movement",
  );
