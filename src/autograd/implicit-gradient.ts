/** The gradient that an output starts from if none is given: 1, of one real number. */

import { showShape } from "../tensor/geometry.ts";
import { isComplexTensor } from "../tensor/operand.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";

/** Throws unless the gradient of an output may be omitted; `remedy` says what to do with several elements. */
export function checkImplicit(who: string, t: Tensor, remedy: string): void {
  const refused = (kind: string, got: string): AutogradError =>
    new AutogradError(`${who}: grad can be implicitly created only for ${kind} outputs, got ${got}`);
  if (t.size !== 1) throw refused("scalar", `shape ${showShape(t)}. ${remedy}`);
  if (isComplexTensor(t)) throw refused("real", `${t.dtype}. Take its real part: real(x)`);
}
