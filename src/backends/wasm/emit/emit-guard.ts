/**
 * The code of a guard: `if` some lane takes its side, the values of that side. Otherwise they are 0, which no lane takes.
 * What others need too is computed before, so everything computed inside is used inside, but for the results.
 */
import type { Scalar } from "../../../kernel/ir/scalar.ts";
import { type Emission, type Guard, innermost } from "./emission.ts";
import { representation } from "./representation.ts";
import { repeated } from "./vector-lanes.ts";

type LocalOf = (e: Emission, value: Scalar) => number;

/** The local of a value that is computed under a guard, whose code is written now; undefined if the value is to be computed here. */
export function guardedLocal(
  e: Emission,
  value: Scalar,
  values: ReadonlyMap<Scalar, number>,
  localOf: LocalOf,
): number | undefined {
  const guard = innermost(e).guards.get(value);
  if (guard === undefined || guard.isOpen) return undefined;
  guard.isOpen = true;
  e.builder.into(innermost(e).body.code, () => {
    emitGuard(e, guard, localOf);
  });
  guard.isOpen = false;
  return values.get(value);
}

function emitGuard(e: Emission, { condition, wanted, inputs, results }: Guard, localOf: LocalOf): void {
  const { builder } = e;
  const isVector = innermost(e).body.lanes > 1;
  for (const input of inputs) localOf(e, input);
  builder.get(localOf(e, condition));
  // A mask fills its lanes with ones or zeros, so its bytes can be asked whatever the lanes are.
  if (isVector) builder.op(wanted ? "v128.any_true" : "i8x16.all_true");
  if (!wanted) builder.op("i32.eqz");
  builder.op("if");
  const locals = new Map<number, Scalar>();
  for (const result of results) locals.set(localOf(e, result), result);
  builder.op("else");
  for (const [local, { dtype }] of locals) {
    if (isVector) builder.get(repeated(builder, 1, 0n));
    else builder.op(`${representation(dtype).type}.const`, 0);
    builder.set(local);
  }
  builder.op("end");
}
