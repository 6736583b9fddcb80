/**
 * The printer of kernels, one line for each parameter and statement; `parse.ts` is its inverse.
 * Guarantees: parseKernel(printKernel(k)) is k, with the same values shared within each statement: a call, cast or load that a statement uses
 * more than once has its own line before it, `%1 = exp(x[i])`, and is %1 there.
 *
 * Values look like `a * x[i] + b`, `max(x[i], float32(0))`, `x[i where i < n else y]`. Arithmetic and comparisons are infix, with the fewest
 * parentheses that keep the tree; the others are calls. `float32(1.5)` is a constant, `float32(v)` a cast, `bits_int32(v)` a bit cast,
 * `int32[i + 1]` an integer expression as a value.
 */
import type { Expr } from "../../expr/expr.ts";
import { type DType, isComplex, type Value } from "../../storage/dtype.ts";
import type { ScalarFunction } from "./functions.ts";
import type { Kernel, Statement } from "./kernel.ts";
import type { Scalar } from "./scalar.ts";
import { operandsOf, rootsOf } from "./visit.ts";

/** The lines of a kernel, and the line of each parameter and statement. */
interface KernelText {
  readonly lines: readonly string[];
  readonly lineOf: ReadonlyMap<object, number>;
}

/** Returns the kernel as text. */
export function printKernel(kernel: Kernel): string {
  return kernelText(kernel).lines.join("\n");
}

/** Returns the lines of the text, for messages that refer to them. */
export function kernelText(kernel: Kernel): KernelText {
  const lines: string[] = [];
  const lineOf = new Map<object, number>();
  const put = (node: object, text: string): void => {
    lineOf.set(node, lines.length);
    lines.push(text);
  };
  put(kernel, `kernel ${kernel.name}${kernel.mayFuseProducts === true ? " fused" : ""}`);
  for (const buffer of kernel.buffers) put(buffer, `  buffer ${buffer.name}: ${buffer.dtype} ${buffer.access}`);
  for (const scalar of kernel.scalars) put(scalar, `  scalar ${scalar.name}: ${scalar.dtype}`);
  for (const size of kernel.sizes) put(size, `  size ${size.name}: ${size.min}..${size.max}`);
  for (const modes of kernel.modes) put(modes, `  modes ${modes.name}: ${modes.buffers.join(", ")}`);
  let count = 0;
  const block = (list: readonly Statement[], indent: string): void => {
    for (const statement of list) {
      const names = new Map<Scalar, string>();
      for (const value of sharedIn(rootsOf(statement))) {
        const text = printDefinition(value, names);
        names.set(value, `%${++count}`);
        lines.push(`${indent}%${count} = ${text}`);
      }
      put(statement, indent + printStatement(statement, names));
      if (!("body" in statement)) continue;
      block(statement.body, `${indent}  `);
      lines.push(`${indent}}`);
    }
  };
  lines.push("{");
  block(kernel.body, "  ");
  lines.push("}");
  return { lines, lineOf };
}

function printStatement(statement: Statement, names: ReadonlyMap<Scalar, string>): string {
  const text = (value: Scalar): string => printScalar(value, names);
  switch (statement.kind) {
    case "loop": {
      const { mode, index, from, to, by } = statement;
      const step = mode === "vector" ? ` by ${by}` : "";
      return `${mode} ${index} in ${printExpr(from)}..${printExpr(to)}${step} {`;
    }
    case "if":
      return `if ${text(statement.condition)} {`;
    case "index":
      return `index ${statement.name} = ${printExpr(statement.value)}`;
    case "fetch":
      return `fetch ${statement.name} = ${text(statement.value)}`;
    case "walk":
      return `walk ${statement.modes} at ${printExpr(statement.position)} -> ${statement.offsets.join(", ")}`;
    case "let":
      return `let ${statement.name}: ${statement.value.dtype} = ${text(statement.value)}`;
    case "store": {
      const mask = statement.mask === undefined ? "" : ` where ${text(statement.mask)}`;
      return `${statement.buffer}[${printExpr(statement.index)}] = ${text(statement.value)}${mask}`;
    }
    case "accumulator":
      return `accumulator ${statement.name}: ${statement.initial.dtype} = ${text(statement.initial)}`;
    case "accumulate":
      return `${statement.into} ${statement.fn}= ${text(statement.value)}`;
    case "allocate":
      return `allocate ${statement.name}: ${statement.dtype}[${statement.length}] in ${statement.space}`;
    case "barrier":
      return "barrier";
    default:
      return statement satisfies never;
  }
}

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
const printExpr = (expr: Expr): string => `${expr}`.replace(/(?<=[\w)])[+-]/g, " $& ").replaceAll(",", ", ");

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
function printScalar(value: Scalar, names: ReadonlyMap<Scalar, string>, level = 0): string {
  return names.get(value) ?? printDefinition(value, names, level);
}

/** Prints a value even if it has a name, in parentheses if its precedence is below `level`. */
function printDefinition(value: Scalar, names: ReadonlyMap<Scalar, string>, level = 0): string {
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
function sharedIn(roots: readonly Scalar[]): readonly Scalar[] {
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
