/**
 * The names and parameters that both forms of a reduction kernel share. Operands are in the order outputs, inputs, held inputs.
 * The element number is walked like the offset of one more operand; the mode lists name the first input for it.
 */

import type { Expr } from "../../expr/expr.ts";
import type { BufferParameter, ModesParameter, SizeParameter } from "../ir/kernel.ts";
import { constantScalar, indexScalar, type Scalar } from "../ir/scalar.ts";
import { anyStride, offsetSymbol, sizeSymbol } from "../ir/symbols.ts";
import { numbered } from "../map/spec.ts";
import type { ReduceSpec } from "./spec.ts";

interface ReduceNames {
  readonly outputs: readonly string[];
  readonly inputs: readonly string[];
  readonly held: readonly string[];
  readonly scalars: readonly string[];
  /** The names with an offset in the kept modes. */
  readonly all: readonly string[];
  /** The names with an offset in the reduced modes. */
  readonly moving: readonly string[];
  readonly buffers: readonly BufferParameter[];
  readonly modes: readonly ModesParameter[];
}

/** Returns the names of a spec's operands, and their parameters. */
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
      dtype,
      access: k < outputs.length ? "write" : "read",
    })),
    modes: [
      { name: "kept", buffers: all.map(buffer) },
      { name: "reduced", buffers: moving.map(buffer) },
    ],
  };
}

/** The last sizes of a numbered spec: the first number, and the step in the innermost reduced mode. */
export const numberSizes = (spec: ReduceSpec, step: string): readonly SizeParameter[] =>
  spec.isNumbered === true ? [anyStride("number_first"), anyStride(step)] : [];

/** The number of the element that is `index` steps from the walked offset. */
export function numberAt(spec: ReduceSpec, on: Expr, step: string, index: Expr): Scalar {
  if (spec.isNumbered !== true) return constantScalar("int32", 0);
  const first = sizeSymbol(anyStride("number_first")).add(offsetSymbol("number_at")).add(on);
  return indexScalar("int32", first.add(sizeSymbol(anyStride(step)).mul(index)));
}
