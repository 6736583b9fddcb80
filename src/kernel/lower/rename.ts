/** Rules that give names of a kernel other names, and its integer expressions other values. */
import type { Expr } from "../../expr/expr.ts";
import type { Statement } from "../ir/kernel.ts";
import type { RewriteRules } from "./rewrite.ts";

/** The new name of a name, and the new expression of an expression, which is the index of an element if a buffer is passed. */
export interface Renaming {
  readonly name: (name: string) => string;
  readonly expr: (expr: Expr, buffer?: string) => Expr;
}

/** The rules of a renaming, for names where they are bound and where they are used. */
export function renamingRules({ name: rename, expr }: Renaming): RewriteRules {
  const renamed = (statement: Statement): Statement => {
    switch (statement.kind) {
      case "loop":
        return { ...statement, index: rename(statement.index), from: expr(statement.from), to: expr(statement.to) };
      case "index":
        return { ...statement, name: rename(statement.name), value: expr(statement.value) };
      case "walk":
        return { ...statement, position: expr(statement.position), offsets: statement.offsets.map(rename) };
      case "store": {
        const { buffer, index } = statement;
        return { ...statement, buffer: rename(buffer), index: expr(index, buffer) };
      }
      case "accumulate":
        return { ...statement, into: rename(statement.into) };
      case "if":
      case "barrier":
        return statement;
      default:
        return { ...statement, name: rename(statement.name) };
    }
  };
  return {
    scalar: (node) => {
      if (node.kind === "load") return { ...node, buffer: rename(node.buffer), index: expr(node.index, node.buffer) };
      if (node.kind === "index") return { ...node, value: expr(node.value) };
      return node.kind === "named" ? { ...node, name: rename(node.name) } : undefined;
    },
    statement: (statement) => [renamed(statement)],
  };
}
