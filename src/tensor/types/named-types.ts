/**
 * The types that the compiler computes shapes and elements with, under the name `types` in the main entry. Programs rarely write
 * them; a library that exports functions of tensors has them in its declarations, and a declaration can only contain
 * names that a package exports.
 */

export type * from "../../layout/types/layout-types.ts";
export type * from "../../layout/types/literal-times.ts";
export type { Device } from "../../storage/device.ts";
export type { TypedArray, ValueOf } from "../../storage/dtype.ts";
export type { Range } from "../access/indexing.ts";
export type { Overlap } from "../contiguity.ts";
export type { CountingEngine } from "../engines/computed-engines.ts";
export type { Ownership } from "../identity.ts";
export type * from "./literal-sums.ts";
export type * from "./nested-data.ts";
export type * from "./shape-arrays.ts";
export type * from "./shape-dtypes.ts";
export type * from "./shape-indexing.ts";
export type * from "./shape-views.ts";
export type * from "./types.ts";
