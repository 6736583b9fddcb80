/** setPrintOptions changes what is given and nothing else; wrong options are refused and change nothing. */
import { afterEach, expect, test } from "vitest";
import { formatTensor } from "./format.ts";
import { changedOptions, getPrintOptions, type PrintChanges, setPrintOptions } from "./print-options.ts";

afterEach(() => setPrintOptions({ profile: "default" }));

const usual = { precision: 4, threshold: 1000, edgeItems: 3, lineWidth: 80, sciMode: null };

test("an option that is not given keeps its value, and a profile sets all of them", () => {
  expect(getPrintOptions()).toEqual(usual);
  setPrintOptions({ precision: 2, sciMode: true });
  setPrintOptions({ edgeItems: 1 });
  expect(getPrintOptions()).toEqual({ ...usual, precision: 2, sciMode: true, edgeItems: 1 });
  setPrintOptions({ profile: "short", lineWidth: 40 });
  expect(getPrintOptions()).toEqual({ ...usual, precision: 2, edgeItems: 2, lineWidth: 40 });
  setPrintOptions({ profile: "full" });
  expect(getPrintOptions()).toEqual({ ...usual, threshold: Infinity });
});

test("the options in force hold for every text, and a text's own changes for it alone", () => {
  const tensor = { dtype: "float32", shape: [], value: () => 1.25 } as const;
  setPrintOptions({ precision: 1 });
  expect(formatTensor(tensor)).toBe("tensor(1.2)");
  expect(formatTensor(tensor, { precision: 3 })).toBe("tensor(1.250)");
  expect(formatTensor(tensor, {})).toBe("tensor(1.2)");
});

test("undefined options count as omitted", () => {
  expect(changedOptions("test", { precision: undefined } as unknown as PrintChanges)).toEqual(usual);
});

test.each([
  [{ precision: -1 }, "setPrintOptions: precision must be an integer from 0 to 99, got -1"],
  [{ precision: 100 }, "got 100"],
  [{ threshold: NaN }, "setPrintOptions: threshold must be a number of elements, 0 or more, or Infinity, got NaN"],
  [{ edgeItems: 0.5 }, "setPrintOptions: edgeItems must be a non-negative integer, got 0.5"],
  [{ lineWidth: 0 }, "setPrintOptions: lineWidth must be a positive integer or Infinity, got 0"],
  [{ sciMode: "yes" }, "setPrintOptions: sciMode must be true, false, or null to choose by the values, got yes"],
  [{ sci_mode: true }, "setPrintOptions: there is no option sci_mode. Did you mean sciMode?"],
  [{ linewidth: 40 }, "there is no option linewidth. Did you mean lineWidth?"],
  [{ colour: 1 }, "The options are precision, threshold, edgeItems, lineWidth, sciMode and profile."],
  [{ profile: "long" }, "setPrintOptions: there is no profile long; the profiles are default, short, full"],
])("refuses %o", (changes, message) => {
  expect(() => setPrintOptions({ precision: 7, ...changes } as PrintChanges)).toThrow(message);
  expect(getPrintOptions()).toEqual(usual);
});
