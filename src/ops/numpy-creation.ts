/**
 * NumPy's creation functions that PyTorch does not have. They take numbers only; `api.ts` starts the library before it calls them.
 */
import { StridewiseError } from "../base/errors.ts";
import { dtypeOr, eye, full, type ShapedOptions } from "../tensor/create/create.ts";
import { fromIndex } from "../tensor/create/from-function.ts";
import { checkEndpoint, type SpaceOptions } from "../tensor/create/ranges.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { makerOp } from "../tensor/dispatch/tensor-op.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { DTypeOfData } from "../tensor/types/nested-data.ts";
import type { Known, Shape } from "../tensor/types/types.ts";
import { checkShape } from "../tensor/views/view-shape.ts";
import { tril_ } from "./movement/diagonals.ts";

type NewTensor<S extends Shape, O> = Tensor<Known<S>, DTypeOfData<number, O>>;

/** The type of geomspace. */
export type Geomspace = <const N extends number, const O extends SpaceOptions | undefined = undefined>(
  start: number,
  stop: number,
  count: N,
  options?: O,
) => NewTensor<[N], O>;
/** Returns `count` values of a geometric sequence from start to stop, both included, or with `{ endpoint: false }` without stop. */
export const geomspace: Geomspace = /* @__PURE__ */ makerOp(
  "geomspace",
  (start: number, stop: number, count: number, options: SpaceOptions = {}) => {
    checkShape("geomspace", [count]);
    const isNumber = typeof start === "number" && typeof stop === "number";
    if (!isNumber || Math.sign(start) * Math.sign(stop) !== 1)
      throw new StridewiseError(
        `geomspace: start and stop must be numbers, both positive or both negative, got ${describeValue(start)} and ${describeValue(stop)}`,
      );
    const first = Math.log10(Math.abs(start));
    const dtype = dtypeOr("geomspace", options);
    checkEndpoint("geomspace", options);
    const { endpoint = true } = options;
    const step = (Math.log10(Math.abs(stop)) - first) / (endpoint ? count - 1 : count);
    // The first and last value are exact.
    const valueAt = (i: number): number =>
      i === 0 ? start : endpoint && i === count - 1 ? stop : Math.sign(start) * 10 ** (first + i * step);
    return fromIndex("geomspace", count, dtype, options, valueAt) as never;
  },
);

/** The type of identity. */
export type Identity = <const N extends number, const O extends ShapedOptions | undefined = undefined>(
  n: N,
  options?: O,
) => NewTensor<[N, N], O>;
/** Creates a square matrix with ones on the diagonal and zeros elsewhere. */
export const identity: Identity = /* @__PURE__ */ makerOp(
  "identity",
  (n: number, options: ShapedOptions = {}) => eye(n, n, options, "identity") as never,
);

/** The type of tri. */
export type Tri = <
  const N extends number,
  const M extends number = N,
  const O extends ShapedOptions | undefined = undefined,
>(
  n: N,
  m?: M,
  k?: number,
  options?: O,
) => NewTensor<[N, M], O>;
/** Creates an n by m matrix, by default square, with ones on and below diagonal k and zeros above; k = 0 is the main diagonal, k > 0 is above it. */
export const tri: Tri = /* @__PURE__ */ makerOp(
  "tri",
  (n: number, m: number | undefined, k = 0, options: ShapedOptions = {}) => {
    if (!Number.isInteger(k)) throw new StridewiseError(`tri: k must be an integer, got ${describeValue(k)}`);
    return tril_(full([n, m ?? n], 1, { ...options, dtype: dtypeOr("tri", options) }, "tri"), k) as never;
  },
);
