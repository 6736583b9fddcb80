/** Operands in memory: which are equal, and which share bytes. */
import type { ElementStorage, Operand } from "../../kernel/operand.ts";
import type { KernelWork, MapWork } from "../../kernel/program/builder.ts";
import { areBytesDisjoint } from "../../storage/byte-range.ts";
import { dtypes } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";

/** True if bytes of two storages may be the same. */
export const mayShareBytes = (a: ElementStorage, b: ElementStorage): boolean => {
  if (a === b) return true;
  if (!(a instanceof Storage && b instanceof Storage) || a.isScratch || b.isScratch) return false;
  return !areBytesDisjoint(a, b);
};

/** True if two operands read the same elements in the same order. */
export const isEqual = (a: Operand, b: Operand): boolean =>
  a.storage === b.storage && a.dtype === b.dtype && a.offset === b.offset && `${a.stride}` === `${b.stride}`;

/** True if two operands of the same sizes have the same strides; those of axes of size 1 have no effect. */
export const haveSameSteps = (a: Operand, b: Operand): boolean =>
  a.shape.every((size, d) => size === b.shape[d] && (size === 1 || a.stride[d] === b.stride[d]));

/** True if each output of a map is equal to an input or overlaps none. */
export const isInPlaceSafe = (outputs: readonly Operand[], inputs: readonly Operand[]): boolean =>
  outputs.every((output) =>
    inputs.every(
      (input) =>
        !mayShareBytes(output.storage, input.storage) ||
        (output.storage === input.storage &&
          output.offset === input.offset &&
          `${output.stride}` === `${input.stride}` &&
          output.dtype === input.dtype),
    ),
  );

/** True if outputs share no bytes with inputs. */
export const areOutputsApart = (outputs: readonly Operand[], inputs: readonly Operand[]): boolean =>
  outputs.every((output) => inputs.every((input) => !mayShareBytes(output.storage, input.storage)));

/** True if a map reads the result of another one element by element, and overwrites it. */
export function overwrites(map: MapWork, reader: KernelWork): boolean {
  const [result] = map.operands.outputs;
  const { outputs, inputs } = reader.operands;
  const isResult = ({ dtype, offset, stride, shape }: Operand): boolean =>
    offset === result.offset &&
    `${stride} of ${shape}` === `${result.stride} of ${result.shape}` &&
    dtypes[dtype].itemsize === dtypes[result.dtype].itemsize;
  const isOwn = ({ storage }: Operand): boolean => storage === result.storage;
  if (reader.kind !== "map" || !outputs.some(isOwn) || !inputs.some(isOwn)) return false;
  return [...outputs, ...inputs].filter(isOwn).every(isResult);
}
