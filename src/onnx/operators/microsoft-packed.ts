/** Weights of a few bits, which are packed in blocks with a scale each: products with them, and rows of them. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { nonNegative } from "./gather.ts";

/** Unpacks integers of a few bits from the bytes along the last axis, the lowest bits first. */
function unpacked(bytes: sw.Tensor, bits: number): sw.Tensor {
  if (bits === 8) return bytes;
  const shifts = sw.arange(0, 8, bits, { dtype: "uint8" });
  const parts = sw.bitwiseAnd(sw.bitwiseRightShift(bytes.unsqueeze(-1), shifts), 2 ** bits - 1);
  return parts.reshape([...bytes.shape.slice(0, -1), -1]);
}

function bitsOf(call: Call): number {
  const bits = call.int("bits", 4);
  if (bits === 2 || bits === 4 || bits === 8) return bits;
  throw call.error(`bits must be 2, 4 or 8, got ${bits}`);
}

/** Returns the weights [N, K] of a MatMulNBits node as real numbers. */
function weightsOf(call: Call): sw.Tensor {
  const [rows, columns] = [call.int("N"), call.int("K")];
  const [bits, blockSize] = [bitsOf(call), call.int("block_size")];
  if (call.int("weight_prepacked", 0) !== 0)
    throw call.error("weights that are packed for one device are not supported");
  const blocks = Math.ceil(columns / blockSize);
  const b = call.tensor(1);
  if (b.size !== (rows * blocks * blockSize * bits) / 8)
    throw call.error(
      `B must have ${rows} x ${blocks} blocks of ${(blockSize * bits) / 8} bytes, got [${b.shape.join(", ")}]`,
    );
  const scale = call.tensor(2).reshape([rows, blocks]);
  const codes = unpacked(b.reshape([rows, -1]), bits).narrow(1, 0, columns);
  const group = call.optionalTensor(4);
  /** Repeats the value of each block for each of its columns. */
  const columnsOf = (t: sw.Tensor): sw.Tensor =>
    group === null
      ? sw.repeatInterleave(t, blockSize, 1).narrow(1, 0, columns)
      : sw.indexSelect(t, 1, group.narrow(0, 0, columns));
  const zeroPoint = call.optionalTensor(3);
  const dtype = scale.dtype as sw.DType;
  if (zeroPoint === null) return sw.mul(sw.sub(codes.to(dtype), 2 ** (bits - 1)), columnsOf(scale));
  const zeros =
    zeroPoint.dtype === "uint8"
      ? unpacked(zeroPoint.reshape([rows, -1]), bits).narrow(1, 0, blocks)
      : zeroPoint.reshape([rows, blocks]);
  return sw.mul(sw.sub(codes.to(dtype), columnsOf(zeros.to(dtype))), columnsOf(scale));
}

/** The 16 values of the types fp4 and nf4, by their codes. */
const values = [
  [1, -1].flatMap((sign) => [0, 1 / 192, 2 / 3, 1, 1 / 3, 1 / 2, 1 / 6, 1 / 4].map((each) => sign * each)),
  [
    -1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
    -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
  ],
];

/** Returns the weights [N, K] of a MatMulBnb4 node: codes of 4 bits, the higher ones first, with the largest absolute value of each block. */
function normalFloats(call: Call): sw.Tensor {
  const [rows, columns, blockSize] = [call.int("N"), call.int("K"), call.int("block_size")];
  const table = values[call.int("quant_type")];
  if (table === undefined) throw call.error(`quant_type must be 0 or 1, got ${call.int("quant_type")}`);
  const [bytes, largest] = [call.tensor(1).reshape([-1]), call.tensor(2).reshape([-1])];
  const [size, blocks] = [rows * columns, Math.ceil((rows * columns) / blockSize)];
  if (bytes.size !== Math.ceil(size / 2) || largest.size !== blocks)
    throw call.error(
      `B must have ${Math.ceil(size / 2)} bytes and absmax ${blocks} elements, got ${bytes.size} and ${largest.size}`,
    );
  const codes = sw.stack([sw.bitwiseRightShift(bytes, 4), sw.bitwiseAnd(bytes, 15)], 1).reshape([-1]);
  const scale = sw.repeatInterleave(largest, blockSize, 0).narrow(0, 0, size);
  const dtype = largest.dtype as sw.DType;
  return sw
    .mul(sw.take(sw.tensor(table, { dtype }), codes.narrow(0, 0, size).to("int32")), scale)
    .reshape([rows, columns]);
}

/** Rows of a quantized table: the codes, the scales and the zero points are gathered, and then computed with. */
function gatherBlocks(call: Call): sw.Tensor {
  const [data, index, scales] = [call.tensor(0), call.tensor(1), call.tensor(2)];
  const zeroPoint = call.optionalTensor(3);
  const axis = call.axis(call.int("gather_axis", 0), data.rank);
  const quantizedAxis = call.axis(call.int("quantize_axis", 1), data.rank);
  const isPacked = data.dtype === "uint8" && call.narrowType(0) === null;
  const bits = isPacked ? bitsOf(call) : 4;
  if (axis === quantizedAxis || (isPacked && quantizedAxis !== data.rank - 1))
    throw call.error(
      `gather_axis ${axis} and quantize_axis ${quantizedAxis} of [${data.shape}] must differ, and packed bytes be quantized along the last axis`,
    );
  const indices = nonNegative(index.reshape([-1]), data.shape[axis]);
  const rows = (t: sw.Tensor): sw.Tensor => sw.indexSelect(t, axis, indices);
  const dtype = scales.dtype as sw.DType;
  const codes = (t: sw.Tensor): sw.Tensor => (isPacked ? unpacked(rows(t), bits) : rows(t));
  const elements = codes(data);
  const size = elements.shape[quantizedAxis];
  const blockSize = call.int("block_size", 128);
  const blocks = Math.ceil(size / blockSize);
  if (scales.shape[quantizedAxis] !== blocks)
    throw call.error(`${size} elements in blocks of ${blockSize} need ${blocks} scales, got [${scales.shape}]`);
  const spread = (t: sw.Tensor): sw.Tensor =>
    sw.repeatInterleave(t, blockSize, quantizedAxis).narrow(quantizedAxis, 0, size).to("float32");
  const zeros: sw.Tensor | number =
    zeroPoint === null ? (isPacked ? 2 ** (bits - 1) : 0) : spread(codes(zeroPoint).narrow(quantizedAxis, 0, blocks));
  const result = sw.mul(sw.sub(elements.to("float32"), zeros), spread(rows(scales))).to(dtype);
  return result.reshape(result.shape.toSpliced(axis, 1, ...index.shape));
}

/** Returns the weights [N, K] of a node, which are kept if the inputs with these indices are constants. */
function unpackedOnce(call: Call, sources: readonly number[], unpack: (call: Call) => sw.Tensor): sw.Tensor {
  const { itemsize } = call.tensor(2);
  return call.derive(sources, call.int("N") * call.int("K") * itemsize, () => unpack(call));
}

export const packedWeights: OperatorTable = {
  MatMulNBits(call) {
    const weight = unpackedOnce(call, [1, 2, 3, 4], weightsOf);
    const product = sw.matmul(call.tensor(0), weight.transpose(0, 1));
    return call.has(5) ? sw.add(product, call.tensor(5)) : product;
  },
  MatMulBnb4(call) {
    const weight = unpackedOnce(call, [1, 2], normalFloats);
    return sw.matmul(call.tensor(0), call.int("transB", 1) !== 0 ? weight.transpose(0, 1) : weight);
  },
  GatherBlockQuantized: gatherBlocks,
};
