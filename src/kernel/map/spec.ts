/**
 * The spec of an elementwise kernel, which does not depend on the layouts of its operands: dtypes and a scalar body, and the names of its
 * operands. Outputs come first in every list of operands. `build.ts` builds a kernel of it for each form of operands.
 */
import { listOf } from "../../base/list-of.ts";
import { type DType, dtypes, isHalf } from "../../storage/dtype.ts";
import type { Scalar } from "../ir/scalar.ts";

export interface MapSpec {
  /** The computation, for the names of kernels: axpb, add_relu. */
  readonly name: string;
  readonly outputs: readonly DType[];
  readonly inputs: readonly DType[];
  readonly scalars: readonly DType[];
  /** True if it only copies bits: long lines are then not cut, because the engine copies a long block faster than its parts. */
  readonly isCopy?: boolean;
  /** True if the last input is a mask: where it is 0, no other operand is read or written, so operands may exceed their memory there. */
  readonly isMasked?: boolean;
  /** The names of outputs, inputs and scalars in the kernel's text; out, x and a with numbers by default. */
  readonly names?: MapNames;
  /** The values over inputs and scalars that are named by their indices, if they are known already. */
  readonly values?: readonly Scalar[];
  /**
   * Returns the values of the outputs, in their dtypes, from those of the inputs and scalars. `number` returns the element's number in a
   * line, an int32; a kernel that uses it runs over a line only, of at most `maxNumbered` elements.
   */
  body(inputs: readonly Scalar[], scalars: readonly Scalar[], number: () => Scalar): readonly Scalar[];
}

interface MapNames {
  readonly outputs: readonly string[];
  readonly inputs: readonly string[];
  readonly scalars: readonly string[];
}

/** The largest number of outputs and inputs together: each has a step class of two bits. */
export const maxOperands = 15;

/** The prefix as one name, or with a number for each of several. */
export const numbered = (prefix: string, count: number): string[] =>
  listOf(count, (k) => (count === 1 ? prefix : `${prefix}${k}`));

/** The names of a spec, or the default ones. */
export function namesOf(spec: MapSpec): MapNames {
  return (
    spec.names ?? {
      outputs: numbered("out", spec.outputs.length),
      inputs: numbered("x", spec.inputs.length),
      scalars: numbered("a", spec.scalars.length),
    }
  );
}

/** Bytes of one part of a value of this dtype in computations: halves are float32, complex numbers two floats. */
export const computedSize = (dtype: DType): number =>
  isHalf(dtype) ? 4 : dtypes[dtype].itemsize / dtypes[dtype].parts;

/** The number of elements in 16 bytes, by the widest dtype of the operands and the body. */
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

/** Words with another meaning in the text of a kernel. */
const words =
  "u i j n m i0 j0 tile block units tiles rest kernel buffer scalar size modes read write readwrite parallel " +
  "vector serial unrolled walk index fetch let store accumulator accumulate allocate barrier where else by at in true false nan inf";
const reserved: ReadonlySet<string> = /* @__PURE__ */ new Set(words.split(" "));

/**
 * Returns distinct names for outputs, inputs and scalars: the user's names, except those that a kernel needs. The stride of `x` is called
 * x_n, for example, so an operand of that name is numbered instead: v0, v1, and so on.
 */
export function kernelNames(
  outputs: readonly string[],
  inputs: readonly string[],
  scalars: readonly string[],
): MapNames {
  const names: string[] = [];
  let numbered = 0;
  const choose = (preferred: string): string => {
    const name =
      reserved.has(preferred) || names.includes(preferred) || /_(?:at|m|n|value)$|^v\d+$/.test(preferred)
        ? `v${numbered++}`
        : preferred;
    names.push(name);
    return name;
  };
  // Operands come first: of an output and an operand with one name, the output is renamed.
  const [ofInputs, ofScalars] = [inputs.map(choose), scalars.map(choose)];
  return { outputs: outputs.map(choose), inputs: ofInputs, scalars: ofScalars };
}
