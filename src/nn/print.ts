/**
 * The text of modules: the constructor call, and children indented below their names.
 */
import { Tensor } from "../index.ts";

/** Describes a tensor of another copy of this package; "" for any other value. */
export const foreign = (value: unknown): string =>
  Symbol.for("stridewise.tensor") in Object(value) && !(value instanceof Tensor)
    ? "a tensor that comes from another copy of stridewise (see npm ls stridewise)"
    : "";

/** A value as source text; the shape of a tensor. */
export function shown(value: unknown): string {
  if (foreign(value)) return foreign(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Tensor) return `tensor of shape [${value.shape.join(", ")}]`;
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (typeof value === "function") return value.name || "function";
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return entries.length === 0 ? "" : `{ ${entries.map(([name, each]) => `${name}: ${shown(each)}`).join(", ")} }`;
}

/** Arguments as source text. */
export const argumentsText = (values: readonly unknown[]): string =>
  values
    .filter((value) => value !== undefined)
    .map(shown)
    .filter((text) => text !== "")
    .join(", ");

/** A call, or a name with indented lines for the children. */
export function nestedText(
  name: string,
  settings: string,
  children: readonly (readonly [name: string, text: string])[],
): string {
  if (children.length === 0) return `${name}(${settings})`;
  const lines = children.map(([child, text]) => `  (${child}): ${text.replaceAll("\n", "\n  ")}`);
  return [`${name}(`, ...(settings === "" ? [] : [`  ${settings}`]), ...lines, ")"].join("\n");
}
