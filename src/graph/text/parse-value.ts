/** Parses the values in texts of graphs: arguments of nodes, sizes, and types. */
import type { Expr } from "../../expr/expr.ts";
import { _ } from "../../layout/coord.ts";
import { type Int, int } from "../../layout/int.ts";
import { isDType } from "../../storage/dtype.ts";
import type { Generator } from "../../tensor/create/generator.ts";
import type { Argument, Value } from "../ir.ts";
import { shortName, shortNames, type TensorType } from "../tensor-type.ts";
import type { Scanner } from "./scanner.ts";

/** The names that values may refer to. */
export interface Names {
  readonly symbols: Readonly<Record<string, Expr>>;
  readonly generators: ReadonlyMap<string, Generator>;
  /** Returns the value of a name; undefined if it is unknown. */
  valueOf(name: string): Argument | undefined;
  /** Takes a part that has a meaning here only, such as a capture of a pattern; null if there is none. */
  takeOwn?(depth: number): { readonly value: Argument } | null;
}

const number = /-?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$.])(?!\s*[+\-*/%(])/;
const bigint = /-?\d+n(?![\w$])/;
const words: ReadonlyMap<string, Argument> = new Map<string, Argument>([
  ["null", null],
  ["undefined", undefined],
  ["true", true],
  ["false", false],
]);
const word = /(?:null|undefined|true|false)(?![\w$])/;
/** The deepest nesting of lists and objects, so that no text can exhaust the stack. */
const maxDepth = 100;

/** Parses an argument of a node. */
export function parseArgument(scanner: Scanner, names: Names, depth = 0): Argument {
  const at = scanner.position;
  if (depth > maxDepth) scanner.fail(`lists and objects are nested more than ${maxDepth} deep`, at);
  const inner = (): Argument => parseArgument(scanner, names, depth + 1);
  const extension = names.takeOwn?.(depth + 1) ?? null;
  if (extension !== null) return extension.value;
  const text = scanner.string();
  if (text !== null) return text;
  if (scanner.takeIf("[")) return scanner.list("]", inner);
  if (scanner.takeIf("{")) {
    const entries = scanner.list("}", (): [string, Argument] => {
      const key = scanner.name("a name");
      scanner.expect(":");
      return [key, inner()];
    });
    return Object.fromEntries(entries);
  }
  const value = scanner.match(/%\w+/);
  if (value !== null) {
    return names.valueOf(value) ?? scanner.fail(`${value} is not defined before it is used`, at);
  }
  const generator = scanner.match(/@\w+/);
  if (generator !== null) {
    return names.generators.get(generator) ?? scanner.unknown("generator", generator, [...names.generators.keys()], at);
  }
  const big = scanner.match(bigint);
  if (big !== null) return BigInt(big.slice(0, -1));
  const plain = scanner.match(number);
  if (plain !== null) return Number(plain);
  const constant = scanner.match(word);
  if (constant !== null) return words.get(constant);
  if (scanner.match(/_(?![\w$-])/) !== null) return _;
  return parseSize(scanner, names);
}

/** Parses an integer: a number, a static integer or an expression. */
export function parseSize(scanner: Scanner, names: Names): Int {
  const at = scanner.position;
  const fixed = scanner.match(/_-?\d+(?![\w$])/);
  if (fixed !== null) return scanner.located(at, () => int(Number(fixed.slice(1))));
  const plain = scanner.match(/-?\d+(?![\w$.])(?!\s*[+\-*/%])/);
  if (plain !== null) {
    const value = Number(plain);
    return Number.isSafeInteger(value)
      ? value
      : scanner.fail(`${plain} is past 2^53 - 1, the largest exact integer`, at);
  }
  const expr = scanner.expression(names.symbols);
  return expr.value ?? expr;
}

/** Parses a type: `f32[n, 4]`, perhaps with strides, `f32[n, 4]:[1, n]`. */
export function parseType(scanner: Scanner, names: Names): TensorType {
  const at = scanner.position;
  const name = scanner.match(/\w+/) ?? scanner.missing("a dtype such as f32");
  if (!Object.hasOwn(shortNames, name)) {
    if (isDType(name)) scanner.fail(`unknown dtype "${name}". Did you mean ${shortName(name)}?`, at);
    scanner.unknown("dtype", name, Object.keys(shortNames), at);
  }
  scanner.expect("[");
  const size = (): Int => parseSize(scanner, names);
  const shape = scanner.list("]", size);
  const strided = scanner.position;
  if (!scanner.takeIf(":")) return { dtype: shortNames[name as keyof typeof shortNames], shape, strides: null };
  scanner.expect("[");
  const strides = scanner.list("]", size);
  if (strides.length !== shape.length)
    scanner.fail(`${shape.length} sizes need ${shape.length} strides, found ${strides.length}`, strided);
  return { dtype: shortNames[name as keyof typeof shortNames], shape, strides };
}

/** The values of a text, by name. A region sees those of the graphs around it. */
export class Values {
  readonly #values = new Map<string, Value>();
  readonly #outer: Values | null;

  constructor(outer: Values | null) {
    this.#outer = outer;
  }

  get(name: string): Value | undefined {
    return this.#values.get(name) ?? this.#outer?.get(name);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}
