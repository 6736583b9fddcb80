/**
 * The names and parameters that both forms of a reducing kernel share. Operands are in the order outputs, inputs, held inputs.
 * The number of an element is walked like an operand's offset, in a column of its own after theirs; in the mode lists it goes by the
 * name of the first input.
 */

import type { Expr } from "../../expr/expr.ts";
import type { BufferParameter, ModesParameter, SizeParameter } from "../ir/kernel.ts";
import { constantScalar, indexScalar, type Scalar } from "../ir/scalar.ts";
import { offsetSymbol, sizeSymbol } from "../ir/symbols.ts";
import { numbered } from "../map/spec.ts";
import type { ReduceSpec } from "./spec.ts";

/** The largest size that a call has. */
export const largest = 2 ** 31 - 1;

/** A step between elements, of any sign. */
export const stepSize = (name: string): SizeParameter => ({ name, min: -largest - 1, max: largest });

export interface ReduceNames {
  readonly outputs: readonly string[];
  readonly inputs: readonly string[];
  readonly held: readonly string[];
  readonly scalars: readonly string[];
  /** What has an offset in the modes that stay, and in those that are reduced. */
  readonly all: readonly string[];
  readonly moving: readonly string[];
  readonly buffers: readonly BufferParameter[];
  readonly modes: readonly ModesParameter[];
}

/** The names of a spec's operands, and the parameters made of them. */
export function namesOf(spec: ReduceSpec): ReduceNames {
  const outputs = numbered("out", spec.outputs.length);
  const inputs = numbered("x", spec.inputs.length);
  const held = numbered("held", spec.held?.length ?? 0);
  const number = spec.isNumbered === true ? ["number"] : [];
  const buffer = (name: string): string => (name === "number" ? inputs[0] : name);
  const all = [...outputs, ...inputs, ...held, ...number];
  const moving = [...inputs, ...number];
  const dtypes = [...spec.outputs, ...spec.inputs, ...(spec.held ?? [])];
  return {
    outputs,
    inputs,
    held,
    scalars: numbered("a", spec.scalars.length),
    all,
    moving,
    buffers: dtypes.map((dtype, k) => ({
      name: all[k],
      dtype: dtype,
      access: k < outputs.length ? "write" : "read",
    })),
    modes: [
      { name: "kept", buffers: all.map(buffer) },
      { name: "reduced", buffers: moving.map(buffer) },
    ],
  };
}

/** The sizes that a numbered spec takes last: the first number, and the step in the innermost reduced mode. */
export const numberSizes = (spec: ReduceSpec, step: string): readonly SizeParameter[] =>
  spec.isNumbered === true ? [stepSize("number_first"), stepSize(step)] : [];

/** The number of an element that is `index` steps from where the walks are. */
export function numberAt(spec: ReduceSpec, on: Expr, step: string, index: Expr): Scalar {
  if (spec.isNumbered !== true) return constantScalar("int32", 0);
  const first = sizeSymbol(stepSize("number_first")).add(offsetSymbol("number_at")).add(on);
  return indexScalar("int32", first.add(sizeSymbol(stepSize(step)).mul(index)));
}
