/**
 * The sources of the types of methods, made from the tables that `src/ops/methods.ts` installs. Each method is declared by itself, so that
 * an editor has a sentence to show at it: at a member of a mapped type it shows none.
 */
import { readFileSync } from "node:fs";
import * as stridewise from "../../src/index.ts";
import { projectRoot } from "./command.ts";
import { type OpType, opTypes } from "./op-types.ts";

interface Method {
  readonly name: string;
  readonly sentence: string;
  /** The table that it is in. */
  readonly table: string;
  readonly file: string;
  readonly isElementwise: boolean;
}

/** The ops of the tables, by name. */
function methods(): readonly Method[] {
  const text = readFileSync(`${projectRoot}src/ops/methods.ts`, "utf8");
  const [, elementwise = ""] = /const elementwise: .* = \[(.*)\]/.exec(text) ?? [];
  const tables = new Map(
    [...text.matchAll(/^import (\w+)(?:, \{.*\})? from "\.\/(.*)";$/gm)].map(([, name, file]) => [file, name]),
  );
  const names = Object.entries(stridewise).filter(([, value]) => typeof value === "function" && "operator" in value);
  return [...opTypes(names.map(([name]) => name))]
    .filter(([, { isMethod, file }]) => isMethod && tables.has(file))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { sentence, file }]: [string, OpType]) => {
      const table = tables.get(file) as string;
      return { name, sentence, file, table, isElementwise: elementwise.split(", ").includes(table) };
    });
}

/** A file with one interface. */
function source(
  type: string,
  what: string,
  own: string,
  found: readonly Method[],
  behind: string,
  also: string,
): string {
  const files = new Map(found.map(({ file, table }) => [file, `import type * as ${table} from "./${file}";`]));
  files.set("op-types.ts", `import type { ${own} } from "./op-types.ts";`);
  const imports = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  const members = found.map(
    ({ name, table, sentence }) =>
      `  /** ${sentence}${also} */\n  readonly ${name}${behind}: ${own}<typeof ${table}.${name}>;`,
  );
  return `/**
 * ${what}, each with the sentence of its op. No run-time code.
 * Made from the code: \`npx vitest run test/golden/method-types.test.ts --update=all\` writes it anew.
 */
${imports.join("\n")}

/** ${what}. */
export interface ${type} {
${members.join("\n")}
}
`;
}

/** The texts of the files in `src/ops`, by name. */
export function methodTypes(): Readonly<Record<string, string>> {
  const found = methods();
  const elementwise = found.filter(({ isElementwise }) => isElementwise);
  const others = found.filter(({ isElementwise }) => !isElementwise);
  return {
    "method-types.ts": source("Methods", "Ops as methods of tensors", "MethodOf", others, "", ""),
    "method-types-elementwise.ts": source(
      "ElementwiseMethods",
      "Elementwise ops as methods of tensors",
      "MethodOf",
      elementwise,
      "",
      "",
    ),
    "method-types-in-place.ts": source(
      "InPlaceMethods",
      "Elementwise ops that write their result to the tensor itself",
      "InPlaceForm",
      elementwise,
      "_",
      " Written to the tensor itself, which is given back.",
    ),
  };
}
