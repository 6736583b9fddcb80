/**
 * The signatures and descriptions of the ops that the package exports, as the compiler and editors show them. Defaults are not part of a
 * type. They are read from the sources: from signature texts such as "elu(x, alpha = 1)", from the parameters of the function that
 * follows such a text, or from "Default: 1" in the comment of an option.
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

/** The type of an op. */
export interface OpType {
  /** One text for each overload, such as "elu(x, alpha = 1, { out })". */
  readonly signatures: readonly string[];
  readonly sentence: string;
  /** True if the op has the option `out`. */
  readonly takesOut: boolean;
  /** True if the op is also a method of tensors. */
  readonly isMethod: boolean;
  /** The path of its file in `src/ops`, or "" if it is defined in `src/api.ts`. */
  readonly file: string;
}

/** The compiler, and facts from the sources that types do not contain. */
interface Context {
  readonly project: Project;
  readonly defaults: Defaults;
  /** The first parameter of each op in its signature text. */
  readonly firstNames: ReadonlyMap<string, string>;
}

/** Default values by op and parameter: "elu alpha". */
type Defaults = ReadonlyMap<string, string>;

type Checker = Project["checker"];

/** All ops by exported name. */
export function opTypes(names: Iterable<string>): Map<string, OpType> {
  const api = new API({ cwd: projectRoot });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [`${projectRoot}tsconfig.build.json`] });
    const [project] = snapshot.getProjects() as readonly [Project];
    const values = exportsOf(project);
    const context = { project, ...readSources() };
    return new Map([...names].map((name) => [name, opType(context, name, values.get(name) as Symbol)]));
  } finally {
    api.close();
  }
}

/** The exports of `src/index.ts`, and the members of exported namespaces: "linalg.inv". */
function exportsOf({ checker, program }: Project): Map<string, Symbol> {
  const symbols = new Map<string, Symbol>();
  const index = program.getSourceFile(`${projectRoot}src/index.ts`);
  const own = (symbol: Symbol): Symbol =>
    (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(index as never) as Symbol)) {
    const value = own(symbol);
    symbols.set(symbol.name, value);
    const members =
      (value.flags & SymbolFlags.ValueModule) === 0
        ? checker.getPropertiesOfType(checker.getTypeOfSymbol(value) as Type)
        : checker.getExportsOfModule(value);
    if (/^[a-z]+$/.test(symbol.name))
      for (const member of members) symbols.set(`${symbol.name}.${member.name}`, own(member));
  }
  return symbols;
}

function opType(context: Context, name: string, symbol: Symbol): OpType {
  const { checker } = context.project;
  const type = checker.getTypeOfSymbol(symbol) as Type;
  const calls = checker.getSignaturesOfType(type, SignatureKind.Call).map((one) => callOf(context, name, one));
  // Overloads that only omit arguments, or take the options earlier, are not listed.
  const listed = calls.filter(
    (call) => !calls.some((other) => other.parameters.length > call.parameters.length && isPart(call, other)),
  );
  const path = symbol.declarations[0]?.path ?? "";
  return {
    signatures: [...new Set(listed.map(({ parameters, result }) => `${name}(${parameters.join(", ")})${result}`))],
    sentence: checker.getDocumentationCommentOfSymbol(symbol).replaceAll(/\s*\n\s*/g, " "),
    takesOut: calls.some(({ parameters }) => /\bout\b/.test(parameters.at(-1) ?? "")),
    isMethod: checker.getPropertyOfType(type, "method") !== undefined,
    file: /src\/ops\/(.+)$/.exec(path)?.[1] ?? "",
  };
}

interface Call {
  readonly parameters: readonly string[];
  /** The type of the result after a colon, or "" for one tensor. */
  readonly result: string;
}

/** True if a call is the other one with arguments omitted. */
const isPart = ({ parameters: few, result }: Call, { parameters: many, result: other }: Call): boolean =>
  result === other &&
  few.every((one) => many.includes(one) || many.includes(`${one}?`) || one.startsWith("{")) &&
  many.every((one) => few.includes(one) || /^\{|[?]$| = /.test(one));

const flags = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.IgnoreErrors;

/** Parameter names as the compiler prints them: a rest parameter of known names is spread. */
function callOf(context: Context, op: string, call: Signature): Call {
  const { checker, emitter } = context.project;
  const node = checker.signatureToSignatureDeclaration(call, SyntaxKind.CallSignature, undefined, flags);
  const printed = (
    node as unknown as { parameters: readonly { name: never; dotDotDotToken?: unknown; questionToken?: unknown }[] }
  ).parameters;
  const names = printed.map(({ name }) => emitter.printNode(name));
  const parameters = printed.map(({ dotDotDotToken, questionToken }, index) => {
    const name = names[index] as string;
    if (dotDotDotToken !== undefined) return `...${name}`;
    if (name === "options") return optionsOf(context, op, names, checker.getParameterType(call, index) as Type);
    // Many ops share a type whose first parameter is `x`; their signature texts have better names.
    const shown = index === 0 && name === "x" ? (context.firstNames.get(op) ?? name) : name;
    const value = context.defaults.get(`${op} ${name}`);
    return value === undefined ? shown + (questionToken === undefined ? "" : "?") : `${shown} = ${value}`;
  });
  return { parameters, result: resultOf(checker, checker.getReturnTypeOfSignature(call) as Type) };
}

/** A default in the comment of an option: a literal, or an expression in backticks. */
const statedDefault = /Default: (?:`([^`]+)`|(true|false|"[\w-]+"|-?\d(?:[\w./-]*\w)?))(?=[.,;]|$)/;

/** The options of a call, without those that are also positional parameters. */
function optionsOf({ project, defaults }: Context, op: string, names: readonly string[], type: Type): string {
  const { checker } = project;
  const plain = checker.getNonNullableType(checker.getBaseConstraintOfType(type) ?? type) as Type;
  const shown = checker.getPropertiesOfType(plain).flatMap((option) => {
    if (names.includes(option.name)) return [];
    const comment = checker.getDocumentationCommentOfSymbol(option);
    // Another name of an option is not listed.
    if (comment.startsWith("Same as ")) return [];
    const optionType = checker.getTypeOfSymbol(option) as Type;
    if (/^(never|undefined)$/.test(checker.typeToString(optionType))) return [];
    const [, expression, literal] = statedDefault.exec(comment) ?? [];
    const value = defaults.get(`${op} ${option.name}`) ?? expression ?? literal;
    if (value !== undefined) return [`${option.name} = ${value}`];
    return [(option.flags & SymbolFlags.Optional) === 0 ? `${option.name} (required)` : option.name];
  });
  // `out` is last, wherever it is declared.
  return `{ ${[...shown.filter((one) => one !== "out"), ...shown.filter((one) => one === "out")].join(", ")} }`;
}

/** The type of a result, if it is not one tensor. */
function resultOf(checker: Checker, type: Type): string {
  const text = checker.typeToString(type);
  if (/^(boolean|number|number\[\]|string)$/.test(text)) return `: ${text}`;
  if (checker.isArrayType(type)) return ": Tensor[]";
  if (text.startsWith("[")) return `: [${[...text.matchAll(/(\w+): Tensor\b/g)].map(([, label]) => label).join(", ")}]`;
  // A type that depends on the options has only the properties that all of its forms share.
  const parts = checker.getPropertiesOfType(type).flatMap(({ name }) => (name === "toString" ? [] : [name]));
  return parts.length > 0 && parts.length < 8 ? `: { ${parts.join(", ")} }` : "";
}

/** A default of a signature text as JavaScript: words are strings. */
function literalOf(text: string): string {
  if (/^(null|true|false)$/.test(text)) return text;
  return Number.isNaN(Number(text)) ? `"${text}"` : String(Number(text));
}

/** A parameter, or an entry of a destructured object, with a literal as its default. */
const literalDefault = /(\w+)(?:: [\w| ]+)? = (-?\d[\w.-]*|true|false|null|"[^"]*")(?=\s*[,)}\]])/g;

/** Defaults of ops that share a definition, whose signature texts are templates. */
const sharedDefaults: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "chunk split tensorSplit unbind concat concatenate": { axis: "0" },
  "diagonal diagonalScatter": { offset: "0", axis1: "0", axis2: "1" },
  "tril triu": { diagonal: "0" },
  ravel: { start: "0", end: "-1" },
  rot90: { axes: "[0, 1]" },
  sliceScatter: { axis: "0", step: "1" },
  tensordot: { axes: "2" },
  "partition argpartition": { axis: "-1" },
  convolve: { mode: '"full"' },
  correlate: { mode: '"valid"' },
  "dropout dropout1d dropout2d dropout3d": { p: "0.5", training: "true" },
  "alphaDropout featureAlphaDropout": { p: "0.5", training: "false" },
};

/**
 * Reads defaults from the sources: from signature texts like "elu(x, alpha = 1)", and from the functions between such a text and the next
 * export. A name that has several defaults there is skipped.
 */
function readSources(): Omit<Context, "project"> {
  const defaults = new Map<string, string>();
  for (const [ops, values] of Object.entries(sharedDefaults))
    for (const op of ops.split(" ")) for (const name in values) defaults.set(`${op} ${name}`, values[name] as string);
  const firstNames = new Map<string, string>();
  for (const path of readdirSync(`${projectRoot}src/ops`, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts") || path.endsWith(".test.ts")) continue;
    const text = readFileSync(`${projectRoot}src/ops/${path}`, "utf8");
    for (const { 0: whole, 1: op, 2: inside, index } of text.matchAll(/"((?:\w+\.)?\w+)\(([^"()]*)\)"/g)) {
      const first = /^\w+/.exec(inside as string);
      const [, exported] = /(?:.|\n)*\nexport const (\w+)/.exec(text.slice(0, index)) ?? [];
      if (first !== null && exported === (op as string).split(".").at(-1)) firstNames.set(op as string, first[0]);
      const own = new Map<string, string | null>();
      const [body] = text.slice(index + whole.length).split(/\n(?:export|const|function|interface|\/\*\*)/, 1) as [
        string,
      ];
      for (const [, name, value] of body.matchAll(literalDefault))
        own.set(name as string, (own.get(name as string) ?? value) === value ? (value as string) : null);
      for (const [, name, value] of (inside as string).matchAll(/(\w+) = ([^,;]+)/g))
        own.set(name as string, literalOf(value as string));
      for (const [name, value] of own) if (value !== null) defaults.set(`${op} ${name}`, value);
    }
  }
  return { defaults, firstNames };
}
