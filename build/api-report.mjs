/**
 * The public names of the package with their types as text, for reviews: one text for each entry point, made from the published
 * declarations. A name is one line, and so is each member of a class or an interface; comments are left out. A declaration that several
 * entries export is printed for the first of them. Types that no entry exports but that exported ones use are printed last, because they
 * are a part of the surface.
 */
import { Declarations } from "./declarations.mjs";
import { visitReferences } from "./references.mjs";

/**
 * Returns the texts by entry, and those of the types that are not exported under `unexported`.
 *
 * @param {string} folder the folder of the declarations, `dist`
 * @param {string[]} entries the names of the entries
 * @returns {Map<string, string>}
 */
export function apiReport(folder, entries) {
  const graph = new Declarations(folder);
  const texts = new Map();
  /** The first exported name of each declaration and namespace: "layout: Shape". */
  const known = new Map();
  for (const entry of entries) {
    graph.read(entry);
    texts.set(entry, [...listed(graph, entry, entry, known)].join("\n").concat("\n"));
  }
  texts.set("unexported", [...unexported(graph, known)].sort().join("\n").concat("\n"));
  return texts;
}

/** The lines of an entry or namespace. */
function* listed(graph, entry, module, known, prefix = "") {
  for (const [name, target] of graph.exportsOf(module)) {
    const key = target.declaration ?? target.module;
    if (known.has(key)) yield `${prefix}${name}: as in ${known.get(key)}`;
    else {
      known.set(key, `${entry}: ${prefix}${name}`);
      if (target.kind === "namespace") yield* listed(graph, entry, target.module, known, `${prefix}${name}.`);
      else yield printed(graph, target.declaration, prefix + name);
    }
  }
}

/** The declarations that known ones use and that no entry exports. */
function* unexported(graph, known) {
  const waiting = [...known.keys()].filter((key) => typeof key === "object");
  const seen = new Set(waiting);
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (!known.has(one)) yield printed(graph, one, one.name);
    for (const part of one.parts)
      visitReferences(part.node, ({ name }) => {
        const target = graph.named(part, name);
        if (target?.kind !== "declaration" || seen.has(target.declaration)) return;
        seen.add(target.declaration);
        waiting.push(target.declaration);
      });
  }
}

/** A declaration under a name, one line for each overload, and for each member of a class or interface. */
function printed(graph, declaration, name) {
  return declaration.parts
    .map(({ module, node, prefix }) => {
      const text = graph.textOf(module);
      const own = node.id.start + node.id.name.length;
      const start = oneLine(prefix + text.slice(node.start, node.id.start)).replace(/^declare /, "");
      const head = `${start} ${name}`;
      if (node.body?.type !== "ClassBody" && node.body?.type !== "TSInterfaceBody")
        return head + oneLine(text.slice(own, node.end));
      const members = node.body.body.map((member) => `  ${oneLine(text.slice(member.start, member.end))}`);
      return [head + oneLine(text.slice(own, node.body.start)), ...members].join("\n");
    })
    .join("\n");
}

/** A piece of a declaration without comments and line breaks. */
function oneLine(text) {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/\/\/.*$/gm, "")
    .replaceAll(/\s+/g, " ")
    .replace(/ (?=[),;])/g, "")
    .replace(/;$/, "")
    .trimEnd();
}
