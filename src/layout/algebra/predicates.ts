/**
 * Predicates of a layout as a function, exact for numbers: decided by the strides if possible, otherwise by listing up to
 * 2^24 offsets. Symbolic layouts throw.
 */
import { LayoutError, named } from "../../base/errors.ts";
import { type AnyLayout, checkLayout, isComposed, type Layout } from "../layout.ts";
import { cosize, offsetAt, size } from "../queries.ts";
import { flatModes } from "./coalesce.ts";
import { encodeModes } from "./encode.ts";

interface Step {
  readonly size: number;
  readonly stride: number;
}

/** Returns the modes of size above 1, by ascending absolute stride. */
function steps(who: string, layout: Layout): Step[] {
  checkLayout(who, layout);
  const { shape, stride } = named(who, () => encodeModes(flatModes(layout)));
  return shape
    .map((count, i) => ({ size: count, stride: stride[i] }))
    .filter((step) => step.size !== 1)
    .sort((a, b) => Math.abs(a.stride) - Math.abs(b.stride));
}

/** Returns the set of offsets; throws if there are too many. */
function imageOf(who: string, layout: AnyLayout): Set<number> {
  const count = named(who, () => size(layout));
  if (count > 2 ** 24) throw new LayoutError(`${who}: ${count} offsets exceed the limit of 2^24`);
  const image = new Set<number>();
  for (let i = 0; i < count; i++) image.add(offsetAt(layout, i));
  return image;
}

/** True if and only if no two coordinates have the same offset. */
export function isInjective(layout: AnyLayout): boolean {
  if (!isComposed(layout)) {
    let reach = 0;
    const isSpread = steps("isInjective", layout).every(({ size: count, stride }) => {
      const step = Math.abs(stride);
      const isBeyond = step > reach;
      reach += (count - 1) * step;
      return isBeyond;
    });
    if (isSpread) return true;
  }
  return imageOf("isInjective", layout).size === size(layout);
}

/** True if and only if the offsets are exactly 0 to cosize - 1: no gap and none below 0. */
export function isCompact(layout: AnyLayout): boolean {
  if (isComposed(layout)) return imageOf("isCompact", layout).size === cosize(layout);
  const modes = steps("isCompact", layout);
  if (modes.some((mode) => mode.size === 0)) return true;
  let covered = 1;
  return modes.every(({ size: count, stride }) => {
    const isNext = stride >= 0 && stride <= covered;
    covered += (count - 1) * stride;
    return isNext;
  });
}

/** True if and only if coordinates and the offsets 0 to size - 1 correspond one to one. */
export const isBijective = (layout: AnyLayout): boolean =>
  named("isBijective", () => isInjective(layout) && isCompact(layout));

/** True if and only if no offset but 0 belongs to both layouts. */
export function areDisjoint(a: AnyLayout, b: AnyLayout): boolean {
  const image = imageOf("areDisjoint", a);
  image.delete(0);
  for (const offset of imageOf("areDisjoint", b)) if (image.has(offset)) return false;
  return true;
}
