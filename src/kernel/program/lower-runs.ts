/**
 * Lowers copies to and from memory that the backend cannot address: runs of adjacent elements are copied directly, without a kernel.
 */
import { simplifyFlat } from "../../layout/flat.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { Operand } from "../operand.ts";
import type { ProgramBuilder } from "./builder.ts";
import { shortRun } from "./contiguous-runs.ts";
import type { CopyEnd } from "./program.ts";

/** Adds a copy between operands of one dtype that do not overlap. Adds nothing and returns false if kernels can address both, or if runs are short. */
export function lowerRuns(builder: ProgramBuilder, from: Operand, to: Operand): boolean {
  if (builder.canAddress(from.storage) && builder.canAddress(to.storage)) return false;
  if (to.shape.includes(0)) return true;
  const { sizes, starts, strides } = simplifyFlat(to.shape, [to.offset, from.offset], [to.stride, from.stride], true);
  const [run = 1, ...counts] = sizes;
  if (run < shortRun || strides.some((of) => of[0] !== 1)) return false;
  builder.isCacheable = false;
  const { itemsize } = dtypes[to.dtype];
  const [target, source] = [to, from].map(({ storage }, k): CopyEnd => {
    const shift = builder.shiftOf({ storage, start: starts[k], itemsize });
    return { slot: builder.slotOf(storage), shift, steps: strides[k].slice(1) };
  });
  builder.add({ kind: "copy", from: source, to: target, run, counts, itemsize });
  return true;
}
