/**
 * The printer of scalar values and integer expressions: `a * x[i] + b`, `max(x[i], float32(0))`, `x[i where i < n else y]`.
 * Arithmetic and comparisons are infix, with the fewest parentheses that keep the tree; the others are calls. `float32(1.5)` is a constant,
 * `float32(v)` a cast, `bits_int32(v)` a bit cast, `int32[i + 1]` an integer expression as a value. `parse-scalar.ts` parses it.
 */
import type { Expr } from "../../expr/expr.ts";
import { type DType, isComplex, type Value } from "../../storage/dtype.ts";
import type { ScalarFunction } from "./functions.ts";
import type { Scalar } from "./scalar.ts";
import { operandsOf } from "./visit.ts";

/** The symbol and the precedence of each infix function. */
export const infix: Readonly<Partial<Record<ScalarFunction, readonly [symbol: string, level: number]>>> = {
  lt: ["<", 1],
  le: ["<=", 1],
  gt: [">", 1],
  ge: [">=", 1],
  eq: ["==", 1],
  ne: ["!=", 1],
  add: ["+", 2],
  sub: ["-", 2],
  mul: ["*", 3],
  div: ["/", 3],
};

/** An integer expression, with spaces. */
export const printExpr = (expr: Expr): string => `${expr}`.replace(/(?<=[\w)])[+-]/g, " $& ").replaceAll(",", ", ");

function printNumber(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Object.is(value, -0) ? "-0" : `${value}`;
}

/** Prints a constant. 64-bit integers past 2^53 are bigints; other bigints end with an n. */
function printConstant(dtype: DType, value: Value): string {
  if (typeof value === "number") return printNumber(value);
  if (typeof value !== "bigint")
    return isComplex(value) ? `${printNumber(value.re)}, ${printNumber(value.im)}` : `${value}`;
  const isPlain = dtype.endsWith("int64") && !Number.isSafeInteger(Number(value));
  return isPlain ? `${value}` : `${value}n`;
}

/** Prints a value, or its name in `names`. */
export function printScalar(value: Scalar, names: ReadonlyMap<Scalar, string>, level = 0): string {
  return names.get(value) ?? printDefinition(value, names, level);
}

/** Prints a value even if it has a name, in parentheses if its precedence is below `level`. */
export function printDefinition(value: Scalar, names: ReadonlyMap<Scalar, string>, level = 0): string {
  switch (value.kind) {
    case "constant":
      return `${value.dtype}(${printConstant(value.dtype, value.value)})`;
    case "parameter":
    case "named":
      return value.name;
    case "index":
      return `${value.dtype}[${printExpr(value.value)}]`;
    case "load": {
      const mask = value.mask === undefined ? "" : ` where ${printScalar(value.mask, names)}`;
      const other = value.otherwise === undefined ? "" : ` else ${printScalar(value.otherwise, names)}`;
      return `${value.buffer}[${printExpr(value.index)}${mask}${other}]`;
    }
    case "cast":
      return `${value.how === "bits" ? "bits_" : ""}${value.dtype}(${printScalar(value.of, names)})`;
    case "call": {
      const form = infix[value.fn];
      const [left, right] = value.args;
      if (form === undefined || left === undefined || right === undefined)
        return `${value.fn}(${value.args.map((arg) => printScalar(arg, names)).join(", ")})`;
      const [symbol, own] = form;
      // Equal levels group to the left; comparisons do not chain.
      const text = `${printScalar(left, names, own === 1 ? 2 : own)} ${symbol} ${printScalar(right, names, own + 1)}`;
      return own < level ? `(${text})` : text;
    }
    default:
      return value satisfies never;
  }
}

/** Returns the calls, casts and loads that are used more than once below these values, operands first. */
export function sharedIn(roots: readonly Scalar[]): readonly Scalar[] {
  const isRepeated = new Map<Scalar, boolean>();
  const order: Scalar[] = [];
  const visit = (value: Scalar): void => {
    if (value.kind !== "call" && value.kind !== "cast" && value.kind !== "load") return;
    const isKnown = isRepeated.has(value);
    isRepeated.set(value, isKnown);
    if (isKnown) return;
    operandsOf(value).forEach(visit);
    order.push(value);
  };
  roots.forEach(visit);
  return order.filter((value) => isRepeated.get(value));
}
