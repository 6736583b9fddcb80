/**
 * Samples of ops, compiled: results equal those of the eager call, bit for bit, when the function runs as it is, when it is traced, and when its
 * program runs again. In Node and in pages.
 */
import { expect } from "vitest";
import { compile } from "../../src/graph/compile/compile.ts";
import { manualSeed } from "../../src/index.ts";
import { tensorsIn } from "./op-results.ts";
import { argumentsOf, type Op } from "./sampled-ops.ts";

/** Ops that cannot be traced: shapes or plain values that depend on elements. */
const untraceable = new Set(
  (
    "trimZeros nonzero roots maskedSelect argwhere repeatInterleave bincount unique uniqueConsecutive union1d intersect1d setxor1d setdiff1d " +
    "arrayEqual equal allclose"
  ).split(" "),
);

/** Ops that read elements in TypeScript to check them or to choose a formula. */
const reading = new Set(
  (
    "unravelIndex ravelMultiIndex percentile igamma igammac gcd lcm gammainc " +
    "gammaincc zeta chebyshevPolynomialT chebyshevPolynomialU chebyshevPolynomialV chebyshevPolynomialW shiftedChebyshevPolynomialT " +
    "shiftedChebyshevPolynomialU shiftedChebyshevPolynomialV shiftedChebyshevPolynomialW hermitePolynomialH hermitePolynomialHe " +
    "laguerrePolynomialL legendrePolynomialP nanargmin nanargmax average digitize"
  ).split(" "),
);

/** Ops whose programs serve one call, because a result is empty or a step is of one call. */
const retraced = new Set(["linalg.qr", "linalg.lstsq", "maskedScatter"]);

const describeResult = (result: unknown): unknown =>
  tensorsIn(result).map((t) => [t.dtype, t.shape, t.stride, t.toArray()]);

/** Checks the samples of an op. */
export function checkCompiled(name: string, op: Op, samples: readonly string[]): void {
  for (const sample of samples) {
    let calls = 0;
    const fast = compile((...args: never[]) => {
      calls++;
      return op(...args);
    });
    const run = (round: number): unknown => {
      manualSeed(round);
      return describeResult(fast(...(argumentsOf(sample) as never[])));
    };
    if (untraceable.has(name)) {
      run(0);
      expect(() => run(1), sample).toThrow(/depends? on|not known/);
      continue;
    }
    if (reading.has(name)) {
      run(0);
      let message = "";
      try {
        run(1);
      } catch (error) {
        message = (error as Error).message;
      }
      // Some samples need no read.
      if (message !== "") {
        expect(message, sample).toContain("the elements of a traced tensor are not known");
        continue;
      }
      calls = 0;
    }
    for (let round = 0; round < 4; round++) {
      manualSeed(round);
      const eager = describeResult(op(...argumentsOf(sample)));
      expect(run(round), `${name}(${sample}), call ${round}`).toEqual(eager);
    }
    // One eager call, and one that traces twice. A new generator is a new argument.
    if (!retraced.has(name) && !sample.includes("new Generator"))
      expect(calls, `${name}(${sample}) is traced in one call`).toBe(reading.has(name) ? 0 : 3);
  }
}
