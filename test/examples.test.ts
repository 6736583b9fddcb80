/**
 * The examples in short form: their claims hold here too, with less work and lower numbers than in a full run (`npx tsx
 * examples/digits.ts` fails below 95%). Files go to out/examples.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { affineShapes } from "../examples/affine-shapes.ts";
import { characters } from "../examples/characters.ts";
import { curveFit } from "../examples/curve-fit.ts";
import { DigitNet, digits } from "../examples/digits.ts";
import { pendulum } from "../examples/pendulum.ts";
import { exp, jacobian, linalg, linspace, noGrad, type Tensor, tensor } from "../src/index.ts";
import { loadNpz, loadSafetensors } from "../src/io/index.ts";
import { wellFormed } from "./golden/draw/well-formed.ts";

const folder = "out/examples";
const minutes = 60_000;

test("the data match their README", async () => {
  const file = "examples/data/digits.npz";
  expect(statSync(file).size).toBeLessThan(80_000);
  const { images, labels } = Object.fromEntries(await loadNpz(file)) as { images: Tensor; labels: Tensor };
  expect(images.shape).toEqual([1797, 8, 8]);
  expect(images.dtype).toBe("uint8");
  expect(Number(images.max().item())).toBe(16);
  const counts = new Array<number>(10).fill(0);
  for (const label of labels.toArray() as number[]) counts[label] = (counts[label] as number) + 1;
  // As the dataset's own description counts its test set.
  expect(counts).toEqual([178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
  const text = readFileSync("examples/data/constitution.txt", "utf8");
  expect(text).toMatch(/^The Constitution of the United States of America\n\nPreamble\n\nWe the People /);
  expect(text.length).toBe(45_233);
});

test("digits: two epochs read 80% of the held-out digits, and the loaded weights answer the same", {
  timeout: 3 * minutes,
}, async () => {
  const { accuracy, losses, pictures, text } = await digits({ epochs: 2, folder, atLeast: 0.8 });
  expect(accuracy).toBeGreaterThanOrEqual(0.8);
  expect(losses.train).toHaveLength(2);
  expect(losses.validation[1]).toBeLessThan(losses.validation[0] as number);
  for (const svg of [pictures.loss, pictures.confusion]) wellFormed(svg);
  expect(readFileSync(`${folder}/digits-confusion.svg`, "utf8")).toBe(pictures.confusion);
  expect(text).toContain(`${(100 * accuracy).toFixed(1)}%`);
  const saved = (await loadSafetensors(`${folder}/digits.safetensors`)).tensors;
  expect([...saved.keys()].sort()).toEqual(Object.keys(new DigitNet().stateDict()).sort());
});

test("digits: a network that reads too little is an error", { timeout: 3 * minutes }, async () => {
  await expect(digits({ epochs: 1, folder, atLeast: 1.01 })).rejects.toThrow("and it should be 101.0%");
});

test("characters: 40 steps beat the frequencies of letters on the held-out text", { timeout: 3 * minutes }, () => {
  const { heldOutLoss, frequencies, losses, svg, text } = characters({ steps: 40, folder, gain: 0.3 });
  expect(heldOutLoss).toBeLessThan(frequencies - 0.3);
  expect(frequencies).toBeGreaterThan(2.9);
  expect(losses[0]).toBeGreaterThan(3.5);
  wellFormed(svg);
  expect(existsSync(`${folder}/characters-loss.svg`)).toBe(true);
  expect(text).toMatch(/it writes[\s\S]*Section 1/);
});

test("curve-fit: standard errors agree with those of the linear model at the same point", () => {
  const { fitted, errors, truth, svg } = curveFit();
  wellFormed(svg);
  // Gauss-Newton: s^2 (J^T J)^-1, with the residuals' own s. The Hessian adds the curvature of the model, which is
  // small here.
  const t = linspace(0, 10, 200, { dtype: "float64" }) as Tensor;
  const model = (p: Tensor): Tensor => {
    const [a, decay, frequency, phase, rest] = p.unbind(0) as [Tensor, Tensor, Tensor, Tensor, Tensor];
    const wave = t
      .mul(frequency)
      .mul(2 * Math.PI)
      .add(phase)
      .cos();
    return exp(t.neg().div(decay)).mul(a).mul(wave).add(rest) as Tensor;
  };
  const J = jacobian(model, tensor([...fitted], { dtype: "float64" }) as Tensor);
  const linear = noGrad(() =>
    linalg
      .inv(J.T.matmul(J) as Tensor)
      .diagonal()
      .sqrt(),
  ).toArray() as number[];
  const noises = errors.map((error, k) => error / (linear[k] as number));
  for (const noise of noises) expect(Math.abs(noise - 0.15)).toBeLessThan(0.03);
  fitted.forEach((value, k) => {
    expect(Math.abs(value - (truth[k] as number))).toBeLessThan(4 * (errors[k] as number));
  });
});

test("curve-fit: the errors are as large as the scatter of fits to other noise", () => {
  const fits = Array.from({ length: 30 }, (_, seed) => curveFit({ seed: seed + 100 }));
  (fits[0]?.names ?? []).forEach((_name, k) => {
    const off = fits.map(
      ({ fitted, truth, errors }) => ((fitted[k] as number) - (truth[k] as number)) / (errors[k] as number),
    );
    const spread = Math.sqrt(off.reduce((sum, x) => sum + x * x, 0) / off.length);
    expect(spread).toBeGreaterThan(0.6);
    expect(spread).toBeLessThan(1.5);
  });
});

test("pendulum: the energy is conserved, and better with smaller steps", () => {
  const [coarse, fine] = [0.02, 0.01].map((dt) => pendulum({ seconds: 0.4, dt })) as [
    ReturnType<typeof pendulum>,
    ReturnType<typeof pendulum>,
  ];
  // Fourth order: half the step, a sixteenth of the change.
  expect(coarse.drift / fine.drift).toBeGreaterThan(8);
  expect(fine.drift).toBeLessThan(1e-7);
  expect(fine.frequencies[0]).toBeCloseTo(2 - Math.SQRT2, 9);
  expect(fine.frequencies[1]).toBeCloseTo(2 + Math.SQRT2, 9);
  wellFormed(fine.svg);
});

test("an affine dimension flows through a graph and its kernels", () => {
  const lines: string[] = [];
  const { sums, joined, expected, later } = affineShapes((line) => lines.push(line));
  expect(joined).toBe(expected);
  expect(lines[0]).toContain("f32[128*i+64] = cat(");
  expect(sums).toEqual([2, 2, 5, 7, 11, 64].map((i) => 3 * (128 * i + 64)));
  expect(later).toBe(0);
});
