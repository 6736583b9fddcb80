/** Recorded cases of operators that fuse others, and of small operators. */
import type { Tensor } from "../../../src/index.ts";
import type { NodeAttribute, NodeCase } from "../../support/onnx-node.ts";
import { inputsFrom, list, scalar } from "./numbers.ts";

const { real } = inputsFrom(5);

const node = (
  op: string,
  inputs: readonly (Tensor | null)[],
  attributes: Readonly<Record<string, NodeAttribute>> = {},
  outputs = 1,
): NodeCase => ({ op, domain: "com.microsoft", inputs, attributes, outputs });

const regions = (size: readonly number[], attributes: Readonly<Record<string, NodeAttribute>> = {}): NodeCase =>
  node(
    "CropAndResize",
    [
      real(2, 3, 6, 5),
      list(
        [
          [0, 0, 1, 1],
          [0.25, 0.5, 0.75, 0.125],
          [-0.5, 0.25, 1.5, 0.75],
        ],
        "float32",
      ),
      list([0, 1, 1]),
      list(size),
    ],
    attributes,
  );

const flags = { k: real(2, 3, 8), y: real(2, 3, 8), weight: real(8), bias: real(8), more: real(8) };

export const fused: Readonly<Record<string, NodeCase>> = {
  BiasGelu: node("BiasGelu", [flags.k, flags.bias]),
  FastGelu: node("FastGelu", [flags.k, flags.bias]),
  QuickGelu: node("QuickGelu", [flags.k], { alpha: { float: 1.5 } }),
  Gelu: node("Gelu", [flags.k]),
  SkipLayerNormalization: node("SkipLayerNormalization", [flags.k, flags.y, flags.weight, flags.bias, flags.more], {
    epsilon: { float: 1e-5 },
  }),
  SkipSimplifiedLayerNormalization: node(
    "SkipSimplifiedLayerNormalization",
    [flags.k, flags.y, flags.weight, flags.more],
    { epsilon: { float: 1e-5 } },
  ),
  EmbedLayerNormalization: node(
    "EmbedLayerNormalization",
    [
      list([
        [1, 2, 3],
        [4, 0, 1],
      ]),
      null,
      real(5, 8),
      real(4, 8),
      null,
      flags.weight,
      flags.bias,
      null,
      list([
        [3, 1, 0],
        [0, 1, 2],
      ]),
    ],
    { epsilon: { float: 1e-5 } },
    2,
  ),
  GatedRMSNorm: node("GatedRMSNorm", [real(2, 3, 16), flags.weight, real(2, 3, 16)], { epsilon: { float: 1e-5 } }),
  GatedAdd: node("GatedAdd", [flags.k, flags.y, real(2, 3, 1)]),
  FusedMatMul: node("FusedMatMul", [real(2, 4, 3), real(2, 5, 4)], {
    transA: 1,
    transB: 1,
    alpha: { float: 0.5 },
  }),
  FusedGemm: node("FusedGemm", [real(4, 8), real(3, 8), real(3)], {
    activation: "LeakyRelu",
    activation_alpha: { float: 0.25 },
    transB: 1,
    beta: { float: 2 },
  }),
  FusedConv: node("FusedConv", [real(1, 3, 5, 5), real(4, 3, 3, 3), real(4), real(1, 4, 5, 5)], {
    pads: [1, 1, 1, 1],
    activation: "Relu",
  }),
  "FusedConv with a clipped result": node("FusedConv", [real(1, 3, 5, 5), real(4, 3, 3, 3), real(4)], {
    activation: "Clip",
    activation_params: { floats: [-0.5, 1] },
  }),
  CropAndResize: regions([3, 4]),
  "CropAndResize to one row": regions([1, 3], { extrapolation_value: { float: 7 } }),
  "CropAndResize to the nearest element": regions([4, 3], { mode: "nearest" }),
  GridSample: node("GridSample", [real(1, 2, 4, 5), real(1, 3, 3, 2)], { mode: "bicubic", padding_mode: "border" }),
  CDist: node("CDist", [real(4, 6), real(3, 6)], { metric: "euclidean" }),
  "CDist, squared": node("CDist", [real(4, 6), real(3, 6)], { metric: "sqeuclidean" }),
  NGramRepeatBlock: node(
    "NGramRepeatBlock",
    [
      list(
        [
          [1, 2, 3, 1, 2],
          [4, 4, 4, 4, 4],
        ],
        "int64",
      ),
      real(2, 6),
    ],
    { ngram_size: 3 },
  ),
  "NGramRepeatBlock of single tokens": node("NGramRepeatBlock", [list([[1, 2, 3]], "int64"), real(1, 6)], {
    ngram_size: 1,
  }),
  Inverse: node("Inverse", [real(2, 3, 3)]),
  Pad: node("Pad", [real(2, 3), list([0, 1, 2, 1], "int64"), scalar(0.5)], { mode: "constant" }),
  Unique: node("Unique", [list([2, 1, 1, 3, 4, 3], "float32")], {}, 3),
  ExpandDims: node("ExpandDims", [real(2, 3), scalar(-1, "int32")]),
  Trilu: node("Trilu", [real(2, 4, 4), scalar(-1, "int64")], { upper: 0 }),
};
