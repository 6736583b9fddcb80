/**
 * How a value is written in the `// -> text` comments of documents:
 * a string stands as it is; a value with its own toString is what that says; lists and plain objects are written as
 * in source code, `[1, 2]` and `{ a: 1 }`, with the strings inside them quoted. CONTRIBUTING.md tells this to writers.
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
