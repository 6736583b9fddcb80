/**
 * The one call object: who launches a kernel fills it in, the program reads it, and the next launch fills it in again.
 * No program calls back into code that launches, so one is enough.
 */
import type { KernelCall } from "../backend.ts";
import { mostOperands } from "../map/spec.ts";

let present: KernelCall | null = null;

/** The call object, with what the last call left in it. */
export function presentCall(): KernelCall {
  present ??= {
    memories: new Array(mostOperands),
    addresses: new Array<number>(mostOperands).fill(0),
    scalars: [],
    sizes: [],
    modes: [[]],
    units: 0,
    unitSize: 0,
  };
  return present;
}
