/**
 * Matrix products compared with the engine's peak (`peak.ts`), and products of equal work in other shapes compared with
 * the square one. One thread; the peak is measured between the products, so that a slow moment of the machine affects
 * both.
 *
 *   npm run bench products
 */
import { configure, features, matmul, rand, type Tensor } from "../src/index.ts";
import { describeMachine, median } from "./harness.ts";
import { peakMeter } from "./peak.ts";

configure({ threads: 1 });
console.log(describeMachine());
const isRelaxed = features().relaxedSimd;
const peak = peakMeter(isRelaxed, 8);
if (peak === null) throw new Error("bench: this engine has no SIMD");
console.log(`peak of ${isRelaxed ? "fused multiply-adds" : "multiplications and additions"}, f32x4, in registers\n`);

interface Product {
  readonly name: string;
  readonly x: Tensor;
  readonly y: Tensor;
  readonly flops: number;
}

const product = (name: string, x: Tensor, y: Tensor): Product => ({
  name,
  x,
  y,
  flops: 2 * x.size * (y.shape.at(-1) as number),
});

const plain: Product[] = [64, 128, 256, 512, 1024].map((n) =>
  product(`${n} x ${n} x ${n}`, rand([n, n]), rand([n, n])),
);
const shapes: Product[] = [
  product("square: 512 x 512 x 512", rand([512, 512]), rand([512, 512])),
  product("tall: 8192 x 128 x 128", rand([8192, 128]), rand([128, 128])),
  product("wide: 128 x 128 x 8192", rand([128, 128]), rand([128, 8192])),
  product("deep: 128 x 8192 x 128", rand([128, 8192]), rand([8192, 128])),
  product("batched: 64 of 128 x 128 x 128", rand([64, 128, 128]), rand([64, 128, 128])),
  product("left transposed", rand([512, 512]).T, rand([512, 512])),
  product("right transposed", rand([512, 512]), rand([512, 512]).T),
  product("both transposed", rand([512, 512]).T, rand([512, 512]).T),
];

/** Rates of products, each the median of interleaved rounds, and the median peak. */
function measure(products: readonly Product[]): { rates: number[]; peak: number } {
  const rates: number[][] = products.map(() => []);
  const peaks: number[] = [];
  for (let round = 0; round < 24; round++) {
    products.forEach(({ x, y, flops }, k) => {
      const calls = Math.max(1, Math.ceil(1e8 / flops));
      const begun = performance.now();
      for (let i = 0; i < calls; i++) matmul(x, y).dispose();
      const rate = (flops * calls) / (performance.now() - begun) / 1e6;
      if (round >= 4) (rates[k] as number[]).push(rate);
    });
    peaks.push((peak as () => number)());
  }
  return { rates: rates.map(median), peak: median(peaks) };
}

const report = (
  title: string,
  products: readonly Product[],
  compare: (rate: number, result: { rates: number[]; peak: number }) => string,
): void => {
  const result = measure(products);
  console.log(`${title} (peak ${result.peak.toFixed(1)} GFLOP/s)`);
  products.forEach(({ name }, k) => {
    const rate = result.rates[k] as number;
    console.log(`  ${name.padEnd(32)} ${rate.toFixed(1).padStart(6)} GFLOP/s  ${compare(rate, result)}`);
  });
  console.log();
};

report("square", plain, (rate, { peak: max }) => `${(rate / max).toFixed(2)} of the peak`);
report(
  "equal work",
  shapes,
  (rate, { rates }) => `${((rates[0] as number) / rate).toFixed(2)}x the time of the square`,
);
