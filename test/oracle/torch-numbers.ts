/**
 * PyTorch's records about shapes that broadcast and dtypes that promote. What belongs to operations that do not exist yet is skipped
 * by the name of the operation.
 */
import { isDeepStrictEqual } from "node:util";
import { StridewiseError } from "../../src/base/errors.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { type Bucket, canCast, promoteTypes, resultType, type TypedOperand } from "../../src/storage/promotion.ts";
import { broadcastShapes } from "../../src/tensor/broadcast.ts";
import { failed, passed, skipped, type Verdict } from "./judge.ts";
import type { Fields } from "./records.ts";
import { counted } from "./torch-views.ts";
import type { Json } from "./values.ts";

/** Equal to the recorded answer, or refused as the record is. */
function compared(expected: Json | undefined, error: Json | undefined, run: () => Json): Verdict {
  let ours: Json;
  try {
    ours = run();
  } catch (refusal) {
    if (!(refusal instanceof StridewiseError)) throw refusal;
    return error === undefined ? failed(JSON.stringify(expected), refusal.message) : passed("refused too");
  }
  if (error !== undefined) return failed(`a refusal: ${JSON.stringify(error)}`, JSON.stringify(ours));
  return isDeepStrictEqual(ours, expected) ? passed("equal") : failed(JSON.stringify(expected), JSON.stringify(ours));
}

const sizes = (json: Json | undefined): readonly number[] => json as readonly number[];

/** {kind, a, b, c | to, shape, stride | error}. */
export function judgeBroadcast({ kind, a, b, c, to, shape, stride, error }: Fields): Verdict {
  if (kind === "broadcast_shapes3") return compared(shape, error, () => broadcastShapes(sizes(a), sizes(b), sizes(c)));
  if (kind !== "expand") return skipped(`broadcasting of ${kind}`);
  return compared([shape ?? null, stride ?? null], error, () => {
    const size = sizes(a).reduce((product, n) => product * n, 1);
    const expanded = counted(size).view(sizes(a)).expand(sizes(to));
    return [[...expanded.shape], [...expanded.stride]];
  });
}

const buckets: Readonly<Record<string, Bucket>> = { dim: "tensor", "0d": "zeroDim", scalar: "number" };
const scalars: Readonly<Record<string, DType>> = {
  bool: "bool",
  int: "int64",
  float: "float64",
  complex: "complex128",
};

function operandsOf({ kind, a, b }: Fields): TypedOperand[] {
  const places = String(kind).split("-");
  return [String(a), String(b)].map((name, i) => {
    const bucket = buckets[places[i] as string] as Bucket;
    return { bucket, dtype: bucket === "number" ? (scalars[name] as DType) : (name as DType) };
  });
}

/** {op, kind, a, b, dtype | value | error}. */
export function judgePromotion(fields: Fields): Verdict {
  const { op, kind, a, b, dtype, value, error } = fields;
  const pair = [a, b] as unknown as [DType, DType];
  const run = (answer: () => Json): Verdict => {
    const verdict = compared(dtype ?? value, error, answer);
    // There is no complex32 here; the next larger complex dtype stands for it.
    if (verdict.kind === "failed" && dtype === "complex32" && answer() === "complex64")
      return { kind: "passed", way: "known difference", reason: "there is no complex32; complex64 stands for it" };
    return verdict;
  };
  switch (op) {
    case "result_type":
      return run(() => resultType(...operandsOf(fields)));
    case "promote_types":
      return run(() => promoteTypes(...pair));
    case "can_cast":
      return run(() => canCast(...pair));
    default:
      return skipped(`promotion by ${op}${kind === "infer" ? `, ${String(a)}` : ""}`);
  }
}
