/**
 * Transformers: layers of attention and a feedforward network, each with a residual connection and a norm before or after.
 */
import { gelu, relu, StridewiseError, type Tensor } from "../index.ts";
import { type AttentionCall, MultiheadAttention } from "./attention.ts";
import { checkCall, checkCounts, checkOptions } from "./check-input.ts";
import { ModuleList } from "./containers.ts";
import { Dropout } from "./dropout.ts";
import { Linear } from "./linear.ts";
import { Layer, Module, type Output } from "./module.ts";
import { LayerNorm } from "./norms.ts";
import type { DTypeOption } from "./parameter.ts";
import { shown } from "./print.ts";

export interface TransformerLayerOptions extends DTypeOption {
  /** The size of the feedforward network. Default: 2048. */
  readonly dimFeedforward?: number | undefined;
  /** The dropout probability. Default: 0.1. */
  readonly dropout?: number | undefined;
  /** The activation of the feedforward network. Default: "relu". */
  readonly activation?: "relu" | "gelu" | ((x: Tensor) => Tensor) | undefined;
  /** Added to the variance in norms. Default: 1e-5. */
  readonly layerNormEps?: number | undefined;
  /** Whether the batch is the first axis. Default: false. */
  readonly batchFirst?: boolean | undefined;
  /** Whether norms come before attention and feedforward network, instead of after. Default: false. */
  readonly normFirst?: boolean | undefined;
  /** Whether biases are added. Default: true. */
  readonly bias?: boolean | undefined;
}

/** The base class of encoder and decoder layers: self-attention and a feedforward network. */
abstract class TransformerLayer extends Layer {
  readonly selfAttn: MultiheadAttention;
  /** Attention to the output of the encoder, in a decoder. */
  readonly multiheadAttn: MultiheadAttention | undefined;
  readonly linear1: Linear;
  readonly dropout: Dropout;
  readonly linear2: Linear;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly dropout1: Dropout;
  readonly dropout2: Dropout;
  protected readonly normFirst: boolean;
  private readonly activation: (x: Tensor) => Tensor;

  constructor(dModel: number, numHeads: number, options: TransformerLayerOptions, isDecoder: boolean) {
    super(dModel, numHeads, options);
    const feedforward = { dimFeedforward: 0, dropout: 0, activation: 0, layerNormEps: 0 } as const;
    checkOptions(this.who, options, { ...feedforward, batchFirst: 0, normFirst: 0, bias: 0, dtype: 0 });
    const { dimFeedforward = 2048, dropout = 0.1, activation = "relu", normFirst = false } = options;
    const { layerNormEps: eps, batchFirst, bias, dtype } = options;
    if (typeof activation !== "function" && activation !== "relu" && activation !== "gelu")
      throw new StridewiseError(
        `${this.who}: activation must be "relu", "gelu" or a function, got ${shown(activation)}`,
      );
    this.selfAttn = new MultiheadAttention(dModel, numHeads, { dropout, batchFirst, bias, dtype });
    if (isDecoder) this.multiheadAttn = new MultiheadAttention(dModel, numHeads, { dropout, batchFirst, bias, dtype });
    this.linear1 = new Linear(dModel, dimFeedforward, { bias, dtype });
    this.dropout = new Dropout(dropout);
    this.linear2 = new Linear(dimFeedforward, dModel, { bias, dtype });
    this.norm1 = new LayerNorm(dModel, { eps, bias, dtype });
    this.norm2 = new LayerNorm(dModel, { eps, bias, dtype });
    this.dropout1 = new Dropout(dropout);
    this.dropout2 = new Dropout(dropout);
    this.normFirst = normFirst;
    this.activation = typeof activation === "function" ? activation : activation === "gelu" ? gelu : relu;
  }

  /** A residual connection around a part; the norm comes before or after. */
  protected residual(x: Tensor, norm: LayerNorm, part: (x: Tensor) => Tensor): Tensor {
    return this.normFirst ? x.add(part(norm.forward(x))) : norm.forward(x.add(part(x)));
  }

  protected selfAttention(x: Tensor, masks: AttentionCall): Tensor {
    return this.dropout1.forward(this.selfAttn.forward(x, x, x, { ...masks, needWeights: false }).output);
  }

  protected feedforward(x: Tensor): Tensor {
    return this.linear2.forward(this.dropout.forward(this.activation(this.linear1.forward(x))));
  }
}

export interface EncoderCall {
  /** [L, L]: true where a position must not attend to another, or floats to add to the scores. */
  readonly srcMask?: Tensor | null | undefined;
  /** [N, L]: true for positions to ignore. */
  readonly srcKeyPaddingMask?: Tensor | null | undefined;
  /** Whether each position attends only to itself and earlier ones. Default: false. */
  readonly isCausal?: boolean | undefined;
}

/** An encoder layer: self-attention and a feedforward network. */
export class TransformerEncoderLayer extends TransformerLayer {
  constructor(dModel: number, numHeads: number, options: TransformerLayerOptions = {}) {
    super(dModel, numHeads, options, false);
  }

  forward<X extends Tensor>(src: X, call: EncoderCall = {}): Output<X> {
    checkCall(this.who, call, "srcMask, srcKeyPaddingMask");
    const { srcMask, srcKeyPaddingMask, isCausal } = call;
    const masks = { attnMask: srcMask, keyPaddingMask: srcKeyPaddingMask, isCausal };
    const x = this.residual(src, this.norm1, (y) => this.selfAttention(y, masks));
    return this.residual(x, this.norm2, (y) => this.dropout2.forward(this.feedforward(y)));
  }
}

export interface StackOptions {
  /** A norm of the output of the last layer. */
  readonly norm?: LayerNorm | undefined;
}

/** A stack of transformer layers, copies of one. */
abstract class TransformerStack<L extends Module> extends Module {
  readonly layers: ModuleList<L>;
  readonly norm: LayerNorm | null;

  constructor(layer: L, numLayers: number, { norm }: StackOptions) {
    super();
    checkCounts(this.constructor.name, { numLayers });
    if (!(layer instanceof Module))
      throw new StridewiseError(
        `${this.constructor.name}: the first argument must be a layer to copy, such as new ${this.constructor.name}Layer(...), got ${shown(layer)}`,
      );
    this.layers = new ModuleList(Array.from({ length: numLayers }, () => layer.clone()));
    this.norm = norm ?? null;
  }
}

/** A stack of encoder layers, initialized as copies of one. */
export class TransformerEncoder extends TransformerStack<TransformerEncoderLayer> {
  constructor(layer: TransformerEncoderLayer, numLayers: number, options: StackOptions = {}) {
    super(layer, numLayers, options);
  }

  forward<X extends Tensor>(src: X, call: EncoderCall = {}): Output<X> {
    let x: Tensor = src;
    for (const layer of this.layers) x = layer.forward(x, call);
    return this.norm === null ? x : this.norm.forward(x);
  }
}

export interface DecoderCall {
  /** Masks of the target, as in an encoder. */
  readonly tgtMask?: Tensor | null | undefined;
  readonly tgtKeyPaddingMask?: Tensor | null | undefined;
  readonly tgtIsCausal?: boolean | undefined;
  /** Masks of the memory: [L, S] and [N, S]. */
  readonly memoryMask?: Tensor | null | undefined;
  readonly memoryKeyPaddingMask?: Tensor | null | undefined;
}

/** A decoder layer: self-attention, attention to the output of the encoder, and a feedforward network. */
export class TransformerDecoderLayer extends TransformerLayer {
  declare readonly multiheadAttn: MultiheadAttention;
  readonly norm3: LayerNorm;
  readonly dropout3: Dropout;

  constructor(dModel: number, numHeads: number, options: TransformerLayerOptions = {}) {
    super(dModel, numHeads, options, true);
    const { dropout = 0.1, layerNormEps: eps, bias, dtype } = options;
    this.norm3 = new LayerNorm(dModel, { eps, bias, dtype });
    this.dropout3 = new Dropout(dropout);
  }

  forward<X extends Tensor>(tgt: X, memory: Tensor, call: DecoderCall = {}): Output<X> {
    checkCall(this.who, call, "tgtMask, memoryMask");
    const own = { attnMask: call.tgtMask, keyPaddingMask: call.tgtKeyPaddingMask, isCausal: call.tgtIsCausal };
    const cross = { attnMask: call.memoryMask, keyPaddingMask: call.memoryKeyPaddingMask, needWeights: false };
    let x = this.residual(tgt, this.norm1, (y) => this.selfAttention(y, own));
    x = this.residual(x, this.norm2, (y) =>
      this.dropout2.forward(this.multiheadAttn.forward(y, memory, memory, cross).output),
    );
    return this.residual(x, this.norm3, (y) => this.dropout3.forward(this.feedforward(y)));
  }
}

/** A stack of decoder layers, initialized as copies of one. */
export class TransformerDecoder extends TransformerStack<TransformerDecoderLayer> {
  constructor(layer: TransformerDecoderLayer, numLayers: number, options: StackOptions = {}) {
    super(layer, numLayers, options);
  }

  forward<X extends Tensor>(tgt: X, memory: Tensor, call: DecoderCall = {}): Output<X> {
    let x: Tensor = tgt;
    for (const layer of this.layers) x = layer.forward(x, memory, call);
    return this.norm === null ? x : this.norm.forward(x);
  }
}
