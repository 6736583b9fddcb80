/** Formats tuples and layouts as CuTe prints them: `((_3,2),_5)`. A tuple of one keeps its parentheses: `(4):(1)`. */
import { type Int, isStaticInt, wrongKind } from "./int.ts";
import { isTuple, type Nested } from "./tuple.ts";

export function formatTuple(t: Nested<unknown>): string {
  if (isTuple(t)) return `(${t.map((mode) => formatTuple(mode)).join(",")})`;
  // Recognized by its kind, because a cloned or posted object has no methods.
  return isStaticInt(t) ? `_${t.value}` : String(t);
}

/** Formats a layout as `shape:stride`, a composed layout as `outer o offset o inner`. */
export function formatLayout(layout: object): string {
  if (Object(layout) !== layout) throw wrongKind("formatLayout", "a layout", layout);
  if ("shape" in layout && "stride" in layout) return `${formatTuple(layout.shape)}:${formatTuple(layout.stride)}`;
  if ("outer" in layout && "inner" in layout)
    return `${formatLayout(layout.outer as object)} o ${(layout as { offset?: Int }).offset} o ${formatLayout(layout.inner as object)}`;
  return String(layout);
}
