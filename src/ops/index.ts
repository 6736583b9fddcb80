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
export * as fft from "./fft/fft.ts";
export * from "./reduce/reduce.ts";
export * from "./reduce/scan.ts";
