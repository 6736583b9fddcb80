/**
 * One step of recurrent networks as layers, for loops of one's own.
 */
import { ShapeError, StridewiseError, type Tensor, zeros } from "../index.ts";
import { checkCounts, checkOptions, checkRank, checkSize } from "./check-input.ts";
import { Layer } from "./module.ts";
import { shown } from "./print.ts";
import { type Kind, kinds, type State } from "./recurrent-steps.ts";
import { type DTypeOption, uniformParameter } from "./start.ts";

export interface CellOptions extends DTypeOption {
  /** Whether biases are added: true unless given. */
  readonly bias?: boolean | undefined;
}
export interface RNNCellOptions extends CellOptions {
  /** "tanh" unless given. */
  readonly nonlinearity?: "tanh" | "relu" | undefined;
}

abstract class Cell extends Layer {
  readonly inputSize: number;
  readonly hiddenSize: number;
  weightIh: Tensor;
  weightHh: Tensor;
  biasIh: Tensor | null;
  biasHh: Tensor | null;
  private readonly kind: Kind;

  constructor(kind: Kind, inputSize: number, hiddenSize: number, options: CellOptions) {
    super(inputSize, hiddenSize, options);
    checkCounts(this.who, { inputSize, hiddenSize });
    if (kind === kinds.tanh || kind === kinds.relu)
      checkOptions<RNNCellOptions>(this.who, options, { bias: 0, dtype: 0, nonlinearity: 0 });
    else checkOptions(this.who, options, { bias: 0, dtype: 0 });
    const { bias = true, dtype } = options;
    const rows = kind.gates * hiddenSize;
    const bound = 1 / Math.sqrt(hiddenSize);
    this.kind = kind;
    this.inputSize = inputSize;
    this.hiddenSize = hiddenSize;
    this.weightIh = uniformParameter([rows, inputSize], bound, dtype);
    this.weightHh = uniformParameter([rows, hiddenSize], bound, dtype);
    this.biasIh = bias ? uniformParameter([rows], bound, dtype) : null;
    this.biasHh = bias ? uniformParameter([rows], bound, dtype) : null;
  }

  protected step(x: Tensor, state: Partial<State> | null): State {
    checkRank(this.who, x, [1, 2], "[N, features] or [features]");
    checkSize(this.who, x, -1, this.inputSize);
    const isBatched = x.rank === 2;
    const rows: Tensor = isBatched ? x : x.unsqueeze(0);
    const wanted = [...x.shape.slice(0, -1), this.hiddenSize];
    const start = (name: keyof State): Tensor => {
      const t = state?.[name];
      if (t === undefined) return zeros([rows.shape[0] as number, this.hiddenSize], { dtype: x.dtype });
      if (t.shape.join() !== wanted.join())
        throw new ShapeError(`${this.who}: Expected ${name} size [${wanted.join(", ")}], got [${t.shape.join(", ")}]`);
      return isBatched ? t : t.unsqueeze(0);
    };
    const { kind, weightHh } = this;
    const before = kind.hasCell ? { hidden: start("hidden"), cell: start("cell") } : { hidden: start("hidden") };
    const after = kind.step(kind.fromInput(rows, this), before, weightHh.T, this);
    if (isBatched) return after;
    const hidden: Tensor = after.hidden.squeeze(0);
    return after.cell === undefined ? { hidden } : { hidden, cell: after.cell.squeeze(0) };
  }
}

/** One step of an RNN: the next hidden state. */
export class RNNCell extends Cell {
  constructor(inputSize: number, hiddenSize: number, options: RNNCellOptions = {}) {
    const { nonlinearity = "tanh" } = options;
    if (nonlinearity !== "tanh" && nonlinearity !== "relu")
      throw new StridewiseError(`RNNCell: Unknown nonlinearity ${shown(nonlinearity)}; take "tanh" or "relu"`);
    super(kinds[nonlinearity], inputSize, hiddenSize, options);
  }

  forward(x: Tensor, hidden: Tensor | null = null): Tensor {
    return this.step(x, hidden === null ? null : { hidden }).hidden;
  }
}

/** One step of an LSTM: the next hidden state and cell. */
export class LSTMCell extends Cell {
  constructor(inputSize: number, hiddenSize: number, options: CellOptions = {}) {
    super(kinds.lstm, inputSize, hiddenSize, options);
  }

  forward(
    x: Tensor,
    state: { readonly hidden: Tensor; readonly cell: Tensor } | null = null,
  ): { hidden: Tensor; cell: Tensor } {
    return this.step(x, state) as { hidden: Tensor; cell: Tensor };
  }
}

/** One step of a GRU: the next hidden state. */
export class GRUCell extends Cell {
  constructor(inputSize: number, hiddenSize: number, options: CellOptions = {}) {
    super(kinds.gru, inputSize, hiddenSize, options);
  }

  forward(x: Tensor, hidden: Tensor | null = null): Tensor {
    return this.step(x, hidden === null ? null : { hidden }).hidden;
  }
}
