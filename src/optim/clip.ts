/**
 * Gradients kept small: all of them by one factor, or each element by itself. Both write in place and are not recorded.
 * The norm stays a tensor, so nothing waits for it unless it is asked for.
 */
import { elementwise, noGrad, scope, stack, Tensor, vectorNorm, zeros } from "../index.ts";
import { checkNumber, given, OptimError, told } from "./checks.ts";

export interface ClipOptions {
  /** 2 unless given; Infinity is the largest element. */
  readonly normType?: number;
  /** Refuses a norm that is infinite or NaN. Asking reads the norm. */
  readonly errorIfNonfinite?: boolean;
}

type Params = Tensor | Iterable<Tensor>;

/** The gradients that there are. */
function gradientsOf(who: string, params: Params): Tensor[] {
  if (typeof params?.[Symbol.iterator] !== "function" && !(params instanceof Tensor))
    throw new OptimError(`${who}: params is a tensor or a list of them, got ${given(params)}`);
  const list = params instanceof Tensor ? [params] : [...params];
  return list.flatMap((t, k) => {
    if (!(t instanceof Tensor)) throw new OptimError(`${who}: parameter ${k} is a tensor, got ${told(t)}`);
    return t.grad === null ? [] : [t.grad];
  });
}

/** Scales the gradients of all parameters so that their norm, as of one vector, is at most `maxNorm`; gives the norm from before. */
export function clipGradNorm_(params: Params, maxNorm: number, options: ClipOptions = {}): Tensor {
  const who = "clipGradNorm_";
  const { normType = 2, errorIfNonfinite = false } = options;
  checkNumber(who, "maxNorm", maxNorm);
  if (!(normType > 0)) throw new OptimError(`${who}: normType is a number above 0, or Infinity, got ${told(normType)}`);
  const gradients = gradientsOf(who, params);
  return noGrad(() =>
    scope(() => {
      if (gradients.length === 0) return zeros([]);
      const norms = gradients.map((g) => vectorNorm(g, null, { ord: normType }));
      const total = (norms.length === 1 ? norms[0] : vectorNorm(stack(norms), null, { ord: normType })) as Tensor;
      if (errorIfNonfinite && !Number.isFinite(total.item()))
        throw new OptimError(
          `${who}: the total norm of order ${normType} for gradients is non-finite (${total.item()}), so it cannot be clipped. Leave errorIfNonfinite away to go on`,
        );
      const factor = elementwise("min(maxNorm / (total + 1e-6), 1)", { maxNorm, total });
      for (const g of gradients) g.mul_(factor as never);
      return total;
    }),
  );
}

/** Keeps each element of the gradients from -clipValue to clipValue. */
export function clipGradValue_(params: Params, clipValue: number): void {
  checkNumber("clipGradValue_", "clipValue", clipValue);
  noGrad(() => {
    for (const g of gradientsOf("clipGradValue_", params)) g.clamp_(-clipValue, clipValue);
  });
}
