/** Operators of com.microsoft: fused operators equal what they fuse, forms of the same attention agree, and caches continue sequences. */
import { describe, expect, test } from "vitest";
import { type NodeCase, runNode } from "../../../test/support/onnx-node.ts";
import { numbersFrom } from "../../../test/support/seeded-numbers.ts";
import * as sw from "../../index.ts";

const run = (node: NodeCase): sw.Tensor[] => runNode({ domain: "com.microsoft", ...node });
let seed = 0;
function real(...shape: number[]): sw.Tensor {
  const next = numbersFrom(++seed);
  return sw.fromFunction(shape, () => next(2e6) / 1e6 - 1);
}
function integers(dtype: "uint8" | "int8", ...shape: number[]): sw.Tensor {
  const next = numbersFrom(++seed);
  return sw.fromFunction(shape, () => next(256) - (dtype === "int8" ? 128 : 0)).to(dtype);
}
const ints = (list: readonly unknown[], dtype: sw.DType = "int32"): sw.Tensor => sw.tensor(list as number[], { dtype });
const scalar = (value: number, dtype: sw.DType = "float32"): sw.Tensor => sw.tensor(value, { dtype });
function expectClose(a: sw.Tensor, b: sw.Tensor, tolerance = 1e-5): void {
  expect(a.shape).toEqual(b.shape);
  expect(sw.sub(a.to("float64"), b.to("float64")).abs().max().item()).toBeLessThanOrEqual(tolerance);
}

describe("fused operators equal what they fuse", () => {
  const [x, y, weight, bias, more] = [real(2, 3, 8), real(2, 3, 8), real(8), real(8), real(8)];
  const table: readonly (readonly [name: string, node: NodeCase, expected: readonly (sw.Tensor | null)[]])[] = [
    ["BiasGelu", { op: "BiasGelu", inputs: [x, bias] }, [sw.gelu(x.add(bias))]],
    ["FastGelu", { op: "FastGelu", inputs: [x, bias] }, [sw.gelu(x.add(bias), { approximate: "tanh" })]],
    ["QuickGelu", { op: "QuickGelu", inputs: [x] }, [x.mul(sw.sigmoid(x.mul(1.702)))]],
    [
      "BiasSplitGelu",
      { op: "BiasSplitGelu", inputs: [x, bias] },
      [
        x
          .add(bias)
          .narrow(2, 0, 4)
          .mul(sw.gelu(x.add(bias).narrow(2, 4, 4))),
      ],
    ],
    [
      "SkipLayerNormalization",
      { op: "SkipLayerNormalization", inputs: [x, y, weight, bias, more], outputs: 4 },
      [sw.layerNorm(x.add(y).add(more), [8], weight, bias, { eps: 1e-12 }), null, null, x.add(y).add(more)],
    ],
    [
      "SkipSimplifiedLayerNormalization",
      { op: "SkipSimplifiedLayerNormalization", inputs: [x, y, weight, more], outputs: 4 },
      [sw.rmsNorm(x.add(y).add(more), [8], weight, { eps: 1e-12 }), null, null, x.add(y).add(more)],
    ],
    [
      "SimplifiedLayerNormalization",
      { op: "SimplifiedLayerNormalization", domain: "", inputs: [x, weight] },
      [sw.rmsNorm(x, [8], weight, { eps: 1e-5 })],
    ],
    [
      "FusedMatMul",
      { op: "FusedMatMul", attributes: { transB: 1, alpha: { float: 0.5 } }, inputs: [x, y] },
      [sw.matmul(x, y.transpose(1, 2)).mul(0.5)],
    ],
    [
      "FusedMatMul with batches last",
      { op: "FusedMatMul", attributes: { transBatchA: 1, transBatchB: 1, transB: 1 }, inputs: [x, y] },
      [sw.matmul(x.transpose(0, 1), y.permute(1, 2, 0))],
    ],
    [
      "FusedGemm",
      {
        op: "FusedGemm",
        attributes: { activation: "Relu", beta: { float: 2 } },
        inputs: [real(4, 8), real(8, 3), real(3)],
      },
      [],
    ],
    ["Inverse", { op: "Inverse", inputs: [sw.eye(3).mul(4)] }, [sw.eye(3).mul(0.25)]],
    ["ExpandDims", { op: "ExpandDims", inputs: [x, scalar(-1, "int32")] }, [x.unsqueeze(-1)]],
    ["Range", { op: "Range", inputs: [scalar(1), scalar(4)] }, [sw.tensor([1, 2, 3])]],
    [
      "Unique",
      { op: "Unique", inputs: [sw.tensor([2, 1, 1, 3, 4, 3])], outputs: 3 },
      [sw.tensor([2, 1, 3, 4]), ints([0, 1, 1, 2, 3, 2]), ints([1, 2, 2, 1])],
    ],
  ];
  test.each(table)("%s", (_name, node, expected) => {
    const outputs = run(node);
    for (const [k, each] of expected.entries()) if (each !== null) expectClose(outputs[k], each);
  });
});

test("activations of fused operators read their parameters", () => {
  const [a, b] = [real(4, 8), real(8, 3)];
  const product = sw.matmul(a, b);
  const of = (activation: string, attributes: NodeCase["attributes"] = {}): sw.Tensor =>
    run({ op: "FusedGemm", attributes: { activation, ...attributes }, inputs: [a, b] })[0];
  expectClose(of("LeakyRelu", { activation_alpha: { float: 0.3 } }), sw.leakyRelu(product, 0.3));
  expectClose(of("Tanh"), sw.tanh(product));
  const bounded = of("HardSigmoid", { activation_alpha: { float: 0.5 }, activation_beta: { float: 0.25 } });
  expectClose(bounded, sw.clamp(product.mul(0.5).add(0.25), 0, 1));
  expect(() => of("Unheard")).toThrow("the activation Unheard is not supported");
});

test("EmbedLayerNormalization counts the words of a mask", () => {
  const [words, positions, segments, weight, bias] = [real(5, 8), real(4, 8), real(2, 8), real(8), real(8)];
  const [ids, kinds, mask] = [
    ints([
      [1, 2, 3],
      [4, 0, 1],
    ]),
    ints([
      [0, 0, 1],
      [1, 1, 0],
    ]),
    ints([
      [1, 1, 0],
      [1, 1, 1],
    ]),
  ];
  const [y, count] = run({
    op: "EmbedLayerNormalization",
    attributes: { epsilon: { float: 1e-5 } },
    inputs: [ids, kinds, words, positions, segments, weight, bias, mask],
    outputs: 2,
  });
  const sum = sw
    .embedding(ids, words)
    .add(sw.embedding(kinds, segments))
    .add(positions.narrow(0, 0, 3));
  expectClose(y, sw.layerNorm(sum, [8], weight, bias));
  expect(count.toArray()).toEqual([2, 3]);
});

test.each([2, 4, 8])("MatMulNBits of %i bits multiplies by the weights it packs", (bits) => {
  const [rows, columns, block] = [3, 40, 16];
  const blocks = Math.ceil(columns / block);
  const packed = integers("uint8", rows, blocks, (block * bits) / 8);
  const scale = real(rows, blocks);
  const zeros = integers("uint8", rows, Math.ceil((blocks * bits) / 8));
  const codesOf = (bytes: readonly number[]): number[] =>
    bytes.flatMap((byte) => Array.from({ length: 8 / bits }, (_, k) => (byte >> (k * bits)) % 2 ** bits));
  const [lists, zeroLists, scales] = [packed.toArray(), zeros.toArray(), scale.toArray()] as [
    number[][][],
    number[][],
    number[][],
  ];
  const weights = (
    zeroOf: (n: number, k: number) => number,
    group = (k: number): number => Math.floor(k / block),
  ): sw.Tensor =>
    sw.tensor(
      lists.map((list, n) =>
        codesOf(list.flat())
          .slice(0, columns)
          .map((code, k) => (code - zeroOf(n, group(k))) * scales[n][group(k)]),
      ),
    );
  const a = real(2, 4, columns);
  const attributes = { K: columns, N: rows, bits, block_size: block };
  const bias = real(rows);
  const of = (...inputs: (sw.Tensor | null)[]): sw.Tensor =>
    run({ op: "MatMulNBits", attributes, inputs: [a, packed, scale, ...inputs] })[0];
  const times = (w: sw.Tensor): sw.Tensor => sw.matmul(a, w.transpose(0, 1));
  expectClose(of(), times(weights(() => 2 ** (bits - 1))), 1e-3);
  expectClose(of(zeros, null, bias), times(weights((n, k) => codesOf(zeroLists[n])[k])).add(bias), 1e-3);
  const group = (k: number): number => (k * 7) % blocks;
  const index = ints(Array.from({ length: columns }, (_, k) => group(k)));
  expectClose(of(null, index), times(weights(() => 2 ** (bits - 1), group)), 1e-3);
});

describe("quantized operators", () => {
  const [a, b] = [integers("uint8", 3, 4), integers("uint8", 3, 4)];
  const [sa, za, sb, zb, sy, zy] = [
    scalar(0.1),
    scalar(100, "uint8"),
    scalar(0.2),
    scalar(50, "uint8"),
    scalar(0.3),
    scalar(90, "uint8"),
  ];
  const [x, y] = [a.to("float32").sub(100).mul(0.1), b.to("float32").sub(50).mul(0.2)];
  const quantized = (real: sw.Tensor): sw.Tensor => sw.clamp(sw.round(real.div(0.3)).add(90), 0, 255).to("uint8");
  test.each([
    ["QLinearAdd", [a, sa, za, b, sb, zb, sy, zy], x.add(y), {}],
    ["QLinearMul", [a, sa, za, b, sb, zb, sy, zy], x.mul(y), {}],
    ["QLinearSigmoid", [a, sa, za, sy, zy], sw.sigmoid(x), {}],
    ["QLinearLeakyRelu", [a, sa, za, sy, zy], sw.leakyRelu(x, 0.25), { alpha: { float: 0.25 } }],
    ["QLinearSoftmax", [a, sa, za, sy, zy], sw.softmax(x, 1), { axis: 1, opset: 13 }],
    ["QLinearConcat", [sy, zy, a, sa, za, b, sb, zb], sw.cat([x, y], 0), { axis: 0 }],
  ] as const)("%s computes with real values", (op, inputs, expected, attributes) => {
    expectClose(run({ op, attributes, inputs })[0], quantized(expected), 1);
  });
  test("products of integers are scaled, by columns too", () => {
    const [left, right] = [integers("uint8", 2, 3, 8), integers("int8", 8, 5)];
    const [scale, zero, bias] = [real(5), integers("int8", 5), real(5)];
    const real64 = sw.matmul(
      left.to("float64").sub(100).mul(0.1),
      sw.sub(right.to("float64"), zero.to("float64")).mul(scale),
    );
    const inputs = [left, right, sa, scale, za, zero, bias];
    expectClose(run({ op: "MatMulIntegerToFloat", inputs })[0], real64.add(bias), 1e-3);
    const floats = real(2, 3, 8);
    const dynamic = run({ op: "DynamicQuantizeMatMul", inputs: [floats, right, scale, zero, bias] })[0];
    const exact = sw.matmul(floats.to("float64"), sw.sub(right.to("float64"), zero.to("float64")).mul(scale)).add(bias);
    expectClose(dynamic, exact, 8 * 255 * 0.004);
  });
});

describe("attention", () => {
  const [batch, length, heads, size] = [2, 4, 2, 16];
  const hidden = heads * size;
  const [q, k, v] = [real(batch, length, hidden), real(batch, length, hidden), real(batch, length, hidden)];
  const mha = (inputs: NodeCase["inputs"], attributes: NodeCase["attributes"] = {}, outputs = 1): sw.Tensor[] =>
    run({ op: "MultiHeadAttention", attributes: { num_heads: heads, ...attributes }, inputs, outputs });
  const split = (x: sw.Tensor): sw.Tensor => x.reshape([batch, -1, heads, size]);

  test("of projections together equals that of queries, keys and values", () => {
    const [x, weight, bias] = [real(batch, length, 12), real(12, 3 * hidden), real(3 * hidden)];
    const parts = [0, 1, 2].map((part) => sw.matmul(x, weight.narrow(1, part * hidden, hidden)));
    const [one] = run({ op: "Attention", attributes: { num_heads: heads }, inputs: [x, weight, bias] });
    expectClose(one, mha([...parts, bias])[0]);
  });
  test("reads packed operands", () => {
    const [expected] = mha([q, k, v]);
    expectClose(mha([q, sw.stack([split(k), split(v)], 3)])[0], expected);
    expectClose(mha([sw.stack([split(q), split(k), split(v)], 3)])[0], expected);
    expectClose(mha([q, split(k).transpose(1, 2), split(v).transpose(1, 2)])[0], expected);
  });
  test("masks of all shapes agree", () => {
    const rows = ints([
      [1, 1, 1, 0],
      [1, 1, 0, 0],
    ]);
    const [expected] = mha([q, k, v, null, rows]);
    for (const mask of [
      ints([3, 2]),
      ints([3, 2, 0, 4, 8, 0, 4, 8]),
      rows.unsqueeze(1).expand([batch, length, length]),
    ])
      expectClose(mha([q, k, v, null, mask])[0], expected);
    const [x, weight] = [real(batch, length, 12), real(12, 3 * hidden)];
    const of = (mask: sw.Tensor): sw.Tensor =>
      run({ op: "Attention", attributes: { num_heads: heads }, inputs: [x, weight, null, mask] })[0];
    expectClose(of(ints([3, 2, 0, 0])), of(rows));
    const square = sw.pad(rows.reshape([batch, 1, 1, length]).expand([batch, 1, length, length]), [0, 2, 0, 2]);
    expectClose(of(square), of(rows));
  });
  test("with a cache continues a sequence", () => {
    const at = (x: sw.Tensor, from: number, count: number): sw.Tensor => x.narrow(1, from, count);
    const attributes = { unidirectional: 1 };
    const [whole, keys] = mha([q, k, v], attributes, 3);
    const [, pastKey, pastValue] = mha([at(q, 0, 3), at(k, 0, 3), at(v, 0, 3)], attributes, 3);
    const last = [at(q, 3, 1), at(k, 3, 1), at(v, 3, 1)];
    const [step, present] = mha([...last, null, null, null, pastKey, pastValue], attributes, 3);
    expectClose(step, at(whole, 3, 1));
    expectClose(present, keys);
    const shared = (x: sw.Tensor): sw.Tensor => sw.pad(x, [0, 0, 0, 3]);
    const [again, buffer] = mha(
      [...last, null, null, null, shared(pastKey), shared(pastValue), ints([3])],
      attributes,
      3,
    );
    expectClose(again, step);
    expectClose(buffer, sw.pad(present, [0, 0, 0, 2]));
  });
  test("of groups with rotated pairs continues a sequence", () => {
    const [key, value] = [real(batch, length, size), real(batch, length, size)];
    const tables = [real(8, size / 2), real(8, size / 2)];
    for (const more of [
      {},
      { rotary_interleaved: 1 },
      { local_window_size: 2 },
      { softcap: { float: 1 } },
      { smooth_softmax: 1 },
    ]) {
      const gqa = (from: number, count: number, past: readonly (sw.Tensor | null)[]): sw.Tensor[] =>
        run({
          op: "GroupQueryAttention",
          attributes: { num_heads: heads, kv_num_heads: 1, do_rotary: 1, ...more },
          inputs: [
            ...[q, key, value].map((x) => x.narrow(1, from, count)),
            ...past,
            ints([from + count - 1, from + count - 1]),
            scalar(from + count, "int32"),
            ...tables,
          ],
          outputs: 3,
        });
      const [whole, keys] = gqa(0, length, [null, null]);
      const [, pastKey, pastValue] = gqa(0, 2, [null, null]);
      const [steps, present] = gqa(2, 2, [pastKey, pastValue]);
      expectClose(steps, whole.narrow(1, 2, 2));
      expectClose(present, keys);
    }
  });
  test("RotaryEmbedding turns pairs by the angles of their positions", () => {
    const angle = sw.outer(sw.arange(0, 8), sw.tensor([1, 0.1]));
    const x = real(batch, heads, length, 4);
    const inputs = [x, ints([2], "int64"), sw.cos(angle), sw.sin(angle)];
    const [y] = run({ op: "RotaryEmbedding", inputs });
    const [a, b] = [x.narrow(3, 0, 2), x.narrow(3, 2, 2)];
    const turn = sw.complex(a, b).mul(sw.polar(sw.ones([length, 2]), angle.narrow(0, 2, length)));
    expectClose(y, sw.cat([sw.real(turn), sw.imag(turn)], 3));
  });
});

test("a Range whose step leads away from its limit is empty", () => {
  const range = (...ends: number[]) => run({ op: "Range", inputs: ends.map((each) => sw.tensor(each)) })[0];
  expect(range(2, -3).shape).toEqual([0]);
  expect(range(2, -3, -2).toArray()).toEqual([2, 0, -2]);
});
