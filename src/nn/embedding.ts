/**
 * Embeddings: rows of a learned table by index, one by one or reduced over bags of indices.
 */
import { embedding, embeddingBag, getDefaultDType, noGrad, randn, StridewiseError, type Tensor } from "../index.ts";
import { checkCounts, checkOptions } from "./check-input.ts";
import { Layer } from "./module.ts";
import { type DTypeOption, parameter } from "./parameter.ts";
import { shown } from "./print.ts";

export interface EmbeddingLayerOptions extends DTypeOption {
  /** The index of the padding row, which is initialized to zeros and receives no gradient. */
  readonly paddingIdx?: number | null | undefined;
}

/** Creates the table: normally distributed, with zeros in the padding row. */
function tableOf(who: string, rows: number, columns: number, { paddingIdx, dtype }: EmbeddingLayerOptions) {
  checkCounts(who, { numEmbeddings: rows, embeddingDim: columns });
  const table = randn([rows, columns], { dtype: dtype ?? getDefaultDType() });
  if (paddingIdx === null || paddingIdx === undefined) return { weight: parameter(table), padding: null };
  if (!Number.isInteger(paddingIdx) || paddingIdx < -rows || paddingIdx >= rows)
    throw new StridewiseError(
      `${who}: paddingIdx must be within numEmbeddings: ${-rows} to ${rows - 1}, got ${shown(paddingIdx)}`,
    );
  const padding = paddingIdx < 0 ? paddingIdx + rows : paddingIdx;
  noGrad(() => table.select(0, padding).zero_());
  return { weight: parameter(table), padding };
}

/** Looks up rows of a learned table by index. */
export class Embedding extends Layer {
  readonly numEmbeddings: number;
  readonly embeddingDim: number;
  readonly paddingIdx: number | null;
  /** [numEmbeddings, embeddingDim]. */
  weight: Tensor;

  constructor(numEmbeddings: number, embeddingDim: number, options: EmbeddingLayerOptions = {}) {
    super(numEmbeddings, embeddingDim, options);
    checkOptions(this.who, options, { paddingIdx: 0, dtype: 0 });
    const { weight, padding } = tableOf(this.who, numEmbeddings, embeddingDim, options);
    this.numEmbeddings = numEmbeddings;
    this.embeddingDim = embeddingDim;
    this.paddingIdx = padding;
    this.weight = weight;
  }

  /** The indices are integers of any shape; the result has a new last axis with the rows. */
  forward(indices: Tensor): Tensor {
    return embedding(indices, this.weight, { paddingIdx: this.paddingIdx });
  }
}

export interface EmbeddingBagLayerOptions extends EmbeddingLayerOptions {
  /** The reduction of the rows of a bag. Default: "mean". */
  readonly mode?: "sum" | "mean" | "max" | undefined;
  /** Whether the last offset is the end of the last bag. Default: false. */
  readonly includeLastOffset?: boolean | undefined;
}

/** Computes sums, means or maxima of rows of a learned table, over bags of indices. */
export class EmbeddingBag extends Layer {
  /** [numEmbeddings, embeddingDim]. */
  weight: Tensor;
  private readonly options: {
    readonly mode: "sum" | "mean" | "max";
    readonly includeLastOffset: boolean;
    readonly paddingIdx: number | null;
  };

  constructor(numEmbeddings: number, embeddingDim: number, options: EmbeddingBagLayerOptions = {}) {
    super(numEmbeddings, embeddingDim, options);
    checkOptions(this.who, options, { mode: 0, includeLastOffset: 0, paddingIdx: 0, dtype: 0 });
    const { weight, padding } = tableOf(this.who, numEmbeddings, embeddingDim, options);
    const { mode = "mean", includeLastOffset = false } = options;
    this.weight = weight;
    this.options = { mode, includeLastOffset, paddingIdx: padding };
  }

  /** The bags are the rows of a matrix of indices, or start at `offsets` in a vector of indices. */
  forward(indices: Tensor, offsets: Tensor | null = null, perSampleWeights: Tensor | null = null): Tensor {
    return embeddingBag(indices, this.weight, { ...this.options, offsets, perSampleWeights });
  }
}
