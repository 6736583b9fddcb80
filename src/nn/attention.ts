/**
 * Multi-head attention: queries, keys and values are projected, split into heads, attended to, concatenated and projected again.
 * If queries, keys and values are the same tensor, one product projects them.
 *
 * All masks are combined into one. As in PyTorch's layers, true masks a key; in the op's mask, true keeps a key, and floats are added to
 * the scores.
 */
import {
  DTypeError,
  dropout,
  empty,
  getDefaultDType,
  linear,
  logicalNot,
  logicalOr,
  matmul,
  ones,
  ShapeError,
  safeSoftmax,
  scaledDotProductAttention,
  type Tensor,
  triu,
  where,
} from "../index.ts";
import { checkCall, checkCounts, checkDivides, checkOptions, checkRank, checkSize } from "./check-input.ts";
import { xavierUniform_, zeros_ } from "./init.ts";
import { Linear } from "./linear.ts";
import { Layer, type Output } from "./module.ts";
import { constantParameter, type DTypeOption, parameter } from "./parameter.ts";

export interface MultiheadAttentionOptions extends DTypeOption {
  /** The dropout probability of the attention weights. Default: 0. */
  readonly dropout?: number | undefined;
  /** Whether biases are added. Default: true. */
  readonly bias?: boolean | undefined;
  /** The size of keys. Default: embedDim. */
  readonly kdim?: number | undefined;
  /** The size of values. Default: embedDim. */
  readonly vdim?: number | undefined;
  /** Whether the batch is the first axis, [N, L, E], instead of the second. Default: false. */
  readonly batchFirst?: boolean | undefined;
}

export interface AttentionCall extends Masks {
  /** Whether the attention weights are returned. Default: true. Without them the call is faster. */
  readonly needWeights?: boolean | undefined;
  /** Whether the returned weights are averaged over the heads. Default: true. */
  readonly averageAttnWeights?: boolean | undefined;
  /** Whether query i attends to keys 0 to i only, in addition to the masks. Default: false. */
  readonly isCausal?: boolean | undefined;
}

export interface AttentionResult<T extends Tensor = Tensor> {
  /** The result, in the shape of the query. */
  readonly output: T;
  /** [N, L, S], or [N, heads, L, S] if not averaged; null unless `needWeights`. */
  readonly weights: T | null;
}

/** Multi-head attention: for each query the mean of the values, weighted by the softmax of query-key products. */
export class MultiheadAttention extends Layer {
  readonly embedDim: number;
  readonly numHeads: number;
  readonly kdim: number;
  readonly vdim: number;
  readonly batchFirst: boolean;
  /** The stacked weights of queries, keys and values; null if their sizes differ. */
  inProjWeight: Tensor | null = null;
  qProjWeight: Tensor | null = null;
  kProjWeight: Tensor | null = null;
  vProjWeight: Tensor | null = null;
  inProjBias: Tensor | null;
  outProj: Linear;
  private readonly dropout: number;

  constructor(embedDim: number, numHeads: number, options: MultiheadAttentionOptions = {}) {
    super(embedDim, numHeads, options);
    checkOptions(this.who, options, { dropout: 0, bias: 0, kdim: 0, vdim: 0, batchFirst: 0, dtype: 0 });
    const { dropout: p = 0, bias, kdim = embedDim, vdim = embedDim, batchFirst = false, dtype } = options;
    checkCounts(this.who, { embedDim, numHeads, kdim, vdim });
    checkDivides(this.who, "embedDim", embedDim, "numHeads", numHeads);
    this.embedDim = embedDim;
    this.numHeads = numHeads;
    this.kdim = kdim;
    this.vdim = vdim;
    this.batchFirst = batchFirst;
    this.dropout = p;
    const projection = (rows: number, columns: number): Tensor =>
      parameter(xavierUniform_(empty([rows, columns], { dtype: dtype ?? getDefaultDType() }) as Tensor));
    if (kdim === embedDim && vdim === embedDim) this.inProjWeight = projection(3 * embedDim, embedDim);
    else {
      this.qProjWeight = projection(embedDim, embedDim);
      this.kProjWeight = projection(embedDim, kdim);
      this.vProjWeight = projection(embedDim, vdim);
    }
    this.inProjBias = bias === false ? null : constantParameter([3 * embedDim], 0, dtype);
    this.outProj = new Linear(embedDim, embedDim, { bias, dtype });
    if (this.outProj.bias !== null) zeros_(this.outProj.bias);
  }

  /** Queries [L, N, E] attend to keys [S, N, kdim] and values [S, N, vdim]; [N, L, E] with batchFirst, [L, E] for one sample. */
  forward<X extends Tensor>(
    query: X,
    key: Tensor,
    value: Tensor,
    call: AttentionCall = {},
  ): AttentionResult<Output<X>> {
    const { who, batchFirst, embedDim, numHeads } = this;
    checkCall(who, call, "keyPaddingMask, attnMask");
    const expected = batchFirst ? "[N, L, E] or [L, E]" : "[L, N, E] or [L, E]";
    for (const [t, size] of [
      [query, embedDim],
      [key, this.kdim],
      [value, this.vdim],
    ] as const) {
      checkRank(who, t, [query?.rank === 2 ? 2 : 3], expected);
      checkSize(who, t, -1, size);
    }
    const isBatched = query.rank === 3;
    const [batchAxis, lengthAxis] = batchFirst || !isBatched ? [0, 1] : [1, 0];
    const [q, k, v] = this.projected(query, key, value).map((t) => {
      const heads: Tensor = (isBatched ? t : t.unsqueeze(0)).unflatten(-1, [numHeads, embedDim / numHeads]);
      return heads.permute(batchAxis, 2, lengthAxis, 3) as Tensor;
    }) as [Tensor, Tensor, Tensor];
    const sizes = { batch: q.shape[0], heads: numHeads, queries: q.shape[2], keys: k.shape[2] };
    checkSize(who, k, 0, sizes.batch, "Queries and keys must have the same batch size.");
    checkSize(who, v, 2, sizes.keys, "There must be as many values as keys.");
    const [attended, weights] = this.attend(q, k, v, call, sizes);
    // From [N, heads, L, size of a head] to the axes of the query.
    const joined = (batchAxis === 0 ? attended.permute(0, 2, 1, 3) : attended.permute(2, 0, 1, 3)).flatten(2) as Tensor;
    const output = this.outProj.forward(isBatched ? joined : joined.squeeze(0));
    if (weights === null) return { output, weights };
    const mean: Tensor = call.averageAttnWeights === false ? weights : weights.mean(1);
    return { output, weights: isBatched ? mean : mean.squeeze(0) };
  }

  private attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    { needWeights = true, isCausal = false, ...masks }: AttentionCall,
    sizes: MaskSizes,
  ): [attended: Tensor, weights: Tensor | null] {
    const dropoutP = this.training ? this.dropout : 0;
    const merged = mergedMask(this.who, masks, sizes, q);
    if (!needWeights && (merged === null || !isCausal)) {
      const result = scaledDotProductAttention(q, k, v, { attnMask: merged, isCausal, dropoutP });
      return [result, null];
    }
    const future = isCausal ? causalMask(sizes.queries, sizes.keys) : null;
    const mask =
      merged !== null && future !== null ? withMasked(merged, future) : (merged ?? future?.logicalNot() ?? null);
    if (!needWeights) return [scaledDotProductAttention(q, k, v, { attnMask: mask, dropoutP }), null];
    const scores: Tensor = matmul(q.mul(1 / Math.sqrt(this.embedDim / this.numHeads)), k.mT);
    const masked: Tensor =
      mask === null ? scores : mask.dtype === "bool" ? where(mask, scores, -Infinity) : scores.add(mask);
    const probabilities: Tensor = safeSoftmax(masked, -1);
    const weights: Tensor = dropoutP > 0 ? dropout(probabilities, dropoutP) : probabilities;
    return [matmul(weights, v), weights];
  }

  private projected(query: Tensor, key: Tensor, value: Tensor): Tensor[] {
    const { embedDim: size, inProjWeight: joint, inProjBias: bias } = this;
    if (joint !== null && query === key && key === value)
      return linear(query, joint, bias).split(size, -1) as unknown as Tensor[];
    const weights =
      joint === null
        ? [this.qProjWeight as Tensor, this.kProjWeight as Tensor, this.vProjWeight as Tensor]
        : (joint.split(size, 0) as unknown as Tensor[]);
    const biases = bias === null ? [] : (bias.split(size, 0) as unknown as Tensor[]);
    return [query, key, value].map((t, which) => linear(t, weights[which], biases[which]));
  }
}

/** The op's mask with further keys masked. */
const withMasked = (mask: Tensor, masked: Tensor): Tensor =>
  mask.dtype === "bool" ? mask.logicalAnd(masked.logicalNot()) : where(masked, -Infinity, mask);

interface Masks {
  /** [N, S] or [S]: true for keys to ignore, or floats to add to the scores. */
  readonly keyPaddingMask?: Tensor | null | undefined;
  /** [L, S] or [N * heads, L, S]: true where a query must not attend to a key, or floats to add to the scores. */
  readonly attnMask?: Tensor | null | undefined;
}

interface MaskSizes {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
}

/** The mask of causal attention: true above the diagonal, for the keys after each query. */
export const causalMask = (queries: number, keys = queries): Tensor =>
  triu(ones([queries, keys], { dtype: "bool" }), 1);

/** The op's mask over [batch, heads, queries, keys], or null if nothing is masked. */
function mergedMask(who: string, { keyPaddingMask, attnMask }: Masks, sizes: MaskSizes, like: Tensor): Tensor | null {
  const { batch, heads, queries, keys } = sizes;
  const masks: Tensor[] = [];
  if (attnMask) {
    const each = [batch * heads, queries, keys];
    if (attnMask.rank === 2) masks.push(shaped(who, "attnMask", attnMask, [[queries, keys]]));
    else masks.push(shaped(who, "attnMask", attnMask, [each, [queries, keys]]).reshape([batch, heads, queries, keys]));
  }
  if (keyPaddingMask)
    masks.push(
      shaped(who, "keyPaddingMask", keyPaddingMask, [[batch, keys], ...(batch === 1 ? [[keys]] : [])]).reshape([
        batch,
        1,
        1,
        keys,
      ]),
    );
  const [first, second] = masks;
  if (first === undefined) return null;
  if (masks.every(({ dtype }) => dtype === "bool"))
    return logicalNot(second === undefined ? first : logicalOr(first, second));
  const added = masks.map((mask): Tensor => (mask.dtype === "bool" ? where(mask, -Infinity, 0) : mask).to(like.dtype));
  return added.length === 1 ? added[0] : added[0].add(added[1]);
}

function shaped(who: string, name: string, mask: Tensor, shapes: readonly (readonly number[])[]): Tensor {
  if (mask.dtype !== "bool" && !/^b?float/.test(mask.dtype))
    throw new DTypeError(
      `${who}: only bool and floating types of ${name} are supported, got ${mask.dtype}. Convert it with to("bool")`,
    );
  if (shapes.some((shape) => shape.join() === mask.shape.join())) return mask;
  const expected = shapes.map((shape) => `[${shape.join(", ")}]`).join(" or ");
  throw new ShapeError(`${who}: the shape of ${name} is [${mask.shape.join(", ")}], but should be ${expected}`);
}
