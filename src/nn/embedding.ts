/**
 * Rows of a table by their numbers: one by one, or summed over bags of them.
 */
import { embedding, embeddingBag, getDefaultDType, noGrad, randn, StridewiseError, type Tensor } from "../index.ts";
import { checkCounts, checkOptions } from "./check-input.ts";
import { Layer } from "./module.ts";
import { type DTypeOption, parameter } from "./parameter.ts";
import { shown } from "./print.ts";

export interface EmbeddingLayerOptions extends DTypeOption {
  /** A row that starts as zeros and gets no gradient: for places that hold no word. */
  readonly paddingIdx?: number | null | undefined;
}

/** The table, normal numbers, with zeros in the row of the padding. */
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

/** The rows of a learned table, by their numbers. */
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

  /** The numbers are integers of any shape; rows stand along a new last axis. */
  forward(indices: Tensor): Tensor {
    return embedding(indices, this.weight, { paddingIdx: this.paddingIdx });
  }
}

export interface EmbeddingBagLayerOptions extends EmbeddingLayerOptions {
  /** What is made of the rows of a bag: "mean" unless given. */
  readonly mode?: "sum" | "mean" | "max" | undefined;
  /** Whether the last offset is the end of the last bag: false unless given. */
  readonly includeLastOffset?: boolean | undefined;
}

/** Sums, means or largest elements of rows of a learned table, over bags of their numbers. */
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

  /** Bags are the rows of a matrix of numbers, or begin at the offsets in a list of them. */
  forward(indices: Tensor, offsets: Tensor | null = null, perSampleWeights: Tensor | null = null): Tensor {
    return embeddingBag(indices, this.weight, { ...this.options, offsets, perSampleWeights });
  }
}
