/**
 * Indices of nonzero elements. Their number depends on values, so it is unknown on the meta device.
 */
import { StridewiseError } from "../../base/errors.ts";
import { nonzeroCoordinates } from "../../tensor/access/true-elements.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizeAt } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow, unbind } from "../../tensor/views/views-parts.ts";
import { view } from "../../tensor/views/views-shape.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { indexDType } from "../indices.ts";
import { needsValues } from "../meta-output.ts";
import { op, structuredOp } from "../op.ts";
import type { FindsIndices } from "./movement-types.ts";

/** Returns the coordinates of all nonzero elements, one per row. */
export const argwhere: FindsIndices<[]> = /* @__PURE__ */ op("argwhere(x: Tensor, ...)", "movement", {
  cpu(t: Tensor) {
    return nonzeroCoordinates(t, "argwhere", true);
  },
  meta: /* @__PURE__ */ needsValues("argwhere"),
});

/** The type of nonzero: the result is one matrix, or one tensor for each axis. */
export interface Nonzero extends OpFunction {
  /** Returns the coordinates of all nonzero elements: one row for each, or with asTuple, one tensor of indices for each axis. */
  (x: Tensor, options: { readonly asTuple: true }): Tensor[];
  /** Returns the coordinates of all nonzero elements: one row for each, or with asTuple, one tensor of indices for each axis. */
  (x: Tensor, options?: { readonly asTuple?: false }): Tensor;
  readonly method: {
    /** Returns the coordinates of all nonzero elements: one row for each, or with asTuple, one tensor of indices for each axis. */
    (this: Tensor, options: { readonly asTuple: true }): Tensor[];
    /** Returns the coordinates of all nonzero elements: one row for each, or with asTuple, one tensor of indices for each axis. */
    (this: Tensor, options?: { readonly asTuple?: false }): Tensor;
  };
}
/** Returns the coordinates of all nonzero elements: one row for each, or with asTuple, one tensor of indices for each axis. */
export const nonzero: Nonzero = /* @__PURE__ */ op("nonzero(x: Tensor; asTuple)", "movement", {
  cpu(t: Tensor, { asTuple = false }: { readonly asTuple?: boolean } = {}) {
    return asTuple ? unbind(nonzeroCoordinates(t.rank === 0 ? view(t, [1]) : t, "nonzero", false), 0) : argwhere(t);
  },
  meta: /* @__PURE__ */ needsValues("nonzero"),
});

export interface StaticOptions {
  /** The number of rows of the result: further coordinates are dropped, missing ones are filled in. */
  readonly size: number;
  /** The value of missing rows. Default: -1. */
  readonly fillValue?: number | undefined;
}

/** Returns the coordinates of the first `size` nonzero elements, one per row; missing rows are filled with `fillValue`. */
export const nonzeroStatic: FindsIndices<[options: StaticOptions]> = /* @__PURE__ */ structuredOp(
  "nonzeroStatic(x: Tensor; size, fillValue)",
  "movement",
  {
    infer(t: Tensor, { size }: Partial<StaticOptions> = {}) {
      if (size === undefined || !Number.isSafeInteger(size) || size < 0)
        throw new StridewiseError(`nonzeroStatic: size must be a non-negative integer, got ${describeValue(size)}`);
      return { dtype: indexDType, shape: [size, t.rank], isIndex: true };
    },
    fill([result], t: Tensor, { size, fillValue = -1 }: StaticOptions) {
      fillUnchecked(result, fillValue, "nonzeroStatic");
      const rows = argwhere(t);
      const count = Math.min(size, sizeAt(rows, 0));
      copyAll(narrow(rows, 0, 0, count), narrow(result, 0, 0, count), "nonzeroStatic");
    },
  },
);
