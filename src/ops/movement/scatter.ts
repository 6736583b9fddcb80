/**
 * Copies of a tensor with some elements written: by index along an axis, by rows, by places, by a mask. What each writes is in the
 * files `write-*.ts`; `in-place.ts` has the same ops on the tensor itself.
 */

import type { Keeps } from "./movement-types.ts";
import {
  type ScatterAddArguments,
  type ScatterArguments,
  type ScatterReduceArguments,
  scatterAdding,
  scatterCombining,
  scattering,
} from "./write-along.ts";
import { type MaskedArguments, maskedScattering } from "./write-masked.ts";
import {
  type RowAddArguments,
  type RowArguments,
  type RowFillArguments,
  type RowReduceArguments,
  rowAdding,
  rowCombining,
  rowCopying,
  rowFilling,
} from "./write-rows.ts";
import { changedCopy } from "./writing.ts";

/** A copy of x with the elements of src, or a number, at the coordinates of the index, which stands for the coordinate on the axis. */
export const scatter: Keeps<ScatterArguments> = /* @__PURE__ */ changedCopy(scattering);
/** A copy of x with the elements of src added at the coordinates of the index. */
export const scatterAdd: Keeps<ScatterAddArguments> = /* @__PURE__ */ changedCopy(scatterAdding);
/** A copy of x with the elements of src at the coordinates of the index, combined by sum, prod, mean, amax or amin. */
export const scatterReduce: Keeps<ScatterReduceArguments> = /* @__PURE__ */ changedCopy(scatterCombining);
/** A copy of x with the rows of source, times alpha, added to the rows with these indices. */
export const indexAdd: Keeps<RowAddArguments> = /* @__PURE__ */ changedCopy(rowAdding);
/** A copy of x with the rows of source in place of the rows with these indices. */
export const indexCopy: Keeps<RowArguments> = /* @__PURE__ */ changedCopy(rowCopying);
/** A copy of x with one value in all rows with these indices. */
export const indexFill: Keeps<RowFillArguments> = /* @__PURE__ */ changedCopy(rowFilling);
/** A copy of x with the rows of source combined with the rows with these indices, by prod, mean, amax or amin. */
export const indexReduce: Keeps<RowReduceArguments> = /* @__PURE__ */ changedCopy(rowCombining);
/** A copy of x with the elements of source, in their order, where the mask is true. */
export const maskedScatter: Keeps<MaskedArguments> = /* @__PURE__ */ changedCopy(maskedScattering);
