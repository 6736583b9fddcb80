/** Recorded cases of operators on quantized tensors. */
import type { Tensor } from "../../../src/index.ts";
import type { NodeAttribute, NodeCase } from "../../support/onnx-node.ts";
import { inputsFrom, list, scalar } from "./numbers.ts";

const { real, integers, bytes, signed, scales } = inputsFrom(3);
const byte = (value: number): Tensor => scalar(value, "uint8");

const node = (
  op: string,
  inputs: readonly (Tensor | null)[],
  attributes: Readonly<Record<string, NodeAttribute>> = {},
  more: Partial<NodeCase> = {},
): NodeCase => ({ op, domain: "com.microsoft", inputs, attributes, ...more });

const images = [bytes(2, 3, 4, 4), scalar(0.05), byte(120)];
const parameters = [scalar(0.04), byte(100)];
const convolution = [
  ...images,
  signed(4, 3, 3, 3),
  scales(4),
  integers("int8", 0, 0, 4),
  ...parameters,
  integers("int32", -500, 500, 4),
];

/** A product with packed weights of 5 rows and 40 columns in blocks of 16. */
function packed(
  bits: number,
  zeros: "none" | "packed" | "real",
  constants: readonly number[],
  hasBias = false,
): NodeCase {
  const [rows, columns, size] = [5, 40, 16];
  const blocks = Math.ceil(columns / size);
  const zeroPoint =
    zeros === "none" ? null : zeros === "real" ? real(rows, blocks) : bytes(rows, Math.ceil((blocks * bits) / 8));
  return node(
    "MatMulNBits",
    [
      real(2, 3, columns),
      bytes(rows, blocks, (size * bits) / 8),
      scales(rows, blocks),
      zeroPoint,
      null,
      hasBias ? real(rows) : null,
    ],
    { K: columns, N: rows, bits, block_size: size },
    { constants },
  );
}

const bnb4 = (type: number): NodeCase =>
  node(
    "MatMulBnb4",
    [real(2, 24), bytes(60), scales(8)],
    { K: 24, N: 5, block_size: 16, quant_type: type },
    { constants: [1, 2] },
  );

const rows = (bits: number, hasZeros: boolean): NodeCase =>
  node(
    "GatherBlockQuantized",
    [
      bytes(6, (48 * bits) / 8),
      list([
        [1, 5],
        [0, 1],
      ]),
      scales(6, 3),
      hasZeros ? bytes(6, Math.ceil((3 * bits) / 8)) : null,
    ],
    { bits, block_size: 16, gather_axis: 0, quantize_axis: 1 },
    { constants: hasZeros ? [0, 2, 3] : [0, 2] },
  );

const uint4 = 21;
const int4 = 22;

export const quantized: Readonly<Record<string, NodeCase>> = {
  "MatMulNBits of 4 bits": packed(4, "none", [1, 2]),
  "MatMulNBits of 4 bits with zero points and a bias": packed(4, "packed", [1, 2, 3, 5], true),
  "MatMulNBits of 4 bits with real zero points": packed(4, "real", [1, 2, 3]),
  "MatMulNBits of 8 bits with zero points": packed(8, "packed", [1, 2, 3]),
  "MatMulNBits of 2 bits with zero points": packed(2, "packed", [1, 2, 3]),
  "MatMulNBits of computed weights": packed(4, "packed", []),
  "MatMulBnb4 of fp4": bnb4(0),
  "MatMulBnb4 of nf4": bnb4(1),
  "GatherBlockQuantized of packed 4 bits": rows(4, true),
  "GatherBlockQuantized of packed 4 bits without zero points": rows(4, false),
  "GatherBlockQuantized of packed 2 bits": rows(2, true),
  "GatherBlockQuantized of bytes": rows(8, true),
  "GatherBlockQuantized of uint4 along the last axis": node(
    "GatherBlockQuantized",
    [integers("uint8", 0, 15, 3, 32, 4), list([3, 0, 1]), scales(3, 2, 4), integers("uint8", 0, 15, 3, 2, 4)],
    { block_size: 16, gather_axis: 2, quantize_axis: 1 },
    { constants: [0, 2, 3], types: { 0: uint4, 3: uint4 }, version: 21 },
  ),
  "GatherBlockQuantized of int4": node(
    "GatherBlockQuantized",
    [integers("int8", -8, 7, 4, 40), list([3, -1]), scales(4, 3), null],
    { block_size: 16, gather_axis: 0, quantize_axis: 1 },
    { constants: [0, 2], types: { 0: int4 }, version: 21 },
  ),
  QLinearConv: node("QLinearConv", convolution, { pads: [1, 1, 1, 1] }),
  "QLinearConv with channels last": node("QLinearConv", [bytes(2, 4, 4, 3), ...convolution.slice(1)], {
    pads: [1, 0, 1, 0],
    strides: [2, 1],
    channels_last: 1,
  }),
  NhwcMaxPool: node("NhwcMaxPool", [bytes(1, 5, 5, 2)], { kernel_shape: [3, 2], strides: [2, 1], pads: [1, 0, 1, 0] }),
  QLinearWhere: node("QLinearWhere", [
    integers("bool", 0, 1, 3, 4),
    bytes(3, 4),
    scalar(0.03),
    byte(10),
    bytes(4),
    scalar(0.02),
    byte(200),
    ...parameters,
  ]),
  QLinearAdd: node("QLinearAdd", [
    bytes(3, 4),
    scalar(1 / 32),
    byte(10),
    bytes(4),
    scalar(1 / 64),
    byte(200),
    scalar(1 / 16),
    byte(100),
  ]),
  QLinearMul: node("QLinearMul", [
    bytes(3, 4),
    scalar(1 / 32),
    byte(10),
    bytes(4),
    scalar(1 / 64),
    byte(200),
    scalar(1 / 16),
    byte(100),
  ]),
  QLinearSigmoid: node("QLinearSigmoid", [
    signed(3, 4),
    scalar(0.03),
    scalar(3, "int8"),
    scalar(0.004),
    scalar(-128, "int8"),
  ]),
  QLinearLeakyRelu: node("QLinearLeakyRelu", [bytes(3, 4), scalar(0.03), byte(130), ...parameters], {
    alpha: { float: 0.25 },
  }),
  QLinearSoftmax: node(
    "QLinearSoftmax",
    [bytes(3, 8), scalar(0.03), byte(130), scalar(1 / 256), byte(0)],
    { axis: -1, opset: 13 },
    { constants: [1, 2, 3, 4] },
  ),
  QLinearConcat: node(
    "QLinearConcat",
    [...parameters, bytes(2, 3), scalar(0.03), byte(10), bytes(2, 2), scalar(0.02), byte(200)],
    { axis: 1 },
  ),
  QLinearAveragePool: node("QLinearAveragePool", [...images, ...parameters], { kernel_shape: [2, 2], strides: [2, 2] }),
  "QLinearAveragePool with channels last and padding": node(
    "QLinearAveragePool",
    [bytes(1, 5, 5, 2), scalar(0.05), byte(120), ...parameters],
    { kernel_shape: [3, 3], pads: [1, 1, 1, 1], count_include_pad: 1, channels_last: 1 },
  ),
  QLinearGlobalAveragePool: node("QLinearGlobalAveragePool", [...images, ...parameters], { channels_last: 0 }),
  QGemm: node(
    "QGemm",
    [
      bytes(3, 6),
      scalar(0.02),
      byte(128),
      signed(4, 6),
      scales(4),
      integers("int8", 0, 0, 4),
      integers("int32", -900, 900, 4),
      scalar(0.5),
      byte(120),
    ],
    { transB: 1, alpha: { float: 1.5 } },
    { constants: [3] },
  ),
  "QGemm of floats": node(
    "QGemm",
    [bytes(3, 6), scalar(0.02), byte(128), signed(6, 4), scalar(0.03), scalar(0, "int8")],
    { transB: 0, alpha: { float: 1 } },
  ),
  DynamicQuantizeMatMul: node("DynamicQuantizeMatMul", [
    real(2, 3, 6),
    signed(6, 5),
    scales(5),
    integers("int8", 0, 0, 5),
    real(5),
  ]),
  MatMulIntegerToFloat: node("MatMulIntegerToFloat", [
    bytes(2, 3, 6),
    signed(6, 5),
    scalar(0.02),
    scales(5),
    byte(130),
    integers("int8", 0, 0, 5),
    real(5),
  ]),
  QEmbedLayerNormalization: node(
    "QEmbedLayerNormalization",
    [
      list([
        [1, 2, 3],
        [4, 0, 1],
      ]),
      list([
        [0, 0, 1],
        [1, 1, 0],
      ]),
      bytes(5, 8),
      bytes(4, 8),
      bytes(2, 8),
      bytes(8),
      bytes(8),
      list([
        [1, 1, 0],
        [1, 1, 1],
      ]),
      ...[0.01, 0.02, 0.03, 0.04, 0.05].map((each) => scalar(each)),
      ...[120, 130, 110, 100, 140].map(byte),
    ],
    { epsilon: { float: 1e-5 } },
    { outputs: 2 },
  ),
  QAttention: node(
    "QAttention",
    [bytes(2, 3, 8), signed(8, 24), real(24), scalar(0.01), scalar(0.02), list([3, 2]), byte(128), scalar(0, "int8")],
    { num_heads: 2 },
    { constants: [1] },
  ),
};
