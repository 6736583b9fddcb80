/**
 * The public API of neural networks: modules, layers, losses, and initialization under `init`.
 */
export * from "./activations.ts";
export {
  type AttentionCall,
  type AttentionResult,
  causalMask,
  MultiheadAttention,
  type MultiheadAttentionOptions,
} from "./attention.ts";
export * from "./containers.ts";
export * from "./conv.ts";
export * from "./dropout.ts";
export * from "./embedding.ts";
export * as init from "./init.ts";
export type { OpLayer, OpLayerClass } from "./layer-of.ts";
export * from "./linear.ts";
export * from "./losses.ts";
export { Layer, type LoadOptions, Module } from "./module.ts";
export * from "./norms.ts";
export { type BufferOptions, buffer, type DTypeOption, type ParameterOptions, parameter } from "./parameter.ts";
export * from "./pooling.ts";
export * from "./recurrent.ts";
export { type CellOptions, GRUCell, LSTMCell, RNNCell, type RNNCellOptions } from "./recurrent-cells.ts";
export * from "./shape-layers.ts";
export type { LoadReport, StateDict } from "./state-dict.ts";
export * from "./transformer.ts";
