/**
 * The order in which the terms of a reduction are combined, as far as its spec decides it: the vector lanes of each phase. Terms of wider dtypes have fewer
 * lanes, so a kernel that computes its terms from other inputs may combine them in a different order.
 */
import type { DType } from "../../storage/dtype.ts";
import { constantScalar, namedScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { lanesFor } from "../map/spec.ts";
import type { EarlierPhase, Phase } from "./spec.ts";

/** Returns the vector lanes of each phase; `read` inputs are those of the terms. The last phase may have no `finish`. */
export function lanesOf(
  inputs: readonly DType[],
  read: number,
  scalars: readonly DType[],
  held: readonly DType[],
  phases: readonly (EarlierPhase | Phase)[],
): string {
  const values = inputs.slice(0, read).map((dtype, k) => namedScalar(dtype, `x${k}`));
  const parameters = scalars.map((dtype, k) => parameterScalar(dtype, `a${k}`));
  const known: Scalar[] = held.map((dtype, k) => namedScalar(dtype, `held${k}`));
  return phases
    .map((phase, p) => {
      const terms = phase.terms(values, parameters, known, constantScalar("int32", 0));
      if ("finish" in phase && p < phases.length - 1) {
        const totals = phase.accumulators.map(({ total }, k) => namedScalar(total, `total${k}`));
        for (const value of phase.finish(totals, parameters, known))
          known.push(namedScalar(value.dtype, `known${known.length}`));
      }
      return lanesFor(inputs, terms);
    })
    .join(" ");
}
