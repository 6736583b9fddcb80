/**
 * Coordinates of fused maps. A task reads the result of a map at some offsets; `composeOperands` returns the operands that the map itself read for
 * them, over the coordinates of the task. In terms of layouts this is input o inverse(result) o use, for results whose strides are positive.
 */

import type { Operand } from "../../kernel/operand.ts";
import type { WorkOperands } from "../../kernel/program/builder.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import { dtypes } from "../../storage/dtype.ts";

/** A map over flat modes: the strides of its result and of its inputs. */
export interface FlatMap {
  readonly out: Operand;
  readonly inputs: readonly Operand[];
}

/** Returns the operands of a map with as few modes as possible. */
export function flatMapOf({ outputs, inputs }: WorkOperands): FlatMap {
  const all = [outputs[0], ...inputs];
  const flat = simplifyFlat(
    outputs[0].shape,
    all.map(({ offset }) => offset),
    all.map(({ stride }) => stride),
  );
  const [out, ...rest] = all.map((operand, k) => ({
    ...operand,
    offset: flat.starts[k],
    shape: flat.sizes,
    stride: flat.strides[k],
  }));
  return { out, inputs: rest };
}

/** An axis that must be split, and the size of the inner part. */
export type Split = readonly (readonly [axis: number, inner: number])[];

/** The mode of a result that a step of this many elements does not leave; -1 if there is none. */
function modeFor({ shape, stride }: Operand, step: number): number {
  let best = -1;
  for (let e = 0; e < shape.length; e++) {
    if (
      shape[e] === 1 ||
      step % stride[e] !== 0 ||
      Math.abs(step) < Math.abs(stride[e]) ||
      Math.abs(step) >= Math.abs(stride[e] * shape[e])
    )
      continue;
    if (best < 0 || Math.abs(stride[e]) > Math.abs(stride[best])) best = e;
  }
  return best;
}

/** Returns the axes of a use that run through several modes of the result, with the sizes at which to split them; null if they do not split. */
export function splitFor(out: Operand, use: Operand): Split | null {
  const splits: (readonly [number, number])[] = [];
  for (let d = 0; d < use.shape.length; d++) {
    const [size, step] = [use.shape[d], use.stride[d]];
    if (size === 1 || step === 0) continue;
    const mode = modeFor(out, step);
    if (mode < 0) return null;
    const inner = Math.abs((out.stride[mode] * out.shape[mode]) / step);
    if (inner >= size) continue;
    if (!Number.isInteger(inner) || size % inner !== 0) return null;
    splits.push([d, inner]);
  }
  return splits;
}

/** Returns an operand with split axes; axes from `rank` on are not split. */
export function splitAxes(operand: Operand, split: Split, rank: number): Operand {
  const shape: number[] = [];
  const stride: number[] = [];
  operand.shape.forEach((size, d) => {
    const inner = d < rank ? split.find(([axis]) => axis === d)?.[1] : undefined;
    if (inner === undefined) {
      shape.push(size);
      stride.push(operand.stride[d]);
    } else {
      shape.push(size / inner, inner);
      stride.push(operand.stride[d] * inner, operand.stride[d]);
    }
  });
  return { ...operand, shape, stride };
}

/**
 * Returns the inputs of a map over the coordinates of a use of its result: if the use reads the element that the map computes at a coordinate, the
 * inputs have the offset of that coordinate. Null if the use steps through the modes of the result unevenly.
 */
export function composeOperands({ out, inputs }: FlatMap, use: Operand): readonly Operand[] | null {
  if (dtypes[out.dtype].itemsize !== dtypes[use.dtype].itemsize) return null;
  const modes: number[] = [];
  const digits = out.shape.map(() => 0);
  // The coordinate of the first element, digit by digit.
  let rest = use.offset - out.offset;
  const first = out.shape.map(() => 0);
  const order = out.shape.map((_, e) => e).sort((a, b) => Math.abs(out.stride[b]) - Math.abs(out.stride[a]));
  if (out.stride.some((step, e) => step <= 0 && out.shape[e] > 1)) return null;
  for (const e of order) {
    if (out.shape[e] === 1) continue;
    first[e] = Math.floor(rest / out.stride[e]);
    if (first[e] < 0 || first[e] >= out.shape[e]) return null;
    rest -= first[e] * out.stride[e];
    digits[e] = first[e];
  }
  if (rest !== 0) return null;
  for (let d = 0; d < use.shape.length; d++) {
    const [size, step] = [use.shape[d], use.stride[d]];
    if (size === 1 || step === 0) {
      modes.push(-1);
      continue;
    }
    if (step < 0) return null;
    const mode = modeFor(out, step);
    if (mode < 0) return null;
    digits[mode] += (size - 1) * (step / out.stride[mode]);
    if (digits[mode] >= out.shape[mode]) return null;
    modes.push(mode);
  }
  return inputs.map((input) => ({
    ...input,
    isStatic: false,
    offset: input.offset + first.reduce((sum, digit, e) => sum + digit * (input.stride[e] ?? 0), 0),
    shape: use.shape,
    stride: modes.map((mode, d) => (mode < 0 ? 0 : (use.stride[d] / out.stride[mode]) * input.stride[mode])),
  }));
}
