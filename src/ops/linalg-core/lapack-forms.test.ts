/** The packed forms are LAPACK's, number for number: getrf, geqrf, sytrf and hetrf of the lower triangle, recorded with SciPy 1.17. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { distance, sizeOf } from "../../../test/support/random-matrices.ts";
import { ldlFactor } from "./ldl.ts";
import { luFactor } from "./lu.ts";
import type { Matrix } from "./matrix.ts";
import { qrFactor } from "./qr.ts";

interface Recorded {
  readonly shape: readonly number[];
  readonly re: readonly number[];
  readonly im?: readonly number[];
}

interface Fact {
  readonly routine: "getrf" | "geqrf" | "sytrf" | "hetrf";
  readonly a: Recorded;
  readonly out: Recorded;
  readonly tau?: Recorded;
  readonly pivots?: readonly number[];
}

const facts = JSON.parse(
  readFileSync(new URL("../../../test/support/lapack-facts.json", import.meta.url), "utf8"),
) as Fact[];

function toMatrix({ shape, re, im }: Recorded): Matrix {
  const rows = shape.length === 1 ? 1 : shape[0]!;
  return { rows, cols: shape.at(-1)!, re: Float64Array.from(re), im: im === undefined ? null : Float64Array.from(im) };
}

const close = (got: Matrix, expected: Recorded) => {
  const matrix = toMatrix(expected);
  expect(distance(got, matrix, sizeOf(matrix))).toBeLessThan(1e-13);
};

test.each(
  facts.map(
    (fact, i) => [`${fact.routine} ${fact.a.shape.join(" x ")} ${fact.a.im ? "complex" : "real"}, ${i}`, fact] as const,
  ),
)("%s", (_name, fact) => {
  const a = toMatrix(fact.a);
  if (fact.routine === "geqrf") {
    const { packed, tau } = qrFactor(a);
    close(packed, fact.out);
    close(tau, fact.tau!);
    return;
  }
  if (fact.routine === "getrf") {
    const { lu, pivots } = luFactor(a);
    close(lu, fact.out);
    expect([...pivots]).toEqual(fact.pivots);
    return;
  }
  const { ld, pivots } = ldlFactor(a, fact.routine === "hetrf");
  expect([...pivots]).toEqual(fact.pivots);
  close(ld, fact.out);
});
