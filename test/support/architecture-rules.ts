/**
 * The rules that separate the folders of `src/`, as data: a name, and a function from all source files to its
 * complaints. Each complaint names the file, the line if there is one, and the remedy.
 */
import type { SourceFile, SourceImport } from "./source-file.ts";

/** Lowest first. A folder imports from itself and from rows above; folders of one row do not import each other. */
const layers: readonly (readonly string[])[] = [
  ["base"],
  ["expr"],
  ["layout"],
  ["storage"],
  ["kernel"],
  ["tensor"],
  ["ops"],
  ["autograd"],
  ["graph"],
  ["backends"],
  ["boot.ts"],
  ["io", "draw"],
  ["module"],
  ["api.ts"],
  ["index.ts", "cute.ts"],
  ["nn", "optim", "data"],
  ["onnx"],
  ["cli"],
];

/** Folders written like user code: of the others they import only `src/index.ts`. */
const users: ReadonlySet<string> = new Set(["nn", "optim", "data"]);

const lineLimit = 500;
const opTables = /^src\/ops\/(elementwise|reduce|movement|contract|routine|composite|table)\.ts$/;
const optionalPeers: ReadonlySet<string> = new Set(["webgpu", "koffi"]);
/** Packages whose code is part of the published files, with the folder that may import them; THIRD-PARTY-NOTICES.md lists them. */
const bundledPackages: ReadonlyMap<string, string> = new Map([["@bufbuild/protobuf/wire", "src/onnx/proto/"]]);
const shapelessNames = /(^|\/)(utils?|helpers?|common|misc)\.ts$/;

type Rule = (sources: readonly SourceFile[]) => readonly string[];

/** The folder directly under `src/`, or the name of a file there. */
const folderOf = (path: string): string => path.split("/")[1] ?? "";
const layerOf = (folder: string): number => layers.findIndex((layer) => layer.includes(folder));

function eachImport(
  sources: readonly SourceFile[],
  judge: (source: SourceFile, entry: SourceImport) => string | undefined,
) {
  return sources.flatMap((source) =>
    source.imports.flatMap((entry) => {
      const complaint = judge(source, entry);
      return complaint === undefined ? [] : [`${source.path}:${entry.line}: ${complaint}`];
    }),
  );
}

const knownFolders: Rule = (sources) =>
  sources
    .filter((source) => layerOf(folderOf(source.path)) === -1)
    .map((source) => `${source.path}: ${folderOf(source.path)} is not a known folder; add it to the list of layers`);

const importsPointDown: Rule = (sources) =>
  eachImport(sources, (source, { target }) => {
    if (!target?.startsWith("src/")) return undefined;
    const from = folderOf(source.path);
    const to = folderOf(target);
    if (from === to || layerOf(to) < layerOf(from)) return undefined;
    const relation = layerOf(to) === layerOf(from) ? "next to" : "above";
    return `${from} may not import ${target}: ${to} is ${relation} ${from}`;
  });

const publicOnly: Rule = (sources) =>
  eachImport(sources, (source, { target }) => {
    const from = folderOf(source.path);
    if (!users.has(from) || source.isTest || !target?.startsWith("src/")) return undefined;
    const to = folderOf(target);
    return to === from || to === "index.ts" || users.has(to)
      ? undefined
      : `${from} may not import ${target}: it uses the public API, src/index.ts`;
  });

const importsExist: Rule = (sources) => {
  const known = new Set(sources.map((source) => source.path));
  return eachImport(sources, (source, { specifier, target }) => {
    if (target === undefined || known.has(target)) return undefined;
    if (target.startsWith("src/")) return `${specifier} does not name a source file; write the path with its .ts`;
    return source.isTest ? undefined : `${specifier} is outside src/ and would be missing from the package`;
  });
};

const noCycles: Rule = (sources) => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const finished = new Set<string>();
  const complaints: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) complaints.push(`${path}: imports itself by ${[...trail.slice(start), path].join(" -> ")}`);
    if (start >= 0 || finished.has(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) if (target) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return complaints;
};

const builtinsOnlyInCli: Rule = (sources) =>
  eachImport(sources, (source, { specifier }) =>
    specifier.startsWith("node:") && folderOf(source.path) !== "cli" && !source.isTest
      ? `${specifier} is imported outside src/cli, and would break in a browser`
      : undefined,
  );

const noPackages: Rule = (sources) =>
  eachImport(sources, (source, { specifier, target, lazy }) => {
    if (target !== undefined || specifier.startsWith("node:") || source.isTest) return undefined;
    if (lazy && optionalPeers.has(specifier)) return undefined;
    const folder = bundledPackages.get(specifier);
    if (folder !== undefined && source.path.startsWith(folder)) return undefined;
    return `the package ${specifier} is imported; the library has no dependencies, and loads optional peers lazily`;
  });

const headers: Rule = (sources) =>
  sources
    .filter((source) => !source.opensWithComment)
    .map((source) => `${source.path}: open with a comment of 2-8 lines: purpose, guarantees, limits`);

const noEval: Rule = (sources) =>
  sources.flatMap((source) =>
    source.evalLines.map((line) => `${source.path}:${line}: text may not become code (eval, Function)`),
  );

const shortFiles: Rule = (sources) =>
  sources
    .filter((source) => source.lineCount > lineLimit && !source.isTest && !opTables.test(source.path))
    .map((source) => `${source.path}: ${source.lineCount} lines, over ${lineLimit}; one idea to a file`);

const indexesReExport: Rule = (sources) =>
  sources
    .filter((source) => source.path.endsWith("/index.ts") && !source.onlyReExports)
    .map((source) => `${source.path}: an index file holds \`export ... from\` and nothing else`);

const descriptiveNames: Rule = (sources) =>
  sources
    .filter((source) => shapelessNames.test(source.path))
    .map((source) => `${source.path}: name the file for its one idea`);

export const architectureRules = {
  "every file is in a known folder": knownFolders,
  "imports point to lower folders": importsPointDown,
  "nn, optim and data use the public API": publicOnly,
  "imports name source files": importsExist,
  "no file imports itself, directly or by others": noCycles,
  "node: modules are imported in src/cli only": builtinsOnlyInCli,
  "no package is needed": noPackages,
  "every file opens with a comment": headers,
  "no text becomes code": noEval,
  "files are short": shortFiles,
  "index files only re-export": indexesReExport,
  "files are named for what they hold": descriptiveNames,
} as const satisfies Record<string, Rule>;

export type ArchitectureRule = keyof typeof architectureRules;
