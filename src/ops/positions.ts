/**
 * The dtype of positions: where an element is along an axis, or among all. See docs/decisions/0013.
 */
import { ShapeError } from "../base/errors.ts";

/** What argmax, sort, nonzero and their like give. */
export const positionDType = "int32";
export type PositionDType = typeof positionDType;

/** Throws where an op would list more positions than such numbers can count, before it lists any. */
export function checkPositions(who: string, count: number): void {
  if (!(count < 2 ** 31))
    throw new ShapeError(`${who}: the result needs ${count} positions, at most 2^31 - 1 are possible`);
}
