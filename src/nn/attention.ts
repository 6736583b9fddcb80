/**
 * Attention with several heads: queries, keys and values are projected, cut into heads, attended to, joined and projected again.
 * Queries, keys and values that are one tensor are projected by one product.
 *
 * All masks are combined into one. As in PyTorch's layers, true hides a key; the op takes true for keys that are seen, or numbers that are
 * added to the scores.
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
import { Layer } from "./module.ts";
import { constantParameter, type DTypeOption, parameter } from "./parameter.ts";

export interface MultiheadAttentionOptions extends DTypeOption {
  /** The probability with which weights are dropped in training: 0 unless given. */
  readonly dropout?: number | undefined;
  /** Whether biases are added: true unless given. */
  readonly bias?: boolean | undefined;
  /** The size of keys: embedDim unless given. */
  readonly kdim?: number | undefined;
  /** The size of values: embedDim unless given. */
  readonly vdim?: number | undefined;
  /** Whether the batch is the first axis, [N, L, E], and not the second: false unless given. */
  readonly batchFirst?: boolean | undefined;
}

export interface AttentionCall extends Masks {
  /** Whether the weights are given, too: true unless given. Without them it is faster. */
  readonly needWeights?: boolean | undefined;
  /** Whether the weights are the mean over the heads: true unless given. */
  readonly averageAttnWeights?: boolean | undefined;
  /** Whether query i sees keys 0 to i only, besides what masks say: false unless given. */
  readonly isCausal?: boolean | undefined;
}

export interface AttentionResult {
  /** In the shape of the query. */
  readonly output: Tensor;
  /** [N, L, S], or [N, heads, L, S] if not averaged; null if not asked for. */
  readonly weights: Tensor | null;
}

/** For each query the mean of the values, weighted by how well their keys fit, in several heads. */
export class MultiheadAttention extends Layer {
  readonly embedDim: number;
  readonly numHeads: number;
  readonly kdim: number;
  readonly vdim: number;
  readonly batchFirst: boolean;
  /** Of queries, keys and values, one below the other; null if their sizes differ. */
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
  forward(query: Tensor, key: Tensor, value: Tensor, call: AttentionCall = {}): AttentionResult {
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
    const sizes = {
      batch: q.shape[0],
      heads: numHeads,
      queries: q.shape[2],
      keys: k.shape[2],
    };
    checkSize(who, k, 0, sizes.batch, "Queries and keys have the same batch.");
    checkSize(who, v, 2, sizes.keys, "There are as many values as keys.");
    const [attended, weights] = this.attend(q, k, v, call, sizes);
    // [N, heads, L, size of a head] back to the form of the query.
    const back = (batchAxis === 0 ? attended.permute(0, 2, 1, 3) : attended.permute(2, 0, 1, 3)).flatten(2) as Tensor;
    const output = this.outProj.forward(isBatched ? back : back.squeeze(0));
    if (weights === null) return { output, weights };
    const mean: Tensor = call.averageAttnWeights === false ? weights : weights.mean(1);
    return { output, weights: isBatched ? mean : mean.squeeze(0) };
  }

  private attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    { needWeights = true, isCausal = false, ...masks }: AttentionCall,
    sizes: { batch: number; heads: number; queries: number; keys: number },
  ): [attended: Tensor, weights: Tensor | null] {
    const dropoutP = this.training ? this.dropout : 0;
    const given = mergedMask(this.who, masks, sizes, q);
    if (!needWeights && (given === null || !isCausal)) {
      const result = scaledDotProductAttention(q, k, v, { attnMask: given, isCausal, dropoutP });
      return [result, null];
    }
    const hidden = isCausal ? causalMask(sizes.queries, sizes.keys) : null;
    const mask =
      given !== null && hidden !== null ? withHidden(given, hidden) : (given ?? hidden?.logicalNot() ?? null);
    if (!needWeights) return [scaledDotProductAttention(q, k, v, { attnMask: mask, dropoutP }), null];
    const scores: Tensor = matmul(q.mul(1 / Math.sqrt(this.embedDim / this.numHeads)), k.mT);
    const seen: Tensor =
      mask === null ? scores : mask.dtype === "bool" ? where(mask, scores, -Infinity) : scores.add(mask);
    const shares: Tensor = safeSoftmax(seen, -1);
    const weights: Tensor = dropoutP > 0 ? dropout(shares, dropoutP) : shares;
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

/** A mask with more hidden. */
const withHidden = (mask: Tensor, hidden: Tensor): Tensor =>
  mask.dtype === "bool" ? mask.logicalAnd(hidden.logicalNot()) : where(hidden, -Infinity, mask);

interface Masks {
  /** [N, S] or [S]: true for keys that no query may see, or numbers to be added. */
  readonly keyPaddingMask?: Tensor | null | undefined;
  /** [L, S] or [N * heads, L, S]: true where a query may not see a key, or numbers to be added. */
  readonly attnMask?: Tensor | null | undefined;
}

export interface MaskSizes {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
}

/** True above the diagonal: what a query may not see if it sees no later keys. */
export const causalMask = (queries: number, keys = queries): Tensor =>
  triu(ones([queries, keys], { dtype: "bool" }), 1);

/** A mask over [batch, heads, queries, keys] as the op takes it, or null if nothing is masked. */
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
      `${who}: only bool and floating types of ${name} are supported, got ${mask.dtype}. Where true hides: to("bool")`,
    );
  if (shapes.some((shape) => shape.join() === mask.shape.join())) return mask;
  const wanted = shapes.map((shape) => `[${shape.join(", ")}]`).join(" or ");
  throw new ShapeError(`${who}: the shape of ${name} is [${mask.shape.join(", ")}], but should be ${wanted}`);
}
