/**
 * Convolutions whose channels do not mix, against their definition.
 */
import { conv1d, conv2d, conv3d, type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";

const integers = (roll: (low: number, high: number) => number, shape: readonly number[]): Tensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  return tensor(Array.from({ length: count }, () => roll(-4, 4))).reshape([...shape]) as Tensor;
};

test.for([1, 2, 3])("%i axes: any sizes, steps, padding, dilation and multipliers", (axes) => {
  const roll = dice(axes);
  const convs = [conv1d, conv2d, conv3d] as readonly (typeof conv2d)[];
  for (let round = 0; round < 25; round++) {
    const [batch, channels, multiplier] = [roll(1, 2), roll(1, 3), roll(1, 2)];
    const kernel = Array.from({ length: axes }, () => roll(1, round === 0 ? 9 : 3));
    const sizes = kernel.map((size) => size + roll(2, axes === 3 ? 6 : 40));
    const each = (low: number, high: number): number[] => kernel.map(() => roll(low, high));
    const [stride, padding, dilation] = [each(1, 2), each(0, 1), each(1, 2)];
    const turned = integers(roll, [channels, batch, ...sizes])
      .to("float64")
      .transpose(0, 1) as Tensor;
    const weight = integers(roll, [channels * multiplier, 1, ...kernel]).to("float64") as Tensor;
    const conv = convs[axes - 1] as typeof conv2d;
    const result = conv(turned, weight, null, { stride, padding, dilation, groups: channels });
    const counts = result.shape.slice(2);
    const [x, w] = [
      turned.contiguous().reshape([turned.size]).toArray(),
      weight.reshape([weight.size]).toArray(),
    ] as number[][];
    const expected: number[] = [];
    for (let n = 0; n < batch; n++)
      for (let c = 0; c < channels * multiplier; c++)
        for (const coord of coordsOf(counts)) {
          let sum = 0;
          for (const [tap, at] of [...coordsOf(kernel)].entries()) {
            const from = coord.map((p, d) => p * stride[d]! + at[d]! * dilation[d]! - padding[d]!);
            if (from.some((p, d) => p < 0 || p >= sizes[d]!)) continue;
            const base = n * channels + Math.floor(c / multiplier);
            const index = from.reduce((sum, p, d) => sum * sizes[d]! + p, base);
            sum += x![index]! * w![c * product(kernel) + tap]!;
          }
          expected.push(sum);
        }
    expect(result.reshape([result.size]).toArray()).toEqual(expected.map((value) => value + 0));
  }
});

const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

function* coordsOf(sizes: readonly number[]): Generator<number[]> {
  for (let i = 0; i < product(sizes); i++) {
    let rest = i;
    yield sizes.map((size, axis) => {
      const inner = product(sizes.slice(axis + 1));
      const at = Math.floor(rest / inner) % size;
      rest %= inner;
      return at;
    });
  }
}
