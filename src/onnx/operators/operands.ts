/** The two operands of an operator with broadcasting. */
import type { Tensor } from "../../index.ts";
import type { Call } from "../call.ts";

/** Before version 7, the attribute `axis` is the axis of the first operand at which the axes of the second one begin. */
export function operandsOf(call: Call): readonly [Tensor, Tensor] {
  const [a, b] = [call.tensor(0), call.tensor(1)];
  if (call.version >= 7 || !call.hasAttribute("axis")) return [a, b];
  const trailing = a.ndim - call.axis(call.int("axis"), a.ndim) - b.ndim;
  if (trailing < 0) throw call.error(`[${b.shape}] has too many axes for axis ${call.int("axis")} of [${a.shape}]`);
  return [a, b.reshape([...b.shape, ...new Array<number>(trailing).fill(1)])];
}

export const binary = (fn: (a: Tensor, b: Tensor) => Tensor) => (call: Call) => fn(...operandsOf(call));
