/** Describes a value in a few words for an error message. Never prints the elements of a tensor, and never throws. */
import { foreign } from "../base/foreign.ts";
import { describeBriefly, Tensor } from "./tensor.ts";

/** A value in words: `tensor (float32 [2, 3])`, `"x"`, `[1, 2]`, `a typed array`, `nothing`. */
export function describeValue(value: unknown, depth = 0): string {
  if (value instanceof Tensor) return describeBriefly(value);
  if (value === undefined) return "nothing";
  if (typeof value === "string") return `"${value}"`;
  if (Array.isArray(value))
    return value.length > 8 || depth > 2
      ? "an array"
      : `[${value.map((item) => describeValue(item, depth + 1)).join(", ")}]`;
  if (typeof value === "function") return "a function";
  if (ArrayBuffer.isView(value)) return "a typed array";
  if (value instanceof Promise) return "a promise; await it";
  return foreign(value) || (typeof value === "object" && value !== null ? "an object" : String(value));
}
