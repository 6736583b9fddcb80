/**
 * A parsed source file, for the architecture rules. Imports of types count as imports, and so do re-exports,
 * `import("...")` expressions and `import("...")` types.
 */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { parseSync, Visitor } from "vite";
import { projectRoot } from "./command.ts";

export interface SourceImport {
  readonly specifier: string;
  /** The path from the project's root for a relative import; undefined for a package or a `node:` module. */
  readonly target: string | undefined;
  /** Loaded on demand by an `import("...")` expression. */
  readonly lazy: boolean;
  readonly line: number;
}

export interface SourceFile {
  readonly path: string;
  readonly lineCount: number;
  readonly isTest: boolean;
  readonly opensWithComment: boolean;
  readonly onlyReExports: boolean;
  readonly imports: readonly SourceImport[];
  /** Lines that turn text into code: `eval(...)`, `Function(...)`, `new Function(...)`. */
  readonly evalLines: readonly number[];
}

type Literal = { readonly start: number; readonly value?: unknown };
type Call = { readonly start: number; readonly callee: { readonly type: string; readonly name?: unknown } };

/** Parses one file; `path` is relative to the project's root, with forward slashes. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;

  const imports: SourceImport[] = [];
  const addImport = (source: Literal | null, lazy = false): void => {
    if (source === null || typeof source.value !== "string") return;
    const specifier = source.value;
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined;
    imports.push({ specifier, target, lazy, line: lineAt(source.start) });
  };
  const evalLines: number[] = [];
  const addEval = (node: Call): void => {
    const { type, name } = node.callee;
    if (type === "Identifier" && (name === "eval" || name === "Function")) evalLines.push(lineAt(node.start));
  };
  new Visitor({
    ImportDeclaration: (node) => addImport(node.source),
    ExportNamedDeclaration: (node) => addImport(node.source),
    ExportAllDeclaration: (node) => addImport(node.source),
    ImportExpression: (node) => addImport(node.source, true),
    TSImportType: (node) => addImport(node.source),
    CallExpression: addEval,
    NewExpression: addEval,
  }).visit(program);

  const codeStart = program.body[0]?.start ?? text.length;
  return {
    path,
    lineCount: text.trimEnd().split("\n").length,
    isTest: path.endsWith(".test.ts"),
    opensWithComment:
      /^(#!.*\n)?\s*$/.test(text.slice(0, comments[0]?.start)) && (comments[0]?.start ?? codeStart) < codeStart,
    onlyReExports: program.body.every(
      (node) =>
        node.type === "ExportAllDeclaration" || (node.type === "ExportNamedDeclaration" && node.source !== null),
    ),
    imports,
    evalLines,
  };
}

/** Every TypeScript file under `src/`, in the order of its path. */
export function readSources(): readonly SourceFile[] {
  return readdirSync(`${projectRoot}src`, { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => parseSource(path, readFileSync(projectRoot + path, "utf8")));
}
