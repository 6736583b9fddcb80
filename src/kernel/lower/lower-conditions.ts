/** Conditions as loops of at most one iteration, which backends have anyway: `if c { ... }` becomes `fetch n = int32(c)` and a loop to min(n, 1). */
import { constant } from "../../expr/expr.ts";
import { statementBindings } from "../ir/bindings.ts";
import type { Kernel, Statement } from "../ir/kernel.ts";
import { cast } from "../ir/scalar.ts";
import { loop } from "../ir/statements.ts";
import { offsetSymbol } from "../ir/symbols.ts";
import { statementsOf } from "../ir/visit.ts";
import { rewriteKernel } from "./rewrite.ts";

/** Returns the kernel without conditions. */
export function lowerConditions(kernel: Kernel): Kernel {
  const names = new Set([
    ...[...kernel.buffers, ...kernel.scalars, ...kernel.sizes, ...kernel.modes].map(({ name }) => name),
    ...statementsOf(kernel).flatMap(({ statement }) => statementBindings(statement).map(([name]) => name)),
  ]);
  let count = 0;
  /** The names of the number of iterations and of the loop's index. */
  const fresh = (): readonly [string, string] => {
    do count++;
    while (names.has(`if_${count}`) || names.has(`once_${count}`));
    return [`if_${count}`, `once_${count}`];
  };
  return rewriteKernel(kernel, {
    statement(statement): readonly Statement[] | undefined {
      if (statement.kind !== "if") return undefined;
      const [times, index] = fresh();
      return [
        { kind: "fetch", name: times, value: cast("int32", statement.condition) },
        loop("serial", index, constant(0), offsetSymbol(times).min(1), statement.body),
      ];
    },
  });
}
