/**
 * Recorded JSON to the library's values, and back to plain numbers for comparison.
 * A layout is {shape, stride}, a by-mode tiler {tile: [...]}, null is `_`, {swizzle: [B, M, S]} a swizzle,
 * {composed: {outer, offset, inner}} a composed layout. Integers become dynamic or static as the record's source wants.
 */
import {
  _,
  type AnyLayout,
  formatLayout,
  type Int,
  type IntTuple,
  int,
  isBasis,
  isComposed,
  isLayout,
  isStaticInt,
  isSwizzle,
  isUnderscore,
  type Layout,
  makeComposedLayout,
  makeLayout,
  type ScaledBasis,
  type Swizzle,
  swizzle,
  type Tiler,
  type Underscore,
} from "../../src/layout/index.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** What the library takes and gives. */
export type Value = AnyLayout | Int | ScaledBasis | Swizzle | Underscore | boolean | string | readonly Value[];

/** An argument that this runner cannot read. */
export class UnknownFormError extends Error {}

/** How a recorded integer enters the library. */
export type Marking = "static" | "dynamic";

/** The library's value of a recorded one. */
export function decode(json: Json, marking: Marking): Value {
  const again = (part: Json): Value => decode(part, marking);
  if (json === null) return _;
  if (typeof json === "number") return marking === "static" ? int(json) : json;
  if (typeof json === "boolean" || typeof json === "string") return json;
  if (Array.isArray(json)) return json.map(again);
  const fields = json as { readonly [key: string]: Json };
  if (fields.shape !== undefined && fields.stride !== undefined)
    return makeLayout(again(fields.shape) as IntTuple, again(fields.stride) as IntTuple);
  if (fields.tile !== undefined) return again(fields.tile);
  if (fields.swizzle !== undefined) return swizzle(...(fields.swizzle as readonly [number, number, number]));
  if (fields.composed !== undefined) {
    const { outer, offset, inner } = fields.composed as { outer: Json; offset: Json; inner: Json };
    return makeComposedLayout(again(outer) as Swizzle | Layout, again(offset) as Int, again(inner) as Layout);
  }
  throw new UnknownFormError(`an argument with the fields ${Object.keys(fields).join(", ")}`);
}

/** The value as recorded JSON: static marks are gone. */
export function encode(value: Value): Json {
  if (typeof value === "boolean" || typeof value === "string" || typeof value === "number") return value;
  if (isUnderscore(value)) return null;
  if (isStaticInt(value)) return value.value;
  if (Array.isArray(value)) return value.map(encode);
  if (isSwizzle(value)) return { swizzle: [value.bits, value.base, value.shift] };
  if (isBasis(value)) return String(value);
  if (isComposed(value))
    return {
      composed: { outer: encode(value.outer), offset: encode(value.offset), inner: encode(value.inner) },
    };
  if (isLayout(value)) return { shape: encode(value.shape as Value), stride: encode(value.stride as Value) };
  return String(value);
}

/** A value in the notation, for people. */
export function show(json: Json): string {
  if (Array.isArray(json)) return `(${json.map(show).join(",")})`;
  if (json === null) return "_";
  if (typeof json !== "object") return String(json);
  const fields = json as { readonly [key: string]: Json };
  if (fields.shape !== undefined && fields.stride !== undefined) return `${show(fields.shape)}:${show(fields.stride)}`;
  if (fields.tile !== undefined) return `<${(fields.tile as readonly Json[]).map(show).join(",")}>`;
  if (fields.swizzle !== undefined) return `Sw<${(fields.swizzle as readonly number[]).join(",")}>`;
  return JSON.stringify(json);
}

export const asLayout = (value: Value | undefined): Layout => value as Layout;
export const asTiler = (value: Value | undefined): Tiler => value as Tiler;
export const asTuple = (value: Value | undefined): IntTuple => value as IntTuple;
/** The number of a static or dynamic integer. */
export const asNumber = (value: Value | undefined): number => Number(isStaticInt(value) ? value.value : value);
export const asText = (value: Value): string =>
  isLayout(value) || isComposed(value) ? formatLayout(value) : show(encode(value));
