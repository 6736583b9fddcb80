/**
 * The dtype of positions: where an element is along an axis, or among all. See docs/decisions/0013.
 */

/** What argmax, sort, nonzero and their like give. */
export const positionDType = "int32";
export type PositionDType = typeof positionDType;
