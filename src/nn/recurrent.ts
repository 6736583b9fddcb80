/**
 * Recurrent networks over whole sequences: stacked layers, in one or both directions. One product projects the inputs of all steps of a
 * layer; `recurrent-cells.ts` has the steps. Parameters have PyTorch's names, such as `weight_ih_l0`.
 */
import { cat, dropout, ShapeError, StridewiseError, stack, Tensor, zeros } from "../index.ts";
import { checkCounts, checkOptions, checkRank, checkSize } from "./check-input.ts";
import { Layer, type Output } from "./module.ts";
import { type DTypeOption, uniformParameter } from "./parameter.ts";
import { shown } from "./print.ts";
import { elmanKind, type Kind, kinds, type State, type Weights } from "./recurrent-cells.ts";

export interface RecurrentOptions extends DTypeOption {
  /** The number of stacked layers. Default: 1. */
  readonly numLayers?: number | undefined;
  /** Whether biases are added. Default: true. */
  readonly bias?: boolean | undefined;
  /** Whether the batch is the first axis, [N, T, features], instead of the second. Default: false. */
  readonly batchFirst?: boolean | undefined;
  /** The dropout probability of the outputs of all layers but the last. Default: 0. */
  readonly dropout?: number | undefined;
  /** Whether the network is bidirectional. Default: false. */
  readonly bidirectional?: boolean | undefined;
}

/** The outputs of the last layer, and the final hidden state of each layer and direction. */
export interface RecurrentResult<T extends Tensor = Tensor> {
  /** [T, N, directions * hiddenSize], or [N, T, ...] with batchFirst. */
  readonly output: T;
  /** [numLayers * directions, N, hiddenSize]. */
  readonly hidden: T;
}
export interface LSTMResult<T extends Tensor = Tensor> extends RecurrentResult<T> {
  /** [numLayers * directions, N, hiddenSize]. */
  readonly cell: T;
}

const parts = ["weightIh", "weightHh", "biasIh", "biasHh"] as const;

abstract class Recurrent<S extends State> extends Layer {
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
    for (const [layer, suffix] of this.directions()) {
      const columns = layer === 0 ? inputSize : hiddenSize * (bidirectional ? 2 : 1);
      const shapes = [[rows, columns], [rows, hiddenSize], ...(bias ? [[rows], [rows]] : [])];
      shapes.forEach((shape, k) => {
        this[`${parts[k]!}L${layer}${suffix}`] = uniformParameter(shape, bound, options.dtype);
      });
    }
  }

  /** Every layer and direction, in order. */
  private directions(): (readonly [layer: number, suffix: "" | "Reverse"])[] {
    const suffixes = this.bidirectional ? (["", "Reverse"] as const) : ([""] as const);
    return Array.from({ length: this.numLayers }, (_, layer) =>
      suffixes.map((suffix) => [layer, suffix] as const),
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

  /** Processes a sequence from an initial state, zeros by default. */
  protected results(x: Tensor, state: S | null): RecurrentResult & S {
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
        `${who}: Expected sequence length to be larger than 0 in RNN, got shape [${x.shape.join(", ")}]. Remove empty sequences`,
      );
    const directions = this.directions();
    const initial = this.initialStates(state, directions.length, batch, isBatched, x);
    const final: State[] = [];
    for (let layer = 0; layer < this.numLayers; layer++) {
      const outputs: Tensor[] = [];
      for (const [, suffix] of directions.filter(([each]) => each === layer)) {
        const [output, end] = this.run(values, timeAxis, initial[final.length], layer, suffix);
        outputs.push(output);
        final.push(end);
      }
      values = outputs.length === 1 ? outputs[0] : cat(outputs, 2);
      if (this.training && this.dropout > 0 && layer < this.numLayers - 1) values = dropout(values, this.dropout);
    }
    const joined = (name: keyof State): Tensor => {
      const all: Tensor = stack(final.map((end) => end[name] as Tensor));
      return isBatched ? all : all.reshape([directions.length, hiddenSize]);
    };
    const output: Tensor = isBatched ? values : values.squeeze(batchAxis);
    const result = { output, hidden: joined("hidden"), ...(this.kind.hasCell ? { cell: joined("cell") } : {}) };
    return result as unknown as RecurrentResult & S;
  }

  /** Runs one layer in one direction; returns its outputs and its final state. */
  private run(values: Tensor, timeAxis: number, start: State, layer: number, suffix: "" | "Reverse"): [Tensor, State] {
    const weights = this.weights(layer, suffix);
    const inputs = this.kind.fromInput(values, weights).unbind(timeAxis);
    const transposed: Tensor = weights.weightHh.T;
    const outputs = new Array<Tensor>(inputs.length);
    let state = start;
    for (let k = 0; k < inputs.length; k++) {
      const at = suffix === "" ? k : inputs.length - 1 - k;
      state = this.kind.step(inputs[at], state, transposed, weights);
      outputs[at] = state.hidden;
    }
    return [stack(outputs, timeAxis), state];
  }

  /** The initial states, one for each layer and direction. */
  private initialStates(state: S | null, count: number, batch: number, isBatched: boolean, like: Tensor): State[] {
    const { who, hiddenSize } = this;
    if (state === null) {
      const hidden: Tensor = zeros([batch, hiddenSize], { dtype: like.dtype });
      return Array.from({ length: count }, () => (this.kind.hasCell ? { hidden, cell: hidden } : { hidden }));
    }
    const parts = this.kind.hasCell ? "{ hidden, cell }" : "{ hidden }";
    if (state instanceof Tensor || Array.isArray(state))
      throw new StridewiseError(`${who}: the state must be an object ${parts}, got ${shown(state)}`);
    const expected = isBatched ? [count, batch, hiddenSize] : [count, hiddenSize];
    const rows = (name: keyof State): readonly Tensor[] => {
      const t = state[name];
      if (t === undefined || t.shape.join() !== expected.join())
        throw new ShapeError(
          `${who}: Expected ${name} size [${expected.join(", ")}], got ${t === undefined ? `nothing. Pass ${parts}` : `[${t.shape.join(", ")}]`}`,
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
  /** Default: "tanh". */
  readonly nonlinearity?: "tanh" | "relu" | undefined;
}

/** The Elman network: each state is the activation of the input and the previous state. */
export class RNN extends Recurrent<{ readonly hidden: Tensor }> {
  constructor(inputSize: number, hiddenSize: number, options: RNNOptions = {}) {
    super(elmanKind("RNN", options.nonlinearity), inputSize, hiddenSize, options);
  }
  /** Processes a sequence from an initial state, zeros by default. The result can be passed as the state of the next call. */
  forward<X extends Tensor>(x: X, state: { readonly hidden: Tensor } | null = null): RecurrentResult<Output<X>> {
    return this.results(x, state) as RecurrentResult<Output<X>>;
  }
}

/** Long short-term memory: gates write, keep and read a cell. */
export class LSTM extends Recurrent<{ readonly hidden: Tensor; readonly cell: Tensor }> {
  constructor(inputSize: number, hiddenSize: number, options: RecurrentOptions = {}) {
    super(kinds.lstm, inputSize, hiddenSize, options);
  }
  /** Processes a sequence from an initial state, zeros by default. The result can be passed as the state of the next call. */
  forward<X extends Tensor>(
    x: X,
    state: { readonly hidden: Tensor; readonly cell: Tensor } | null = null,
  ): LSTMResult<Output<X>> {
    return this.results(x, state) as LSTMResult<Output<X>>;
  }
}

/** Gated recurrent units: each state interpolates between the previous one and a candidate. */
export class GRU extends Recurrent<{ readonly hidden: Tensor }> {
  constructor(inputSize: number, hiddenSize: number, options: RecurrentOptions = {}) {
    super(kinds.gru, inputSize, hiddenSize, options);
  }
  /** Processes a sequence from an initial state, zeros by default. The result can be passed as the state of the next call. */
  forward<X extends Tensor>(x: X, state: { readonly hidden: Tensor } | null = null): RecurrentResult<Output<X>> {
    return this.results(x, state) as RecurrentResult<Output<X>>;
  }
}
