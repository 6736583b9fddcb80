/**
 * Reads the declaration files that the compiler emits, one for each source file, as a graph of declarations.
 *
 * A declaration is everything that a file declares under one name: overloads, an interface with its variable, or a class with the
 * interfaces that other files merge into it by `declare module`. `Declarations` follows imports and exports to the declaration that a
 * name stands for. `references.mjs` finds the names that a declaration uses; `roll-up.mjs` and the API report print declarations.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { parseSync } from "rolldown/utils";

/**
 * @typedef {{ module: string, name: string, parts: Part[] }} Declaration
 * @typedef {{ module: string, node: object, prefix: string, doc: string, into?: string }} Part  a statement, or one variable of a
 *   statement; `into` is the file of a declaration that it merges into
 * @typedef {{ kind: "declaration", declaration: Declaration, typeOnly: boolean }
 *   | { kind: "namespace", module: string, typeOnly: boolean }} Target
 */
export class Declarations {
  /** @param {string} folder the folder of the emitted files */
  constructor(folder) {
    this.folder = folder;
    /** The files read so far, by their path without `.d.ts`. */
    this.modules = new Map();
    /** Statements of `declare module`, which wait until the declaration that they merge into is known. */
    this.merges = [];
  }

  /** Reads files and all files that they import, and merges what they add to classes of other files. */
  read(...modules) {
    const waiting = [...modules];
    for (let module = waiting.pop(); module !== undefined; module = waiting.pop())
      if (!this.modules.has(module)) waiting.push(...this.#readOne(module));
    for (const part of this.merges.splice(0)) {
      const target = this.exported(part.into, part.node.id.name);
      if (target?.kind !== "declaration") throw new Error(`${part.module}: nothing to merge ${part.node.id.name} into`);
      target.declaration.parts.push(part);
    }
  }

  textOf(module) {
    return this.modules.get(module).text;
  }

  /** Returns the names that a file exports with their targets, sorted by name. */
  exportsOf(module) {
    const names = new Set();
    this.#collectNames(module, names, new Set());
    return [...names].sort().map((name) => [name, this.exported(module, name)]);
  }

  /** Returns the target of an exported name, or undefined. @returns {Target | undefined} */
  exported(module, name, seen = new Set()) {
    const { exports, stars } = this.modules.get(module);
    if (seen.has(module)) return undefined;
    seen.add(module);
    const found = exports.get(name);
    if (found === undefined) {
      if (name === "default") return undefined;
      for (const star of stars) {
        const target = this.exported(star, name, seen);
        if (target) return target;
      }
      return undefined;
    }
    const target = this.#follow(module, found);
    return target && { ...target, typeOnly: target.typeOnly || found.typeOnly };
  }

  /** Returns the target of a name in a part of a declaration; undefined for a global name. @returns {Target | undefined} */
  named({ module, into }, name) {
    return this.local(module, name) ?? (into && this.exported(into, name));
  }

  /** Returns the target of a name inside a file; undefined for a global name. @returns {Target | undefined} */
  local(module, name) {
    const { declarations, imports } = this.modules.get(module);
    if (declarations.has(name)) return { kind: "declaration", declaration: declarations.get(name), typeOnly: false };
    const imported = imports.get(name);
    return imported && this.#follow(module, imported);
  }

  /** Returns the target of `import("source")` in a file. @returns {Target} */
  imported(module, source) {
    return { kind: "namespace", module: resolve(module, source), typeOnly: false };
  }

  #follow(module, { from, name, typeOnly }) {
    if (from === undefined) return this.local(module, name);
    if (name === "*") return { kind: "namespace", module: from, typeOnly };
    const target = this.exported(from, name);
    if (target === undefined) throw new Error(`${module}: ${from} does not export ${name}`);
    return target;
  }

  #collectNames(module, names, seen) {
    if (seen.has(module)) return;
    seen.add(module);
    const { exports, stars } = this.modules.get(module);
    for (const name of exports.keys()) if (name !== "default") names.add(name);
    for (const star of stars) this.#collectNames(star, names, seen);
  }

  /** Reads a file and returns the files that it imports. */
  #readOne(module) {
    const text = readFileSync(`${this.folder}/${module}.d.ts`, "utf8");
    const { program, errors } = parseSync(`${module}.d.ts`, text);
    if (errors.length > 0) throw new Error(`${module}.d.ts: ${errors[0].message}`);
    const file = { text, declarations: new Map(), imports: new Map(), exports: new Map(), stars: [] };
    this.modules.set(module, file);
    const used = new Set(
      Array.from(text.matchAll(/\bimport\("(\.[^"]+)"\)/g), ([, source]) => resolve(module, source)),
    );
    let end = 0;
    for (const statement of program.body) {
      if (statement.source) used.add(resolve(module, statement.source.value));
      this.#readStatement(module, file, statement, docIn(text.slice(end, statement.start)));
      end = statement.end;
    }
    return used;
  }

  #readStatement(module, file, statement, doc) {
    const from = statement.source ? resolve(module, statement.source.value) : undefined;
    switch (statement.type) {
      case "ImportDeclaration":
        for (const { type, imported, local } of statement.specifiers) {
          const name = type === "ImportNamespaceSpecifier" ? "*" : (imported?.name ?? "default");
          file.imports.set(local.name, { from, name, typeOnly: false });
        }
        return;
      case "ExportAllDeclaration":
        if (statement.exported) file.exports.set(statement.exported.name, { from, name: "*", typeOnly: false });
        else file.stars.push(from);
        return;
      case "ExportDefaultDeclaration":
        file.exports.set("default", { name: statement.declaration.name, typeOnly: false });
        return;
      case "ExportNamedDeclaration":
        for (const { local, exported, exportKind } of statement.specifiers) {
          const typeOnly = statement.exportKind === "type" || exportKind === "type";
          file.exports.set(exported.name, { from, name: local.name, typeOnly });
        }
        if (statement.declaration)
          for (const name of declare(module, file, statement.declaration, doc))
            file.exports.set(name, { name, typeOnly: false });
        return;
      case "TSModuleDeclaration":
        for (const node of statement.body.body)
          this.merges.push({ module, node, prefix: "", doc: "", into: resolve(module, statement.id.value) });
        return;
      default:
        declare(module, file, statement, doc);
    }
  }
}

/** Adds a statement to the declarations of its file and returns the names that it declares. */
function declare(module, file, node, doc) {
  const variables = node.type === "VariableDeclaration";
  // Each variable of a statement is a part, because some of them may not be used.
  const parts = variables
    ? node.declarations.map((node_) => ({ module, node: node_, prefix: `declare ${node.kind} `, doc }))
    : [{ module, node, prefix: "", doc }];
  return parts.map((part) => {
    const { name } = part.node.id;
    const declaration = file.declarations.get(name) ?? { module, name, parts: [] };
    file.declarations.set(name, declaration);
    declaration.parts.push(part);
    return name;
  });
}

/** The JSDoc comment right before a statement. A comment before it, such as a file's header, is not part of it. */
function docIn(text) {
  return /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text)?.[0].trimEnd() ?? "";
}

/** The path of an imported file, without its extension. */
function resolve(module, source) {
  if (!source.startsWith("."))
    throw new Error(`${module}: declarations import only files of this package, not ${source}`);
  return join(dirname(module), source).replace(/\.(d\.ts|ts|js)$/, "");
}
