/**
 * Visitors of a kernel: its statements with the loops around them, and the scalar values, integer expressions and names of a statement.
 */
import type { Expr } from "../../expr/expr.ts";
import { KernelError } from "./error.ts";
import type { IfStatement, Kernel, LoopStatement, Statement } from "./kernel.ts";
import type { Scalar } from "./scalar.ts";

/** A statement, and the loops and the conditions around it, the outermost first. */
export interface NestedStatement {
  readonly statement: Statement;
  readonly loops: readonly LoopStatement[];
  readonly conditions: readonly IfStatement[];
}

/** Returns every statement in the order of the text. */
export function statementsOf({ body }: Pick<Kernel, "body">): readonly NestedStatement[] {
  const result: NestedStatement[] = [];
  const visit = (
    list: readonly Statement[],
    loops: readonly LoopStatement[],
    conditions: readonly IfStatement[],
  ): void => {
    for (const statement of list) {
      result.push({ statement, loops, conditions });
      if (statement.kind === "loop") visit(statement.body, [...loops, statement], conditions);
      if (statement.kind === "if") visit(statement.body, loops, [...conditions, statement]);
    }
  };
  visit(body, [], []);
  return result;
}

/** Throws if a kernel has threads or conditions, which the CPU runs only after `lowerThreads`. */
export function checkLowered(kernel: Kernel): void {
  for (const { statement } of statementsOf(kernel))
    if (statement.kind === "if" || (statement.kind === "loop" && statement.mode === "threads"))
      throw new KernelError(`kernel ${kernel.name}: has threads or conditions. Call lowerThreads first.`);
}

/** Returns the operands of a value. */
export function operandsOf(value: Scalar): readonly Scalar[] {
  if (value.kind === "call") return value.args;
  if (value.kind === "cast") return [value.of];
  if (value.kind !== "load" || value.mask === undefined) return [];
  return value.otherwise === undefined ? [value.mask] : [value.mask, value.otherwise];
}

/** Returns the values of a statement that are not operands of others, in the order of its text. */
export function rootsOf(statement: Statement): readonly Scalar[] {
  switch (statement.kind) {
    case "fetch":
    case "let":
    case "accumulate":
      return [statement.value];
    case "accumulator":
      return [statement.initial];
    case "if":
      return [statement.condition];
    case "store":
      return statement.mask === undefined ? [statement.value] : [statement.value, statement.mask];
    default:
      return [];
  }
}

/** Returns every value of a statement, operands first, each object once. */
export function scalarsOf(statement: Statement): readonly Scalar[] {
  const values = new Set<Scalar>();
  const visit = (value: Scalar): void => {
    if (values.has(value)) return;
    operandsOf(value).forEach(visit);
    values.add(value);
  };
  rootsOf(statement).forEach(visit);
  return [...values];
}

/** Returns the integer expressions of a statement, including those in its values. */
export function exprsOf(statement: Statement): readonly Expr[] {
  const inner = scalarsOf(statement).flatMap((value) =>
    value.kind === "load" ? [value.index] : value.kind === "index" ? [value.value] : [],
  );
  if (statement.kind === "loop") return [statement.from, statement.to];
  if (statement.kind === "index") return [statement.value];
  if (statement.kind === "walk") return [statement.position];
  return statement.kind === "store" ? [statement.index, ...inner] : inner;
}

/** A name that a statement uses, and its required kind. */
export interface Use {
  readonly name: string;
  readonly as: "integer" | "buffer" | "modes" | "scalar" | "value" | "accumulator";
}

/** Returns the names that a statement uses, including those in its values. */
export function usesOf(statement: Statement): readonly Use[] {
  const uses: Use[] = [];
  for (const expr of exprsOf(statement)) for (const name of expr.symbols.keys()) uses.push({ name, as: "integer" });
  for (const value of scalarsOf(statement)) {
    if (value.kind === "load") uses.push({ name: value.buffer, as: "buffer" });
    else if (value.kind === "parameter") uses.push({ name: value.name, as: "scalar" });
    else if (value.kind === "named") uses.push({ name: value.name, as: "value" });
  }
  if (statement.kind === "store") uses.push({ name: statement.buffer, as: "buffer" });
  else if (statement.kind === "walk") uses.push({ name: statement.modes, as: "modes" });
  else if (statement.kind === "accumulate") uses.push({ name: statement.into, as: "accumulator" });
  return uses;
}
