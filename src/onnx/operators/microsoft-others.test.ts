/** Operators of com.microsoft that run on other devices only: they equal their formulas. */
import { expect, test } from "vitest";
import { inputsFrom, list, scalar } from "../../../test/onnx/recorded/numbers.ts";
import { type NodeCase, runNode } from "../../../test/support/onnx-node.ts";
import * as sw from "../../index.ts";

const { real, bytes } = inputsFrom(6);
const run = (node: NodeCase): sw.Tensor[] => runNode({ domain: "com.microsoft", ...node });

function expectClose(a: sw.Tensor, b: sw.Tensor, tolerance = 1e-5): void {
  expect(a.shape).toEqual(b.shape);
  expect(sw.sub(a.to("float64"), b.to("float64")).abs().max().item()).toBeLessThanOrEqual(tolerance);
}

test("NhwcFusedConv is a convolution with a sum and an activation, of images whose channels are last", () => {
  const [x, weight, bias, more] = [real(1, 5, 5, 3), real(4, 3, 3, 3), real(4), real(1, 5, 5, 4)];
  const convolved = sw.conv2d(x.permute(0, 3, 1, 2), weight, bias, { padding: 1 }).permute(0, 2, 3, 1);
  const attributes = { pads: [1, 1, 1, 1], activation: "Relu" };
  expectClose(
    run({ op: "NhwcFusedConv", attributes, inputs: [x, weight, bias, more] })[0],
    sw.relu(convolved.add(more)),
  );
});

test.each([0, 1])("GroupNorm and SkipGroupNorm normalize groups of channels, channels_last=%i", (last) => {
  const shape = last === 1 ? [2, 3, 4, 6] : [2, 6, 3, 4];
  const [x, skip, weight, bias, more] = [real(...shape), real(...shape), real(6), real(6), real(6)];
  const images = (t: sw.Tensor): sw.Tensor => (last === 1 ? t.permute(0, 3, 1, 2) : t);
  const normalized = (t: sw.Tensor): sw.Tensor => sw.groupNorm(images(t), 3, weight, bias, { eps: 1e-5 });
  const attributes = { groups: 3, activation: 0, channels_last: last };
  expectClose(images(run({ op: "GroupNorm", attributes, inputs: [x, weight, bias] })[0]), normalized(x));
  const [y, sum] = run({
    op: "SkipGroupNorm",
    attributes: { ...attributes, activation: 1 },
    inputs: [x, weight, bias, skip, more],
    outputs: 2,
  });
  const expected = x.add(skip).add(last === 1 ? more : more.reshape([6, 1, 1]));
  expectClose(sum, expected);
  expectClose(images(y), sw.silu(normalized(expected)));
  const small = real(2, 6);
  const [, other] = run({ op: "SkipGroupNorm", attributes, inputs: [x, weight, bias, small], outputs: 2 });
  expectClose(images(other), images(x).add(small.reshape([2, 6, 1, 1])));
});

test("RelativePositionBias has a bucket for each near distance, and shares those of far ones", () => {
  // The elements are ordered by heads: [1, 3, 5, 7] are the buckets of the first one.
  const table = list([1, 3, 5, 7, 2, 4, 6, 8], "float32").reshape([4, 2]);
  const lengths = [scalar(2, "int64").reshape([1]), scalar(2, "int64").reshape([1])];
  const attributes = { max_distance: 128, is_bidirectional: 1 };
  const inputs = [table, ...lengths];
  expect(run({ op: "RelativePositionBias", attributes, inputs, constants: [1, 2] })[0].toArray()).toEqual([
    [
      [
        [1, 7],
        [3, 1],
      ],
      [
        [2, 8],
        [4, 2],
      ],
    ],
  ]);
  const wide = real(8, 1);
  const size = scalar(9, "int64").reshape([1]);
  const [bias] = run({ op: "RelativePositionBias", attributes: { max_distance: 16 }, inputs: [wide, size, size] });
  // 4 exact buckets, then 4 + trunc(4 log(d / 4) / log 4).
  const buckets = [0, 1, 2, 3, 4, 4, 5, 5, 6];
  const values = wide.reshape([-1]).toArray() as number[];
  expect((bias.toArray() as number[][][][])[0][0][8]).toEqual(buckets.map((bucket) => values[bucket]).reverse());
  expect((bias.toArray() as number[][][][])[0][0][0]).toEqual(new Array(9).fill(values[0]));
});

test("GatedRelativePositionBias multiplies a bias by gates of the queries", () => {
  const [query, own, relative] = [real(2, 3, 8), real(8), real(1, 2, 3, 3)];
  const [weight, bias, a] = [real(4, 8), real(8), real(1, 2, 1, 1)];
  const heads = query.add(own).reshape([2, 3, 2, 4]).transpose(1, 2);
  const gates = sw.sigmoid(heads.matmul(weight).add(bias).reshape([2, 2, 3, 2, 4]).sum(-1));
  const expected = gates
    .narrow(3, 0, 1)
    .mul(gates.narrow(3, 1, 1).mul(a).sub(1))
    .add(2)
    .mul(relative);
  const inputs = [query, own, relative, weight, bias, a];
  expectClose(run({ op: "GatedRelativePositionBias", attributes: { num_heads: 2 }, inputs })[0], expected);
});

test("Rfft and Irfft transform the last axis, and are inverses", () => {
  const x = real(2, 3, 8);
  const attributes = { signal_ndim: 1, onesided: 1, normalized: 0 };
  const [pairs] = run({ op: "Rfft", attributes, inputs: [x] });
  expectClose(pairs, sw.fft.rfft(x).viewAsReal());
  expectClose(run({ op: "Irfft", attributes, inputs: [pairs] })[0], x);
  expect(() => run({ op: "Rfft", attributes: { ...attributes, signal_ndim: 2 }, inputs: [x] })).toThrow(
    "only signal_ndim=1",
  );
});

test("QLinearReduceMean computes with real values", () => {
  const x = bytes(2, 3, 4);
  const inputs = [x, scalar(1 / 32), scalar(100, "uint8"), scalar(1 / 64), scalar(120, "uint8")];
  const mean = x.to("float32").sub(100).div(32).mean([0, 2], { keepdim: true });
  const expected = sw.clamp(sw.round(mean.mul(64)).add(120), 0, 255).to("uint8");
  expect(run({ op: "QLinearReduceMean", attributes: { axes: [0, -1], keepdims: 1 }, inputs })[0].toArray()).toEqual(
    expected.toArray(),
  );
});

test("errors name what is wrong", () => {
  const attributes = { K: 8, N: 2, block_size: 16, quant_type: 1 };
  expect(() => run({ op: "MatMulBnb4", attributes, inputs: [real(1, 8), bytes(7), real(1)] })).toThrow(
    "B must have 8 bytes and absmax 1 elements, got 7 and 1",
  );
  expect(() => run({ op: "CDist", attributes: { metric: "cosine" }, inputs: [real(2, 3), real(2, 3)] })).toThrow(
    'metric must be euclidean or sqeuclidean, got "cosine"',
  );
  expect(() =>
    run({
      op: "GatherBlockQuantized",
      attributes: { gather_axis: 1, block_size: 16 },
      inputs: [bytes(3, 8), list([0]), real(3, 1)],
    }),
  ).toThrow("gather_axis 1 and quantize_axis 1 of [3,8] must differ");
});
