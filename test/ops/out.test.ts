/**
 * `out`, tried on the samples of all ops: it gets what a new tensor would, it is what the op gives, and its version goes up by one, so that
 * whoever kept it for later notices one write. An op that does not take it says so.
 */
import { expect, test } from "vitest";
import { Tensor } from "../../src/index.ts";
import { expectClose, tensorsIn } from "../support/op-results.ts";
import { callSample, exportedOps, randomOps, samplesOf, withOption } from "../support/op-samples.ts";

/** Tensors like those of a result, in its form, with other elements. */
function likeResult(result: unknown): unknown {
  if (result instanceof Tensor) return result.clone().fill_(result.dtype === "bool" ? true : 77);
  if (typeof result !== "object" || result === null) return result;
  if (Array.isArray(result)) return result.map(likeResult);
  return Object.fromEntries(Object.entries(result).map(([key, value]) => [key, likeResult(value)]));
}

const cases = [...exportedOps()].flatMap(([name, op]) => samplesOf(name, op).map((sample) => [name, sample] as const));

test.each(cases)("%s(%s) writes to out once, or refuses it", (name, sample) => {
  const wanted = callSample(name, sample);
  const out = likeResult(wanted);
  const before = tensorsIn(out).map((t) => t.version);
  let result: unknown;
  try {
    result = callSample(name, withOption(sample, "out"), undefined, out);
  } catch (error) {
    expect(String(error)).toMatch(/there is no option out/);
    return;
  }
  expect(tensorsIn(out).map((t) => t.version)).toEqual(before.map((version) => version + 1));
  expect(tensorsIn(result).every((t, k) => t === tensorsIn(out)[k])).toBe(true);
  if (!randomOps.has(name)) expectClose(out, wanted);
});
