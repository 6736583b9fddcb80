/**
 * One step of recurrent networks: as layers, for user-defined loops, and as functions for the layers over whole sequences. The inputs are
 * projected before (one product for all steps), so a step is the product with the previous state and one pass over the gates.
 */
import { addmm, elementwise, linear, relu, ShapeError, StridewiseError, type Tensor, tanh, zeros } from "../index.ts";
import { checkCounts, checkOptions, checkRank, checkSize } from "./check-input.ts";
import { Layer, type Output } from "./module.ts";
import { type DTypeOption, uniformParameter } from "./parameter.ts";
import { shown } from "./print.ts";

export interface CellOptions extends DTypeOption {
  /** Whether biases are added. Default: true. */
  readonly bias?: boolean | undefined;
}
export interface RNNCellOptions extends CellOptions {
  /** Default: "tanh". */
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
    const expected = [...x.shape.slice(0, -1), this.hiddenSize];
    const start = (name: keyof State): Tensor => {
      const t = state?.[name];
      if (t === undefined) return zeros([rows.shape[0], this.hiddenSize], { dtype: x.dtype });
      if (t.shape.join() !== expected.join())
        throw new ShapeError(
          `${this.who}: Expected ${name} size [${expected.join(", ")}], got [${t.shape.join(", ")}]`,
        );
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

/** A state after a step: it has the shape of the state before. */
type After<X extends Tensor, Before extends Tensor> = Tensor<Before["shape"], X["dtype"]>;

/** One step of an RNN: the next hidden state. */
export class RNNCell extends Cell {
  constructor(inputSize: number, hiddenSize: number, options: RNNCellOptions = {}) {
    super(elmanKind("RNNCell", options.nonlinearity), inputSize, hiddenSize, options);
  }

  forward<X extends Tensor, H extends Tensor = Output<X>>(x: X, hidden: H | null = null): After<X, H> {
    return this.step(x, hidden === null ? null : { hidden }).hidden as After<X, H>;
  }
}

/** One step of an LSTM: the next hidden state and cell. */
export class LSTMCell extends Cell {
  constructor(inputSize: number, hiddenSize: number, options: CellOptions = {}) {
    super(kinds.lstm, inputSize, hiddenSize, options);
  }

  forward<X extends Tensor, H extends Tensor = Output<X>, C extends Tensor = H>(
    x: X,
    state: { readonly hidden: H; readonly cell: C } | null = null,
  ): { hidden: After<X, H>; cell: After<X, C> } {
    return this.step(x, state) as { hidden: After<X, H>; cell: After<X, C> };
  }
}

/** One step of a GRU: the next hidden state. */
export class GRUCell extends Cell {
  constructor(inputSize: number, hiddenSize: number, options: CellOptions = {}) {
    super(kinds.gru, inputSize, hiddenSize, options);
  }

  forward<X extends Tensor, H extends Tensor = Output<X>>(x: X, hidden: H | null = null): After<X, H> {
    return this.step(x, hidden === null ? null : { hidden }).hidden as After<X, H>;
  }
}

/** The state of a network: hidden, and the cell of an LSTM. */
export interface State {
  readonly hidden: Tensor;
  readonly cell?: Tensor;
}

/** The weights of one layer in one direction. */
export interface Weights {
  readonly weightIh: Tensor;
  readonly weightHh: Tensor;
  readonly biasIh: Tensor | null;
  readonly biasHh: Tensor | null;
}

/** A kind of recurrent network. */
export interface Kind {
  /** The number of rows of the weights for each element of the state. */
  readonly gates: number;
  readonly hasCell: boolean;
  /** Projects the inputs of all steps. */
  fromInput(x: Tensor, weights: Weights): Tensor;
  /** The state after a step. `transposed` is the transposed weightHh. */
  step(input: Tensor, before: State, transposed: Tensor, weights: Weights): State;
}

/** The projected inputs with both biases, for kinds that only add the projected state. */
const projected = (x: Tensor, { weightIh, biasIh, biasHh }: Weights): Tensor =>
  linear(x, weightIh, biasIh !== null && biasHh !== null ? biasIh.add(biasHh) : biasIh);

const plain = (activation: (x: Tensor) => Tensor): Kind => ({
  gates: 1,
  hasCell: false,
  fromInput: projected,
  step: (input, { hidden }, transposed) => ({ hidden: activation(addmm(input, hidden, transposed)) }),
});

const lstm: Kind = {
  gates: 4,
  hasCell: true,
  fromInput: projected,
  step: (input, { hidden, cell }, transposed) => {
    const gates: Tensor = addmm(input, hidden, transposed);
    const [i, f, g, o] = gates.split(gates.shape[1]! / 4, 1) as unknown as [Tensor, Tensor, Tensor, Tensor];
    return elementwise(
      "let next = sigmoid(f) * c + sigmoid(i) * tanh(g); hidden = sigmoid(o) * tanh(next); cell = next",
      { i, f, g, o, c: cell as Tensor },
    );
  },
};

const gru: Kind = {
  gates: 3,
  hasCell: false,
  fromInput: (x, { weightIh, biasIh }) => linear(x, weightIh, biasIh),
  step: (input, { hidden: h }, transposed, { biasHh }) => {
    const size = h.shape[1];
    const own: Tensor = biasHh === null ? h.matmul(transposed) : addmm(biasHh, h, transposed);
    // Sums first: with fewer tensors, the second derivatives of the formula stay within the limits of a kernel.
    const gates: Tensor = input.narrow(1, 0, 2 * size).add(own.narrow(1, 0, 2 * size));
    const [r, z] = gates.split(size, 1) as unknown as [Tensor, Tensor];
    const [xn, hn] = [input.narrow(1, 2 * size, size), own.narrow(1, 2 * size, size)] as [Tensor, Tensor];
    const hidden = elementwise("let n = tanh(xn + sigmoid(r) * hn); n + sigmoid(z) * (h - n)", { r, z, xn, hn, h });
    return { hidden };
  },
};

/** The kinds by name. */
export const kinds = { tanh: /* @__PURE__ */ plain(tanh), relu: /* @__PURE__ */ plain(relu), lstm, gru };

/** The kind of an RNN with this nonlinearity. */
export function elmanKind(who: string, nonlinearity: "tanh" | "relu" = "tanh"): Kind {
  if (nonlinearity === "tanh" || nonlinearity === "relu") return kinds[nonlinearity];
  throw new StridewiseError(`${who}: Unknown nonlinearity ${shown(nonlinearity)}. Use "tanh" or "relu"`);
}
