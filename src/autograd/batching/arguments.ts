/** Arguments and results of calls: the tensors in them, and other tensors in their place. */
import { mapTensors } from "../../tensor/dispatch/wrapper.ts";
import type { Tensor } from "../../tensor/tensor.ts";

export { mapTensors };

export type Options = Readonly<Record<string, unknown>>;

/** All tensors in a value, `out` too. */
export function tensorsOf(value: unknown): Tensor[] {
  const found: Tensor[] = [];
  mapTensors(value, (t) => found.push(t));
  return found;
}
