/** The maker of loops, for those who build kernels. */
import type { Expr } from "../../expr/expr.ts";
import type { LoopStatement, Statement } from "./kernel.ts";

/** For each from <= index < to, `by` rounds at a time in a vector loop. */
export const loop = (
  mode: LoopStatement["mode"],
  index: string,
  from: Expr,
  to: Expr,
  body: readonly Statement[],
  by = 1,
): LoopStatement => ({ kind: "loop", mode, index, from, to, by, body });
