/**
 * One step of each recurrent network: what comes from the input is there already (one product for all steps), so a step is the product
 * with the state before and one pass over the gates.
 */
import { addmm, elementwise, linear, relu, type Tensor, tanh } from "../index.ts";

/** A state: hidden, and the cell of an LSTM. */
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
  /** How many rows of the weights belong to one element of the state. */
  readonly gates: number;
  readonly hasCell: boolean;
  /** What comes from the inputs, of all steps. */
  fromInput(x: Tensor, weights: Weights): Tensor;
  /** The state after a step. `turned` is the transposed weight of the state before. */
  step(input: Tensor, before: State, turned: Tensor, weights: Weights): State;
}

/** Input and both biases, where the state's part is only added. */
const projected = (x: Tensor, { weightIh, biasIh, biasHh }: Weights): Tensor =>
  linear(x, weightIh, biasIh !== null && biasHh !== null ? biasIh.add(biasHh) : biasIh);

const plain = (activation: (x: Tensor) => Tensor): Kind => ({
  gates: 1,
  hasCell: false,
  fromInput: projected,
  step: (input, { hidden }, turned) => ({ hidden: activation(addmm(input, hidden, turned)) }),
});

const lstm: Kind = {
  gates: 4,
  hasCell: true,
  fromInput: projected,
  step: (input, { hidden, cell }, turned) => {
    const gates: Tensor = addmm(input, hidden, turned);
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
  step: (input, { hidden: h }, turned, { biasHh }) => {
    const size = h.shape[1] as number;
    const own: Tensor = biasHh === null ? h.matmul(turned) : addmm(biasHh, h, turned);
    // Sums first: a formula of fewer tensors, whose gradients have gradients within the limits of a kernel.
    const gates: Tensor = input.narrow(1, 0, 2 * size).add(own.narrow(1, 0, 2 * size));
    const [r, z] = gates.split(size, 1) as unknown as [Tensor, Tensor];
    const [xn, hn] = [input.narrow(1, 2 * size, size), own.narrow(1, 2 * size, size)] as [Tensor, Tensor];
    const hidden = elementwise("let n = tanh(xn + sigmoid(r) * hn); n + sigmoid(z) * (h - n)", { r, z, xn, hn, h });
    return { hidden };
  },
};

/** The kinds by name. */
export const kinds = { tanh: /* @__PURE__ */ plain(tanh), relu: /* @__PURE__ */ plain(relu), lstm, gru };
