/** Bar charts: lengths in one scale, labels, and the description in words. */
import { expect, test } from "vitest";
import { barChart } from "../../src/draw/index.ts";

const groups = [
  {
    title: "first",
    bars: [
      { label: "a <b>", value: 4, note: "4 ms" },
      { label: "zero", value: 0 },
    ],
  },
  { bars: [{ label: "x".repeat(60), value: 2 }] },
];

test("bars of all groups have one scale", () => {
  const svg = barChart({ groups, title: "times" });
  const widths = [...svg.matchAll(/<rect class="p(\d)" [^>]*width="([\d.]+)"/g)].map(([, color, width]) => [
    color,
    Number(width),
  ]);
  expect(widths).toEqual([
    ["0", 320],
    ["0", 1],
    ["1", 160],
  ]);
  expect(svg).toContain("<desc>first: 2 bars; the longest: a &lt;b&gt; 4 ms, zero 0. 1 bars; the longest: ");
  expect(svg).toContain(`…${"x".repeat(47)}<`);
  expect(svg).not.toContain("<b>");
});

test("a chart without bars is empty, and wrong values throw", () => {
  expect(barChart({ groups: [] })).toMatch(/^<svg /);
  for (const value of [-1, NaN, Infinity])
    expect(() => barChart({ groups: [{ bars: [{ label: "a", value }] }] })).toThrow("finite and 0 or more");
  expect(() => barChart(null as never)).toThrow("barChart: needs an object with groups");
  expect(() => barChart({} as never)).toThrow("barChart: needs an array of groups");
  expect(() => barChart({ groups: [{}] } as never)).toThrow(
    "an array of bars { label, value } in each group, got undefined",
  );
  expect(() => barChart({ groups: [{ bars: [{ value: 1 }] }] } as never)).toThrow(
    "a string as the label of each bar, got undefined",
  );
});
