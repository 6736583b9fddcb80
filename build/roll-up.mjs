/**
 * Joins declaration files: `dist/types` gets one file for each folder of `src/`, with the declarations that an entry point uses, and
 * `dist` one file for each entry point, which exports its names from there. A declaration is in one file only, so a type has one
 * identity in all entry points.
 *
 * Declarations of one name in one folder get a number (`norm_1`); entry points export them by their own names. A global type whose name
 * the folder declares is written `globalThis.Generator`. Comments of files are dropped, those of declarations and members kept.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { Declarations } from "./declarations.mjs";
import { visitReferences } from "./references.mjs";

/**
 * Writes the declarations of entry points.
 *
 * @param {string} from the folder of the emitted declarations
 * @param {string} to the folder that gets a file for each entry, and the folder `types`
 * @param {Record<string, string>} entries source files by the names of entries
 */
export function rollUp(from, to, entries) {
  const rolled = new RollUp(from);
  for (const [name, source] of Object.entries(entries)) rolled.addEntry(name, source.replace(/\.ts$/, ""));
  mkdirSync(`${to}/types`, { recursive: true });
  for (const [file, text] of rolled.print()) writeFileSync(`${to}/${file}.d.ts`, text);
}

class RollUp {
  constructor(folder) {
    this.graph = new Declarations(folder);
    /** The exported names of files that only export, entries and namespaces: name -> target. */
    this.lists = new Map();
    /** Declarations in use, by the file that they are printed to. */
    this.files = new Map();
    /** The references of each declaration in use. */
    this.references = new Map();
  }

  addEntry(name, module) {
    this.graph.read(module);
    this.#addList(name, module);
  }

  #addList(name, module) {
    const targets = this.graph.exportsOf(module);
    this.lists.set(name, targets);
    for (const [, target] of targets) this.#use(target);
  }

  /** Adds a target and everything that it refers to. */
  #use(target) {
    if (target.kind === "namespace") {
      const name = namespaceFile(target.module);
      if (!this.lists.has(name)) this.#addList(name, target.module);
      return;
    }
    const waiting = [target.declaration];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (this.references.has(one)) continue;
      const file = fileOf(one.module);
      this.files.set(file, [...(this.files.get(file) ?? []), one]);
      const references = one.parts.flatMap((part) => this.#referencesOf(part));
      this.references.set(one, references);
      for (const { target } of references)
        if (target?.kind === "declaration") waiting.push(target.declaration);
        else if (target) this.#use(target);
    }
  }

  /** The references of a part with their targets. A path into a namespace refers to the declaration in it. */
  #referencesOf(part) {
    const found = [];
    visitReferences(part.node, ({ start, end, name, next, source, hidden }) => {
      let target = source === undefined ? this.graph.named(part, name) : this.graph.imported(part.module, source);
      if (target?.kind === "namespace" && next) {
        target = this.graph.exported(target.module, next.name);
        end = next.end;
      }
      found.push({ part, start, end, name: source === undefined ? name : "", target, hidden });
    });
    return found;
  }

  /** The files to write, with their texts. */
  *print() {
    const names = this.#nameAll();
    for (const [file, declarations] of this.files) {
      declarations.sort((a, b) => compare(a.module, b.module) || a.parts[0].node.start - b.parts[0].node.start);
      yield [file, this.#printFile(file, declarations, names)];
    }
    for (const [file, targets] of this.lists) yield [file, printList(file, targets, names)];
  }

  /** A name for each declaration that differs from the others of its file. Exported ones are the first to get their own name. */
  #nameAll() {
    const names = new Map();
    const taken = new Map([...this.files.keys()].map((file) => [file, new Set()]));
    const exported = [...this.lists.values()]
      .flat()
      .flatMap(([name, { declaration }]) => (declaration?.name === name ? [declaration] : []));
    for (const declaration of [...exported, ...[...this.files.values()].flat()])
      if (!names.has(declaration))
        names.set(declaration, freeName(declaration.name, taken.get(fileOf(declaration.module))));
    return names;
  }

  #printFile(file, declarations, names) {
    const own = new Set(declarations.map((declaration) => names.get(declaration)));
    const globals = new Set(
      declarations.flatMap((one) => this.references.get(one).flatMap(({ target, name }) => (target ? [] : [name]))),
    );
    const imports = new Imports(file, new Set([...own, ...globals]));
    const nameOf = ({ target, name }) => {
      if (target === undefined) return own.has(name) ? `globalThis.${name}` : name;
      const isHere = target.kind === "declaration" && fileOf(target.declaration.module) === file;
      return isHere ? names.get(target.declaration) : imports.nameOf(target, names);
    };
    const body = declarations.map((declaration) => this.#printDeclaration(declaration, names.get(declaration), nameOf));
    const modules = new Set(declarations.flatMap(({ parts }) => parts.map(({ module }) => module)));
    const libraries = [...modules].flatMap(
      (module) => this.graph.textOf(module).match(/^\/\/\/ <reference lib=.*$/gm) ?? [],
    );
    return [...new Set(libraries), ...imports.print(), ...body].join("\n").concat("\n");
  }

  #printDeclaration(declaration, name, nameOf) {
    const references = this.references.get(declaration);
    return declaration.parts
      .map((part) => {
        const edits = references
          .filter((reference) => reference.part === part)
          .map((reference) => {
            const text = nameOf(reference);
            if (text !== reference.name && reference.hidden.has(text))
              throw new Error(`${part.module}: a type parameter hides ${text}`);
            return { start: reference.start, end: reference.end, text };
          });
        const { id } = part.node;
        if (id.name !== name) edits.push({ start: id.start, end: id.start + id.name.length, text: name });
        const text = part.prefix + edited(this.graph.textOf(part.module), part.node, edits);
        const doc = part.doc === "" ? "" : `${part.doc}\n`;
        return `${doc}export ${text}${part.prefix === "" ? "" : ";"}`;
      })
      .join("\n");
  }
}

/** The imports of a file in `types`. */
class Imports {
  /** @param {Set<string>} taken names that mean something else in the file */
  constructor(file, taken) {
    this.file = file;
    this.taken = taken;
    this.locals = new Map();
    /** Import specifiers by file. */
    this.specifiers = new Map();
  }

  /** The name of a declaration or namespace of another file. */
  nameOf(target, names) {
    const key = target.declaration ?? target.module;
    if (!this.locals.has(key)) {
      const isNamespace = target.kind === "namespace";
      const from = isNamespace ? namespaceFile(target.module) : fileOf(target.declaration.module);
      const name = isNamespace ? "namespace" : names.get(target.declaration);
      const local = freeName(name, this.taken);
      this.locals.set(key, local);
      const specifier = isNamespace ? `* as ${local}` : name === local ? `{ ${name} }` : `{ ${name} as ${local} }`;
      this.specifiers.set(from, [...(this.specifiers.get(from) ?? []), specifier]);
    }
    return this.locals.get(key);
  }

  /** One line for each file, or for each namespace. */
  print() {
    return [...this.specifiers]
      .sort(([a], [b]) => compare(a, b))
      .map(
        ([from, list]) =>
          `import ${list.sort(compare).join(", ").replaceAll(" }, { ", ", ")} from "${between(this.file, from)}";`,
      );
  }
}

/** The text of a node after edits. */
function edited(text, { start, end }, edits) {
  let result = "";
  let at = start;
  for (const edit of edits.sort((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at, end);
}

/** A file that exports names of others. */
function printList(file, targets, names) {
  const byFile = new Map();
  const lines = [];
  for (const [name, target] of targets) {
    if (target.kind === "namespace") {
      lines.push(`export * as ${name} from "${between(file, namespaceFile(target.module))}";`);
      continue;
    }
    const from = fileOf(target.declaration.module);
    const own = names.get(target.declaration);
    const specifier = `${target.typeOnly ? "type " : ""}${own}${own === name ? "" : ` as ${name}`}`;
    byFile.set(from, [...(byFile.get(from) ?? []), specifier]);
  }
  for (const [from, list] of byFile) lines.push(`export { ${list.join(", ")} } from "${between(file, from)}";`);
  return `${lines.sort(compare).join("\n")}\n`;
}

/** The file in `types` for the declarations of a source file: its folder, or `main` for the files of `src` itself. */
const fileOf = (module) => `types/${module.includes("/") ? module.slice(0, module.indexOf("/")) : "main"}`;

/** The file in `types` with the exports of a source file that is used as a namespace. */
const namespaceFile = (module) => `types/${module.replace(/\/index$/, "").replaceAll("/", "-")}-exports`;

/** The import path from one file to another. */
const between = (file, to) => (file.startsWith("types/") ? to.replace("types/", "./") : `./${to}`).concat(".js");

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** A name that is not taken, `name` itself or with a number, which is taken then. */
function freeName(name, taken) {
  let free = name;
  for (let k = 1; taken.has(free); k++) free = `${name}_${k}`;
  taken.add(free);
  return free;
}
