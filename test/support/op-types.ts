/**
 * What the compiler knows of the ops that the package exports: how each is called, and the sentence that an editor shows. Asked through
 * the compiler's own interface, so that a signature in a document is one that compiles. What an argument is if left away is no part of
 * its type: it is read from the texts of signatures in the sources, or from the
 * words "1 unless given" or "Default: 1" above an option.
 */
import { readdirSync, readFileSync } from "node:fs";
import { SyntaxKind } from "typescript/unstable/ast";
import {
  API,
  NodeBuilderFlags,
  type Project,
  type Signature,
  SignatureKind,
  type Symbol,
  SymbolFlags,
  type Type,
} from "typescript/unstable/sync";
import { projectRoot } from "./command.ts";

/** One op as the compiler sees it. */
export interface OpType {
  /** How it is called, one text for each way: "elu(x, alpha = 1, { out })". */
  readonly signatures: readonly string[];
  readonly sentence: string;
  /** True if the result can be written to a tensor that is given. */
  readonly takesOut: boolean;
  /** True if it is a method of tensors, too: its own, not another of the same name. */
  readonly isMethod: boolean;
  /** The file in `src/ops` that it is defined in; none of what `src/api.ts` defines. */
  readonly file: string;
}

/** What the compiler knows, while it runs. */
interface Asked {
  readonly project: Project;
  readonly fallbacks: ReadonlyMap<string, string>;
}

type Checker = Project["checker"];

/** All ops by the name under which the package exports them. */
export function opTypes(names: Iterable<string>): Map<string, OpType> {
  const api = new API({ cwd: projectRoot });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [`${projectRoot}tsconfig.json`] });
    const [project] = snapshot.getProjects() as readonly [Project];
    const values = exportsOf(project);
    const asked = { project, fallbacks: fallbacks() };
    return new Map([...names].map((name) => [name, opType(asked, name, values.get(name) as Symbol)]));
  } finally {
    api.close();
  }
}

/** What `src/index.ts` exports, and the members of what it exports as a whole: "linalg.inv". */
function exportsOf({ checker, program }: Project): Map<string, Symbol> {
  const found = new Map<string, Symbol>();
  const index = program.getSourceFile(`${projectRoot}src/index.ts`);
  const own = (symbol: Symbol): Symbol =>
    (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(index as never) as Symbol)) {
    const value = own(symbol);
    found.set(symbol.name, value);
    const members =
      (value.flags & SymbolFlags.ValueModule) === 0
        ? checker.getPropertiesOfType(checker.getTypeOfSymbol(value) as Type)
        : checker.getExportsOfModule(value);
    if (/^[a-z]+$/.test(symbol.name))
      for (const member of members) found.set(`${symbol.name}.${member.name}`, own(member));
  }
  return found;
}

function opType(asked: Asked, name: string, symbol: Symbol): OpType {
  const { checker } = asked.project;
  const type = checker.getTypeOfSymbol(symbol) as Type;
  const calls = checker.getSignaturesOfType(type, SignatureKind.Call).map((one) => callOf(asked, name, one));
  // Options may often stand earlier than the last argument: that way is no other one.
  const told = calls.filter(
    (call) => !calls.some((other) => other.parameters.length > call.parameters.length && isPart(call, other)),
  );
  const path = symbol.declarations[0]?.path ?? "";
  return {
    signatures: [...new Set(told.map(({ parameters, gives }) => `${name}(${parameters.join(", ")})${gives}`))],
    sentence: checker.getDocumentationCommentOfSymbol(symbol).replaceAll(/\s*\n\s*/g, " "),
    takesOut: calls.some(({ parameters }) => /\bout\b/.test(parameters.at(-1) ?? "")),
    isMethod: checker.getPropertyOfType(type, "method") !== undefined,
    file: /src\/ops\/(.+)$/.exec(path)?.[1] ?? "",
  };
}

interface Call {
  readonly parameters: readonly string[];
  readonly gives: string;
}

/** True if a call is the other one with arguments left away. */
const isPart = ({ parameters: few, gives }: Call, { parameters: many, gives: other }: Call): boolean =>
  gives === other &&
  few.every((one) => many.includes(one) || many.includes(`${one}?`) || one.startsWith("{")) &&
  many.every((one) => few.includes(one) || /^\{|[?]$| = /.test(one));

const flags = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.IgnoreErrors;

/** Names of parameters as the compiler prints them: a rest of known names is spread. */
function callOf({ project: { checker, emitter }, fallbacks: known }: Asked, op: string, call: Signature): Call {
  const node = checker.signatureToSignatureDeclaration(call, SyntaxKind.CallSignature, undefined, flags);
  const printed = (
    node as unknown as { parameters: readonly { name: never; dotDotDotToken?: unknown; questionToken?: unknown }[] }
  ).parameters;
  const parameters = printed.map(({ name: named, dotDotDotToken, questionToken }, place) => {
    const name = emitter.printNode(named);
    if (dotDotDotToken !== undefined) return `...${name}`;
    if (name === "options") return optionsOf(checker, known, op, checker.getParameterType(call, place) as Type);
    const value = known.get(`${op} ${name}`);
    return value === undefined ? name + (questionToken === undefined ? "" : "?") : `${name} = ${value}`;
  });
  return { parameters, gives: givesOf(checker, checker.getReturnTypeOfSignature(call) as Type) };
}

function optionsOf(checker: Checker, known: Asked["fallbacks"], op: string, given: Type): string {
  const plain = checker.getNonNullableType(checker.getBaseConstraintOfType(given) ?? given) as Type;
  const shown = checker.getPropertiesOfType(plain).flatMap((option) => {
    const type = checker.getTypeOfSymbol(option) as Type;
    if (/^(never|undefined)$/.test(checker.typeToString(type))) return [];
    const words = checker.getDocumentationCommentOfSymbol(option);
    const [, older, stated = older] =
      /(true|false|"\w+"|-?\d[\w./-]*) unless given|Default: (true|false|"\w+"|-?\d(?:[\w./-]*\w)?)/.exec(words) ?? [];
    const value = known.get(`${op} ${option.name}`) ?? stated;
    return [value === undefined ? option.name : `${option.name} = ${value}`];
  });
  // `out` is the last wherever it is declared.
  return `{ ${[...shown.filter((one) => one !== "out"), ...shown.filter((one) => one === "out")].join(", ")} }`;
}

/** What is given, if it is not one tensor. */
function givesOf(checker: Checker, type: Type): string {
  const text = checker.typeToString(type);
  if (/^(boolean|number|number\[\]|string)$/.test(text)) return `: ${text}`;
  if (checker.isArrayType(type)) return ": Tensor[]";
  // Of a type that depends on the options only what all of its forms have is known, and that says nothing.
  const parts = checker.getPropertiesOfType(type).flatMap(({ name }) => (name === "toString" ? [] : [name]));
  return parts.length > 0 && parts.length < 8 ? `: { ${parts.join(", ")} }` : "";
}

/** What arguments are if left away, by op and name: from texts like "elu(x, alpha = 1)" in the sources. */
function fallbacks(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of readdirSync(`${projectRoot}src/ops`, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts") || path.endsWith(".test.ts")) continue;
    const text = readFileSync(`${projectRoot}src/ops/${path}`, "utf8");
    for (const [, op, inside] of text.matchAll(/"((?:\w+\.)?\w+)\(([^"()]*)\)"/g))
      for (const [, name, value] of (inside as string).matchAll(/(\w+) = ([^,;]+)/g))
        found.set(
          `${op} ${name}`,
          /^(null|true|false|[-\d.]+)$/.test(value as string) ? (value as string) : `"${value}"`,
        );
  }
  return found;
}
