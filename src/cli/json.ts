/**
 * Answers as data for `--json`. Static and dynamic integers are numbers, symbolic ones and coordinate strides are their
 * text; the field `text` of a layout keeps the difference between `_8` and `8`.
 */
import { isExpr } from "../expr/index.ts";
import { formatLayout, isBasis, isComposed, isLayout, isStaticInt, isSwizzle, isUnderscore } from "../layout/index.ts";

/** The value with every layout, integer and swizzle in it made plain. */
export function toPlain(value: unknown): unknown {
  if (isStaticInt(value)) return value.value;
  if (isExpr(value)) return value.value ?? String(value);
  if (isBasis(value) || isSwizzle(value) || isUnderscore(value)) return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return null;
  if (Array.isArray(value)) return value.map(toPlain);
  if (isComposed(value))
    return {
      outer: toPlain(value.outer),
      offset: toPlain(value.offset),
      inner: toPlain(value.inner),
      text: formatLayout(value),
    };
  if (isLayout(value)) return { shape: toPlain(value.shape), stride: toPlain(value.stride), text: formatLayout(value) };
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toPlain(each)]));
}
