/**
 * Patterns of nodes: `add(mul(x, a), b)`. A name with arguments is a call of that op, a name without arguments captures any argument, and a name that
 * occurs twice must match the same argument. Numbers, strings, lists and objects match equal ones: `sum(x, 1, {keepdims: k})`.
 */
import { isStaticInt, isSymbolic } from "../../layout/int.ts";
import { type Argument, GraphError, type Node, Value } from "../ir.ts";
import { isPlainRecord } from "../leaves.ts";
import { parseArgument } from "../text/parse-value.ts";
import { Scanner, wordPattern } from "../text/scanner.ts";
import { opName, reservedWords } from "../text/text.ts";

/** Arguments by the names of a pattern. */
export type Captures = Readonly<Record<string, Argument>>;

/** A name that captures an argument. */
class Capture {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A call of an op. */
class Call {
  readonly op: string;
  readonly args: readonly Pattern[];

  constructor(op: string, args: readonly Pattern[]) {
    this.op = op;
    this.args = args;
  }
}

/** A part of a pattern. Lists and objects have patterns inside. */
export type Pattern = Argument | Capture | Call;

/** Parses a pattern; `who` names the function in errors. */
export function parsePattern(who: string, text: string): Pattern {
  const scanner = new Scanner(who, text);
  const namePattern = new RegExp(`${wordPattern.source}(?:\\.\\w+)*`);
  const names = {
    symbols: {},
    generators: new Map<string, never>(),
    valueOf: () => undefined,
    takeOwn(depth: number): { readonly value: Argument } | null {
      const at = scanner.position;
      const name = scanner.match(namePattern);
      if (name === null) return null;
      if (scanner.takeIf("(")) {
        const args = scanner.list(")", () => parseArgument(scanner, names, depth));
        return { value: new Call(name, args) as unknown as Argument };
      }
      if (reservedWords.has(name)) {
        scanner.rewind(at);
        return null;
      }
      return { value: new Capture(name) as unknown as Argument };
    },
  };
  const pattern = parseArgument(scanner, names);
  if (!scanner.isAtEnd) scanner.missing("the end of the pattern");
  return pattern;
}

/** The names that a pattern captures. */
export function capturesOf(pattern: Pattern, into: Set<string> = new Set()): Set<string> {
  if (pattern instanceof Capture) into.add(pattern.name);
  else if (pattern instanceof Call) for (const arg of pattern.args) capturesOf(arg, into);
  else if (Array.isArray(pattern)) for (const each of pattern as readonly Pattern[]) capturesOf(each, into);
  else if (isPlainRecord(pattern)) for (const each of Object.values(pattern)) capturesOf(each as Pattern, into);
  return into;
}

/** A match: the captured arguments, and the nodes, the outermost one first. */
export interface Match {
  readonly captures: Captures;
  readonly nodes: readonly Node[];
}

/** Matches a node with a pattern, a call of an op with one result. Returns null if it does not fit. */
export function matchNode(pattern: Pattern, node: Node): Match | null {
  const captures: Record<string, Argument> = {};
  const nodes: Node[] = [];
  const [result] = node.results;
  return node.results.length === 1 && fits(pattern, result, captures, nodes) ? { captures, nodes } : null;
}

function fits(pattern: Pattern, arg: Argument, captures: Record<string, Argument>, nodes: Node[]): boolean {
  if (pattern instanceof Capture) {
    if (!Object.hasOwn(captures, pattern.name)) captures[pattern.name] = arg;
    return isSame(captures[pattern.name], arg);
  }
  if (pattern instanceof Call) {
    const node = arg instanceof Value ? arg.node : null;
    if (node === null || node.results.length !== 1 || opName(node) !== pattern.op) return false;
    nodes.push(node);
    const count = node.args.findLastIndex((each) => each !== undefined) + 1;
    return count === pattern.args.length && pattern.args.every((each, k) => fits(each, node.args[k], captures, nodes));
  }
  if (Array.isArray(pattern))
    return (
      Array.isArray(arg) &&
      arg.length === pattern.length &&
      pattern.every((each: Pattern, k) => fits(each, arg[k] as Argument, captures, nodes))
    );
  if (isPlainRecord(pattern)) {
    const names = Object.keys(pattern);
    return (
      isPlainRecord(arg) &&
      Object.keys(arg).length === names.length &&
      names.every((name) => name in arg && fits(pattern[name] as Pattern, arg[name] as Argument, captures, nodes))
    );
  }
  return isSame(pattern as Argument, arg);
}

/** True if two arguments are the same value, or equal constants. */
function isSame(a: Argument, b: Argument): boolean {
  if (Object.is(a, b)) return true;
  if (isStaticInt(a) || isSymbolic(a)) return (isStaticInt(b) || isSymbolic(b)) && `${a}` === `${b}`;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((each: Argument, k) => isSame(each, b[k] as Argument));
  if (!isPlainRecord(a) || !isPlainRecord(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => name in b && isSame(a[name] as Argument, b[name] as Argument))
  );
}

/** Builds the calls of a pattern: captures are replaced by their arguments, and `call` adds the node of a call. */
export function buildPattern(
  pattern: Pattern,
  captures: Captures,
  call: (op: string, args: readonly Argument[]) => Argument,
): Argument {
  const build = (part: Pattern): Argument => buildPattern(part, captures, call);
  if (pattern instanceof Capture) {
    if (!Object.hasOwn(captures, pattern.name))
      throw new GraphError(`rewrite: the replacement uses ${pattern.name}, which the pattern does not capture`);
    return captures[pattern.name];
  }
  if (pattern instanceof Call) return call(pattern.op, pattern.args.map(build));
  if (Array.isArray(pattern)) return (pattern as readonly Pattern[]).map(build);
  if (isPlainRecord(pattern))
    return Object.fromEntries(Object.entries(pattern).map(([name, each]) => [name, build(each as Pattern)]));
  return pattern as Argument;
}
