/**
 * Integer expressions: `sym("i").mul(128).add(64)`. Immutable and canonical from the start: expressions that the rules
 * of `arithmetic.ts` find equal are structurally equal, print equally, and an expression without symbols is a constant.
 *
 * One name is one symbol: an operation on two expressions that give one name different assumptions is refused.
 * `floorDiv` rounds down, `ceilDiv` up, `mod` has the sign of its divisor.
 */
import { wrongKind } from "../base/arguments.ts";
import { ExprError } from "../base/errors.ts";
import { ceilDiv, floorDiv as floorDivInt } from "../base/ints.ts";
import { add, floorDiv, mod, multiply } from "./arithmetic.ts";
import { checkSize, StepsError, withSteps } from "./budget.ts";
import { extreme } from "./extreme.ts";
import {
  type Atom,
  atomTerm,
  collect,
  type Polynomial,
  type SymbolAtom,
  samePolynomial,
  scale,
  sizeOf,
  soleAtom,
  type Term,
} from "./polynomial.ts";
import { print } from "./print.ts";
import { type Answer, proveDivisible, proveEqual, proveLess } from "./prove.ts";

/** What is known of a symbol; `min` and `max` are inclusive. */
export interface Assumptions {
  readonly min?: number;
  readonly max?: number;
  readonly divisibleBy?: number;
}

type Operation = (a: Polynomial, b: Polynomial) => Polynomial;

class Node implements Polynomial {
  /** const: no symbols. sum: more than one atom. Else the kind of the only atom. */
  declare readonly kind: "const" | "sum" | Atom["kind"];
  /** The value of a constant, else undefined. */
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
      const found = new Map<string, SymbolAtom>();
      findSymbols(this, found);
      this.#symbols = found;
    }
    return this.#symbols;
  }

  #with(operation: Operation, other: Expr | number): Expr {
    const right = asExpr(other);
    checkSymbols(this.symbols, right.symbols);
    return withSteps(0, () => exprOf(operation(this, right)));
  }

  #ask(question: (a: Polynomial, b: Polynomial) => Answer, other: Expr | number): Answer {
    const right = asExpr(other);
    checkSymbols(this.symbols, right.symbols);
    try {
      return withSteps(0, () => question(this, right));
    } catch (error) {
      if (error instanceof StepsError) return undefined;
      throw error;
    }
  }

  #extreme(kind: "min" | "max", others: readonly (Expr | number)[]): Expr {
    const sides: Node[] = [this];
    const found = new Map(this.symbols);
    for (const other of others) {
      const side = asExpr(other);
      checkSymbols(found, side.symbols);
      for (const [name, symbol] of side.symbols) found.set(name, symbol);
      sides.push(side);
    }
    return withSteps(0, () => exprOf(extreme(kind, sides)));
  }

  add(other: Expr | number): Expr {
    return this.#with(add, other);
  }
  sub(other: Expr | number): Expr {
    return this.#with((a, b) => add(a, scale(b, -1)), other);
  }
  mul(other: Expr | number): Expr {
    return this.#with(multiply, other);
  }
  floorDiv(other: Expr | number): Expr {
    return this.#with(floorDiv, other);
  }
  ceilDiv(other: Expr | number): Expr {
    return this.#with((a, b) => scale(floorDiv(scale(a, -1), b), -1), other);
  }
  mod(other: Expr | number): Expr {
    return this.#with(mod, other);
  }
  min(...others: readonly (Expr | number)[]): Expr {
    return this.#extreme("min", others);
  }
  max(...others: readonly (Expr | number)[]): Expr {
    return this.#extreme("max", others);
  }
  neg(): Expr {
    return exprOf(scale(this, -1));
  }
  abs(): Expr {
    return this.neg().max(exprOf(this));
  }
  /** this < other: true, false, or undefined if it is not known. */
  proveLess(other: Expr | number): Answer {
    return this.#ask(proveLess, other);
  }
  /** this <= other */
  proveLessEqual(other: Expr | number): Answer {
    const greater = asExpr(other).proveLess(exprOf(this));
    return greater === undefined ? undefined : !greater;
  }
  /** this = other */
  proveEqual(other: Expr | number): Answer {
    return this.#ask(proveEqual, other);
  }
  /** this = other * k for an integer k */
  proveDivisible(other: Expr | number): Answer {
    return this.#ask(proveDivisible, other);
  }
  /** this / other, if it is proved to leave no rest. */
  divideExact(other: Expr | number): Expr | undefined {
    return asExpr(other).value !== 0 && this.proveDivisible(other) ? this.floorDiv(other) : undefined;
  }
  /** A number as an expression. */
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

/** The expression of a canonical polynomial, such as an argument of an atom. */
export const exprOf = (polynomial: Polynomial): Expr =>
  isExpr(polynomial) ? polynomial : (new Node(polynomial) as Expr);

export const isExpr = (value: unknown): value is Expr => value instanceof Node;

/** The constant expression of a safe integer. */
export function constant(value: number): ConstExpr {
  if (!Number.isSafeInteger(value))
    throw new ExprError(
      `expression: ${String(value)} is not an integer below 2^53 in size. Expressions are over integers.`,
    );
  return new Node({ constant: value + 0, terms: [] }) as ConstExpr;
}

/** The expression itself, or the constant of a number. */
export const asExpr = (value: Expr | number): Expr => {
  if (typeof value === "number") return constant(value);
  if (!isExpr(value)) throw wrongKind("expr", "an expression or an integer", value);
  return value;
};

/**
 * The symbol `name`, an identifier, with what is known of its values.
 * Bounds are tightened to multiples of `divisibleBy`.
 */
export function sym(name: string, { min = -Infinity, max = Infinity, divisibleBy = 1 }: Assumptions = {}): Expr {
  if (typeof name !== "string") throw wrongKind("sym", "a name", name);
  if (!/^(?!_\d)[A-Za-z_]\w*$/.test(name))
    throw new ExprError(
      `sym: "${name}" is not a name. Use letters, digits and _, not starting with a digit or with _ and a digit.`,
    );
  if (!Number.isSafeInteger(divisibleBy) || divisibleBy < 1)
    throw new ExprError(`sym: ${name} cannot be divisible by ${divisibleBy}. Give an integer of at least 1.`);
  const tighten = (bound: number, divide: typeof ceilDiv): number =>
    Number.isSafeInteger(bound) ? divide(bound, divisibleBy) * divisibleBy : bound;
  const low = tighten(min, ceilDiv);
  const high = tighten(max, floorDivInt);
  const isBound = (bound: number): boolean => Number.isSafeInteger(bound) || !Number.isFinite(bound);
  if (!isBound(low) || !isBound(high) || !(low <= high) || low === Infinity || high === -Infinity)
    throw new ExprError(
      `sym: no integer ${name} has min ${min}, max ${max} and divisibleBy ${divisibleBy}. Give wider bounds.`,
    );
  const key =
    low === -Infinity && high === Infinity && divisibleBy === 1 ? name : `${name}{${low},${high},${divisibleBy}}`;
  // A long name counts as much as several short ones.
  const size = Math.ceil(name.length / 16);
  return exprOf(
    collect([atomTerm({ kind: "symbol", name, key, min: low, max: high, divisor: divisibleBy, size, depth: 0 })]),
  );
}

/** True if and only if both have one canonical form; cheap. See proveEqual for a question that may be undecided. */
export const equals = (a: Expr | number, b: Expr | number): boolean => samePolynomial(asExpr(a), asExpr(b));

function findSymbols(a: Polynomial, found: Map<string, SymbolAtom>): void {
  for (const { atoms } of a.terms) {
    for (const atom of atoms) {
      if (atom.kind === "symbol") found.set(atom.name, atom);
      else for (const arg of atom.args) findSymbols(arg, found);
    }
  }
}

type Symbols = ReadonlyMap<string, SymbolAtom>;

function checkSymbols(a: Symbols, b: Symbols): void {
  for (const [name, symbol] of b) {
    const other = a.get(name);
    if (other && other.key !== symbol.key)
      throw new ExprError(
        `expression: the symbol ${name} has two sets of assumptions, ${describe(other)} and ${describe(symbol)}. ` +
          "Make the symbol once and use it everywhere.",
      );
  }
}

/** The assumptions of a symbol as text: 0 <= n <= 64, divisible by 4. */
export function describe({ name, min, max, divisor }: SymbolAtom): string {
  const low = min === -Infinity ? "" : `${min} <= `;
  return `${low}${name}${max === Infinity ? "" : ` <= ${max}`}${divisor === 1 ? "" : `, divisible by ${divisor}`}`;
}
