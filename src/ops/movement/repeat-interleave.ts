/**
 * Repeating each element, or each row of an axis: all equally often, or each by its own number.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { contiguous, to } from "../../tensor/clone.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { DispatchError } from "../../tensor/dispatch/operator.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll } from "../../tensor/lowering.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { expand, unflatten } from "../../tensor/views/views-shape.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { type Indices, indexArgument } from "../index-arguments.ts";
import { metaOutput } from "../meta-output.ts";
import { compositeOp, op, structuredOp } from "../op.ts";
import { sum } from "../reduce/reduce.ts";
import { indexTensor } from "../routine/dense-elements.ts";
import * as views from "../views.ts";
import { reshape, unsqueeze } from "../views.ts";
import { indexSelect } from "./gather.ts";
import type { Moves } from "./movement-types.ts";

export interface InterleaveOptions {
  /** The size of the axis in the result; required on the meta device. */
  readonly outputSize?: number | undefined;
}

interface Evenly extends OpFunction {
  (x: Tensor, times: number, axis: number): Tensor;
}

/** Repeats every row of an axis `times` times. */
const evenly: Evenly = /* @__PURE__ */ structuredOp("repeatInterleave.number(x: Tensor, ...)", "movement", {
  linear: "0",
  batch: "along 2",
  infer: (x: Tensor, times: number, axis: number) => ({
    dtype: x.dtype,
    shape: sizesOf(x).with(axis, sizeAt(x, axis) * times),
    names: x.names,
  }),
  lower(builder, [result], x: Tensor, times: number, axis: number) {
    if (result.size === 0) return;
    const rows = unflatten(result, axis, [sizeAt(x, axis), times]);
    lowerCopyAll(builder, expand(unsqueeze(x, axis + 1), sizesOf(rows)), rows, "repeatInterleave");
  },
  gradient(call) {
    const [x, times, axis] = call.args as [Tensor, number, number];
    const size = sizesOf(x)[axis];
    return ([g]) => [sum(views.unflatten(g, axis, [size, times]), axis + 1) as Tensor];
  },
});

interface RepeatedIndices extends OpFunction {
  (repeats: Tensor, count: number, options: InterleaveOptions): Tensor;
}

/** Repeats each index by its number in `repeats`. */
const repeatedIndices: RepeatedIndices = /* @__PURE__ */ op(
  "repeatInterleave.indices(x: Tensor, ...; outputSize)",
  "movement",
  {
    cpu(repeats: Tensor, count: number, { outputSize }: InterleaveOptions) {
      const times = to(contiguous(expand(repeats, [count])), "float64");
      const start = times.storage.byteOffset / 8 + times.start;
      const list = times.storage
        .readable()
        .array("f64")
        .slice(start, start + count);
      let total = 0;
      for (const each of list) {
        if (each < 0) throw new StridewiseError(`repeatInterleave: repeats must be non-negative, got ${each}`);
        total += each;
      }
      if (outputSize !== undefined && outputSize !== total)
        throw new ShapeError(`repeatInterleave: outputSize must be the sum of repeats, ${total}, got ${outputSize}`);
      checkResultBytes("repeatInterleave", total, 8);
      const indices = new Int32Array(total);
      let at = 0;
      for (let k = 0; k < count; k++) {
        indices.fill(k, at, at + list[k]);
        at += list[k];
      }
      return indexTensor(indices, [total]);
    },
    meta(repeats: Tensor, _count: number, { outputSize }: InterleaveOptions) {
      if (outputSize !== undefined) return metaOutput("repeatInterleave", "int64", [outputSize], [repeats]);
      throw new DispatchError(
        "repeatInterleave: the shape depends on the values of repeats, which meta tensors do not have. Pass outputSize",
      );
    },
  },
);

/** Repeats each element, or each slice along an axis. `repeats` is one count, or a tensor or list with one count per element or slice. */
export const repeatInterleave: Moves<[repeats: number | Indices, axis?: Axis | null, options?: InterleaveOptions]> =
  /* @__PURE__ */ compositeOp(
    "repeatInterleave(x: Tensor, ...; outputSize)",
    (x: Tensor, counts: number | Indices, axis?: Axis | null, options: InterleaveOptions = {}) => {
      const repeats = indexArgument("repeatInterleave", "repeats", counts, x) as number | Tensor;
      const source = axis == null ? reshape(x, [-1]) : x.rank === 0 ? unsqueeze(x, 0) : x;
      const at = axis == null ? 0 : axisOf("repeatInterleave", source, axis);
      if (!(repeats instanceof Tensor)) {
        if (!Number.isSafeInteger(repeats) || repeats < 0)
          throw new StridewiseError(`repeatInterleave: repeats must be non-negative, got ${describeValue(repeats)}`);
        return evenly(source, repeats, at);
      }
      if (repeats.dtype !== "int64" && repeats.dtype !== "int32")
        throw new DTypeError(
          `repeatInterleave: repeats must be integers, got ${repeats.dtype}. Convert it: repeats.to("int64")`,
        );
      const count = sizeAt(source, at);
      if (repeats.rank > 1 || (repeats.size !== 1 && repeats.size !== count))
        throw new ShapeError(
          `repeatInterleave: needs one repeat for each of the ${count} elements along axis ${at}, got ${repeats.size}`,
        );
      return indexSelect(source, at, repeatedIndices(repeats, count, options));
    },
    "movement",
  );
