/**
 * docs/ops.md, made from the ops themselves: the sentence above each, its family, whether it is a method, and its first sample with what
 * it gives.
 */
import { readdirSync, readFileSync } from "node:fs";
import { Tensor } from "../../src/index.ts";
import { projectRoot } from "./command.ts";
import { callSample, exportedOps, type Op, samplesOf } from "./op-samples.ts";

/** The sentence above each exported op, by name. */
function sentences(): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of readdirSync(`${projectRoot}src/ops`, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const text = readFileSync(`${projectRoot}src/ops/${file}`, "utf8");
    for (const [, sentence, name] of text.matchAll(
      /\/\*\* ((?:[^*]|\*(?!\/))*?)\s*\*\/\nexport (?:const|function) (\w+)/g,
    ))
      found.set(name as string, (sentence as string).replaceAll(/\s*\n \* ?/g, " "));
  }
  return found;
}

const titles: Readonly<Record<string, string>> = {
  elementwise: "Elementwise: one element at a time",
  reduce: "Reductions and scans",
  contract: "Products and convolutions",
  movement: "Moving elements",
  routine: "Sorting, factorising, transforming",
  composite: "Made of others",
};

/** A result on one line. */
function shown(result: unknown): string {
  if (result instanceof Tensor) {
    const text =
      result.size > 24 ? `${result.dtype} [${result.shape.join(", ")}]` : JSON.stringify(result.toArray(), rounded);
    return text.replaceAll(",", ", ").replaceAll('"', "");
  }
  if (Array.isArray(result)) return `[${result.map(shown).join(", ")}]`;
  if (typeof result !== "object" || result === null) return String(result);
  return `{ ${Object.entries(result)
    .map(([key, value]) => `${key}: ${shown(value)}`)
    .join(", ")} }`;
}

/** Numbers with four digits after the point; what JSON has no word for as text. */
function rounded(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "number") return value;
  if (!Number.isFinite(value)) return String(value);
  return Number(value.toFixed(4));
}

const isMethod = (name: string): boolean => name in Tensor.prototype;

function row(name: string, op: Op, sentence: string): string {
  const [sample] = samplesOf(name, op) as [string];
  const example = `\`${name}(${sample})\``;
  const result = /rand|dropout|bernoulli|multinomial|poisson|normal|gamma|binomial|rrelu/i.test(name)
    ? ""
    : ` gives \`${shown(callSample(name, sample))}\``;
  const forms = isMethod(name) ? (`${name}_` in Tensor.prototype ? "method, in place" : "method") : "";
  return `| \`${name}\` | ${sentence.replaceAll("|", "\\|")} | ${forms} | ${(example + result).replaceAll("|", "\\|")} |`;
}

/** The whole page. */
export function opsPage(): string {
  const known = sentences();
  const ops = [...exportedOps()].filter(([name]) => name !== "variance");
  const missing = ops.filter(([name]) => !known.has(plainName(name))).map(([name]) => name);
  if (missing.length > 0) throw new Error(`ops without a sentence above them: ${missing.join(", ")}`);
  const families = Object.entries(titles).map(([family, title]) => {
    const rows = ops
      .filter(([, op]) => op.operator.family === family)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, op]) => row(name, op, known.get(plainName(name)) as string));
    return `## ${title}\n\n| op | what it gives | also as | example |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Ops

${ops.length} ops. Each is a function of \`stridewise\`; where it says so also a method of tensors, \`x.add(y)\`, and in place,
\`x.add_(y)\`. The last argument may be an object with options, which for most ops has \`{ out: y }\`. This page is made from the code.

${families.join("\n")}`;
}

const plainName = (name: string): string => {
  const own = name.split(".").at(-1) as string;
  return own === "var" ? "variance" : own;
};
