/**
 * The compiler's view of the ops that the package exports: how each is called, and the sentence that an editor shows.
 * Queried through the compiler's own interface, so that a signature in a document is one that compiles. Default values
 * are not part of a type: they are read from the signature texts in the sources, or from the words "1 unless given" or
 * "Default: 1" above an option.
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
  /** Its calls, one text for each overload: "elu(x, alpha = 1, { out })". */
  readonly signatures: readonly string[];
  readonly sentence: string;
  /** True if it can write the result to a given tensor. */
  readonly takesOut: boolean;
  /** True if it is also a method of tensors: the same function, not another of that name. */
  readonly isMethod: boolean;
  /** The file in `src/ops` that defines it; undefined for ops of `src/api.ts`. */
  readonly file: string;
}

/** The compiler's data, while it runs. */
interface Asked {
  readonly project: Project;
  readonly fallbacks: ReadonlyMap<string, string>;
}

type Checker = Project["checker"];

/** All ops by exported name. */
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

/** The exports of `src/index.ts`, and the members of exported namespaces: "linalg.inv". */
function exportsOf({ checker, program }: Project): Map<string, Symbol> {
  const results = new Map<string, Symbol>();
  const index = program.getSourceFile(`${projectRoot}src/index.ts`);
  const own = (symbol: Symbol): Symbol =>
    (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(index as never) as Symbol)) {
    const value = own(symbol);
    results.set(symbol.name, value);
    const members =
      (value.flags & SymbolFlags.ValueModule) === 0
        ? checker.getPropertiesOfType(checker.getTypeOfSymbol(value) as Type)
        : checker.getExportsOfModule(value);
    if (/^[a-z]+$/.test(symbol.name))
      for (const member of members) results.set(`${symbol.name}.${member.name}`, own(member));
  }
  return results;
}

function opType(asked: Asked, name: string, symbol: Symbol): OpType {
  const { checker } = asked.project;
  const type = checker.getTypeOfSymbol(symbol) as Type;
  const calls = checker.getSignaturesOfType(type, SignatureKind.Call).map((one) => callOf(asked, name, one));
  // Options may often precede the last argument: that is not a separate overload.
  const distinct = calls.filter(
    (call) => !calls.some((other) => other.parameters.length > call.parameters.length && isPart(call, other)),
  );
  const path = symbol.declarations[0]?.path ?? "";
  return {
    signatures: [...new Set(distinct.map(({ parameters, gives }) => `${name}(${parameters.join(", ")})${gives}`))],
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

/** True if a call is the other one with arguments omitted. */
const isPart = ({ parameters: few, gives }: Call, { parameters: many, gives: other }: Call): boolean =>
  gives === other &&
  few.every((one) => many.includes(one) || many.includes(`${one}?`) || one.startsWith("{")) &&
  many.every((one) => few.includes(one) || /^\{|[?]$| = /.test(one));

const flags = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.IgnoreErrors;

/** Names of parameters as the compiler prints them: rest parameters with known names are spread. */
function callOf({ project: { checker, emitter }, fallbacks: known }: Asked, op: string, call: Signature): Call {
  const node = checker.signatureToSignatureDeclaration(call, SyntaxKind.CallSignature, undefined, flags);
  const printed = (
    node as unknown as { parameters: readonly { name: never; dotDotDotToken?: unknown; questionToken?: unknown }[] }
  ).parameters;
  const parameters = printed.map(({ name: named, dotDotDotToken, questionToken }, index) => {
    const name = emitter.printNode(named);
    if (dotDotDotToken !== undefined) return `...${name}`;
    if (name === "options") return optionsOf(checker, known, op, checker.getParameterType(call, index) as Type);
    const value = known.get(`${op} ${name}`);
    return value === undefined ? name + (questionToken === undefined ? "" : "?") : `${name} = ${value}`;
  });
  return { parameters, gives: givesOf(checker, checker.getReturnTypeOfSignature(call) as Type) };
}

function optionsOf(checker: Checker, known: Asked["fallbacks"], op: string, type: Type): string {
  const plain = checker.getNonNullableType(checker.getBaseConstraintOfType(type) ?? type) as Type;
  const shown = checker.getPropertiesOfType(plain).flatMap((option) => {
    const type = checker.getTypeOfSymbol(option) as Type;
    if (/^(never|undefined)$/.test(checker.typeToString(type))) return [];
    const words = checker.getDocumentationCommentOfSymbol(option);
    const [, older, stated = older] =
      /(true|false|"\w+"|-?\d[\w./-]*) unless given|Default: (true|false|"\w+"|-?\d(?:[\w./-]*\w)?)/.exec(words) ?? [];
    const value = known.get(`${op} ${option.name}`) ?? stated;
    return [value === undefined ? option.name : `${option.name} = ${value}`];
  });
  // `out` is last, wherever it is declared.
  return `{ ${[...shown.filter((one) => one !== "out"), ...shown.filter((one) => one === "out")].join(", ")} }`;
}

/** The result, if it is not one tensor. */
function givesOf(checker: Checker, type: Type): string {
  const text = checker.typeToString(type);
  if (/^(boolean|number|number\[\]|string)$/.test(text)) return `: ${text}`;
  if (checker.isArrayType(type)) return ": Tensor[]";
  // Of a type that depends on the options only the common part of its forms is known, which is not informative.
  const parts = checker.getPropertiesOfType(type).flatMap(({ name }) => (name === "toString" ? [] : [name]));
  return parts.length > 0 && parts.length < 8 ? `: { ${parts.join(", ")} }` : "";
}

/** Default values by op and name: from texts like "elu(x, alpha = 1)" in the sources. */
function fallbacks(): ReadonlyMap<string, string> {
  const results = new Map<string, string>();
  for (const path of readdirSync(`${projectRoot}src/ops`, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts") || path.endsWith(".test.ts")) continue;
    const text = readFileSync(`${projectRoot}src/ops/${path}`, "utf8");
    for (const [, op, inside] of text.matchAll(/"((?:\w+\.)?\w+)\(([^"()]*)\)"/g))
      for (const [, name, value] of (inside as string).matchAll(/(\w+) = ([^,;]+)/g))
        results.set(
          `${op} ${name}`,
          /^(null|true|false|[-\d.]+)$/.test(value as string) ? (value as string) : `"${value}"`,
        );
  }
  return results;
}
