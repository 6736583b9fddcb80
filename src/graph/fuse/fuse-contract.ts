/**
 * Fusion around products and reductions: their results are computed where a copy would put them, copies of factors are read where they are, and a
 * map over a product is computed in place while a part of it is in the cache (`kernel/program/lower-packed.ts`). No kernel changes, and every value
 * is rounded to its dtype as before.
 */
import { product as countOf } from "../../base/ints.ts";
import type { Operand } from "../../kernel/operand.ts";
import type { KernelWork, MapWork, ProgramBuilder, WorkOperands } from "../../kernel/program/builder.ts";
import { hasFixedOrder, lowerMatmul } from "../../kernel/program/lower-contract.ts";
import { lowerMap } from "../../kernel/program/lower-map.ts";
import { blockOf, type Finish, packing } from "../../kernel/program/lower-packed.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import { dtypes } from "../../storage/dtype.ts";
import { composeOperands, flatMapOf, splitAxes, splitFor } from "./coordinates.ts";
import { areOutputsApart, isEqual, mayShareBytes } from "./overlap.ts";

export type ContractWork = Extract<KernelWork, { kind: "contract" }>;
type ReduceWork = Extract<KernelWork, { kind: "reduce" }>;

/** True if two operands of the same sizes have the same strides; those of axes of size 1 have no effect. */
const haveSameSteps = (a: Operand, b: Operand): boolean =>
  a.shape.every((size, d) => size === b.shape[d] && (size === 1 || a.stride[d] === b.stride[d]));

/** True if each element of an operand is read at one coordinate. */
const isReadOnce = ({ shape, stride }: Operand): boolean => shape.every((size, d) => size === 1 || stride[d] !== 0);

/** Returns where a map puts the elements that it reads from `result`, over the coordinates of `result`; null if it does not read each of them once. */
function targetOf(map: MapWork, result: Operand): Operand | null {
  const uses = map.operands.inputs.filter(({ storage }) => storage === result.storage);
  const [use] = uses;
  const [target] = map.operands.outputs;
  if (uses.some((each) => !isEqual(each, use)) || !isReadOnce(use) || !isReadOnce(target)) return null;
  if (dtypes[use.dtype].itemsize !== dtypes[result.dtype].itemsize || countOf(use.shape) !== countOf(result.shape))
    return null;
  const from = flatMapOf({ outputs: [use], inputs: [target], scalars: [] });
  return composeOperands(from, { ...result, dtype: use.dtype })?.[0] ?? null;
}

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
  return areOutputsApart(outputs, factors) ? { ...task, operands: { outputs, inputs: factors, scalars } } : null;
}

/** Fuses a map behind a product: it is computed in place, in the memory of its result. Null if that is not possible. */
export function fuseMapBehind(task: ContractWork, map: MapWork): KernelWork | null {
  const [result] = task.operands.outputs;
  const { spec } = map.kernel;
  const [goal, ...more] = map.operands.outputs;
  if (task.after !== null || spec.isMasked === true || spec.body.length > 2) return null;
  if (goal.dtype !== result.dtype || spec.isCopy === true) return null;
  const target = targetOf(map, result);
  if (target === null || (!haveSameSteps(target, result) && !hasFixedOrder(result, task.operands.inputs[0])))
    return null;
  const others = map.operands.inputs.filter(({ storage }) => storage !== result.storage);
  if (others.some(({ storage }) => mayShareBytes(storage, target.storage))) return null;
  if (!areOutputsApart([target, ...more], task.operands.inputs)) return null;
  // The map must read the product in its own dtype.
  if (map.operands.inputs.some(({ storage, dtype }) => storage === result.storage && dtype !== result.dtype))
    return null;
  const inputs = map.operands.inputs.map((input) => (input.storage === result.storage ? { ...goal } : input));
  const after: MapWork = { ...map, operands: { ...map.operands, inputs } };
  return { ...task, operands: { ...task.operands, outputs: [target] }, after };
}

/** The maximum number of bytes of a block of the output that a map is computed over at once: it should be in the cache still. */
const blockBytes = 2 ** 19;

/** Adds the steps of a product and of the map behind it. */
export function lowerContract(builder: ProgramBuilder, { operands, after }: ContractWork): void {
  const [out] = operands.outputs;
  const [a, b] = operands.inputs;
  lowerMatmul(builder, out, a, b, false, after === null ? null : finishBy(builder, after));
}

/** Returns the steps of a map over the output of a product. */
function finishBy(builder: ProgramBuilder, { kernel, operands, idempotent }: MapWork): Finish {
  const lower = (all: readonly Operand[]): void => lowerMap(builder, kernel, all, operands.scalars, { idempotent });
  return {
    add: () => lower([...operands.outputs, ...operands.inputs]),
    inBlocks({ m, n, dtype, out, count }, max, step) {
      if (count > 1) return null;
      const bytes = n * dtypes[dtype].itemsize;
      const rows = blockOf(m, Math.min(max, Math.max(packing.rows, Math.floor(blockBytes / bytes))), step);
      // Further outputs are moved as inputs are.
      const from = flatMapOf({ ...operands, inputs: [...operands.outputs.slice(1), ...operands.inputs] });
      const add: (() => void)[] = [];
      for (let first = 0; first < m; first += rows) {
        const shape = [Math.min(rows, m - first), n];
        const offset = out.start + first * out.row;
        const part: Operand = { storage: out.storage, dtype, offset, shape, stride: [out.row, out.column] };
        const split = splitFor(from.out, part);
        const use = split === null ? part : splitAxes(part, split, 2);
        const others = split === null ? null : composeOperands(from, use);
        if (others === null) return null;
        add.push(() => lower([use, ...others]));
      }
      return { rows, add };
    },
  };
}
