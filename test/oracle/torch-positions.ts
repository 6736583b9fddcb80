/**
 * Positions, int64 in PyTorch and int32 here (decision 0013): which parts of which results are some. Nothing else may have a different dtype.
 */
import { indexDType } from "../../src/ops/indices.ts";
import { Tensor } from "../../src/tensor/tensor.ts";
import { isRecordedTensor, type RecordedPart } from "./torch-compare.ts";
import { plainName } from "./torch-lookup.ts";

/** Ops whose results are positions. */
const all =
  /^(arg(sort|max|min|where)|nonzero(_static)?|searchsorted|bucketize|tri[ul]_indices|unravel_index|multinomial)$/;
/** Ops whose results are positions after the first part. */
const afterFirst =
  /^(sort|topk|kthvalue|(nan)?median|mode|max|min|cummax|cummin|unique(_consecutive)?|(adaptive_|fractional_)?max_pool[123]d)$/;

/** True if a part of the op's result holds positions. */
export const isPosition = (op: string, part: number): boolean =>
  all.test(plainName(op)) || (part > 0 && afterFirst.test(plainName(op)));

/** The recorded parts with the dtype that positions have here. */
export const withPositions = (op: string, ours: readonly unknown[], theirs: readonly RecordedPart[]): RecordedPart[] =>
  theirs.map((part, k) => {
    const mine = ours[k];
    const isOther = mine instanceof Tensor && mine.dtype === indexDType && isPosition(op, k);
    return isOther && isRecordedTensor(part) && part.dtype === "int64" ? { ...part, dtype: indexDType } : part;
  });

/** Why they differ. */
export const positionReason = "positions are int32, which typed arrays hold as numbers (decision 0013)";
