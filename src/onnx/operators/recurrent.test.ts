/** RNN, GRU and LSTM: laws that hold for unrolled steps and for loops, and the layers of nn. */

import { cat, stack, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { distance, random, runOperator } from "../../../test/support/onnx-operators.ts";
import { GRU, LSTM } from "../../nn/index.ts";

const [hidden, inputs] = [3, 2];
const kinds = { RNN: [1, 1], GRU: [3, 1], LSTM: [4, 2] } as const;
const flipped = (t: Tensor): Tensor => t.flip(0) as Tensor;

describe.each(Object.entries(kinds))("%s", (type, [gates, states]) => {
  const parameters = (directions: number): Tensor[] => [
    random(directions, gates * hidden, inputs),
    random(directions, gates * hidden, hidden),
    random(directions, 2 * gates * hidden),
  ];
  const run = (
    x: Tensor,
    weights: readonly Tensor[],
    attributes = {},
    lengths: Tensor | null = null,
  ): readonly Tensor[] =>
    runOperator(type, [x, ...weights, lengths], { hidden_size: hidden, ...attributes }, { outputs: 1 + states });

  test.each([5, 12])("sequences of a batch of %i steps are those of each length alone", (steps) => {
    const x = random(steps, 3, inputs);
    const lengths = [steps, 4, 1];
    for (const direction of ["forward", "reverse"]) {
      const weights = parameters(1);
      const [all, ...ends] = run(x, weights, { direction }, tensor(lengths, { dtype: "int32" }) as Tensor);
      for (const [k, length] of lengths.entries()) {
        const one = x.narrow(0, 0, length).narrow(1, k, 1) as Tensor;
        const [own, ...last] = run(one, weights, { direction });
        const padded = cat([own!, zeros([steps - length, 1, 1, hidden])], 0) as Tensor;
        expect(distance(all!.narrow(2, k, 1) as Tensor, padded)).toBeLessThan(1e-6);
        for (const [j, end] of ends.entries())
          expect(distance(end!.narrow(1, k, 1) as Tensor, last[j]!)).toBeLessThan(1e-6);
      }
    }
  });

  test.each([4, 11])("reverse is forward over %i flipped steps, and bidirectional is both", (steps) => {
    const x = random(steps, 2, inputs);
    const weights = parameters(2);
    const [forward, backward] = [0, 1].map((d) => weights.map((t) => t.narrow(0, d, 1) as Tensor)) as [
      Tensor[],
      Tensor[],
    ];
    const [both] = run(x, weights, { direction: "bidirectional" });
    expect(distance(both!.narrow(1, 0, 1) as Tensor, run(x, forward)[0]!)).toBeLessThan(1e-6);
    expect(distance(both!.narrow(1, 1, 1) as Tensor, flipped(run(flipped(x), backward)[0]!))).toBeLessThan(1e-6);
  });

  test("layout 1 moves the batch to the front", () => {
    const x = random(5, 2, inputs);
    const weights = parameters(1);
    const [y, h] = run(x, weights);
    const [moved, state] = run(x.transpose(0, 1) as Tensor, weights, { layout: 1 });
    expect(distance(moved!, y!.permute(2, 0, 1, 3) as Tensor)).toBe(0);
    expect(distance(state!, h!.transpose(0, 1) as Tensor)).toBe(0);
  });
});

/** Reorders blocks of `hidden` rows. */
const rows = (t: Tensor, order: readonly number[]): Tensor =>
  cat(
    order.map((k) => t.narrow(0, k * hidden, hidden)),
    0,
  ).unsqueeze(0) as Tensor;

test("LSTM and GRU with linear_before_reset are the layers of nn", () => {
  const x = random(6, 2, inputs);
  for (const [type, layer, order, attributes] of [
    ["LSTM", new LSTM(inputs, hidden), [0, 3, 1, 2], {}],
    ["GRU", new GRU(inputs, hidden), [1, 0, 2], { linear_before_reset: 1 }],
  ] as const) {
    const [w, r, b, c] = ["weightIhL0", "weightHhL0", "biasIhL0", "biasHhL0"].map((name) =>
      rows((layer as unknown as Record<string, Tensor>)[name]!.detach() as Tensor, order),
    ) as [Tensor, Tensor, Tensor, Tensor];
    const [y] = runOperator(type, [x, w, r, cat([b, c], 1) as Tensor], attributes);
    expect(distance(y!.squeeze(1) as Tensor, layer.forward(x).output.detach() as Tensor)).toBeLessThan(1e-5);
  }
});

test("activations have their parameters, and clip bounds their inputs", () => {
  const x = tensor([[[5]], [[-5]]]) as Tensor;
  const weights = [tensor([[[1]]]), tensor([[[0]]])] as Tensor[];
  const values = (attributes: Record<string, number | readonly number[] | readonly string[]>): unknown =>
    (runOperator("RNN", [x, ...weights], attributes)[0]!.reshape([-1]) as Tensor).toArray();
  expect(values({ activations: ["LeakyRelu"], activation_alpha: [0.5] })).toEqual([5, -2.5]);
  expect(values({ activations: ["Affine"], activation_alpha: [2], activation_beta: [1], clip: 3 })).toEqual([7, -5]);
  expect(values({ activations: ["HardSigmoid"] })).toEqual([1, 0]);
  expect(values({ activations: ["ThresholdedRelu"], activation_alpha: [6] })).toEqual([0, 0]);
  expect(() => values({ activations: ["Gelu"] })).toThrow('the activation "Gelu" is unknown');
});

test("an activation that is a sum is one factor of the hidden state", () => {
  const weights = [random(1, 12, inputs), random(1, 12, hidden), random(1, 24)];
  const activations = ["Sigmoid", "Tanh", "Affine"];
  const run = (beta: number): readonly Tensor[] =>
    runOperator(
      "LSTM",
      [x, ...weights],
      { activations, activation_alpha: [0], activation_beta: [beta] },
      { outputs: 3 },
    );
  const x = random(1, 2, inputs);
  const [, one] = run(1);
  const [, two] = run(2);
  expect(distance(two!, one!.mul(2) as Tensor)).toBeLessThan(1e-6);
});

test("a coupled LSTM forgets what it does not write", () => {
  const weights = [random(1, 12, inputs), random(1, 12, hidden), random(1, 24)];
  const [x, h, c] = [random(1, 2, inputs), random(1, 2, hidden), random(1, 2, hidden)];
  const gate = (k: number): Tensor => {
    const [w, r, b] = weights.map((t) => t!.squeeze(0)) as [Tensor, Tensor, Tensor];
    const part = (t: Tensor, at: number): Tensor => t.narrow(0, at * hidden, hidden) as Tensor;
    const sum = x
      .select(0, 0)
      .matmul(part(w, k).T)
      .add(h.select(0, 0).matmul(part(r, k).T));
    return sum.add(part(b, k)).add(part(b, k + 4)) as Tensor;
  };
  const i = gate(0).sigmoid();
  const cell = c
    .select(0, 0)
    .mul(i.neg().add(1))
    .add(i.mul(gate(3).tanh())) as Tensor;
  const [, , end] = runOperator("LSTM", [x, ...weights, null, h, c], { input_forget: 1 }, { outputs: 3 });
  expect(distance(end!, stack([cell]) as Tensor)).toBeLessThan(1e-6);
});
