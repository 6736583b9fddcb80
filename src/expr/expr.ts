/**
 * Integer expressions: `sym("i").mul(128).add(64)`. Immutable and canonical: expressions that are equal by the rules of
 * `arithmetic.ts` are structurally equal and print equally. An expression without symbols is a constant.
 *
 * One name is one symbol: operations throw if their operands have different assumptions about one name.
 * `floorDiv` rounds down, `ceilDiv` up, `mod` has the sign of its divisor.
 *
 * Expressions print as short text, without spaces: 4*n+1, n/4, (i+1)/4, i%8, ceil(n/4), min(n,8), abs(n). Parsing the text with the same
 * symbols returns an equal expression. `/` rounds down, unary minus binds tighter than `*`, and a rounded quotient that is followed by a
 * factor or preceded by a sign is printed in parentheses.
 */
import { wrongKind } from "../base/arguments.ts";
import { ExprError, named } from "../base/errors.ts";
import { ceilDiv, floorDiv as floorDivInt, gcd } from "../base/ints.ts";
import { add, floorDiv, mod, multiply } from "./arithmetic.ts";
import { divisorOf } from "./bounds.ts";
import { checkSize, StepsError, withSteps } from "./budget.ts";
import { extreme } from "./extreme.ts";
import {
  type Atom,
  atomTerm,
  collectTerms,
  type Polynomial,
  type SymbolAtom,
  samePolynomial,
  scale,
  sizeOf,
  soleAtom,
  type Term,
} from "./polynomial.ts";
import { type ProofResult, proveDivisible, proveEqual, proveLess } from "./prove.ts";

/** Assumptions about the values of a symbol; `min` and `max` are inclusive. */
export interface Assumptions {
  readonly min?: number;
  readonly max?: number;
  readonly divisibleBy?: number;
}

type Operation = (a: Polynomial, b: Polynomial) => Polynomial;

class Node implements Polynomial {
  /** "const" without symbols, "sum" with more than one atom, otherwise the kind of the only atom. */
  declare readonly kind: "const" | "sum" | Atom["kind"];
  /** The value of a constant, otherwise undefined. */
  declare readonly value: number | undefined;
  declare readonly constant: number;
  declare readonly terms: readonly Term[];
  #symbols: ReadonlyMap<string, SymbolAtom> | undefined;

  constructor({ constant, terms }: Polynomial) {
    this.constant = constant;
    this.terms = terms;
    checkSize(sizeOf(this), 0);
    this.kind = terms.length === 0 ? "const" : (soleAtom(this)?.kind ?? "sum");
    this.value = terms.length === 0 ? constant : undefined;
  }

  /** The symbols by name. */
  get symbols(): ReadonlyMap<string, SymbolAtom> {
    if (!this.#symbols) {
      const symbols = new Map<string, SymbolAtom>();
      collectSymbols(this, symbols);
      this.#symbols = symbols;
    }
    return this.#symbols;
  }

  #with(who: string, operation: Operation, other: Expr | number): Expr {
    return named(who, () => {
      const right = asExpr(other);
      checkSymbols(this.symbols, right.symbols);
      return withSteps(0, () => exprOf(operation(this, right)));
    });
  }

  #ask(who: string, question: (a: Polynomial, b: Polynomial) => ProofResult, other: Expr | number): ProofResult {
    return named(who, () => {
      const right = asExpr(other);
      checkSymbols(this.symbols, right.symbols);
      try {
        return withSteps(0, () => question(this, right));
      } catch (error) {
        if (error instanceof StepsError) return undefined;
        throw error;
      }
    });
  }

  #extreme(kind: "min" | "max", others: readonly (Expr | number)[]): Expr {
    return named(kind, () => {
      const sides: Node[] = [this];
      const symbols = new Map(this.symbols);
      for (const other of others) {
        const side = asExpr(other);
        checkSymbols(symbols, side.symbols);
        for (const [name, symbol] of side.symbols) symbols.set(name, symbol);
        sides.push(side);
      }
      return withSteps(0, () => exprOf(extreme(kind, sides)));
    });
  }

  add(other: Expr | number): Expr {
    return this.#with("add", add, other);
  }
  sub(other: Expr | number): Expr {
    return this.#with("sub", (a, b) => add(a, scale(b, -1)), other);
  }
  mul(other: Expr | number): Expr {
    return this.#with("mul", multiply, other);
  }
  floorDiv(other: Expr | number): Expr {
    return this.#with("floorDiv", floorDiv, other);
  }
  ceilDiv(other: Expr | number): Expr {
    return this.#with("ceilDiv", (a, b) => scale(floorDiv(scale(a, -1), b), -1), other);
  }
  mod(other: Expr | number): Expr {
    return this.#with("mod", mod, other);
  }
  min(...others: readonly (Expr | number)[]): Expr {
    return this.#extreme("min", others);
  }
  max(...others: readonly (Expr | number)[]): Expr {
    return this.#extreme("max", others);
  }
  neg(): Expr {
    return named("neg", () => exprOf(scale(this, -1)));
  }
  abs(): Expr {
    return named("abs", () => this.neg().max(exprOf(this)));
  }
  /** this < other: true, false, or undefined if unknown. */
  proveLess(other: Expr | number): ProofResult {
    return this.#ask("proveLess", proveLess, other);
  }
  /** this <= other */
  proveLessEqual(other: Expr | number): ProofResult {
    const greater = named("proveLessEqual", () => asExpr(other).proveLess(exprOf(this)));
    return greater === undefined ? undefined : !greater;
  }
  /** this = other */
  proveEqual(other: Expr | number): ProofResult {
    return this.#ask("proveEqual", proveEqual, other);
  }
  /** this = other * k for an integer k */
  proveDivisible(other: Expr | number): ProofResult {
    return this.#ask("proveDivisible", proveDivisible, other);
  }
  /** Returns this / other if the remainder is provably 0, otherwise undefined. */
  divideExact(other: Expr | number): Expr | undefined {
    return named("divideExact", () =>
      asExpr(other).value !== 0 && this.proveDivisible(other) ? this.floorDiv(other) : undefined,
    );
  }
  /** Returns a number as an expression. */
  lift(value: number): ConstExpr {
    return constant(value);
  }
  toString(): string {
    return print(this);
  }
  toJSON(): string {
    return print(this);
  }
}

/** An expression without symbols. */
export interface ConstExpr extends Node {
  readonly kind: "const";
  readonly value: number;
}

/** An expression whose value depends on its symbols. */
export interface OpenExpr extends Node {
  readonly kind: "sum" | Atom["kind"];
  readonly value: undefined;
}

export type Expr = ConstExpr | OpenExpr;

/** Returns the expression of a canonical polynomial, such as an argument of an atom. */
export const exprOf = (polynomial: Polynomial): Expr =>
  isExpr(polynomial) ? polynomial : (new Node(polynomial) as Expr);

export const isExpr = (value: unknown): value is Expr => value instanceof Node;

/** Returns the constant expression of a safe integer. */
export function constant(value: number): ConstExpr {
  if (!Number.isSafeInteger(value))
    throw new ExprError(`constant: ${String(value)} is not an integer whose absolute value is below 2^53.`);
  return new Node({ constant: value + 0, terms: [] }) as ConstExpr;
}

/** Returns an expression unchanged, and a number as a constant expression. */
export const asExpr = (value: Expr | number): Expr => {
  if (typeof value === "number") return constant(value);
  if (!isExpr(value)) throw wrongKind("asExpr", "an expression or an integer", value);
  return value;
};

/**
 * Creates the symbol `name` with assumptions about its values. The name must be an identifier.
 * Bounds are tightened to multiples of `divisibleBy`.
 */
export function sym(name: string, { min = -Infinity, max = Infinity, divisibleBy = 1 }: Assumptions = {}): Expr {
  if (typeof name !== "string") throw wrongKind("sym", "a name", name);
  if (!/^(?!_\d)[A-Za-z_]\w*$/.test(name))
    throw new ExprError(
      `sym: "${name}" is not a name. Use letters, digits and _, not starting with a digit or with _ and a digit.`,
    );
  if (!Number.isSafeInteger(divisibleBy) || divisibleBy < 1)
    throw new ExprError(`sym: divisibleBy of ${name} must be an integer of at least 1, got ${divisibleBy}.`);
  const tighten = (bound: number, divide: typeof ceilDiv): number =>
    Number.isSafeInteger(bound) ? divide(bound, divisibleBy) * divisibleBy : bound;
  const low = tighten(min, ceilDiv);
  const high = tighten(max, floorDivInt);
  const isBound = (bound: number): boolean => Number.isSafeInteger(bound) || !Number.isFinite(bound);
  if (!isBound(low) || !isBound(high) || !(low <= high) || low === Infinity || high === -Infinity)
    throw new ExprError(
      `sym: no integer ${name} has min ${min}, max ${max} and divisibleBy ${divisibleBy}. Widen the bounds.`,
    );
  const key =
    low === -Infinity && high === Infinity && divisibleBy === 1 ? name : `${name}{${low},${high},${divisibleBy}}`;
  // A long name counts like several short ones.
  const size = Math.ceil(name.length / 16);
  return exprOf(
    collectTerms([atomTerm({ kind: "symbol", name, key, min: low, max: high, divisor: divisibleBy, size, depth: 0 })]),
  );
}

/** Returns true if and only if both have the same canonical form. Cheap; `proveEqual` can prove more. */
export const equals = (a: Expr | number, b: Expr | number): boolean =>
  named("equals", () => samePolynomial(asExpr(a), asExpr(b)));

function collectSymbols(a: Polynomial, into: Map<string, SymbolAtom>): void {
  for (const { atoms } of a.terms) {
    for (const atom of atoms) {
      if (atom.kind === "symbol") into.set(atom.name, atom);
      else for (const arg of atom.args) collectSymbols(arg, into);
    }
  }
}

type Symbols = ReadonlyMap<string, SymbolAtom>;

/** Throws if the same name has different assumptions in a and b. */
export function checkSymbols(a: Symbols, b: Symbols): void {
  for (const [name, symbol] of b) {
    const other = a.get(name);
    if (other && other.key !== symbol.key)
      throw new ExprError(
        `symbols: the symbol ${name} is used with different assumptions: ${assumptions(other)}, and ${assumptions(symbol)}. ` +
          "Create the symbol once and reuse it.",
      );
  }
}

const assumptions = (symbol: SymbolAtom): string => {
  const text = describe(symbol);
  return text === symbol.name ? "none" : text;
};

/** Formats the assumptions of a symbol: 0 <= n <= 64, divisible by 4. */
export function describe({ name, min, max, divisor }: SymbolAtom): string {
  const low = min === -Infinity ? "" : `${min} <= `;
  return `${low}${name}${max === Infinity ? "" : ` <= ${max}`}${divisor === 1 ? "" : `, divisible by ${divisor}`}`;
}

function print({ constant, terms }: Polynomial): string {
  let text = "";
  for (const term of terms) {
    const [negative, product] = printTerm(term, text === "");
    text += (negative ? "-" : text && "+") + product;
  }
  if (constant === 0 && text) return text;
  return text + (constant >= 0 && text ? "+" : "") + constant;
}

/** Returns whether the term is subtracted, and the text of its absolute value. */
function printTerm({ num, den, atoms }: Term, isFirst: boolean): [negative: boolean, text: string] {
  let negative = num < 0;
  const size = Math.abs(num);
  const factors = size === 1 ? [] : [`${size}`];
  for (const atom of atoms) {
    const [flips, text, isProduct] = printAtom(atom);
    if (flips) negative = !negative;
    const bare = !isProduct || (atoms.length === 1 && size === 1 && den === 1 && !(isFirst && negative));
    factors.push(bare ? text : `(${text})`);
  }
  return [negative, factors.join("*") + (den === 1 ? "" : `/${den}`)];
}

/** Returns whether the text is the negative of the atom, the text, and whether it binds like a product. */
function printAtom(atom: Atom): [flips: boolean, text: string, isProduct: boolean] {
  if (atom.kind === "symbol") return [false, atom.name, false];
  if (atom.kind === "product") return [false, atom.args.map((arg) => printOperand(arg)).join("*"), true];
  if (atom.kind !== "mod" && atom.kind !== "floorDiv") return [false, `${atom.kind}(${atom.args.map(print)})`, false];
  const [a, b] = atom.args as [Polynomial, Polynomial];
  if (atom.kind === "mod") return [false, `${printOperand(a, true)}%${printOperand(b)}`, true];
  // -floorDiv(-x, b) = ceil(x / b); with constants, floorDiv(x + b - g, b) = ceil(x / b) where g divides x and b
  const flips = b.terms.length > 0 && (a.terms[0]?.num ?? a.constant) < 0;
  const x = flips ? scale(a, -1) : collectTerms(a.terms);
  const isCeil = flips || (b.terms.length === 0 && a.constant === b.constant - gcd(divisorOf(x), b.constant));
  const numerator = isCeil ? x : a;
  const quotient = `${printOperand(numerator, true)}/${printOperand(b)}`;
  if (!isCeil) return [false, quotient, true];
  // `ceil` accepts only one division.
  return [
    flips,
    quotient.split("/").length > 2 ? `ceilDiv(${print(numerator)},${print(b)})` : `ceil(${quotient})`,
    false,
  ];
}

function printOperand(a: Polynomial, isLeft = false): string {
  const text = print(a);
  const pieces = a.terms.length + (a.constant === 0 && a.terms.length > 0 ? 0 : 1);
  return pieces > 1 || (!isLeft && /[-*/%]/.test(text)) ? `(${text})` : text;
}
