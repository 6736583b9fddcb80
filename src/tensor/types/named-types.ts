/**
 * The types that compute shapes and elements, exported as `types` by the main entry. Programs rarely write them. The declarations of a
 * library that exports functions of tensors contain them, and can only refer to names that a package exports.
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
