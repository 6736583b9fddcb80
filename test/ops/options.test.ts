/**
 * Options that an op does not know are refused by name, whatever made the op: a misspelt one never goes unnoticed.
 */
import { describe, expect, test } from "vitest";
import { conv2d, crossEntropy, inner, ones, scatter_, sum, tensor, trace } from "../../src/index.ts";
import { callSample, exportedOps, samplesOf } from "../support/op-samples.ts";

/** A sample with one more option: in its options object, if it has one at its end, else in a new one. */
const withUnknown = (sample: string): string =>
  / \{[^{}]*\}$/.test(sample) ? sample.replace(/ ?\}$/, ", notAnOption: 1 }") : `${sample}, { notAnOption: 1 }`;

const cases = [...exportedOps()].flatMap(([name, op]) => samplesOf(name, op).map((sample) => [name, sample] as const));

test.each(cases)("%s(%s) refuses an option that it does not know", (name, sample) => {
  expect(() => callSample(name, withUnknown(sample))).toThrow(/there is no option notAnOption/);
});
