/**
 * Maps behind other work: a map over a result is computed over each part of it that is finished, while that is in the cache. It is computed in
 * place if it has the dtype of the result, which then is in the memory of the map's own result; else, as a cast, from one memory to another.
 */
import { product as countOf } from "../../base/ints.ts";
import type { ElementStorage, Operand } from "../../kernel/operand.ts";
import type { MapWork, ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMap } from "../../kernel/program/lower-map.ts";
import { dtypes } from "../../storage/dtype.ts";
import { composeOperands, type FlatMap, flatMapOf, splitAxes, splitFor } from "./coordinates.ts";
import { isEqual, mayShareBytes } from "./overlap.ts";

/** A map behind other work, with the operand that this work computes. */
export interface MapBehind {
  readonly target: Operand;
  readonly map: MapWork;
}

/** True if each element of an operand is read at one coordinate. */
const isReadOnce = ({ shape, stride }: Operand): boolean => shape.every((size, d) => size === 1 || stride[d] !== 0);

/** Returns what a map reads from a result if it reads each element once; else null. */
function useOf(map: MapWork, result: Operand): Operand | null {
  const uses = map.operands.inputs.filter(({ storage }) => storage === result.storage);
  const [use] = uses;
  if (uses.some((each) => !isEqual(each, use)) || !isReadOnce(use) || !isReadOnce(map.operands.outputs[0])) return null;
  if (dtypes[use.dtype].itemsize !== dtypes[result.dtype].itemsize || countOf(use.shape) !== countOf(result.shape))
    return null;
  return use;
}

/** Returns where a map puts the elements that it reads from `result`, over the coordinates of `result`; null if it does not read each of them once. */
export function targetOf(map: MapWork, result: Operand): Operand | null {
  const use = useOf(map, result);
  if (use === null) return null;
  const from = flatMapOf({ outputs: [use], inputs: [map.operands.outputs[0]], scalars: [] });
  return composeOperands(from, { ...result, dtype: use.dtype })?.[0] ?? null;
}

/** Returns a map as one behind the work that computes its input `result` from `reads`; null if that is not possible. */
export function mapBehind(map: MapWork, result: Operand, reads: readonly ElementStorage[]): MapBehind | null {
  const { spec } = map.kernel;
  const { outputs, inputs } = map.operands;
  const [goal] = outputs;
  if (spec.isMasked === true || spec.body.length > 2 || spec.isCopy === true) return null;
  const target = targetOf(map, result);
  if (target === null) return null;
  // The map must read the result in its own dtype.
  if (inputs.some(({ storage, dtype }) => storage === result.storage && dtype !== result.dtype)) return null;
  const others = inputs.filter(({ storage }) => storage !== result.storage);
  if (others.some(({ storage }) => mayShareBytes(storage, target.storage))) return null;
  if (outputs.some(({ storage }) => reads.some((read) => mayShareBytes(storage, read)))) return null;
  if (goal.dtype !== result.dtype) return { target: result, map };
  const inPlace = inputs.map((input) => (input.storage === result.storage ? { ...goal } : input));
  return { target, map: { ...map, operands: { ...map.operands, inputs: inPlace } } };
}

/** The storages of work and of a map behind it, which reads the result of the work, not what was there before. */
export function withMap(
  { reads, writes }: { readonly reads: readonly ElementStorage[]; readonly writes: readonly ElementStorage[] },
  { operands: { outputs, inputs } }: MapWork,
): { readonly reads: readonly ElementStorage[]; readonly writes: readonly ElementStorage[] } {
  const [result] = writes;
  const others = (operands: readonly Operand[]): ElementStorage[] =>
    operands.flatMap(({ storage }) => (storage === result ? [] : [storage]));
  return { reads: [...reads, ...others(inputs)], writes: [...writes, ...others(outputs)] };
}

/** The operands of a map by the coordinates of what it reads from the work before it, which is in `storage`. */
export function movedBy({ operands: { outputs, inputs } }: MapWork, storage: ElementStorage): FlatMap {
  const all = [...outputs, ...inputs];
  const use = all.find((operand) => operand.storage === storage) as Operand;
  return flatMapOf({ outputs: [use], inputs: all, scalars: [] });
}

/** Returns the operands of a map over a part of what it reads; null if the part does not have the shape of a part of the map. */
export function operandsOver(from: FlatMap, part: Operand): readonly Operand[] | null {
  const split = splitFor(from.out, part);
  return split === null ? null : composeOperands(from, splitAxes(part, split, part.shape.length));
}

/** Adds the steps of a map over these operands. */
export const lowerMapOver = (
  builder: ProgramBuilder,
  { kernel, operands, idempotent }: MapWork,
  all: readonly Operand[],
): void => lowerMap(builder, kernel, all, operands.scalars, { idempotent });
