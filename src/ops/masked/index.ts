/**
 * Ops on the elements that a mask leaves, the namespace `masked`: PyTorch's torch.masked.
 */
export type { MaskOption } from "./mask.ts";
export {
  amax,
  amin,
  argmax,
  argmin,
  logsumexp,
  type MaskedOptions,
  type MaskedReduce,
  mean,
  median,
  norm,
  prod,
  std,
  sum,
  variance,
  variance as var,
} from "./masked-reduce.ts";
export { cumprod, cumsum, logaddexp, logSoftmax, normalize, softmax, softmin } from "./masked-rows.ts";
