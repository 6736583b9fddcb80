/**
 * Recurrent networks over whole sequences: layers on top of each other, in one or both directions. Each layer's inputs are multiplied at
 * once, for all steps; `recurrent-cells.ts` has the steps. Parameters have PyTorch's names, `weight_ih_l0` and so on.
 */
import { cat, dropout, ShapeError, StridewiseError, stack, Tensor, zeros } from "../index.ts";
import { checkCounts, checkOptions, checkRank, checkSize } from "./check-input.ts";
import { Layer } from "./module.ts";
import { type DTypeOption, uniformParameter } from "./parameter.ts";
import { shown } from "./print.ts";
import { type Kind, kinds, type State, type Weights } from "./recurrent-cells.ts";

export interface RecurrentOptions extends DTypeOption {
  /** Layers on top of each other: 1 unless given. */
  readonly numLayers?: number | undefined;
  /** Whether biases are added: true unless given. */
  readonly bias?: boolean | undefined;
  /** Whether the batch is the first axis, [N, T, features], and not the second: false unless given. */
  readonly batchFirst?: boolean | undefined;
  /** The probability with which outputs of all layers but the last are dropped in training: 0 unless given. */
  readonly dropout?: number | undefined;
  /** Whether sequences are read in both directions: false unless given. */
  readonly bidirectional?: boolean | undefined;
}

/** All outputs of the last layer, and the last hidden state of each layer and direction. */
export interface RecurrentResult {
  /** [T, N, directions * hiddenSize], or [N, T, ...] with batchFirst. */
  readonly output: Tensor;
  /** [numLayers * directions, N, hiddenSize]. */
  readonly hidden: Tensor;
}
export interface LSTMResult extends RecurrentResult {
  /** [numLayers * directions, N, hiddenSize]. */
  readonly cell: Tensor;
}

const parts = ["weightIh", "weightHh", "biasIh", "biasHh"] as const;

abstract class Recurrent<S extends State, R extends RecurrentResult> extends Layer {
  [weight: `${"weightIh" | "weightHh" | "biasIh" | "biasHh"}L${number}${"" | "Reverse"}`]: Tensor;
  readonly inputSize: number;
  readonly hiddenSize: number;
  readonly numLayers: number;
  readonly batchFirst: boolean;
  readonly bidirectional: boolean;
  private readonly dropout: number;
  private readonly kind: Kind;

  constructor(kind: Kind, inputSize: number, hiddenSize: number, options: RecurrentOptions) {
    super(inputSize, hiddenSize, options);
    const known = { numLayers: 0, bias: 0, batchFirst: 0, dropout: 0, bidirectional: 0, dtype: 0 } as const;
    if (kind === kinds.tanh || kind === kinds.relu)
      checkOptions<RNNOptions>(this.who, options, { ...known, nonlinearity: 0 });
    else checkOptions(this.who, options, known);
    const { numLayers = 1, bias = true, batchFirst = false, dropout: p = 0, bidirectional = false } = options;
    checkCounts(this.who, { inputSize, hiddenSize, numLayers });
    if (!(p >= 0 && p <= 1))
      throw new StridewiseError(`${this.who}: dropout should be a number in range [0, 1], got ${shown(p)}`);
    this.kind = kind;
    this.inputSize = inputSize;
    this.hiddenSize = hiddenSize;
    this.numLayers = numLayers;
    this.batchFirst = batchFirst;
    this.bidirectional = bidirectional;
    this.dropout = p;
    const rows = kind.gates * hiddenSize;
    const bound = 1 / Math.sqrt(hiddenSize);
    for (const [layer, suffix] of this.places()) {
      const columns = layer === 0 ? inputSize : hiddenSize * (bidirectional ? 2 : 1);
      const shapes = [[rows, columns], [rows, hiddenSize], ...(bias ? [[rows], [rows]] : [])];
      shapes.forEach((shape, k) => {
        this[`${parts[k]!}L${layer}${suffix}`] = uniformParameter(shape, bound, options.dtype);
      });
    }
  }

  /** Layers and directions in order. */
  private places(): (readonly [layer: number, suffix: "" | "Reverse"])[] {
    const directions = this.bidirectional ? (["", "Reverse"] as const) : ([""] as const);
    return Array.from({ length: this.numLayers }, (_, layer) =>
      directions.map((suffix) => [layer, suffix] as const),
    ).flat();
  }

  private weights(layer: number, suffix: "" | "Reverse"): Weights {
    const named = (part: (typeof parts)[number]): Tensor | null => this[`${part}L${layer}${suffix}`] ?? null;
    return {
      weightIh: named("weightIh") as Tensor,
      weightHh: named("weightHh") as Tensor,
      biasIh: named("biasIh"),
      biasHh: named("biasHh"),
    };
  }

  /** The sequence, read from a state, or from zeros. What it gives can be given as the state of what follows. */
  forward(x: Tensor, state: S | null = null): R {
    const { who, hiddenSize } = this;
    checkRank(
      who,
      x,
      [2, 3],
      this.batchFirst ? "[N, T, features] or [T, features]" : "[T, N, features] or [T, features]",
    );
    checkSize(who, x, -1, this.inputSize);
    const isBatched = x.rank === 3;
    const timeAxis = isBatched && this.batchFirst ? 1 : 0;
    const batchAxis = 1 - timeAxis;
    let values: Tensor = isBatched ? x : x.unsqueeze(batchAxis);
    const batch = values.shape[batchAxis];
    if (values.shape[timeAxis] === 0)
      throw new ShapeError(
        `${who}: Expected sequence length to be larger than 0 in RNN, got shape [${x.shape.join(", ")}]. Leave empty sequences away`,
      );
    const places = this.places();
    const starts = this.startsOf(state, places.length, batch, isBatched, x);
    const ends: State[] = [];
    for (let layer = 0; layer < this.numLayers; layer++) {
      const outputs: Tensor[] = [];
      for (const [, suffix] of places.filter(([each]) => each === layer)) {
        const [output, end] = this.run(values, timeAxis, starts[ends.length], layer, suffix);
        outputs.push(output);
        ends.push(end);
      }
      values = outputs.length === 1 ? outputs[0] : cat(outputs, 2);
      if (this.training && this.dropout > 0 && layer < this.numLayers - 1) values = dropout(values, this.dropout);
    }
    const joined = (name: keyof State): Tensor => {
      const all: Tensor = stack(ends.map((end) => end[name] as Tensor));
      return isBatched ? all : all.reshape([places.length, hiddenSize]);
    };
    const output: Tensor = isBatched ? values : values.squeeze(batchAxis);
    const result = { output, hidden: joined("hidden"), ...(this.kind.hasCell ? { cell: joined("cell") } : {}) };
    return result as unknown as R;
  }

  /** One layer in one direction: its outputs, and its last state. */
  private run(values: Tensor, timeAxis: number, start: State, layer: number, suffix: "" | "Reverse"): [Tensor, State] {
    const weights = this.weights(layer, suffix);
    const inputs = this.kind.fromInput(values, weights).unbind(timeAxis);
    const turned: Tensor = weights.weightHh.T;
    const outputs = new Array<Tensor>(inputs.length);
    let state = start;
    for (let k = 0; k < inputs.length; k++) {
      const at = suffix === "" ? k : inputs.length - 1 - k;
      state = this.kind.step(inputs[at], state, turned, weights);
      outputs[at] = state.hidden;
    }
    return [stack(outputs, timeAxis), state];
  }

  /** The states to begin with, one for each layer and direction. */
  private startsOf(given: S | null, count: number, batch: number, isBatched: boolean, like: Tensor): State[] {
    const { who, hiddenSize } = this;
    if (given === null) {
      const hidden: Tensor = zeros([batch, hiddenSize], { dtype: like.dtype });
      return Array.from({ length: count }, () => (this.kind.hasCell ? { hidden, cell: hidden } : { hidden }));
    }
    const parts = this.kind.hasCell ? "{ hidden, cell }" : "{ hidden }";
    if (given instanceof Tensor || Array.isArray(given))
      throw new StridewiseError(`${who}: a state is given by name, ${parts}, got ${shown(given)}`);
    const wanted = isBatched ? [count, batch, hiddenSize] : [count, hiddenSize];
    const rows = (name: keyof State): readonly Tensor[] => {
      const t = given[name];
      if (t === undefined || t.shape.join() !== wanted.join())
        throw new ShapeError(
          `${who}: Expected ${name} size [${wanted.join(", ")}], got ${t === undefined ? `nothing. Give ${parts}` : `[${t.shape.join(", ")}]`}`,
        );
      return (isBatched ? t : t.unsqueeze(1)).unbind(0);
    };
    const hidden = rows("hidden");
    if (!this.kind.hasCell) return hidden.map((t) => ({ hidden: t }));
    const cells = rows("cell");
    return hidden.map((t, k) => ({ hidden: t, cell: cells[k] }));
  }
}

export interface RNNOptions extends RecurrentOptions {
  /** "tanh" unless given. */
  readonly nonlinearity?: "tanh" | "relu" | undefined;
}

/** The simplest recurrent network: each state is an activation of input and state before. */
export class RNN extends Recurrent<{ readonly hidden: Tensor }, RecurrentResult> {
  constructor(inputSize: number, hiddenSize: number, options: RNNOptions = {}) {
    const { nonlinearity = "tanh" } = options;
    if (nonlinearity !== "tanh" && nonlinearity !== "relu")
      throw new StridewiseError(`RNN: Unknown nonlinearity ${shown(nonlinearity)}; take "tanh" or "relu"`);
    super(kinds[nonlinearity], inputSize, hiddenSize, options);
  }
}

/** Long short-term memory: a cell that gates write, keep and read. */
export class LSTM extends Recurrent<{ readonly hidden: Tensor; readonly cell: Tensor }, LSTMResult> {
  constructor(inputSize: number, hiddenSize: number, options: RecurrentOptions = {}) {
    super(kinds.lstm, inputSize, hiddenSize, options);
  }
}

/** Gated recurrent units: each state is between the one before and a new one. */
export class GRU extends Recurrent<{ readonly hidden: Tensor }, RecurrentResult> {
  constructor(inputSize: number, hiddenSize: number, options: RecurrentOptions = {}) {
    super(kinds.gru, inputSize, hiddenSize, options);
  }
}
