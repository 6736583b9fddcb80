/** The words of a source file: its comments, its strings that contain spaces, and the names that it declares. */
import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "vite";
import { projectRoot } from "./command.ts";

export interface SourceWords {
  readonly texts: readonly string[];
  /** Names of variables and parameters. */
  readonly names: readonly string[];
}

interface Pattern {
  readonly type: string;
  readonly name?: unknown;
}

/** Returns the words of a file; `path` is relative to the project's root. */
export function wordsOf(path: string, text = readFileSync(projectRoot + path, "utf8")): SourceWords {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const texts = comments.map(({ value }) => value.replaceAll(/\s*\n\s*\*?\s*/g, " "));
  const names: string[] = [];
  const addText = (value: unknown): void => {
    if (typeof value === "string" && value.includes(" ")) texts.push(value);
  };
  const addName = ({ type, name }: Pattern): void => {
    if (type === "Identifier" && typeof name === "string") names.push(name);
  };
  const addParameters = ({ params }: { readonly params: readonly Pattern[] }): void => params.forEach(addName);
  new Visitor({
    Literal: ({ value }) => addText(value),
    TemplateElement: ({ value }) => addText(value.cooked),
    VariableDeclarator: ({ id }) => addName(id),
    FunctionDeclaration: addParameters,
    FunctionExpression: addParameters,
    ArrowFunctionExpression: addParameters,
    ArrayPattern: ({ elements }) => elements.filter((element) => element !== null).forEach(addName),
    ObjectPattern: ({ properties }) =>
      properties
        .map((property) => (property.type === "Property" ? property.value : property.argument))
        .forEach(addName),
    AssignmentPattern: ({ left }) => addName(left),
    RestElement: ({ argument }) => addName(argument),
  }).visit(program);
  return { texts, names };
}
