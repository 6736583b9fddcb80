/**
 * The index expressions of `complexLoops`: text over the loop variables _0, _1, ... becomes one function for each axis.
 *
 * Guarantees: an expression that can leave its axis, or divide by 0, throws before the loop, with its range or values; no other expression
 * throws. The range comes from interval arithmetic, which is exact for affine expressions; for others, every value is checked if the
 * interval is too large.
 */
import { ExprError, IndexError, ParseError, ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { type AffineForm, affineForm, type Code, codeOf } from "../../expr/compile.ts";
import { evaluate } from "../../expr/evaluate.ts";
import { type Expr, sym } from "../../expr/expr.ts";
import { parse } from "../../expr/parse.ts";
import { divisorsOf, range } from "../../expr/proofs.ts";

/** One index of the tensor as a function of the loop variables. */
export interface LoopIndex {
  /** The expression. */
  readonly text: string;
  /** Returns its value, or throws if it has none. */
  readonly at: Code<readonly number[]>;
  /** The form constant + sum of coefficient * variable, if it is affine. */
  readonly affine: AffineForm | undefined;
}

/** The symbol of a variable: `_0` itself is not a symbol, because it denotes a static integer. */
const nameOf = (variable: number): string => `loop${variable}`;

/** Returns the functions of index expressions over variables with these extents, none of them 0, into axes of these sizes. */
export function loopIndices(
  who: string,
  expressions: readonly string[],
  extents: readonly number[],
  shape: readonly number[],
): LoopIndex[] {
  const names = extents.map((_, variable) => nameOf(variable));
  const symbols = Object.fromEntries(
    extents.map((extent, variable) => [`_${variable}`, sym(nameOf(variable), { min: 0, max: extent - 1 })]),
  );
  return expressions.map((text, axis) => {
    const expr = parsed(who, text, axis, symbols);
    const affine = affineForm(expr, names);
    const at = codeFor(expr, names);
    checkRange(who, { text, at, affine }, expr, axis, extents, shape);
    return { text, at, affine };
  });
}

/** Parses the expression of an index; errors name the index. */
function parsed(who: string, text: string, axis: number, symbols: Readonly<Record<string, Expr>>): Expr {
  try {
    return parse(text, { symbols });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const [reason] = error.message.split("\n", 1);
    throw new ParseError(`${who}: index ${axis}: ${reason.replace(/^parse: /, "")}`, text, error.position);
  }
}

function codeFor(expr: Expr, names: readonly string[]): Code<readonly number[]> {
  const code = codeOf<readonly number[]>(expr, (name) => {
    const variable = names.indexOf(name);
    return (values) => values[variable];
  });
  return (values) => {
    const value = code(values);
    if (Number.isSafeInteger(value)) return value + 0;
    return evaluate(expr, Object.fromEntries(names.map((name, variable) => [name, values[variable]])));
  };
}

function checkRange(
  who: string,
  { text, at, affine }: LoopIndex,
  expr: Expr,
  axis: number,
  extents: readonly number[],
  shape: readonly number[],
): void {
  const size = shape[axis];
  let [min, max] = range(expr);
  if (min >= 0 && max < size && !divisorsOf(expr).some(mayBeZero)) return;
  if (affine === undefined) {
    const used = extents.map((extent, variable) => (expr.symbols.has(nameOf(variable)) ? extent : 1));
    [min, max] = [Infinity, -Infinity];
    const values = used.map(() => 0);
    do {
      const value = valueAt(who, { text, at }, expr, axis, values);
      min = Math.min(min, value);
      max = Math.max(max, value);
    } while (nextTuple(values, used));
    if (min >= 0 && max < size) return;
  }
  throw new IndexError(
    `${who}: index ${axis}, ${text.trim()}, ranges over ${min}..${max} with extents [${extents.join(", ")}], and the axis has size ${size}`,
  );
}

function mayBeZero(divisor: Expr): boolean {
  const [min, max] = range(divisor);
  return min <= 0 && max >= 0;
}

/** Returns the value of an index, or throws with the values of the variables. */
function valueAt(
  who: string,
  { text, at }: Pick<LoopIndex, "text" | "at">,
  expr: Expr,
  axis: number,
  values: readonly number[],
): number {
  try {
    return at(values);
  } catch (error) {
    if (!(error instanceof ExprError)) throw error;
    const where = values.flatMap((value, variable) =>
      expr.symbols.has(nameOf(variable)) ? [`_${variable} = ${value}`] : [],
    );
    throw new IndexError(
      `${who}: index ${axis}, ${text.trim()}, has no value where ${where.join(", ")}: a divisor in it is 0.`,
    );
  }
}

/** Advances a tuple in row-major order; returns false, with all values 0 again, after the last one. */
export function nextTuple(values: number[], extents: readonly number[]): boolean {
  for (let d = extents.length - 1; d >= 0; d--) {
    const next = values[d] + 1;
    if (next < extents[d]) {
      values[d] = next;
      return true;
    }
    values[d] = 0;
  }
  return false;
}

/** Throws unless extents are sizes. */
export function checkExtents(who: string, extents: readonly number[]): void {
  if (!Array.isArray(extents) || !extents.every((extent) => Number.isSafeInteger(extent) && extent >= 0))
    throw new ShapeError(
      `${who}: extents must be non-negative integers, one for each loop variable, got ${Array.isArray(extents) ? show(extents) : String(extents)}`,
    );
}
