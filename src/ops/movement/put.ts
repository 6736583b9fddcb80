/**
 * Writing to places that index tensors name together, or by row-major indices: to a copy, and to the tensor itself.
 */
import type { Keeps, Writes } from "./movement-types.ts";
import { type FlatArguments, flatPutting, type PlaceArguments, placePutting } from "./write-places.ts";
import { changedCopy, changeInPlace } from "./writing.ts";

/** A copy of x with values at the places that one index tensor for each axis says together; null leaves an axis whole. */
export const indexPut: Keeps<PlaceArguments> = /* @__PURE__ */ changedCopy(placePutting);
/** A copy of x with the elements of source at these indices in row-major order. */
export const put: Keeps<FlatArguments> = /* @__PURE__ */ changedCopy(flatPutting);
/** Writes values to the places that one index tensor for each axis says together; null leaves an axis whole. */
export const indexPut_: Writes<PlaceArguments> = /* @__PURE__ */ changeInPlace(placePutting);
/** Writes the elements of source to these indices in row-major order. */
export const put_: Writes<FlatArguments> = /* @__PURE__ */ changeInPlace(flatPutting);
