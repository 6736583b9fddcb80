/**
 * Arithmetic on basis elements: multiples, and sums with coordinates and integers. CuTe writes `E<0>{} * 3 + E<1>{} * 7` for the coordinate
 * (3,7); here that is `addBasis(scaleBasis(3, E(0)), scaleBasis(7, E(1)))`.
 */
import { addCoords, basisCoord, isBasis, type ScaledBasis, scale } from "./basis.ts";
import { type Int, int } from "./int.ts";
import type { IntTuple } from "./tuple.ts";

/** Returns factor * basis. */
export const scaleBasis = (factor: Int, basis: ScaledBasis): ScaledBasis => scale(factor, basis) as ScaledBasis;

/** Returns the sum of basis elements, coordinates and integers as a coordinate. Missing modes count as 0; an integer adds to mode 0. */
export function addBasis(...terms: readonly (IntTuple | ScaledBasis)[]): IntTuple {
  return terms.reduce<IntTuple>(
    (total, term) => addCoords(total, isBasis(term) ? basisCoord(int(1), term) : (term as IntTuple)),
    int(0),
  );
}
