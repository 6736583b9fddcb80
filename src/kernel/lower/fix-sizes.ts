/**
 * Specializes a kernel to its sizes, for static layouts: loop bounds and strides become constants, and divisions by sizes disappear.
 */
import { substitute } from "../../expr/evaluate.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import type { Kernel } from "../ir/kernel.ts";
import { renamingRules } from "./rename.ts";
import { rewriteKernel } from "./rewrite.ts";

/** Returns the kernel for these sizes, in the order of its parameters, without size parameters. */
export function fixSizes(kernel: Kernel, sizes: readonly number[]): Kernel {
  const values = new Map(kernel.sizes.map(({ name }, k): [string, Expr] => [name, constant(sizes[k])]));
  const fix = (expr: Expr): Expr => substitute(expr, values);
  // A single unit is unit 0.
  for (const statement of kernel.body)
    if (statement.kind === "loop" && fix(statement.to).value === 1) values.set(statement.index, constant(0));
  const fixed = rewriteKernel(kernel, renamingRules({ name: (name) => name, expr: fix }));
  return { ...fixed, sizes: [] };
}
