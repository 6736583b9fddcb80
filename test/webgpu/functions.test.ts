/** Functions of float32 on a WebGPU device, over all magnitudes: compilers there may reorder sums and assume that there is no NaN. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebGpuDevice } from "../../src/backends/webgpu/index.ts";
import { elementwise, type Tensor, tensor } from "../../src/index.ts";
import { drawsFrom } from "../support/junk-calls.ts";
import { hasWebGpu, openTestDevice } from "../support/webgpu.ts";

const unary =
  "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc sqrt abs neg floor ceil trunc round sign sigmoid isnan isinf isfinite".split(
    " ",
  );
const binary = "add sub mul div pow atan2 max min floorMod truncRem floorDiv copysign eq ne lt le gt ge".split(" ");

const special = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  2.5,
  -2.5,
  88.5,
  -87,
  1e10,
  -1e10,
  3e38,
  1e-30,
  Infinity,
  -Infinity,
  NaN,
];

/** Numbers of all magnitudes, and special ones. Subnormal numbers and remainders are left out: devices may take them for 0. */
function numbers(seed: number, count: number): number[] {
  const pick = drawsFrom(seed);
  const list = [...special];
  while (list.length < count) {
    const size = 2 ** ((pick(1000) - 500) / (list.length % 2 === 0 ? 100 : 5)) * (1 + pick(2 ** 23) / 2 ** 23);
    if (size < 3e38 && size > 1e-30) list.push(Math.fround(pick(2) === 0 ? size : -size));
  }
  return list;
}

/** Results that are subnormal on the CPU may be 0. */
const tiny = 1.1e-30;

describe.runIf(hasWebGpu)("on a device", () => {
  let gpu: WebGpuDevice;
  beforeAll(async () => {
    gpu = await openTestDevice();
  });
  afterAll(() => gpu.destroy());

  const compare = async (formula: string, operands: Readonly<Record<string, Tensor>>): Promise<void> => {
    const there = Object.fromEntries(Object.entries(operands).map(([name, t]) => [name, t.to(gpu)]));
    const expected = (elementwise(formula as "x", operands as { x: Tensor }) as Tensor).toArray() as unknown as (
      | number
      | boolean
    )[];
    const result = (await (
      elementwise(formula as "x", there as { x: Tensor }) as Tensor
    ).toArrayAsync()) as unknown as typeof expected;
    const given = Object.values(operands).map((t) => t.toArray() as unknown as number[]);
    const wrong = expected.flatMap((want, k) => {
      const got = result[k] as number | boolean;
      if (Object.is(want, got) || want === got) return [];
      const error = Math.abs(Number(want) - Number(got));
      const isNear = typeof want === "number" && error <= Math.max(4e-6 * Math.abs(want), tiny);
      return isNear ? [] : [`${given.map((list) => list[k])}: ${got} instead of ${want}`];
    });
    expect(wrong).toEqual([]);
  };

  test.each(unary)("%s", (name) => compare(`${name}(x)`, { x: tensor(numbers(5, 1000)) }));

  test.each(binary)("%s", (name) => {
    const x = numbers(5, 1000);
    const y = numbers(9, 1000).reverse();
    // Each pair of special numbers.
    for (const a of special) for (const b of special) x.push(a) && y.push(b);
    return compare(`${name}(x, y)`, { x: tensor(x), y: tensor(y) });
  });
});
