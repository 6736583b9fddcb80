/**
 * Fusion of products and reductions with copies and maps. If the result is copied, it is computed in the target of the copy. If a factor is a copy,
 * the product reads the source of the copy. A map over a product is computed while a part of the product is in the cache
 * (`kernel/program/lower-packed.ts`). Kernels do not change, and every value is still rounded to its dtype.
 */
import type { Operand } from "../../kernel/operand.ts";
import type { KernelWork, MapWork, ProgramBuilder, WorkOperands } from "../../kernel/program/builder.ts";
import { hasFixedOrder, lowerMatmul } from "../../kernel/program/lower-contract.ts";
import type { Finish } from "../../kernel/program/lower-packed.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import { dtypes } from "../../storage/dtype.ts";
import { composeOperands, flatMapOf } from "./coordinates.ts";
import { epilogueOf, lowerMapOver, movedBy, operandsOver, targetOf } from "./epilogue.ts";
import { areOutputsApart, haveSameSteps } from "./overlap.ts";

export type ContractWork = Extract<KernelWork, { kind: "contract" }>;
type ReduceWork = Extract<KernelWork, { kind: "reduce" }>;

/** Fuses a copy of the result of a product or a reduction into it: the result is computed in the target. Null if that is not possible. */
export function fuseCopyOfResult(task: ContractWork | ReduceWork, copy: MapWork): KernelWork | null {
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

/** Fuses a map into the product that it reads, as an epilogue. Null if that is not possible. */
export function fuseMapEpilogue(task: ContractWork, map: MapWork): KernelWork | null {
  const [result] = task.operands.outputs;
  if (task.after !== null) return null;
  const reads = task.operands.inputs.map(({ storage }) => storage);
  const epilogue = epilogueOf(map, result, reads);
  if (epilogue === null) return null;
  const { target, map: after } = epilogue;
  if (!haveSameSteps(target, result) && !hasFixedOrder(result, task.operands.inputs[0])) return null;
  return { ...task, operands: { ...task.operands, outputs: [target] }, after };
}

/** Adds the steps of a product and of its epilogue. */
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
