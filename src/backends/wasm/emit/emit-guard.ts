/**
 * The code of a guard: `if` some lane takes its branch, the values of that branch. Otherwise they are 0, which no lane takes.
 * Values that others need too are computed before, so only the results are used outside.
 */
import type { CallScalar, Scalar } from "../../../kernel/ir/scalar.ts";
import { type Emission, type Guard, innermost } from "./emission.ts";
import { representation, set } from "./representation.ts";
import { repeated } from "./vector-lanes.ts";
import { vectorCall } from "./vector-ops.ts";

type LocalOf = (e: Emission, value: Scalar) => number;

/** The local of a value that is computed under a guard, whose code is emitted now; undefined if the value has no guard to open. */
export function guardedLocal(
  e: Emission,
  value: Scalar,
  values: ReadonlyMap<Scalar, number>,
  localOf: LocalOf,
): number | undefined {
  const guard = innermost(e).guards.get(value);
  if (guard === undefined || guard.isOpen) return undefined;
  guard.isOpen = true;
  e.builder.into(innermost(e).body.code, () => emitGuard(e, guard, localOf));
  guard.isOpen = false;
  return values.get(value);
}

/**
 * The local of a select of vectors whose guarded branch nothing else needs: it is the other branch, and the select is computed only if
 * some lane takes the guarded one. Returns undefined if the select does not match.
 */
export function guardedSelect(e: Emission, select: CallScalar, localOf: LocalOf): number | undefined {
  const { guards, body } = innermost(e);
  const { builder } = e;
  const [condition, first, second] = select.args as readonly [Scalar, Scalar, Scalar];
  const side = guards.has(first) ? first : second;
  const guard = guards.get(side);
  const isOwn = guard?.condition === condition && guard.runsIf === (side === first) && guard.results.size === 1;
  if (guard === undefined || !isOwn || guard.isOpen || !guard.results.has(side) || body.values.has(side))
    return undefined;
  const local = builder.local("v128", "select");
  builder.into(body.code, () => {
    const other = localOf(e, side === first ? second : first);
    for (const input of guard.inputs) localOf(e, input);
    builder.emit(other, set(local));
    const signs = signsOf(e, condition);
    if (signs === undefined) pushGuard(e, guard, localOf(e, condition));
    else pushIsSomeSign(e, localOf(e, signs), !guard.runsIf);
    builder.op("if");
    guard.isOpen = true;
    const mask = localOf(e, condition);
    const inner = localOf(e, side);
    guard.isOpen = false;
    const args = side === first ? [mask, inner, other] : [mask, other, inner];
    vectorCall(builder, "select", select.dtype, body.lanes, args);
    builder.emit(set(local), "end");
  });
  body.values.set(select, local);
  return local;
}

/** The value v of a condition `v < 0` of int32 in four lanes that is used once: its sign bits are tested without a mask. */
function signsOf(e: Emission, condition: Scalar): Scalar | undefined {
  const { uses, body } = innermost(e);
  if (condition.kind !== "call" || condition.fn !== "lt" || body.lanes !== 4) return undefined;
  const [value, bound] = condition.args as readonly [Scalar, Scalar];
  const isSign = value.dtype === "int32" && bound.kind === "constant" && bound.value === 0;
  return isSign && uses.get(condition) === 1 && !body.values.has(condition) ? value : undefined;
}

/** Pushes whether some lane is negative, or with `isPositive` whether some lane is not. */
function pushIsSomeSign({ builder }: Emission, value: number, isPositive: boolean): void {
  builder.emit(value, "i32x4.bitmask");
  if (isPositive) builder.emit(["i32.const", 15], "i32.ne");
}

/** Pushes whether some lane takes the guard's branch. */
function pushGuard({ builder }: Emission, { runsIf }: Guard, mask: number): void {
  // A mask fills its lanes with ones or zeros, so its bytes can be tested for any number of lanes.
  if (runsIf) builder.emit(mask, "v128.any_true");
  else builder.emit(mask, "i8x16.all_true", "i32.eqz");
}

function emitGuard(e: Emission, guard: Guard, localOf: LocalOf): void {
  const { builder } = e;
  const { condition, runsIf, inputs, results } = guard;
  const isVector = innermost(e).body.lanes > 1;
  for (const input of inputs) localOf(e, input);
  const mask = localOf(e, condition);
  if (isVector) pushGuard(e, guard, mask);
  else {
    builder.get(mask);
    if (!runsIf) builder.op("i32.eqz");
  }
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
