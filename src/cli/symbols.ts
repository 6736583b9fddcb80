/**
 * Assumptions about the symbols in operands: `--where 'n%4=0, 1<=m<=64'`.
 * An assumption is `n%4=0`, `n>=1`, `n>0`, `n<=64`, `n<65`, `1<=n<=64` or `n=16`, which substitutes 16; commas separate assumptions.
 * By default sizes and strides are at least 1, coordinates are at least 0, and names in expressions are any integer.
 */
import { ParseError, StridewiseError } from "../base/errors.ts";
import { lcm } from "../base/ints.ts";
import { type Assumptions, constant, type Expr, sym } from "../expr/index.ts";
import { suggestion, UsageError } from "./arguments.ts";

/** The assumptions about each symbol. */
export type Facts = ReadonlyMap<string, Assumptions>;

const number = String.raw`(-?\d+)`;
const name = String.raw`([A-Za-z_]\w*)`;
const divisible = new RegExp(`^${name}%${number}==?0$`);
const equal = new RegExp(`^${name}==?${number}$`);
const rangePattern = new RegExp(`^(?:${number}(<=?))?${name}(?:(<=?)${number})?$`);
const atLeast = new RegExp(`^${name}(>=?)${number}$`);

/** Parses one assumption without spaces; undefined if the text is not one. */
function readFact(text: string): readonly [name: string, facts: Assumptions] | undefined {
  const match = (pattern: RegExp): readonly (string | undefined)[] | undefined => pattern.exec(text)?.slice(1);
  const multiple = match(divisible);
  if (multiple) return [multiple[0] as string, { divisibleBy: Number(multiple[1]) }];
  const equality = match(equal);
  if (equality) return [equality[0] as string, { min: Number(equality[1]), max: Number(equality[1]) }];
  const lowerBound = match(atLeast);
  if (lowerBound) return [lowerBound[0] as string, { min: Number(lowerBound[2]) + (lowerBound[1] === ">" ? 1 : 0) }];
  const range = match(rangePattern);
  if (!range || (range[0] === undefined && range[4] === undefined)) return undefined;
  const [low, lowSign, symbol, highSign, high] = range;
  return [
    symbol as string,
    {
      ...(low !== undefined && { min: Number(low) + (lowSign === "<" ? 1 : 0) }),
      ...(high !== undefined && { max: Number(high) - (highSign === "<" ? 1 : 0) }),
    },
  ];
}

const intersect = (a: Assumptions, b: Assumptions): Assumptions => ({
  ...a,
  ...b,
  ...(a.min !== undefined && b.min !== undefined && { min: Math.max(a.min, b.min) }),
  ...(a.max !== undefined && b.max !== undefined && { max: Math.min(a.max, b.max) }),
  ...(a.divisibleBy !== undefined && b.divisibleBy !== undefined && { divisibleBy: lcm(a.divisibleBy, b.divisibleBy) }),
});

/** Parses the values of `--where`. */
export function readFacts(texts: readonly string[]): Facts {
  const facts = new Map<string, Assumptions>();
  for (const text of texts) {
    let at = 0;
    for (const clause of text.split(",")) {
      const fact = readFact(clause.replaceAll(/\s/g, ""));
      if (!fact)
        throw new ParseError(
          `--where: "${clause.trim()}" is not an assumption about a symbol. Write n%4=0, n>=1, n<=64, 1<=n<=64 or n=16, separated by commas`,
          text,
          at + (clause.length - clause.trimStart().length),
        );
      facts.set(fact[0], intersect(facts.get(fact[0]) ?? {}, fact[1]));
      at += clause.length + 1;
    }
  }
  return facts;
}

/** The names of symbols in a text, without functions, `_8`, `_` and the words of swizzles. */
export function namesIn(text: string): readonly string[] {
  const names = text.match(/[A-Za-z_]\w*(?!\w*\s*\()/g) ?? [];
  const isSwizzled = /^\s*Sw\s*</.test(text);
  return names.filter((each) => !/^_\d*$/.test(each) && !(isSwizzled && (each === "Sw" || each === "o")));
}

/** A text with symbols, and their smallest value by default. */
export interface SymbolicText {
  readonly text: string;
  readonly min: number;
}

/** Every symbol in the texts, with its assumptions. Throws for an assumption about any other symbol. */
export function symbolsIn(texts: readonly SymbolicText[], facts: Facts): Readonly<Record<string, Expr>> {
  const minBySymbol = new Map<string, number>();
  for (const { text, min: low } of texts)
    for (const each of namesIn(text)) minBySymbol.set(each, Math.max(low, minBySymbol.get(each) ?? -Infinity));
  for (const each of facts.keys())
    if (!minBySymbol.has(each))
      throw new UsageError(`--where: no operand has the symbol ${each}.${suggestion(each, [...minBySymbol.keys()])}`);
  return Object.fromEntries([...minBySymbol].map(([each, min]) => [each, symbol(each, { min, ...facts.get(each) })]));
}

function symbol(name: string, known: Assumptions): Expr {
  try {
    const symbolic = sym(name, known);
    return known.min !== undefined && known.min === known.max ? constant(known.min) : symbolic;
  } catch (error) {
    if (error instanceof StridewiseError) throw new UsageError(`--where: ${error.message.replace(/^sym: /, "")}`);
    throw error;
  }
}
