/**
 * The rule about integer expressions: symbols are those of `symbols.ts`, what they assume is true, and no divisor can be 0.
 * Whether an expression is a good index of some memory is left to `verify-memory.ts`.
 */
import { substitute } from "../../expr/evaluate.ts";
import { divisorsOf, range } from "../../expr/questions.ts";
import { type Binding, symbolOf } from "./bindings.ts";
import type { KernelRule } from "./verify-rule.ts";
import { exprsOf } from "./visit.ts";

export const expressionsRule: KernelRule = {
  name: "expressions",
  text: "A symbol has the bounds of what it names, loops start at and index names hold 0 or more, and no divisor is 0.",
  check({ bindings, places, settled }, report) {
    for (const { statement } of places)
      for (const expr of exprsOf(statement))
        for (const [name, { key }] of expr.symbols) {
          const own = symbolOf(name, bindings.get(name) as Binding & { kind: "integer" });
          if (own.symbols.get(name)?.key !== key)
            report(statement, `the symbol ${name} has other bounds than its name. Make it by symbols.ts.`);
        }
    const { names } = settled();
    for (const { statement } of places) {
      if (statement.kind === "loop" || statement.kind === "index") {
        const [what, value] =
          statement.kind === "loop" ? ["the loop starts at", statement.from] : ["the index is", statement.value];
        const [min, max] = range(substitute(value, names));
        if (max < 0) report(statement, `${what} ${value}, which is below 0.`);
        else if (min < 0) report(statement, `${what} ${value}, which may be below 0.`, "unproved");
      }
      for (const expr of exprsOf(statement))
        for (const divisor of divisorsOf(substitute(expr, names)))
          if (range(divisor)[0] <= 0 && range(divisor)[1] >= 0)
            report(statement, `${divisor} divides, and may be 0.`, "unproved");
    }
  },
};
