/**
 * What an elementwise kernel computes, before anything is known of its operands' layouts: dtypes and a scalar body.
 * Outputs come first in every list of operands. The same spec serves all layouts; `build.ts` makes a kernel of it for each form.
 */
import { listOf } from "../../base/list-of.ts";
import { type DType, dtypes, isHalf } from "../../storage/dtype.ts";
import type { Scalar } from "../ir/scalar.ts";

export interface MapSpec {
  /** What is computed, for the name of kernels: axpb, add_relu. */
  readonly name: string;
  readonly outputs: readonly DType[];
  readonly inputs: readonly DType[];
  readonly scalars: readonly DType[];
  /** It only copies bits: then long lines are not cut, because the engine copies a long block faster than its parts. */
  readonly isCopy?: boolean;
  /** The last input is a mask: where it is 0, no other operand is read or written, so operands may reach past their memory there. */
  readonly isMasked?: boolean;
  /** Names of outputs, inputs and scalars in the kernel's text; numbered ones if there are none. */
  readonly names?: MapNames;
  /** The values over inputs and scalars that are named by their indices, if they are known already. */
  readonly values?: readonly Scalar[];
  /**
   * The values of the outputs, in their dtypes, from those of the inputs and scalars in theirs. `number`, an int32, is the number of the
   * element in a line; a kernel that asks for it can only run over one, of at most `mostNumbered` elements.
   */
  body(inputs: readonly Scalar[], scalars: readonly Scalar[], number: () => Scalar): readonly Scalar[];
}

export interface MapNames {
  readonly outputs: readonly string[];
  readonly inputs: readonly string[];
  readonly scalars: readonly string[];
}

/** The most outputs and inputs together: two bits each say how an operand steps. */
export const mostOperands = 15;

/** The prefix for one name, or the prefix with a number for each of several. */
export const numbered = (prefix: string, count: number): string[] =>
  listOf(count, (k) => (count === 1 ? prefix : `${prefix}${k}`));

/** The names that a spec gives, or out, x, a and so on with numbers. */
export function namesOf(spec: MapSpec): MapNames {
  return (
    spec.names ?? {
      outputs: numbered("out", spec.outputs.length),
      inputs: numbered("x", spec.inputs.length),
      scalars: numbered("a", spec.scalars.length),
    }
  );
}

/** Bytes of the widest part of a value of this dtype while it is computed with: halves are float32, complex numbers two floats. */
export const computedSize = (dtype: DType): number =>
  isHalf(dtype) ? 4 : dtypes[dtype].itemsize / dtypes[dtype].parts;

/** How many elements fit in 16 bytes, whatever the body computes with. */
export function lanesFor(operands: readonly DType[], values: readonly Scalar[]): number {
  let widest = 1;
  const seen = new Set<Scalar>();
  const visit = (value: Scalar): void => {
    if (seen.has(value)) return;
    seen.add(value);
    widest = Math.max(widest, computedSize(value.dtype));
    if (value.kind === "call") for (const arg of value.args) visit(arg);
    else if (value.kind === "cast") visit(value.of);
  };
  for (const value of values) visit(value);
  for (const dtype of operands) widest = Math.max(widest, computedSize(dtype));
  return 16 / widest;
}
