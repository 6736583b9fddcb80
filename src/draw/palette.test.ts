/** Colors are readable and distinguishable: contrast by WCAG 2, color vision by the model of Machado et al. (2009). */
import { describe, expect, test } from "vitest";
import { colorClass, dark, light } from "./palette.ts";

type Triple = readonly [number, number, number];

function linear(hex: string): Triple {
  const channel = (at: number): number => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

const times = (rows: readonly Triple[], [x, y, z]: Triple): Triple =>
  rows.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Triple;

function contrast(a: string, b: string): number {
  const [x, y] = [a, b].map((color) => {
    const [red, green, blue] = linear(color);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  }) as [number, number];
  return Math.max(x, y) / Math.min(x, y);
}

const toCones: readonly Triple[] = [
  [0.4122, 0.5363, 0.0514],
  [0.2119, 0.6807, 0.1074],
  [0.0883, 0.2817, 0.63],
];
const toLab: readonly Triple[] = [
  [0.2105, 0.7936, -0.0041],
  [1.978, -2.4286, 0.4506],
  [0.0259, 0.7828, -0.8087],
];
const okLab = (color: Triple): Triple => times(toLab, times(toCones, color).map(Math.cbrt) as unknown as Triple);

const visions: Readonly<Record<string, readonly Triple[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.1523, 1.0526, -0.2049],
    [0.1145, 0.7863, 0.0992],
    [-0.0039, -0.0481, 1.052],
  ],
  deuteranopia: [
    [0.3673, 0.8606, -0.228],
    [0.2801, 0.6725, 0.0474],
    [-0.0118, 0.0429, 0.9689],
  ],
  tritanopia: [
    [1.2555, -0.0767, -0.1788],
    [-0.0784, 0.9308, 0.1476],
    [0.0047, 0.6914, 0.3039],
  ],
};

describe.each(Object.entries({ light, dark }))("the %s scheme", (_name, scheme) => {
  test("text has a contrast of at least 4.5 on every cell", () => {
    for (const cell of [...scheme.cells, scheme.neutral, scheme.background])
      expect(contrast(scheme.text, cell), cell).toBeGreaterThanOrEqual(4.5);
    for (const back of [scheme.background, scheme.neutral])
      expect(contrast(scheme.dim, back), back).toBeGreaterThanOrEqual(4.5);
  });

  test.each(Object.keys(visions))("every two colors differ for %s vision", (vision) => {
    const clip = (c: number): number => Math.min(1, Math.max(0, c));
    const seen = scheme.cells.map((cell) =>
      okLab(times(visions[vision] as readonly Triple[], linear(cell)).map(clip) as unknown as Triple),
    );
    seen.forEach((a, i) => {
      for (const b of seen.slice(i + 1))
        expect(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])).toBeGreaterThan(0.06);
    });
  });
});

test("classes repeat every eight numbers, negative ones too", () => {
  expect([0, 7, 8, -1, 2.5, NaN].map(colorClass)).toEqual([0, 7, 0, 7, 2, 0]);
});
