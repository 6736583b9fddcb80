/**
 * Types of results where sizes are symbols: the op is planned for several values of the symbols, and each size that differs is fitted by an
 * expression over the symbolic sizes of the arguments. If no simple expression fits, an error is thrown.
 */
import { asExpr, type Expr } from "../expr/expr.ts";
import type { SymbolAtom } from "../expr/polynomial.ts";
import { type Int, isSymbolic } from "../layout/int.ts";
import { rowMajorStrides } from "../tensor/contiguity.ts";
import type { Operator } from "../tensor/dispatch/operator.ts";
import { inferTypes } from "./infer.ts";
import { type Argument, GraphError, type TensorType, valuesIn } from "./ir.ts";
import { eachExpression, numberOf, type SymbolValues } from "./sizes.ts";
import { fitColumns } from "./symbols.ts";

/** The number of values of each symbol that types are fitted to. */
const samples = 6;
/** Sizes above the smallest ones, without a common factor. */
const primes = [3, 5, 11, 17, 7, 13, 23, 2, 19, 31, 29, 37, 41, 43, 47, 53, 59, 61];

/** An expression with its value in each sample. */
interface Column {
  readonly symbol: Expr;
  readonly values: readonly number[];
}

/** Returns the types of the results of a call with these arguments. */
export function inferSymbolic(who: string, op: Operator, args: readonly Argument[]): readonly TensorType[] {
  const expressions = new Map<string, Expr>();
  const note = (expr: Expr): void => {
    expressions.set(`${expr}`, expr);
  };
  eachExpression(args, note);
  for (const { type } of valuesIn(args)) eachExpression([type.shape, type.strides], note);
  const symbols = new Map([...expressions.values()].flatMap((expr) => [...expr.symbols]));
  if (symbols.size === 0) return inferTypes(who, op, args);
  const points = pointsOf(symbols);
  const results = points.map((point) => inferTypes(who, op, args, point));
  const columns = [...expressions.values()].map((symbol) => ({
    symbol,
    values: points.map((point) => numberOf(symbol, point)),
  }));
  return results[0].map((first, k) => {
    const types = results.map((each) => each[k]);
    const rank = first.shape.length;
    if (types.some((type) => type === undefined || type.shape.length !== rank))
      throw new GraphError(
        `${who}: the results of ${op.name} depend on the symbols. Bind them first: bindSizes(graph, values)`,
      );
    const fitOf = (valueOf: (type: TensorType) => number): Int => fitSizes(who, op.name, types.map(valueOf), columns);
    const stepsOf = ({ shape, strides }: TensorType): readonly Int[] => strides ?? rowMajorStrides(shape as number[]);
    return {
      dtype: first.dtype,
      shape: first.shape.map((_, axis) => fitOf(({ shape }) => Number(shape[axis]))),
      strides: types.every(({ strides }) => strides === null)
        ? null
        : first.shape.map((_, axis) => fitOf((type) => Number(stepsOf(type)[axis]))),
    };
  });
}

/** Values of the symbols within their bounds. */
function pointsOf(symbols: ReadonlyMap<string, SymbolAtom>): SymbolValues[] {
  return Array.from({ length: samples }, (_, k) =>
    Object.fromEntries(
      [...symbols.values()].map(({ name, min, max, divisor }, i) => {
        const least = Math.max(min, divisor === 1 ? 2 : divisor);
        const low = Math.min(Number.isFinite(least) ? least : divisor, max);
        const steps = Math.floor((max - low) / divisor);
        return [name, low + divisor * (primes[(k * symbols.size + i) % primes.length] % (steps + 1))];
      }),
    ),
  );
}

function fitSizes(who: string, op: string, values: readonly number[], columns: readonly Column[]): Int {
  if (values.every((value) => value === values[0])) return values[0];
  const column = columns.find((each) => `${each.values}` === `${values}`);
  const result = column?.symbol ?? fitColumns(values, columns) ?? fitSum(values, columns);
  if (result === null)
    throw new GraphError(
      `${who}: no simple expression has the size of a result of ${op}: ${values.join(", ")}. Pass the types of the results: graph.add(op, args, types)`,
    );
  return isSymbolic(result) ? (result.value ?? result) : result;
}

/** Returns the sum of two expressions and a constant with these values; null if there is none. */
function fitSum(values: readonly number[], columns: readonly Column[]): Expr | null {
  for (const a of columns)
    for (const b of columns) {
      const rests = values.map((value, i) => value - a.values[i] - b.values[i]);
      if (rests.every((rest) => rest === rests[0])) return asExpr(a.symbol).add(b.symbol).add(rests[0]);
    }
  return null;
}
