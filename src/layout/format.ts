/** Tuples and layouts as CuTe prints them: `((_3,2),_5)`; a tuple of one keeps its parentheses: `(4):(1)`. */
import { hasKind, isStaticInt } from "./int.ts";
import { checkLayout, isComposed, isLayout } from "./is-layout.ts";
import { isTuple, type Nested } from "./tuple.ts";

export function formatTuple(t: Nested<unknown>): string {
  if (isTuple(t)) return `(${t.map((mode) => formatTuple(mode as Nested<unknown>)).join(",")})`;
  // By its kind, because one that was cloned or posted has no methods.
  return isStaticInt(t) ? `_${t.value}` : String(t);
}

/** `shape:stride`, or `outer o offset o inner` for a composed layout. */
export function formatLayout(layout: object): string {
  if (isLayout(layout)) return `${formatTuple(layout.shape)}:${formatTuple(layout.stride)}`;
  if (isComposed(layout))
    return `${formatLayout(layout.outer)} o ${String(layout.offset)} o ${formatLayout(layout.inner)}`;
  if (!hasKind(layout, "swizzle")) checkLayout("formatLayout", layout);
  return String(layout);
}
