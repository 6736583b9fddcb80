/**
 * Ops that write to some elements of the tensor itself and give it back: methods only, as in PyTorch.
 */

import type { Tensor } from "../../tensor/tensor.ts";
import { op } from "../op.ts";
import type { Writes } from "./movement-types.ts";
import { checkMatrix, keepTriangle, type TriangleName } from "./triangles.ts";
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
import { changeInPlace } from "./writing.ts";

/** Writes the elements of src, or a number, to the coordinates of the index, which stands for the coordinate on the axis. */
export const scatter_: Writes<ScatterArguments> = /* @__PURE__ */ changeInPlace(scattering);
/** Adds the elements of src at the coordinates of the index. */
export const scatterAdd_: Writes<ScatterAddArguments> = /* @__PURE__ */ changeInPlace(scatterAdding);
/** Combines the elements of src with those at the coordinates of the index, by sum, prod, mean, amax or amin. */
export const scatterReduce_: Writes<ScatterReduceArguments> = /* @__PURE__ */ changeInPlace(scatterCombining);
/** Adds the rows of source, times alpha, to the rows with these indices. */
export const indexAdd_: Writes<RowAddArguments> = /* @__PURE__ */ changeInPlace(rowAdding);
/** Puts the rows of source in place of the rows with these indices. */
export const indexCopy_: Writes<RowArguments> = /* @__PURE__ */ changeInPlace(rowCopying);
/** Sets all rows with these indices to one value. */
export const indexFill_: Writes<RowFillArguments> = /* @__PURE__ */ changeInPlace(rowFilling);
/** Combines the rows of source with the rows with these indices, by prod, mean, amax or amin. */
export const indexReduce_: Writes<RowReduceArguments> = /* @__PURE__ */ changeInPlace(rowCombining);
/** Writes the elements of source, in their order, where the mask is true. */
export const maskedScatter_: Writes<MaskedArguments> = /* @__PURE__ */ changeInPlace(maskedScattering);

const triangleInPlace = (who: TriangleName) =>
  op<Writes<[diagonal?: number]>>(`${who}_`, "movement", {
    cpu(x: Tensor, k = 0) {
      checkMatrix(`${who}_`, x);
      return keepTriangle(who, x, k, x);
    },
    meta(x: Tensor) {
      checkMatrix(`${who}_`, x);
      return x;
    },
  });

/** Sets what lies below a diagonal to 0. */
export const triu_: Writes<[diagonal?: number]> = /* @__PURE__ */ triangleInPlace("triu");
/** Sets what lies above a diagonal to 0. */
export const tril_: Writes<[diagonal?: number]> = /* @__PURE__ */ triangleInPlace("tril");
