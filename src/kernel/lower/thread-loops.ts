/**
 * The loops over the threads of a unit. If expressions take the thread index apart at fixed places, such as t/8 and t%8, there is one loop for
 * each digit, so that these become loop indices: then elements of adjacent threads are adjacent, and the innermost loop is a vector loop. It
 * is a serial loop if a thread has vector loops or memory of its own.
 */
import { substitute } from "../../expr/evaluate.ts";
import { constant, type Expr, sym } from "../../expr/expr.ts";
import type { Polynomial } from "../../expr/polynomial.ts";
import type { LoopStatement, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/statements.ts";
import { loopSymbol } from "../ir/symbols.ts";
import { exprsOf, statementsOf } from "../ir/visit.ts";

export interface ThreadLoops {
  /** The thread index. */
  readonly thread: Expr;
  /** An expression with the indices of the loops in place of the thread index. */
  readonly exprOf: (expr: Expr) => Expr;
  /** The loops with a body. */
  readonly around: (body: readonly Statement[]) => readonly Statement[];
}

/** The threads that one vector takes, if their elements have four bytes. */
const lanes = 4;

/** Returns the loops for a list of statements; `fresh` returns names that are not in use. */
export function threadLoops(
  { index, to }: LoopStatement,
  list: readonly Statement[],
  fresh: (name: string) => string,
): ThreadLoops {
  const count = to.value as number;
  const starts = digitsIn(list, index, count);
  const digits = starts.map((start, k) => ({
    name: fresh(starts.length === 1 ? index : `${index}${k}`),
    start,
    size: (starts[k + 1] ?? count) / start,
  }));
  // The sizes of the digits simplify quotients and remainders; the symbols of loops have no upper bound.
  const bounded = digits.map(({ name, size }) => sym(name, { min: 0, max: size - 1 }));
  const value = digits.reduce((sum, { start }, k) => sum.add(bounded[k].mul(start)), constant(0) as Expr);
  const unbounded = new Map(digits.map(({ name }) => [name, loopSymbol(name)]));
  const exprOf = (expr: Expr): Expr => substitute(substitute(expr, new Map([[index, value]])), unbounded);
  const isSerial = statementsOf({ body: list }).some(
    ({ statement }) => statement.kind === "allocate" || (statement.kind === "loop" && statement.mode === "vector"),
  );
  return {
    thread: exprOf(loopSymbol(index)),
    exprOf,
    around: (body) =>
      digits.reduce((inner, { name, size }, k): readonly Statement[] => {
        const isVector = k === 0 && !isSerial;
        return [loop(isVector ? "vector" : "serial", name, constant(0), constant(size), inner, isVector ? lanes : 1)];
      }, body),
  };
}

/** The values 1, d, e, ... of the digits of the thread index, where each divides the next one and the number of threads. */
function digitsIn(list: readonly Statement[], index: string, count: number): readonly number[] {
  const divisors = new Set<number>();
  for (const { statement } of statementsOf({ body: list }))
    for (const expr of exprsOf(statement)) findDivisors(expr, index, divisors);
  const starts = [1];
  for (const divisor of [...divisors].sort((a, b) => a - b))
    if (divisor < count && count % divisor === 0 && divisor % (starts.at(-1) as number) === 0) starts.push(divisor);
  return starts;
}

/** Finds the constants that divide the index. */
function findDivisors({ terms }: Polynomial, index: string, into: Set<number>): void {
  for (const { atoms } of terms)
    for (const atom of atoms) {
      if (atom.kind === "symbol") continue;
      for (const arg of atom.args) findDivisors(arg, index, into);
      if (atom.kind !== "mod" && atom.kind !== "floorDiv") continue;
      const [numerator, divisor] = atom.args;
      const hasIndex = numerator.terms.some((term) =>
        term.atoms.some((each) => each.kind === "symbol" && each.name === index),
      );
      if (hasIndex && divisor.terms.length === 0 && divisor.constant > 1) into.add(divisor.constant);
    }
}
