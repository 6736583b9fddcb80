/**
 * Where elements are not 0, and what a mask chooses of them. How many that are depends on values, so the meta device has no answer.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import { bumpVersion, checkApart, checkTensor, checkWritable, mayMeet, refuseSharing } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { expand, view } from "../../tensor/views/views-shape.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { needsValues } from "../meta-output.ts";
import { fresh, op, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { positionDType } from "../positions.ts";
import { unravelIndices } from "../routine/nonzero.ts";
import { meetFlat } from "./indexed.ts";
import type { FindsPlaces, Moves } from "./movement-types.ts";
import { selectGradient } from "./place-gradient.ts";
import { integersOf, nonzeroColumns, positionsOf } from "./positions.ts";
import { checkMask } from "./write-masked.ts";

/** Rows of coordinates of the elements that are not 0. */
export const argwhere: FindsPlaces<[]> = /* @__PURE__ */ op("argwhere(x: Tensor, ...)", "movement", {
  cpu(t: Tensor) {
    const found = positionsOf(t);
    return integersOf(unravelIndices(found, sizesOf(t), false), [found.length, t.rank]);
  },
  meta: /* @__PURE__ */ needsValues("argwhere"),
});

/** nonzero as one matrix, or as one list for each axis. */
export interface Nonzero extends OpFunction {
  /** The coordinates of the elements that are not 0: one row for each, or with asTuple one list for each axis. */
  (x: Tensor, options: { readonly asTuple: true }): Tensor[];
  /** The coordinates of the elements that are not 0: one row for each, or with asTuple one list for each axis. */
  (x: Tensor, options?: { readonly asTuple?: false }): Tensor;
  readonly method: {
    /** The coordinates of the elements that are not 0: one row for each, or with asTuple one list for each axis. */
    (this: Tensor, options: { readonly asTuple: true }): Tensor[];
    /** The coordinates of the elements that are not 0: one row for each, or with asTuple one list for each axis. */
    (this: Tensor, options?: { readonly asTuple?: false }): Tensor;
  };
}
/** The coordinates of the elements that are not 0: one row for each, or with asTuple one list for each axis. */
export const nonzero: Nonzero = /* @__PURE__ */ op("nonzero(x: Tensor; asTuple)", "movement", {
  cpu(t: Tensor, { asTuple = false }: { readonly asTuple?: boolean } = {}) {
    return asTuple ? nonzeroColumns(t.rank === 0 ? view(t, [1]) : t) : argwhere(t);
  },
  meta: /* @__PURE__ */ needsValues("nonzero"),
});

export interface StaticOptions {
  /** How many rows the result has: of more places the first are taken, missing ones are filled. */
  readonly size: number;
  /** What missing rows have; -1 if nothing is said. */
  readonly fillValue?: number | undefined;
}

/** The coordinates of the elements that are not 0, in exactly so many rows. */
export const nonzeroStatic: FindsPlaces<[options: StaticOptions]> = /* @__PURE__ */ structuredOp(
  "nonzeroStatic(x: Tensor; size, fillValue)",
  "movement",
  {
    infer(t: Tensor, { size }: Partial<StaticOptions> = {}) {
      if (size === undefined || !Number.isSafeInteger(size) || size < 0)
        throw new StridewiseError(`nonzeroStatic: 'size' must be an non-negative integer, got ${describeValue(size)}`);
      return { dtype: positionDType, shape: [size, t.rank], isIndex: true };
    },
    fill([result], t: Tensor, { size, fillValue = -1 }: StaticOptions) {
      fillUnchecked(result, fillValue, "nonzeroStatic");
      const rows = argwhere(t);
      const count = Math.min(size, sizeAt(rows, 0));
      copyAll(narrow(rows, 0, 0, count), narrow(result, 0, 0, count), "nonzeroStatic");
    },
  },
);

/** The elements where the mask is true, in row-major order, as a list; tensor and mask are broadcast. */
export const maskedSelect: Moves<[mask: Tensor, options?: OutOption]> = /* @__PURE__ */ op(
  "maskedSelect(x: Tensor, mask: Tensor; out)",
  "movement",
  {
    cpu(t: Tensor, mask: Tensor, { out }: OutOption = {}) {
      checkMask("maskedSelect", mask);
      const shape = broadcastTwo("maskedSelect", sizesOf(t), sizesOf(mask));
      const found = positionsOf(expand(mask, shape));
      if (out) checkOut(out, t, mask, found.length);
      const result = fresh(t.dtype, [found.length]);
      meetFlat("take", expand(t, shape), result, integersOf(found, [found.length], "int32"));
      if (!out) return result;
      copyAll(result, out, "maskedSelect");
      bumpVersion(out);
      return out;
    },
    meta: /* @__PURE__ */ needsValues("maskedSelect"),
  },
  { linear: "0", gradient: selectGradient },
);

function checkOut(out: Tensor, t: Tensor, mask: Tensor, count: number): void {
  checkTensor("maskedSelect", out);
  checkWritable(out, "maskedSelect");
  checkApart([out], "maskedSelect");
  if (mayMeet(out, t) || mayMeet(out, mask)) throw refuseSharing("maskedSelect", "out shares memory with an input");
  if (out.rank !== 1 || out.size !== count || out.dtype !== t.dtype)
    throw new ShapeError(
      `maskedSelect: out is ${out.dtype} ${showShape(out)}, and the result ${t.dtype} [${count}]. Omit it, or pass a tensor of that shape`,
    );
}
