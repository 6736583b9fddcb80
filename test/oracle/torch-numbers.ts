/**
 * PyTorch's records about shapes that broadcast and dtypes that promote. What belongs to operations that do not exist yet is skipped
 * by the name of the operation.
 */
import { isDeepStrictEqual } from "node:util";
import * as api from "../../src/api.ts";
import { StridewiseError } from "../../src/base/errors.ts";
import { complex, type DType } from "../../src/storage/dtype.ts";
import { type Bucket, canCast, promoteTypes, resultType, type TypedOperand } from "../../src/storage/promotion.ts";
import { broadcastShapes } from "../../src/tensor/broadcast.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import { failed, passed, skipped, type Verdict } from "./judge.ts";
import { knownPromotion } from "./known-differences.ts";
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

/** A number of Python that is an integer is a bigint here; a number is a float. */
const inferred: Readonly<Record<string, () => DType>> = {
  "python-int": () => api.tensor(1n).dtype,
  "python-float": () => api.tensor(1.5).dtype,
  "python-bool": () => api.tensor(true).dtype,
  "python-complex": () => (api.tensor(complex(1, 2)) as Tensor).dtype,
  "list-bool-int": () => (api.tensor([true, 1n] as never) as Tensor).dtype,
  "list-int-float": () => (api.tensor([1n, 1.5] as never) as Tensor).dtype,
  "arange-int": () => api.arange(5n).dtype,
  "arange-float": () => api.arange(5).dtype,
  "arange-int-float-step": () => (api.arange as (...range: (number | bigint)[]) => Tensor)(0n, 5n, 0.5).dtype,
  "full-bool": () => (api.full([2], true) as Tensor).dtype,
  "full-int": () => (api.full([2], 1n) as Tensor).dtype,
  "full-float": () => (api.full([2], 1.5) as Tensor).dtype,
  "full-complex": () => (api.full([2], complex(1, 2)) as Tensor).dtype,
};

/** {op, kind, a, b, dtype | value | error}. */
export function judgePromotion(fields: Fields): Verdict {
  const { op, kind, a, b, dtype, value, error } = fields;
  const pair = [a, b] as unknown as [DType, DType];
  const run = (answer: () => Json): Verdict => {
    const verdict = compared(dtype ?? value, error, answer);
    return verdict.kind === "failed" ? (knownPromotion(dtype, answer()) ?? verdict) : verdict;
  };
  switch (op) {
    case "result_type":
      return run(() => resultType(...operandsOf(fields)));
    case "promote_types":
      return run(() => promoteTypes(...pair));
    case "can_cast":
      return run(() => canCast(...pair));
    default: {
      const infer = kind === "infer" ? inferred[String(a)] : undefined;
      return infer ? run(infer) : skipped(`promotion by ${op}${kind === "infer" ? `, ${a}` : ""}`);
    }
  }
}
