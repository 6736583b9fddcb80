/** Attention: the tiled op equals whole scores, caches equal longer inputs, and linear attention can be continued. */

import { cat, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { distance, random, runOperator } from "../../../test/support/onnx-operators.ts";

const part = (t: Tensor, axis: number, from: number, count: number): Tensor => t.narrow(axis, from, count) as Tensor;

describe.each([
  [4, 4, 0],
  [4, 2, 0],
  [4, 2, 3],
  [4, 1, 5],
] as const)("%i query heads, %i heads of keys and a past of %i", (queryHeads, heads, past) => {
  const [queries, own, size] = [3, 4, 8];
  const [q, k, v] = [random(2, queryHeads, queries, size), random(2, heads, own, size), random(2, heads, own, 5)];
  const caches = past === 0 ? [] : [random(2, heads, past, size), random(2, heads, past, 5)];
  const masks = {
    none: null,
    bool: random(queries, own + past).gt(-0.5) as Tensor,
    float: random(2, 1, queries, own + past),
  };

  test.each(Object.keys(masks) as (keyof typeof masks)[])("mask %s", (name) => {
    for (const is_causal of [0, 1]) {
      const inputs = [q, k, v, masks[name], ...caches];
      const [tiled] = runOperator("Attention", inputs, { is_causal });
      // The scores as an output are computed as a whole.
      const [whole, , , weights] = runOperator(
        "Attention",
        inputs,
        { is_causal, qk_matmul_output_mode: 3 },
        { outputs: 4 },
      );
      expect(distance(tiled!, whole!)).toBeLessThan(1e-5);
      expect(weights!.shape).toEqual([2, queryHeads, queries, own + past]);
    }
  });

  test("a cache equals longer keys and values", () => {
    const [y, keys, values] = runOperator("Attention", [q, k, v, null, ...caches], {}, { outputs: 3 });
    const [longK, longV] = past === 0 ? [k, v] : ([cat([caches[0]!, k], 2), cat([caches[1]!, v], 2)] as Tensor[]);
    expect([distance(keys!, longK!), distance(values!, longV!)]).toEqual([0, 0]);
    expect(distance(y!, runOperator("Attention", [q, longK!, longV!])[0]!)).toBeLessThan(1e-6);
  });
});

test("nonpad_kv_seqlen cuts the keys of each sample", () => {
  const [q, k, v] = [random(2, 2, 3, 4), random(2, 2, 6, 4), random(2, 2, 6, 4)];
  const lengths = [2, 5];
  const [y] = runOperator("Attention", [q, k, v, null, null, null, tensor(lengths, { dtype: "int64" }) as Tensor]);
  for (const [n, length] of lengths.entries()) {
    const one = [q, part(k, 2, 0, length), part(v, 2, 0, length)].map((t) => part(t, 0, n, 1));
    expect(distance(part(y!, 0, n, 1), runOperator("Attention", one)[0]!)).toBeLessThan(1e-6);
  }
});

describe.each(["linear", "gated", "delta", "gated_delta"])("LinearAttention %s", (update_rule) => {
  test("continues from a state, in loops and unrolled", () => {
    const [length, heads, size] = [13, 2, 3];
    const inputs = [12, 6, 8].map((width) => random(2, length, width));
    const gates = [random(2, length, heads * size), random(2, length, heads).abs() as Tensor];
    const run = (from: number, count: number, state: Tensor | null): readonly Tensor[] => {
      const [q, k, v, decay, rate] = [...inputs, ...gates].map((t) => part(t, 1, from, count));
      const attributes = { update_rule, q_num_heads: 4, kv_num_heads: heads };
      return runOperator("LinearAttention", [q!, k!, v!, state, decay!, rate!], attributes, { outputs: 2 });
    };
    const [all, end] = run(0, length, null);
    const [first, middle] = run(0, 9, null);
    const [second, last] = run(9, 4, middle!);
    expect(distance(all!, cat([first!, second!], 1) as Tensor)).toBeLessThan(1e-4);
    expect(distance(end!, last!)).toBeLessThan(1e-4);
  });
});

test("a rotary embedding keeps lengths, and 3-D inputs are those with 4 axes", () => {
  const x = random(2, 3, 5, 8);
  const angle = random(10, 4);
  const positions = tensor(
    [
      [0, 1, 2, 3, 4],
      [9, 8, 7, 6, 5],
    ],
    { dtype: "int64" },
  ) as Tensor;
  for (const interleaved of [0, 1]) {
    const inputs = [angle.cos() as Tensor, angle.sin() as Tensor, positions];
    const [y] = runOperator("RotaryEmbedding", [x, ...inputs], { interleaved });
    const squares = (t: Tensor): Tensor => t.mul(t).sum(-1) as Tensor;
    expect(distance(squares(y!), squares(x))).toBeLessThan(1e-5);
    const flat = x.transpose(1, 2).reshape([2, 5, 24]) as Tensor;
    const [other] = runOperator("RotaryEmbedding", [flat, ...inputs], { interleaved, num_heads: 3 });
    expect(distance(other!, y!.transpose(1, 2).reshape([2, 5, 24]) as Tensor)).toBe(0);
  }
});
