/**
 * Evaluates a tree of the C++ notation by the tables of `cpp-names.ts`, and gives what the program prints: what its
 * printing functions print, or the value of a lone expression.
 */
import {
  crd2idx,
  int,
  isComposed,
  isStaticInt,
  isUnderscore,
  offsetAt,
  slice,
  sliceAndOffset,
  _ as underscore,
} from "../../src/layout/index.ts";
import { functions, methods, operators, types } from "./cpp-names.ts";
import { type Node, parseCpp } from "./cpp-parse.ts";
import { type Call, type CppValue, elementsOf, isAnyLayout, isTensor, printed, sliceTensor } from "./cpp-values.ts";

/** A name that no table has. */
export class UnknownNameError extends Error {
  readonly unknown: string;
  constructor(unknown: string) {
    super(`unknown C++ name ${unknown}`);
    this.unknown = unknown;
  }
}

/** What a program prints; of one that prints nothing, its last value. */
export function evaluateCpp(text: string): string {
  const scope = new Map<string, CppValue>();
  const output: string[] = [];
  const print = (piece: string): void => {
    output.push(piece);
  };
  const statements = parseCpp(text);
  let last: CppValue = true;
  for (const { assignTo, value } of statements) {
    last = evaluate(value, scope, print);
    if (assignTo !== undefined) scope.set(assignTo, last);
  }
  return output.length > 0 ? output.join("") : printed(last);
}

type Scope = ReadonlyMap<string, CppValue>;

function evaluate(node: Node, scope: Scope, print: (text: string) => void): CppValue {
  const again = (part: Node): CppValue => evaluate(part, scope, print);
  switch (node.kind) {
    case "number":
      return node.value;
    case "text":
      return node.value;
    case "negate": {
      const value = again(node.of);
      return isStaticInt(value) ? int(-value.value) : -(value as number);
    }
    case "name":
      return named(node.name, { args: [], template: node.template.map(again), print }, scope);
    case "call":
      return called(node, scope, print);
    case "member":
      return method(node, [], scope, print);
    case "binary": {
      const operator = operators[node.operator];
      if (!operator) throw new UnknownNameError(`operator ${node.operator}`);
      return operator(again(node.left), again(node.right));
    }
    default:
      return node satisfies never;
  }
}

function named(name: string, call: Call, scope: Scope): CppValue {
  const bare = name.replace(/^cute::/, "");
  if (bare === "_") return underscore;
  if (/^_\d+$/.test(bare)) return int(Number(bare.slice(1)));
  if (bare === "true" || bare === "false") return bare === "true";
  const variable = scope.get(bare);
  if (variable !== undefined) return variable;
  const make = types[bare] ?? functions[bare];
  if (!make) throw new UnknownNameError(bare);
  return make(call);
}

function called(node: Node & { kind: "call" }, scope: Scope, print: (text: string) => void): CppValue {
  const again = (part: Node): CppValue => evaluate(part, scope, print);
  const args = node.args.map(again);
  if (node.callee.kind === "member") return method(node.callee, args, scope, print);
  if (node.callee.kind === "name" && !scope.has(node.callee.name))
    return named(node.callee.name, { args, template: node.callee.template.map(again), print }, scope);
  return applied(again(node.callee), args);
}

/** layout(coord) and tensor(coord): a slice if the coordinate has `_`, else an offset or an element. */
function applied(callee: CppValue, args: readonly CppValue[]): CppValue {
  const coord = (args.length === 1 ? args[0] : [...args]) as never;
  const isSlice = hasUnderscore(coord);
  if (isTensor(callee))
    return isSlice ? sliceTensor(callee, coord) : (elementsOf(sliceTensor(callee, coord))[0] as CppValue);
  if (!isAnyLayout(callee)) throw new UnknownNameError(`a call of ${printed(callee)}`);
  if (isComposed(callee)) return isSlice ? sliceAndOffset(coord, callee)[0] : offsetAt(callee, coord);
  return isSlice ? slice(coord, callee) : (crd2idx(coord, callee.shape, callee.stride) as CppValue);
}

const hasUnderscore = (coord: unknown): boolean =>
  Array.isArray(coord) ? coord.some(hasUnderscore) : isUnderscore(coord);

function method(
  node: Node & { kind: "member" },
  args: readonly CppValue[],
  scope: Scope,
  print: (text: string) => void,
): CppValue {
  const run = methods[node.name];
  const self = evaluate(node.object, scope, print);
  if (!run) throw new UnknownNameError(`.${node.name}`);
  return run(self, { args, template: node.template.map((part) => evaluate(part, scope, print)), print });
}
