/**
 * The pages of docs/ops, generated from the ops: the signature of each, its sentence, its forms, and its first sample with the result. One page
 * for each family, which is a folder of `src/ops`, an index, and a list of names.
 */
import * as stridewise from "../../src/index.ts";
import { Tensor } from "../../src/index.ts";
import { differences, namesBesideOps, numpyNames, torchNames } from "./op-names.ts";
import { callSample, exportedOps, type Op, samplesOf } from "./op-samples.ts";
import { type OpType, opTypes } from "./op-types.ts";

/** One page of the reference. */
interface Family {
  /** The folders and files of `src/ops` that define its ops. */
  readonly sources: readonly string[];
  /** The name of the page without its extension. */
  readonly page: string;
  readonly title: string;
  readonly contents: string;
}

const families: readonly Family[] = [
  {
    sources: ["elementwise"],
    page: "elementwise",
    title: "Elementwise ops",
    contents: "arithmetic, comparisons, rounding, elementary and special functions, activations",
  },
  {
    sources: ["reduce"],
    page: "reductions",
    title: "Reductions and scans",
    contents: "sums, means, extremes, variances, cumulative sums",
  },
  {
    sources: ["contract"],
    page: "products",
    title: "Products, convolutions and pooling",
    contents: "matrix products, einsum, convolutions, pooling",
  },
  {
    sources: ["movement"],
    page: "movement",
    title: "Shapes, joining and indexing",
    contents: "views, joining, splitting, padding, gathering, scattering",
  },
  {
    sources: ["routine"],
    page: "sorting",
    title: "Sorting, sets, statistics and polynomials",
    contents: "sorting, searching, histograms, quantiles, sets, polynomials, interpolation",
  },
  {
    sources: ["linalg"],
    page: "linalg",
    title: "Linear algebra",
    contents: "factorizations, solvers, norms, eigenvalues",
  },
  { sources: ["fft"], page: "fft", title: "Fourier transforms", contents: "FFTs in all forms, short-time transforms" },
  {
    sources: ["composite"],
    page: "networks",
    title: "Neural network functions",
    contents: "softmax, normalization, dropout, losses, attention, interpolation of images",
  },
  {
    sources: ["masked"],
    page: "masked",
    title: "Masked ops",
    contents: "reductions and softmax over the elements that a mask selects",
  },
  { sources: ["random"], page: "random", title: "Random sampling", contents: "samples from distributions" },
  {
    sources: ["aliases", "numpy-names"],
    page: "aliases",
    title: "Aliases",
    contents: "other names of ops, from PyTorch and NumPy",
  },
];

/** The folder or file of `src/ops` that defines an op, or its namespace if that is a folder. The ops of `src/api.ts` are random, but for oneHot. */
const sourceOf = (name: string, type: OpType | undefined): string =>
  name.startsWith("linalg.") ? "linalg" : type?.file.split(/[/.]/)[0] || (name === "oneHot" ? "movement" : "random");

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

/** Rounds numbers to four decimals; values that JSON cannot represent become text. */
function rounded(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "number") return value;
  if (!Number.isFinite(value)) return String(value);
  return Number(value.toFixed(4));
}

/** True for ops with random results. */
const isRandom = (name: string): boolean =>
  /^(rand|rrelu|binomial|bernoulli|multinomial|poisson$|normal$|standardGamma|sample)|dropout/i.test(name);

/** The name by which an op is called: `var` is a reserved word. */
const called = (name: string): string => (name === "var" ? "variance" : name);

/** The first sample of an op as a user writes it. */
export const exampleOf = (name: string, op: Op): string => `${called(name)}(${samplesOf(name, op)[0]})`;

/** The anchor of an op on its page. */
const anchor = (name: string): string => name.toLowerCase().replaceAll(".", "");

/** The in-place form: a method of the same name for methods, else a method or a function. */
function inPlaceOf(name: string, isMethod: boolean): string {
  const own = `${name}_`;
  if (isMethod) return own in Tensor.prototype ? `in-place: \`${own}\`` : "";
  if (!(own in stridewise)) return "";
  return own in Tensor.prototype ? `in-place: \`${own}\`, also a method` : `in-place: \`${own}(x, ...)\``;
}

function formsOf(name: string, { isMethod, takesOut }: OpType): string {
  const method = isMethod && name in Tensor.prototype;
  const forms = [
    method ? `method${called(name) === name ? "" : ` \`x.${name}\``}` : "",
    inPlaceOf(name, method),
    takesOut ? "`out`" : "",
  ];
  return forms.filter((form) => form !== "").join(", ");
}

/** Links the name after "alias of" to its entry. */
const withLink = (sentence: string, pages: ReadonlyMap<string, string>): string =>
  sentence.replace(/(?<=\balias of )[\w.]+(?=[.;])/, (name) =>
    pages.has(name) ? `[${name}](${pages.get(name)}.md#${anchor(name)})` : name,
  );

function entry(name: string, op: Op, type: OpType, pages: ReadonlyMap<string, string>): string {
  const [sample] = samplesOf(name, op) as [string];
  const result = isRandom(name) ? "" : ` returns \`${shown(callSample(name, sample))}\``;
  const forms = formsOf(name, type);
  const signatures = type.signatures.map((one) => `\`${one.replace(name, called(name))}\``);
  return `## ${name}

${signatures.join(" or ")}${forms === "" ? "" : ` (${forms})`}

${withLink(type.sentence, pages)}${called(name) === name ? "" : ` \`${name}\` is a reserved word, so the function is called \`${called(name)}\`.`}

Example: \`${exampleOf(name, op)}\`${result}
`;
}

/** The documented ops. The variance has two names; it is listed as \`var\`, the name of its method. */
export const opsOfPage = (): readonly (readonly [name: string, op: Op])[] =>
  [...exportedOps()].filter(([name]) => !/^(masked\.)?variance$/.test(name)).sort(([a], [b]) => (a < b ? -1 : 1));

/** A family with its ops. */
interface Section extends Family {
  readonly members: readonly (readonly [name: string, op: Op])[];
}

function familyPage(
  { title, contents, members }: Section,
  types: ReadonlyMap<string, OpType>,
  pages: ReadonlyMap<string, string>,
): string {
  return `# ${title}

${members.length} ops: ${contents}. Signatures are explained in the [index](README.md). This page is generated from the code.

${members.map(([name]) => `[${name}](#${anchor(name)})`).join(", ")}

${members.map(([name, op]) => entry(name, op, types.get(name) as OpType, pages)).join("\n")}`;
}

function indexPage(sections: readonly Section[], count: number): string {
  const rows = sections.map(
    ({ page, title, contents, members }) => `| [${title}](${page}.md) | ${contents} | ${members.length} |`,
  );
  return `# Op reference

${count} ops, each a function of \`stridewise\`. To find an op by its PyTorch or NumPy name, search the [list of names](names.md).

| family | contents | ops |
|---|---|---|
${rows.join("\n")}

An entry shows the signature, other forms in parentheses, a description, and an example with its result (random ops: without it):

- **method**: the op is also a method of tensors, \`x.add(y)\`.
- **in-place**: \`x.add_(y)\` writes the result to \`x\`. Ops that are not methods have a function, \`scatter_(x, ...)\`.
- **\`out\`**: with the option \`{ out: y }\` the result is written to \`y\`.

Arguments marked \`?\` are optional; \`=\` shows the default. Braces enclose one object of options, which are optional unless marked \`(required)\`. The type after a colon is the return type;
without one, the op returns a tensor. \`axis\` is an integer, possibly negative, or the name of an axis. Ops return indices as int32; index arguments can have any integer dtype.

[Ops](../03-ops.md) is the introduction. These pages are generated from the code.
`;
}

/** Throws unless a name of the list exists: a function, or a member of tensors written as "Tensor.at". */
function checkName(name: string): void {
  const exists = name.startsWith("Tensor.")
    ? name.slice(7) in stridewise.zeros([1, 1])
    : name.startsWith("windows.")
      ? name.slice(8) in stridewise.windows
      : name in stridewise;
  if (!exists) throw new Error(`op-names.ts names ${name}, which does not exist`);
}

function namesPage(sections: readonly Section[]): string {
  const known = new Set(sections.flatMap(({ members }) => members.map(([name]) => name)));
  for (const name of [...torchNames.keys(), ...numpyNames.keys(), ...Object.keys(differences)])
    if (!known.has(name)) throw new Error(`op-names.ts names ${name}, which is not an op`);
  const code = (name: string | undefined): string =>
    name === undefined || name === "" ? "" : `\`${name.replaceAll(/, (?=torch|np)/g, "`, `")}\``;
  const ops = sections.flatMap(({ page, members }) =>
    members.map(([name]) => {
      const cells = [`[${name}](${page}.md#${anchor(name)})`, code(torchNames.get(name)), code(numpyNames.get(name))];
      return { name, row: `| ${cells.join(" | ")} | ${differences[name] ?? ""} |` };
    }),
  );
  const others = namesBesideOps
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()) as [string, string, string]);
  for (const [name] of others) checkName(name);
  return `# Names in PyTorch and NumPy

Search this page for the name you know. An empty cell means that the other library has no such function; where only the behavior differs, the last column
says how. The names were checked against PyTorch 2.13 and NumPy 2.4. Names here are PyTorch's or NumPy's in camelCase. See also
[coming from PyTorch](../from-pytorch.md) and [coming from NumPy](../from-numpy.md). This page is generated from \`test/support/op-names.ts\`.

## Tensors, creation, gradients

| Stridewise | PyTorch | NumPy |
|---|---|---|
${others.map(([name, torch, numpy]) => `| \`${name}\` | ${code(torch)} | ${code(numpy)} |`).join("\n")}

## Ops

| Stridewise | PyTorch | NumPy | note |
|---|---|---|---|
${ops
  .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
  .map(({ row }) => row)
  .join("\n")}
`;
}

/** All pages by their file name in docs/ops. */
export function opsPages(): ReadonlyMap<string, string> {
  const ops = opsOfPage();
  const types = opTypes(ops.map(([name]) => name));
  const missing = ops.filter(([name]) => types.get(name)?.sentence === "").map(([name]) => name);
  if (missing.length > 0) throw new Error(`ops without a description: ${missing.join(", ")}`);
  const sections = families.map((family) => ({
    ...family,
    members: ops.filter(([name]) => family.sources.includes(sourceOf(name, types.get(name)))),
  }));
  const listed = new Set(sections.flatMap(({ members }) => members.map(([name]) => name)));
  const left = ops.filter(([name]) => !listed.has(name)).map(([name]) => name);
  if (left.length > 0) throw new Error(`ops without a family: ${left.join(", ")}`);
  const pages = new Map(sections.flatMap(({ page, members }) => members.map(([name]) => [name, page] as const)));
  return new Map([
    ["README.md", indexPage(sections, ops.length)],
    ["names.md", namesPage(sections)],
    ...sections.map((section) => [`${section.page}.md`, familyPage(section, types, pages)] as const),
  ]);
}
