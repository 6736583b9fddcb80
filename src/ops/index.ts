/**
 * All ops as functions.
 */
export * from "./contract/conv.ts";
export * from "./contract/einsum.ts";
export * from "./contract/kron.ts";
export * from "./contract/matmul.ts";
export * from "./contract/pool.ts";
export * from "./elementwise/activation.ts";
export * from "./elementwise/arithmetic.ts";
export * from "./elementwise/choose.ts";
export * from "./elementwise/comparison.ts";
export * from "./elementwise/functions.ts";
export * from "./elementwise/special.ts";
export * from "./elementwise/special-functions.ts";
export * from "./reduce/reduce.ts";
export * from "./reduce/scan.ts";
export * from "./routine/combinations-ops.ts";
export * from "./routine/equal-ops.ts";
export * from "./routine/histogram-ops.ts";
export * from "./routine/histogramdd-ops.ts";
export * from "./routine/integral-ops.ts";
export * from "./routine/quantile-ops.ts";
export * from "./routine/search-ops.ts";
export * from "./routine/sort-ops.ts";
export * from "./routine/statistics-ops.ts";
export * from "./routine/unique-ops.ts";
