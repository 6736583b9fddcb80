/**
 * Epilogues: a map over the result of other work, computed over each finished part of the result while the part is in the cache. If the map has
 * the dtype of that result, both share the memory of the map's result, and the map runs in place. Otherwise, for a cast, each result has its own
 * memory.
 */
import { product as countOf } from "../../base/ints.ts";
import type { ElementStorage, Operand } from "../../kernel/operand.ts";
import type { MapWork, ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMap } from "../../kernel/program/lower-map.ts";
import { dtypes } from "../../storage/dtype.ts";
import { composeOperands, type FlatMap, flatMapOf, splitAxes, splitFor } from "./coordinates.ts";
import { isEqual, mayShareBytes } from "./overlap.ts";

/** A map over the result of other work. */
export interface Epilogue {
  /** The operand that the other work writes its result to. */
  readonly target: Operand;
  readonly map: MapWork;
}

/** True if each element of an operand is read at one coordinate. */
const isReadOnce = ({ shape, stride }: Operand): boolean => shape.every((size, d) => size === 1 || stride[d] !== 0);

/** Returns the operand by which a map reads a result. Null if it does not read each element once. */
function useOf(map: MapWork, result: Operand): Operand | null {
  const uses = map.operands.inputs.filter(({ storage }) => storage === result.storage);
  const [use] = uses;
  if (uses.some((each) => !isEqual(each, use)) || !isReadOnce(use) || !isReadOnce(map.operands.outputs[0])) return null;
  if (dtypes[use.dtype].itemsize !== dtypes[result.dtype].itemsize || countOf(use.shape) !== countOf(result.shape))
    return null;
  return use;
}

/** Returns the output of a map over the coordinates of its input `result`. Null if the map does not read each element of it once. */
export function targetOf(map: MapWork, result: Operand): Operand | null {
  const use = useOf(map, result);
  if (use === null) return null;
  const from = flatMapOf({ outputs: [use], inputs: [map.operands.outputs[0]], scalars: [] });
  return composeOperands(from, { ...result, dtype: use.dtype })?.[0] ?? null;
}

/** Returns a map as the epilogue of the work that computes its input `result` from `reads`. Null if that is not possible. */
export function epilogueOf(map: MapWork, result: Operand, reads: readonly ElementStorage[]): Epilogue | null {
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

/** The storages that work and its epilogue read and write together. The epilogue reads the result after the work has written it. */
export function withMap(
  { reads, writes }: { readonly reads: readonly ElementStorage[]; readonly writes: readonly ElementStorage[] },
  { operands: { outputs, inputs } }: MapWork,
): { readonly reads: readonly ElementStorage[]; readonly writes: readonly ElementStorage[] } {
  const [result] = writes;
  const others = (operands: readonly Operand[]): ElementStorage[] =>
    operands.flatMap(({ storage }) => (storage === result ? [] : [storage]));
  return { reads: [...reads, ...others(inputs)], writes: [...writes, ...others(outputs)] };
}

/** The operands of an epilogue over the coordinates of the operand in `storage`, the result of the work. */
export function movedBy({ operands: { outputs, inputs } }: MapWork, storage: ElementStorage): FlatMap {
  const all = [...outputs, ...inputs];
  const use = all.find((operand) => operand.storage === storage) as Operand;
  return flatMapOf({ outputs: [use], inputs: all, scalars: [] });
}

/** Returns the operands of an epilogue over a part of the result. Null if no part of the map has the shape of that part. */
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
