/**
 * Fusion around products and reductions: their results are computed where a copy would put them, copies of factors are read where they are, and a
 * map over a product is computed while a part of it is in the cache (`kernel/program/lower-packed.ts`). No kernel changes, and every value is rounded
 * to its dtype as before.
 */
import type { Operand } from "../../kernel/operand.ts";
import type { KernelWork, MapWork, ProgramBuilder, WorkOperands } from "../../kernel/program/builder.ts";
import { hasFixedOrder, lowerMatmul } from "../../kernel/program/lower-contract.ts";
import type { Finish } from "../../kernel/program/lower-packed.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import { dtypes } from "../../storage/dtype.ts";
import { composeOperands, flatMapOf } from "./coordinates.ts";
import { lowerMapOver, mapBehind, movedBy, operandsOver, targetOf } from "./map-behind.ts";
import { areOutputsApart, haveSameSteps } from "./overlap.ts";

export type ContractWork = Extract<KernelWork, { kind: "contract" }>;
type ReduceWork = Extract<KernelWork, { kind: "reduce" }>;

/** Fuses a copy of the result of a product or a reduction into it: the result is computed in the target. Null if that is not possible. */
export function fuseCopyBehind(task: ContractWork | ReduceWork, copy: MapWork): KernelWork | null {
  if (copy.kernel.spec.isCopy !== true || (task.kind === "contract" && task.after !== null)) return null;
  const { outputs, inputs } = task.operands;
  if (outputs.length !== 1) return null;
  const [result] = outputs;
  const target = targetOf(copy, result);
  if (target === null || !areOutputsApart([target], inputs)) return null;
  const operands = { ...task.operands, outputs: [{ ...target, dtype: result.dtype }] };
  const isSame =
    task.kind === "contract"
      ? haveSameSteps(target, result) || hasFixedOrder(result, inputs[0])
      : keptModes(task.operands) === keptModes(operands);
  return isSame ? { ...task, operands } : null;
}

/** The modes of the outputs of a reduction, as it is lowered: the order of its sums depends on them. */
function keptModes({ outputs, inputs }: WorkOperands): string {
  const rank = outputs[0].shape.length;
  const all = [...outputs, ...inputs];
  const { sizes, strides } = simplifyFlat(
    outputs[0].shape,
    all.map(() => 0),
    all.map(({ stride }) => stride.slice(0, rank)),
  );
  return `${sizes} ${strides.slice(outputs.length).join(" ")}`;
}

/** Fuses a copy into a product that reads it as a factor. Null if that is not possible. */
export function fuseCopyInto(copy: MapWork, task: ContractWork): KernelWork | null {
  const { outputs, inputs, scalars } = task.operands;
  const [result] = copy.operands.outputs;
  const [source] = copy.operands.inputs;
  if (copy.kernel.spec.isCopy !== true || source === undefined || !hasFixedOrder(outputs[0], inputs[0])) return null;
  if (task.after?.operands.inputs.some(({ storage }) => storage === result.storage)) return null;
  if (dtypes[source.dtype].itemsize !== dtypes[result.dtype].itemsize) return null;
  const from = flatMapOf(copy.operands);
  const factors: Operand[] = [];
  for (const input of inputs) {
    if (input.storage !== result.storage) factors.push(input);
    else {
      const read = composeOperands(from, { ...input, dtype: result.dtype });
      if (read === null) return null;
      factors.push({ ...read[0], dtype: input.dtype });
    }
  }
  return areOutputsApart([...outputs, ...(task.after?.operands.outputs ?? [])], factors)
    ? { ...task, operands: { outputs, inputs: factors, scalars } }
    : null;
}

/** Fuses a map behind a product: it is computed while a block of the product is in the cache. Null if that is not possible. */
export function fuseMapBehind(task: ContractWork, map: MapWork): KernelWork | null {
  const [result] = task.operands.outputs;
  if (task.after !== null) return null;
  const reads = task.operands.inputs.map(({ storage }) => storage);
  const behind = mapBehind(map, result, reads);
  if (behind === null) return null;
  const { target, map: after } = behind;
  if (!haveSameSteps(target, result) && !hasFixedOrder(result, task.operands.inputs[0])) return null;
  return { ...task, operands: { ...task.operands, outputs: [target] }, after };
}

/** Adds the steps of a product and of the map behind it. */
export function lowerContract(builder: ProgramBuilder, { operands, after }: ContractWork): void {
  const [out] = operands.outputs;
  const [a, b] = operands.inputs;
  lowerMatmul(builder, out, a, b, false, after === null ? null : finishBy(builder, after, out));
}

/** Returns the steps of a map over the output of a product. */
function finishBy(builder: ProgramBuilder, map: MapWork, out: Operand): Finish {
  const from = movedBy(map, out.storage);
  return {
    add: () => lowerMapOver(builder, map, [...map.operands.outputs, ...map.operands.inputs]),
    over(part) {
      const operands = operandsOver(from, part);
      return operands && (() => lowerMapOver(builder, map, operands));
    },
  };
}
