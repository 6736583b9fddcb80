/**
 * Gradient clipping: by the total norm, or each element by value. Both work in-place and are not recorded.
 * The norm stays a tensor and is read only for `errorIfNonfinite`.
 */
import { elementwise, noGrad, scope, stack, Tensor, vectorNorm, zeros } from "../index.ts";
import { checkNumber, describeParams, OptimError, shown } from "./checks.ts";

export interface ClipOptions {
  /** The order of the norm; Infinity is the largest absolute value. Default: 2. */
  readonly normType?: number;
  /** Throws if the norm is infinite or NaN, which reads it. */
  readonly errorIfNonfinite?: boolean;
}

type Params = Tensor | Iterable<Tensor>;

/** The gradients of the parameters that have one. */
function gradientsOf(who: string, params: Params): Tensor[] {
  if (typeof params?.[Symbol.iterator] !== "function" && !(params instanceof Tensor))
    throw new OptimError(`${who}: params must be a tensor or a list of tensors, got ${describeParams(params)}`);
  const list = params instanceof Tensor ? [params] : [...params];
  return list.flatMap((t, k) => {
    if (!(t instanceof Tensor)) throw new OptimError(`${who}: parameter ${k} must be a tensor, got ${shown(t)}`);
    return t.grad === null ? [] : [t.grad];
  });
}

/** Scales the gradients of all parameters so that their total norm is at most `maxNorm`; returns the norm before clipping. */
export function clipGradNorm_(params: Params, maxNorm: number, options: ClipOptions = {}): Tensor {
  const who = "clipGradNorm_";
  const { normType = 2, errorIfNonfinite = false } = options;
  checkNumber(who, "maxNorm", maxNorm, {}, "Write clipGradNorm_(params, maxNorm)");
  if (!(normType > 0))
    throw new OptimError(`${who}: normType must be a number above 0, or Infinity, got ${shown(normType)}`);
  const gradients = gradientsOf(who, params);
  return noGrad(() =>
    scope(() => {
      if (gradients.length === 0) return zeros([]);
      const norms = gradients.map((g) => vectorNorm(g, null, { ord: normType }));
      const total = (norms.length === 1 ? norms[0] : vectorNorm(stack(norms), null, { ord: normType })) as Tensor;
      if (errorIfNonfinite && !Number.isFinite(total.item()))
        throw new OptimError(
          `${who}: the total norm of order ${normType} for gradients is non-finite (${total.item()}), so it cannot be clipped. Omit errorIfNonfinite to continue`,
        );
      const factor = elementwise("min(maxNorm / (total + 1e-6), 1)", { maxNorm, total });
      for (const g of gradients) g.mul_(factor as never);
      return total;
    }),
  );
}

/** Clamps each element of the gradients to [-clipValue, clipValue]. */
export function clipGradValue_(params: Params, clipValue: number): void {
  checkNumber("clipGradValue_", "clipValue", clipValue, {}, "Write clipGradValue_(params, clipValue)");
  noGrad(() => {
    for (const g of gradientsOf("clipGradValue_", params)) g.clamp_(-clipValue, clipValue);
  });
}
