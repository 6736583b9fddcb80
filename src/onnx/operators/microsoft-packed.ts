/** Products with weights of 2, 4 or 8 bits, which are packed in blocks with a scale each. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";

/** Unpacks integers of a few bits from the bytes along the last axis, the lowest bits first. */
function unpacked(bytes: sw.Tensor, bits: number): sw.Tensor {
  if (bits === 8) return bytes;
  const shifts = sw.arange(0, 8, bits, { dtype: "uint8" });
  const parts = sw.bitwiseAnd(sw.bitwiseRightShift(bytes.unsqueeze(-1), shifts), 2 ** bits - 1);
  return parts.reshape([...bytes.shape.slice(0, -1), -1]);
}

/** Returns the weights [N, K] of a MatMulNBits node as real numbers. */
function weightsOf(call: Call): sw.Tensor {
  const [rows, columns] = [call.int("N"), call.int("K")];
  const [bits, blockSize] = [call.int("bits", 4), call.int("block_size")];
  if (![2, 4, 8].includes(bits)) throw call.error(`bits must be 2, 4 or 8, got ${bits}`);
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
  /** Repeats what each block has for each of its columns. */
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

export const packedWeights: OperatorTable = {
  MatMulNBits(call) {
    const product = sw.matmul(call.tensor(0), weightsOf(call).transpose(0, 1));
    return call.has(5) ? sw.add(product, call.tensor(5)) : product;
  },
};
