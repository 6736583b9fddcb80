/**
 * docs/ops.md, made from the ops themselves: how each is called, the sentence above it, which forms it has, and its first sample with what
 * that gives. A section for each folder of `src/ops`.
 */
import { Tensor } from "../../src/index.ts";
import { callSample, exportedOps, type Op, samplesOf } from "./op-samples.ts";
import { type OpType, opTypes } from "./op-types.ts";

const titles: Readonly<Record<string, string>> = {
  elementwise: "Elementwise: one element at a time",
  reduce: "Reductions and scans",
  contract: "Products, convolutions and pooling",
  movement: "Moving elements",
  routine: "Sorting, searching, statistics",
  linalg: "Linear algebra",
  fft: "Fourier transforms",
  composite: "Neural networks: softmax, normalisations, losses, attention",
  masked: "Masked: of the elements that a mask leaves",
  random: "Random numbers",
  aliases: "Other names",
  "numpy-names": "Other names, NumPy's",
};

/** The section of an op: its folder. What `src/api.ts` makes an op are random numbers. */
const sectionOf = (type: OpType | undefined): string => type?.file.split(/[/.]/)[0] || "random";

/** A result on one line. */
function shown(result: unknown): string {
  if (result instanceof Tensor) {
    if (result.size > 24) return `${result.dtype} [${result.shape.join(", ")}]`;
    return JSON.stringify(result.toArray(), rounded).replaceAll(",", ", ").replaceAll('"', "");
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

/** Ops whose results depend on chance. */
const isRandom = (name: string): boolean =>
  /^(rand|rrelu|binomial|bernoulli|multinomial|poisson$|normal$|standardGamma|sample)|dropout/i.test(name);

/** The name by which an op is called: `var` is a word of the language. */
const called = (name: string): string => (name === "var" ? "variance" : name);

/** The first sample of an op as a user writes it. */
export const exampleOf = (name: string, op: Op): string => `${called(name)}(${samplesOf(name, op)[0]})`;

/** The address of an op on the page. */
const anchor = (name: string): string => name.toLowerCase().replaceAll(".", "");

function formsOf(name: string, { isMethod, takesOut }: OpType): string {
  const method = isMethod && name in Tensor.prototype;
  const forms = [
    method ? "method" : "",
    method && `${name}_` in Tensor.prototype ? `in place: \`${name}_\`` : "",
    takesOut ? "`out`" : "",
  ];
  return forms.filter((form) => form !== "").join(", ");
}

function entry(name: string, op: Op, type: OpType): string {
  const [sample] = samplesOf(name, op) as [string];
  const result = isRandom(name) ? "" : ` gives \`${shown(callSample(name, sample))}\``;
  const forms = formsOf(name, type);
  const signatures = type.signatures.map((one) => `\`${one.replace(name, called(name))}\``);
  return `### ${name}

${signatures.join(" or ")}${forms === "" ? "" : ` (${forms})`}

${type.sentence}

Example: \`${exampleOf(name, op)}\`${result}
`;
}

/** The ops of the page. The variance has two names, and stands there as `var`, which is its method. */
export const opsOfPage = (): readonly (readonly [name: string, op: Op])[] =>
  [...exportedOps()].filter(([name]) => !/^(masked\.)?variance$/.test(name)).sort(([a], [b]) => (a < b ? -1 : 1));

/** The whole page. */
export function opsPage(): string {
  const ops = opsOfPage();
  const types = opTypes(ops.map(([name]) => name));
  const missing = ops.filter(([name]) => types.get(name)?.sentence === "").map(([name]) => name);
  if (missing.length > 0) throw new Error(`ops without a sentence above them: ${missing.join(", ")}`);
  const sections = Object.entries(titles)
    .map(([folder, title]) => ({ title, members: ops.filter(([name]) => sectionOf(types.get(name)) === folder) }))
    .filter(({ members }) => members.length > 0);
  const left = ops.filter(([name]) => titles[sectionOf(types.get(name))] === undefined).map(([name]) => name);
  if (left.length > 0) throw new Error(`ops of no section: ${left.join(", ")}`);
  const contents = sections.map(
    ({ title, members }) =>
      `**[${title}](#${title
        .toLowerCase()
        .replaceAll(/[^\w ]/g, "")
        .replaceAll(" ", "-")})** (${members.length}): ${members
        .map(([name]) => `[${name}](#${anchor(name)})`)
        .join(", ")}`,
  );
  const texts = sections.map(
    ({ title, members }) =>
      `## ${title}\n\n${members.map(([name, op]) => entry(name, op, types.get(name) as OpType)).join("\n")}`,
  );
  return `# Ops

${ops.length} ops. Each is a function of \`stridewise\`. Behind its signature stand its other forms: as a method of tensors, \`x.add(y)\`; in place,
\`x.add_(y)\`, where the result is written to \`x\`; with the option \`{ out: y }\`, where it is written to \`y\`. An argument with \`?\` may be left away, one with
\`=\` has that value then; what stands in braces is one object with options, all of which may be left away. A colon is followed by what an op gives if it is not
one tensor. This page is made from the code.

${contents.join("\n\n")}

${texts.join("\n")}`;
}
