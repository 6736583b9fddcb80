/**
 * Compiles expressions to JavaScript functions as closures, without generating code from text.
 * Affine forms of up to three symbols have specialized closures; any other form is a tree of closures.
 *
 * Postconditions: the result, or the error, is that of `evaluate`. The closures return the exact value or NaN. If the value is
 * NaN or not an integer, `evaluate` walks the tree again and either returns the value or throws.
 * Values that break an assumption are not detected if the result is still an integer.
 */
import { wrongKind } from "../base/arguments.ts";
import { ExprError } from "../base/errors.ts";
import { floorDiv, floorMod } from "../base/ints.ts";
import { evaluateFor } from "./evaluate.ts";
import { asExpr, type Expr } from "./expr.ts";
import type { Atom, Polynomial, Term } from "./polynomial.ts";

/** Computes a value from an environment: the exact value or NaN. */
export type Code<Environment> = (environment: Environment) => number;
/** Returns the code that reads a symbol. */
type Leaf<Environment> = (name: string) => Code<Environment>;

const largest = Number.MAX_SAFE_INTEGER;

/** Compiles an expression to a function of the named parameters. Every symbol of the expression must be a parameter. */
export function compileToFunction(expr: Expr, parameterNames: readonly string[]): (...args: number[]) => number {
  if (!Array.isArray(parameterNames))
    throw wrongKind("compileToFunction", "an array of parameter names", parameterNames);
  for (const name of asExpr(expr).symbols.keys())
    if (!parameterNames.includes(name))
      throw new ExprError(
        `compileToFunction: ${expr} has the symbol ${name}; the parameters are (${parameterNames.join(", ")}). Add ${name}.`,
      );
  const slow = (...args: number[]): number =>
    evaluateFor(
      "compileToFunction",
      () => `Pass (${parameterNames.join(", ")}) to the compiled function`,
      expr,
      Object.fromEntries(args.map((value, i) => [parameterNames[i] as string, value])),
    );
  const affine = parameterNames.length <= 3 && affineForm(expr, parameterNames);
  if (!affine) {
    const code = codeOf<readonly number[]>(expr, (name) => {
      const at = parameterNames.indexOf(name);
      return (values) => values[at];
    });
    return (...args) => {
      const value = code(args);
      return Number.isSafeInteger(value) ? value + 0 : slow(...args);
    };
  }
  const { coefficients, constant: c, limit } = affine;
  const [x, y, z] = coefficients as [number, number, number];
  switch (coefficients.length) {
    case 0:
      return () => c;
    case 1:
      return (i) => {
        const a = i * x;
        return Math.abs(a) <= limit && Number.isInteger(a) ? a + c : slow(i);
      };
    case 2:
      return (i, j) => {
        const a = i * x;
        const b = j * y;
        return Math.abs(a) <= limit && Math.abs(b) <= limit && Number.isInteger(a + b) ? a + b + c : slow(i, j);
      };
    default:
      return (i, j, k) => {
        const a = i * x;
        const b = j * y;
        const d = k * z;
        return Math.abs(a) <= limit && Math.abs(b) <= limit && Math.abs(d) <= limit && Number.isInteger(a + b + d)
          ? a + b + d + c
          : slow(i, j, k);
      };
  }
}

export interface AffineForm {
  /** One coefficient for each name. */
  readonly coefficients: readonly number[];
  readonly constant: number;
  /** If the absolute value of every term is at most this limit, no partial sum is past 2^53. */
  readonly limit: number;
}

/** Returns the expression as constant + sum of coefficient * symbol, or undefined if it is not affine. */
export function affineForm({ constant, terms }: Polynomial, names: readonly string[]): AffineForm | undefined {
  const symbolOf = ({ atoms, den }: Term): string | undefined =>
    atoms.length === 1 && den === 1 && atoms[0]?.kind === "symbol" ? atoms[0].name : undefined;
  if (!terms.every((term) => names.includes(symbolOf(term) ?? "."))) return undefined;
  const coefficients = names.map((name) => terms.find((term) => symbolOf(term) === name)?.num ?? 0);
  return { coefficients, constant, limit: limitOf({ constant, terms }) };
}

const limitOf = ({ constant, terms }: Polynomial): number => (largest - Math.abs(constant)) / Math.max(terms.length, 1);

/** Compiles any expression to a tree of closures. */
export function codeOf<E>(polynomial: Polynomial, leaf: Leaf<E>): Code<E> {
  const { constant, terms } = polynomial;
  const limit = limitOf(polynomial);
  const codes = terms.map((term) => termCode(term, leaf, limit));
  const [a, b] = codes;
  if (!a) return () => constant;
  if (!b) return constant === 0 ? a : (e) => a(e) + constant;
  if (codes.length === 2) return (e) => a(e) + b(e) + constant;
  return (e) => {
    let sum = constant;
    for (const code of codes) sum += code(e);
    return sum;
  };
}

function termCode<E>({ num, den, atoms }: Term, leaf: Leaf<E>, limit: number): Code<E> {
  const within = (value: number): number => (Math.abs(value) <= limit ? value : NaN);
  const [a, ...others] = atoms.map((atom) => atomCode(atom, leaf));
  if (others.length === 0) return den === 1 ? (e) => within(a(e) * num) : (e) => within((a(e) / den) * num);
  const product = productCode([a, ...others]);
  return (e) => within((product(e) / den) * num);
}

function productCode<E>(factors: readonly Code<E>[]): Code<E> {
  return (e) => {
    let product = 1;
    for (const factor of factors) product *= factor(e);
    return Math.abs(product) <= largest ? product : NaN;
  };
}

function atomCode<E>(atom: Atom, leaf: Leaf<E>): Code<E> {
  if (atom.kind === "symbol") return leaf(atom.name);
  const args = atom.args.map((arg) => codeOf(arg, leaf));
  const [a, b] = args as [Code<E>, Code<E>];
  switch (atom.kind) {
    case "min":
    case "max": {
      const extreme = Math[atom.kind];
      return (e) => args.reduce((best, arg) => extreme(best, arg(e)), extreme());
    }
    case "abs":
      return (e) => Math.abs(a(e));
    case "product":
      return productCode(args);
    case "floorDiv":
      return divisionCode(atom.args[1], a, b, floorDiv);
    case "mod":
      return divisionCode(atom.args[1], a, b, floorMod);
    default:
      return (e) => atom.rule.value(args.map((arg) => arg(e)));
  }
}

// Math.floor(a / b) is the exact floor for safe integers: see floorDiv in base/ints.ts.
function divisionCode<E>(divisor: Polynomial, a: Code<E>, b: Code<E>, divide: typeof floorDiv): Code<E> {
  const by = divisor.constant;
  if (divisor.terms.length > 0)
    return (e) => {
      const by = b(e);
      return by === 0 ? NaN : divide(a(e), by);
    };
  return divide === floorDiv ? (e) => Math.floor(a(e) / by) : (e) => floorMod(a(e), by);
}
