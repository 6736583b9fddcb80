/**
 * Places along an axis, given as an integer or a list of them.
 */
import { IndexError } from "../base/errors.ts";
import { describeValue } from "../tensor/describe-value.ts";

/** One place, or several; negative ones count from the back. */
export type Places = number | readonly number[];

/** The places counted from the front, along an axis of this size; refuses those that are not from 0 to `last`. */
export function placesOf(who: string, places: Places, size: number, last: number): number[] {
  return [places].flat().map((place) => {
    const at = typeof place === "number" && place < 0 ? place + size : place;
    if (Number.isInteger(at) && at >= 0 && at <= last) return at;
    throw new IndexError(
      `${who}: index ${describeValue(place)} is out of range for an axis with size ${size}, which takes ${-size}..${last}`,
    );
  });
}
