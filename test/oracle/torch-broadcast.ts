/**
 * PyTorch's records about shapes that go together: by broadcasting, in products, and in lists that are joined.
 */
import { isDeepStrictEqual } from "node:util";
import * as api from "../../src/api.ts";
import { StridewiseError } from "../../src/base/errors.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import { broadcastShapes } from "../../src/tensor/views/view-shape.ts";
import { failed, passed, skipped, type Verdict } from "./judge.ts";
import type { Fields } from "./records.ts";
import { callTorch, UnknownOpError } from "./torch-call.ts";
import { saysTheSame } from "./torch-opinfo.ts";
import { counted } from "./torch-views.ts";
import type { Json } from "./values.ts";

const sizes = (json: Json | undefined): readonly number[] => json as readonly number[];
const ones = (shape: Json | undefined): Tensor => api.ones(sizes(shape));

/** What each kind computes. */
const kinds: Readonly<Record<string, (fields: Fields) => unknown>> = {
  broadcast_shapes3: ({ a, b, c }) => broadcastShapes(sizes(a), sizes(b), sizes(c)),
  expand: ({ a, to }) => {
    const size = sizes(a).reduce((product, n) => product * n, 1);
    return counted(size).view(sizes(a)).expand(sizes(to));
  },
  where3: ({ a, b, c }) => callTorch("where", [api.ones(sizes(a), { dtype: "bool" }), ones(b), ones(c)]),
  cat: ({ shapes, dim }) => callTorch("cat", [(shapes as readonly Json[]).map(ones), dim]),
  stack: ({ shapes, dim }) => callTorch("stack", [(shapes as readonly Json[]).map(ones), dim]),
};

/** {kind, a, b, c | to | shapes, dim, shape, stride | error}. */
export function judgeBroadcast(fields: Fields): Verdict {
  const { kind, a, b, shape, stride, error } = fields;
  const run = kinds[String(kind)] ?? (() => callTorch(String(kind), [ones(a), ones(b)]));
  let result: unknown;
  try {
    result = run(fields);
  } catch (refusal) {
    if (refusal instanceof UnknownOpError) return skipped(`broadcasting of ${kind}`);
    if (!(refusal instanceof StridewiseError)) throw refusal;
    if (error === undefined) return failed(JSON.stringify(shape), refusal.message);
    const { msg } = error as { readonly msg: string };
    return passed(saysTheSame(refusal.message, "", msg) ? "refused too" : "refused in other words");
  }
  const ours = Array.isArray(result) ? result : [...(result as Tensor).shape];
  if (error !== undefined) return failed(`a refusal: ${JSON.stringify(error)}`, JSON.stringify(ours));
  if (!isDeepStrictEqual(ours, shape)) return failed(JSON.stringify(shape), JSON.stringify(ours));
  const steps = stride === undefined ? null : [...(result as Tensor).stride];
  return isDeepStrictEqual(steps, stride ?? null) ? passed("equal") : failed(`strides ${stride}`, `strides ${steps}`);
}
