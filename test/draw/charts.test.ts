/**
 * Charts: their text is compared with the files in this folder, which can be viewed; and their guarantees are tested on
 * any data. After an intended change: `npx vitest run test/draw --update=all`, then look at the pictures.
 */
import { describe, expect, test } from "vitest";
import { ShapeError } from "../../src/base/errors.ts";
import { confusionMatrix, lineChart } from "../../src/draw/index.ts";
import { wellFormed } from "../golden/draw/well-formed.ts";

const falling = Array.from({ length: 30 }, (_, i) => 2.3 / (1 + i * i * 0.4) + 0.01);
const worse = falling.map((loss, i) => loss * 1.2 + 0.03 + (i % 3) * 0.01);
const x = Array.from({ length: 41 }, (_, i) => i / 10 - 2);

const charts: Readonly<Record<string, () => string>> = {
  "chart-loss": () =>
    lineChart({
      series: { train: falling, "held out": worse },
      title: "Loss <of> a small & simple network",
      xLabel: "epoch",
      yLabel: "cross entropy",
    }),
  "chart-loss-log": () => lineChart({ series: { train: falling, "held out": worse }, log: true, scheme: "dark" }),
  "chart-points-and-curve": () =>
    lineChart({
      title: "points and curve",
      xLabel: "time in s",
      series: {
        measured: {
          x,
          y: x.map((t, i) => Math.round(1000 * Math.exp(-t * t)) / 1000 + ((i * 7) % 5) / 50 - 0.04),
          points: true,
        },
        fitted: { x, y: x.map((t) => Math.round(1000 * Math.exp(-t * t)) / 1000) },
      },
    }),
  "chart-gaps": () => lineChart({ series: { loss: [3, 2, Number.NaN, 1, Number.POSITIVE_INFINITY, 1.5, 1.25] } }),
  "confusion-matrix": () =>
    confusionMatrix(
      [
        [40, 0, 2],
        [1, 35, 0],
        [0, 6, 38],
      ],
      ["cat", "dog & wolf", "fox"],
      { title: "who is who" },
    ),
};

describe.each(Object.entries(charts))("%s", (name, draw) => {
  test("is the SVG that it was, well formed, inside its frame, and the same each time", async () => {
    const svg = draw();
    wellFormed(svg);
    expect(draw()).toBe(svg);
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
    for (const [, px, py] of svg.matchAll(/<(?:rect|text|circle)[^>]* c?x="([\d.-]+)" c?y="([\d.-]+)"/g)) {
      expect(Number(px)).toBeGreaterThanOrEqual(0);
      expect(Number(px)).toBeLessThan(Number(width));
      expect(Number(py)).toBeGreaterThanOrEqual(0);
      expect(Number(py)).toBeLessThan(Number(height));
    }
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    await expect(svg).toMatchFileSnapshot(`${name}.svg`);
  });
});

test("a chart has a description in words", () => {
  expect(charts["chart-loss"]?.()).toContain(
    "<desc>train: 30 values from 2.31 to 0.01682, lowest 0.01682, highest 2.31. held out: 30 values",
  );
  expect(charts["confusion-matrix"]?.()).toContain(
    "<desc>correct: 113 of 122 (92.6%). most frequent errors: fox predicted as dog &amp; wolf 6 times, cat predicted as fox 2 times, dog &amp; wolf predicted as cat once</desc>",
  );
});

/** The coordinates of the points of the only line. */
const line = (svg: string): number[][] =>
  [...(/<path class="s s0" d="M([^"]*)"\/>\n<\/svg>/.exec(svg)?.[1] ?? "").matchAll(/([\d.]+) ([\d.]+)/g)].map((m) => [
    Number(m[1]),
    Number(m[2]),
  ]);

test("places are linear in the values, and with log in their logarithms", () => {
  const plain = line(lineChart({ series: { a: [0, 1, 3] } })).map(([, y]) => y as number);
  expect(((plain[0] as number) - (plain[2] as number)) / ((plain[0] as number) - (plain[1] as number))).toBeCloseTo(
    3,
    2,
  );
  const log = line(lineChart({ series: { a: [1, 10, 1000] }, log: true })).map(([, y]) => y as number);
  expect(((log[0] as number) - (log[2] as number)) / ((log[0] as number) - (log[1] as number))).toBeCloseTo(3, 2);
});

test("a long series is thinned and keeps its highest value", () => {
  const long = Array.from({ length: 100_000 }, (_, i) => Math.sin(i / 500));
  const flat = line(lineChart({ series: { a: long } }));
  long[54_321] = 4;
  const spiked = line(lineChart({ series: { a: long } }));
  expect(flat.length).toBeLessThan(4 * 561 + 1);
  expect(flat.length).toBeGreaterThan(560);
  // A spike of one in 100,000 values reaches the top of the chart.
  const highest = spiked.reduce((a, b) => ((a[1] as number) < (b[1] as number) ? a : b));
  expect(spiked.filter(([, y]) => y === highest[1]).length).toBe(1);
});

test("a gap has no line, and on a logarithmic axis values that are not above 0 are gaps", () => {
  const pieces = (svg: string): number => svg.split('<path class="s s0"').length - 2; // one is in the legend
  expect(pieces(lineChart({ series: { a: [1, 2, Number.NaN, 3, 4] } }))).toBe(2);
  expect(pieces(lineChart({ series: { a: [1, 2, 0, 3, 4, -1, 5, 6] }, log: true }))).toBe(3);
  expect(pieces(lineChart({ series: { a: [1, 2, 0, 3, 4, -1, 5, 6] } }))).toBe(1);
});

test.each([
  ["nothing that can be drawn", [Number.NaN]],
  ["no values", []],
  ["one value", [5]],
  ["zeros", [0, 0, 0]],
  ["tiny values", [1e-9, 2e-9]],
  ["huge values", [1e12, 3e12]],
  ["negative values", [-5, -1]],
])("%s still make a chart", (_what, a) => {
  for (const log of [false, true]) {
    const svg = lineChart({ series: { a }, log });
    wellFormed(svg);
    expect(svg).not.toMatch(/="[^"]*(NaN|Infinity|undefined)/);
  }
});

test("data that does not fit throws with its numbers", () => {
  const refused = (draw: () => string, message: string): void => {
    expect(draw).toThrow(ShapeError);
    expect(draw).toThrow(message);
  };
  refused(() => lineChart({ series: {} }), "lineChart: needs at least one series, got none");
  refused(() => lineChart({ series: { a: { x: [1], y: [1, 2] } } }), 'lineChart: series "a" has 1 x and 2 y');
  refused(() => confusionMatrix([]), "confusionMatrix: needs at least one class");
  refused(() => confusionMatrix([[1, 2], [3]]), "2 rows need 2 counts each; row 1 has 1");
  refused(() => confusionMatrix([[1]], ["a", "b"]), "a matrix of 1 classes needs 1 labels, got 2");
  refused(() => confusionMatrix([[-1]]), "counts are 0 or more; row 0, column 0 holds -1");
});
