/**
 * Writing to some elements of a tensor: by index along an axis, by rows, by a mask; each to a copy, and with `_` to the tensor itself.
 * What each writes is in the files `write-*.ts`.
 */
import type { Keeps, Writes } from "./movement-types.ts";
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
import { changedCopy, changeInPlace } from "./writing.ts";

/** A copy of x with the elements of src, or a number, at the coordinates of the index, which stands for the coordinate on the axis. */
export const scatter: Keeps<ScatterArguments> = /* @__PURE__ */ changedCopy(scattering);
/** Writes the elements of src, or a number, to the coordinates of the index, which stands for the coordinate on the axis. */
export const scatter_: Writes<ScatterArguments> = /* @__PURE__ */ changeInPlace(scattering);
/** A copy of x with the elements of src added at the coordinates of the index. */
export const scatterAdd: Keeps<ScatterAddArguments> = /* @__PURE__ */ changedCopy(scatterAdding);
/** Adds the elements of src at the coordinates of the index. */
export const scatterAdd_: Writes<ScatterAddArguments> = /* @__PURE__ */ changeInPlace(scatterAdding);
/** A copy of x with the elements of src at the coordinates of the index, combined by sum, prod, mean, amax or amin. */
export const scatterReduce: Keeps<ScatterReduceArguments> = /* @__PURE__ */ changedCopy(scatterCombining);
/** Combines the elements of src with those at the coordinates of the index, by sum, prod, mean, amax or amin. */
export const scatterReduce_: Writes<ScatterReduceArguments> = /* @__PURE__ */ changeInPlace(scatterCombining);
/** A copy of x with the rows of source, times alpha, added to the rows with these indices. */
export const indexAdd: Keeps<RowAddArguments> = /* @__PURE__ */ changedCopy(rowAdding);
/** Adds the rows of source, times alpha, to the rows with these indices. */
export const indexAdd_: Writes<RowAddArguments> = /* @__PURE__ */ changeInPlace(rowAdding);
/** A copy of x with the rows of source in place of the rows with these indices. */
export const indexCopy: Keeps<RowArguments> = /* @__PURE__ */ changedCopy(rowCopying);
/** Puts the rows of source in place of the rows with these indices. */
export const indexCopy_: Writes<RowArguments> = /* @__PURE__ */ changeInPlace(rowCopying);
/** A copy of x with one value in all rows with these indices. */
export const indexFill: Keeps<RowFillArguments> = /* @__PURE__ */ changedCopy(rowFilling);
/** Sets all rows with these indices to one value. */
export const indexFill_: Writes<RowFillArguments> = /* @__PURE__ */ changeInPlace(rowFilling);
/** A copy of x with the rows of source combined with the rows with these indices, by prod, mean, amax or amin. */
export const indexReduce: Keeps<RowReduceArguments> = /* @__PURE__ */ changedCopy(rowCombining);
/** Combines the rows of source with the rows with these indices, by prod, mean, amax or amin. */
export const indexReduce_: Writes<RowReduceArguments> = /* @__PURE__ */ changeInPlace(rowCombining);
/** A copy of x with the elements of source, in their order, where the mask is true. */
export const maskedScatter: Keeps<MaskedArguments> = /* @__PURE__ */ changedCopy(maskedScattering);
/** Writes the elements of source, in their order, where the mask is true. */
export const maskedScatter_: Writes<MaskedArguments> = /* @__PURE__ */ changeInPlace(maskedScattering);
