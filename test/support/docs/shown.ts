/**
 * Formats values for the `// -> text` comments of documents. A string is shown without quotes; a value with its own
 * toString by that; lists and plain objects as in source code, `[1, 2]` and `{ a: 1 }`, with quoted strings inside.
 * CONTRIBUTING.md documents this for writers.
 */

/** The text of a value at the top of a printed line. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : written(value);
}

function written(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (Object.is(value, -0)) return "-0";
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value === "function") return `[function ${value.name}]`;
  if (typeof value !== "object" || value === null) return String(value);
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) {
    return `${value.constructor.name} [${[...(value as unknown as Iterable<unknown>)].map(written).join(", ")}]`;
  }
  if (hasOwnText(value)) return String(value);
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${written(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

const hasOwnText = (value: object): boolean => "toString" in value && value.toString !== Object.prototype.toString;
