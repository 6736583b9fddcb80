/** Ticks are round, few and evenly spaced for any range; colors of lines are visible and distinct. */
import { describe, expect, test } from "vitest";
import { darkLines, lightLines } from "../../src/draw/charts/chart-svg.ts";
import { linearScale, logScale, numberText } from "../../src/draw/charts/ticks.ts";
import { dark, light } from "../../src/draw/palette.ts";

test("ticks of a linear axis cover the ends with 1, 2 or 5 times a power of ten between them", () => {
  for (let k = 0; k < 300; k++) {
    const low = Math.sin(k * 1.7) * 10 ** ((k % 13) - 6);
    const high = low + (1.01 + Math.cos(k)) * 10 ** (((k * 5) % 11) - 5);
    const { at, ticks } = linearScale(low, high);
    expect(ticks.length).toBeGreaterThan(2);
    expect(ticks.length).toBeLessThan(10);
    expect(at(low)).toBeGreaterThanOrEqual(-1e-6);
    expect(at(high)).toBeLessThanOrEqual(1 + 1e-6);
    const labels = ticks.map(({ label }) => label);
    expect(new Set(labels).size, labels.join()).toBe(labels.length);
    for (const { value, label } of ticks) expect(Number(label)).toBeCloseTo(value, 9);
    const steps = Number(ticks.at(-1)?.value) - Number(ticks[0]?.value);
    const digits = Number((steps / (ticks.length - 1)).toExponential(3).split("e")[0]);
    if (high - low > 1e-6 * Math.abs(low)) expect([1, 2, 5]).toContain(digits);
  }
});

test("between whole numbers there are no ticks", () => {
  expect(linearScale(1, 4, 1).ticks.map(({ value }) => value)).toEqual([1, 2, 3, 4]);
  expect(linearScale(0, 100, 1).ticks.map(({ value }) => value)).toEqual([0, 20, 40, 60, 80, 100]);
  expect(linearScale(1, 4).ticks.map(({ value }) => value)).toEqual([1, 1.5, 2, 2.5, 3, 3.5, 4]);
});

test("labels have no leftovers of binary fractions", () => {
  expect(linearScale(0, 0.6).ticks.map(({ label }) => label)).toEqual(["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"]);
  expect(
    linearScale(1000.1, 1000.5)
      .ticks.map(({ label }) => label)
      .slice(0, 3),
  ).toEqual(["1000.1", "1000.2", "1000.3"]);
  expect(linearScale(0, 5e7).ticks.map(({ label }) => label)).toEqual(["0", "1e7", "2e7", "3e7", "4e7", "5e7"]);
  expect(linearScale(-1, 1).ticks.map(({ value }) => value)).toEqual([-1, -0.5, 0, 0.5, 1]);
  expect([0, 1234567, 2e6, 0.00012, 1 / 3, -0.05, 12345].map(numberText)).toEqual([
    "0",
    "1.235e6",
    "2e6",
    "1.2e-4",
    "0.3333",
    "-0.05",
    "12350",
  ]);
});

test("a logarithmic axis has powers of ten, and doubles and fives where those are few", () => {
  expect(logScale(0.02, 3).ticks.map(({ value }) => value)).toEqual([0.01, 0.1, 1, 10]);
  expect(logScale(0.2, 3).ticks.map(({ value }) => value)).toEqual([0.1, 0.2, 0.5, 1, 2, 5, 10]);
  expect(logScale(1e-12, 1e12).ticks.length).toBeLessThan(10);
  expect(logScale(0.1, 1000).at(1)).toBeCloseTo(0.25, 12);
});

/** Relative luminance of WCAG 2. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

describe.each([
  ["light", lightLines, light.background],
  ["dark", darkLines, dark.background],
])("lines in %s surroundings", (_name, lines, background) => {
  test("have a contrast of at least 3:1", () => {
    for (const color of lines) {
      const [a, b] = [luminance(color), luminance(background)].sort((p, q) => p - q) as [number, number];
      expect((b + 0.05) / (a + 0.05), color).toBeGreaterThanOrEqual(3);
    }
  });
});
