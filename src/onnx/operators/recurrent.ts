/**
 * RNN, GRU and LSTM. One product projects the inputs of all steps; a step is the product with the previous state and one formula over the gates. Few
 * steps are unrolled, and many are a loop of the compiled program.
 */
import * as sw from "../../index.ts";
import { computedAs } from "../../storage/dtype.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { type Activation, activationsOf } from "./recurrent-activations.ts";
import { type GateWeights, gateWeights, quantizedGateWeights, type StateProduct } from "./recurrent-weights.ts";

/** The number of steps up to which they are unrolled. */
const maxUnrolled = 8;

/** Hidden state and, for an LSTM, the cell. */
type State = readonly sw.Tensor[];

/** The parameters of one direction. */
interface Direction {
  readonly activations: readonly Activation[];
  /** The product of a hidden state with the recurrence weight. */
  readonly recurrence: StateProduct;
  /** The bias of the recurrence, [gates * hidden]; null if there is none. */
  readonly bias: sw.Tensor | null;
  /** The peephole weights of an LSTM. */
  readonly peepholes: readonly sw.Tensor[] | null;
  readonly size: number;
}

interface Kind {
  readonly gates: number;
  readonly states: number;
  readonly activations: readonly string[];
  /** True if the bias of the recurrence is added to the projected inputs. */
  joinsBias(call: Call): boolean;
  /** Returns the state after a step with projected inputs [batch, gates * hidden]. */
  step(call: Call, direction: Direction): (input: sw.Tensor, state: State) => State;
}

const partsOf = (t: sw.Tensor, size: number): sw.Tensor[] => sw.split(t, size, -1) as unknown as sw.Tensor[];

const elman: Kind = {
  gates: 1,
  states: 1,
  activations: ["Tanh"],
  joinsBias: () => true,
  step(_, { activations: [f], recurrence }) {
    const text = f("x");
    return (input, [h]) => [sw.elementwise(text, { x: recurrence.plus(input, h) })];
  },
};

const gru: Kind = {
  gates: 3,
  states: 1,
  activations: ["Sigmoid", "Tanh"],
  joinsBias: (call) => call.int("linear_before_reset", 0) === 0,
  step(call, { activations: [f, g], recurrence, bias, size }) {
    const ending = "n + u * (h - n)";
    if (!this.joinsBias(call)) {
      const text = `let u = ${f("xz + hz")}; let r = ${f("xr + hr")}; let n = ${g("xn + r * hn")}; ${ending}`;
      return (input, [h]) => {
        const own = recurrence.plus(bias, h);
        const [[xz, xr, xn], [hz, hr, hn]] = [partsOf(input, size), partsOf(own, size)];
        return [sw.elementwise(text, { xz, xr, xn, hz, hr, hn, h })];
      };
    }
    const [first, second] = [recurrence.columns(0, 2 * size), recurrence.columns(2 * size, size)];
    const reset = `${f("xr")} * h`;
    const text = `let u = ${f("xz")}; let n = ${g("xn")}; ${ending}`;
    return (input, [h]) => {
      const gates = first.plus(input.narrow(1, 0, 2 * size), h);
      const [xz, xr] = partsOf(gates, size);
      const own = second.plus(input.narrow(1, 2 * size, size), sw.elementwise(reset, { xr, h }));
      return [sw.elementwise(text, { xz, xn: own, h })];
    };
  },
};

const lstm: Kind = {
  gates: 4,
  states: 2,
  activations: ["Sigmoid", "Tanh", "Tanh"],
  joinsBias: () => true,
  step(call, { activations: [f, g, h], recurrence, peepholes, size }) {
    const isCoupled = call.int("input_forget", 0) !== 0;
    const gate = (name: string, cell: string): string =>
      f(peepholes === null ? `x${name}` : `x${name} + w${name} * ${cell}`);
    const text = [
      `let i = ${gate("i", "c")}`,
      `let f = ${isCoupled ? "1 - i" : gate("f", "c")}`,
      `let next = f * c + i * ${g("xc")}`,
      `hidden = ${gate("o", "next")} * ${h("next")}`,
      "cell = next",
    ].join("; ");
    const [wi, wo, wf] = peepholes ?? [];
    const weights = peepholes === null ? {} : isCoupled ? { wi, wo } : { wi, wo, wf };
    return (input, [before, c]) => {
      const [xi, xo, xf, xc] = partsOf(recurrence.plus(input, before), size);
      const { hidden, cell } = sw.elementwise(text, {
        xi,
        xo,
        xc,
        c,
        ...(isCoupled ? {} : { xf }),
        ...weights,
      }) as unknown as { hidden: sw.Tensor; cell: sw.Tensor };
      return [hidden, cell];
    };
  },
};

const keptWhere = (mask: sw.Tensor, after: State, before: State): State =>
  after.map((t, k) => sw.where(mask, t, before[k]));

/** Runs all steps of one direction. Steps beyond the length of a sequence keep its state, and their outputs are 0. */
function runSteps(
  step: (input: sw.Tensor, state: State) => State,
  inputs: sw.Tensor,
  start: State,
  mask: sw.Tensor | null,
  reverse: boolean,
): [outputs: sw.Tensor, state: State] {
  const one = (state: State, x: sw.Tensor, inside: sw.Tensor | null): readonly [State, sw.Tensor] => {
    const after = step(x, state);
    if (inside === null) return [after, after[0]];
    return [keptWhere(inside, after, state), sw.where(inside, after[0], 0).to(after[0].dtype)];
  };
  const count = inputs.shape[0];
  if (count > maxUnrolled) {
    const rows = mask === null ? [inputs] : [inputs, mask];
    const [state, outputs] = sw.scan((carry: State, [x, inside]) => one(carry, x, inside ?? null), start, rows, {
      reverse,
    });
    return [outputs, state];
  }
  const outputs: sw.Tensor[] = new Array(count);
  let state = start;
  for (let k = 0; k < count; k++) {
    const at = reverse ? count - 1 - k : k;
    [state, outputs[at]] = one(state, inputs.select(0, at), mask === null ? null : mask.select(0, at));
  }
  return [count === 0 ? sw.zeros([0, ...start[0].shape], { dtype: start[0].dtype }) : sw.stack(outputs), state];
}

type WeightsOf = (call: Call, x: sw.Tensor, directions: number, gates: number) => GateWeights;

const recurrentOperator =
  (kind: Kind, weightsOf: WeightsOf = gateWeights) =>
  (call: Call): readonly sw.Tensor[] => {
    const own = call.tensor(0).dtype;
    const dtype = computedAs(own);
    const optional = (k: number): sw.Tensor | null => call.optionalTensor(k)?.to(dtype) ?? null;
    const direction = call.string("direction", "forward");
    if (direction !== "forward" && direction !== "reverse" && direction !== "bidirectional")
      throw call.error(`direction must be forward, reverse or bidirectional, got "${direction}"`);
    const count = direction === "bidirectional" ? 2 : 1;
    const isBatchFirst = call.int("layout", 0) !== 0;
    const swapped = (t: sw.Tensor): sw.Tensor => (isBatchFirst ? t.transpose(0, 1) : t);
    const x: sw.Tensor = swapped(call.tensor(0)).to(dtype);
    const { size, project, recurrence } = weightsOf(call, x, count, kind.gates);
    const rows = kind.gates * size;
    const bias = optional(3);
    const lengths = call.optionalTensor(4);
    const [steps, batch] = x.shape;
    const mask: sw.Tensor | null =
      lengths === null
        ? null
        : sw.lt(
            sw.arange(0, steps, 1, { dtype: "int64" }).reshape([steps, 1, 1]),
            lengths.to("int64").reshape([1, batch, 1]),
          );
    const initial = Array.from({ length: kind.states }, (_, k) => {
      const t = optional(5 + k);
      return t === null ? sw.zeros([count, batch, size], { dtype }) : swapped(t);
    });
    const peepholes = kind.states === 2 ? optional(7) : null;
    const activations = activationsOf(call, kind.activations, count);
    const joinsBias = kind.joinsBias(call);
    const results = Array.from({ length: count }, (_, d) => {
      const [inner, outer] =
        bias === null ? [null, null] : [bias.select(0, d).narrow(0, 0, rows), bias.select(0, d).narrow(0, rows, rows)];
      const added = inner !== null && joinsBias ? sw.add(inner, outer as sw.Tensor) : inner;
      const inputs = project(d, added);
      const step = kind.step(call, {
        activations: activations[d],
        recurrence: recurrence(d),
        bias: outer,
        peepholes: peepholes === null ? null : partsOf(peepholes.select(0, d), size),
        size,
      });
      return runSteps(
        step,
        inputs,
        initial.map((t) => t.select(0, d)),
        mask,
        direction === "reverse" || d === 1,
      );
    });
    const whole: sw.Tensor = sw
      .stack(
        results.map(([outputs]) => outputs),
        1,
      )
      .to(own);
    const states = initial.map((_, k) => swapped(sw.stack(results.map(([, state]) => state[k])).to(own)));
    return [isBatchFirst ? whole.permute(2, 0, 1, 3) : whole, ...states];
  };

export const recurrent: OperatorTable = {
  RNN: recurrentOperator(elman),
  GRU: recurrentOperator(gru),
  LSTM: recurrentOperator(lstm),
};

/** Recurrent operators of com.microsoft. */
export const quantizedRecurrent: OperatorTable = { DynamicQuantizeLSTM: recurrentOperator(lstm, quantizedGateWeights) };
