/** What an expression divides by, so that others can ask whether it has a value everywhere. */
import { type Expr, exprOf } from "./expr.ts";
import type { Polynomial } from "./polynomial.ts";

/** Everything that divides inside an expression, as floorDiv or mod, at any depth. */
export function divisorsOf(expr: Polynomial, into: Expr[] = []): readonly Expr[] {
  for (const { atoms } of expr.terms)
    for (const atom of atoms) {
      if (atom.kind === "symbol") continue;
      for (const arg of atom.args) divisorsOf(arg, into);
      if (atom.kind === "floorDiv" || atom.kind === "mod") into.push(exprOf(atom.args[1] as Polynomial));
    }
  return into;
}
