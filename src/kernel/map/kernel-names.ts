/**
 * The names of operands in the text of a kernel: the user's own, except where a kernel has another use for them.
 * A stride of `x` is called x_n there, so an operand of that name is numbered instead: v0, v1, and so on.
 */
import type { MapNames } from "./spec.ts";

const words =
  "u i j n m i0 j0 tile block units tiles rest kernel buffer scalar size modes read write readwrite parallel " +
  "vector serial unrolled walk index fetch let store accumulator accumulate allocate barrier where else by at in true false nan inf";
const own: ReadonlySet<string> = /* @__PURE__ */ new Set(words.split(" "));

/** Names for outputs, inputs and scalars, each different from all others and from the kernel's own. */
export function kernelNames(
  outputs: readonly string[],
  inputs: readonly string[],
  scalars: readonly string[],
): MapNames {
  const taken: string[] = [];
  let numbered = 0;
  const choose = (wanted: string): string => {
    const name =
      own.has(wanted) || taken.includes(wanted) || /_(?:at|m|n|value)$|^v\d+$/.test(wanted) ? `v${numbered++}` : wanted;
    taken.push(name);
    return name;
  };
  // Operands come first: an output of the same name is the one to change.
  const [ofInputs, ofScalars] = [inputs.map(choose), scalars.map(choose)];
  return { outputs: outputs.map(choose), inputs: ofInputs, scalars: ofScalars };
}
