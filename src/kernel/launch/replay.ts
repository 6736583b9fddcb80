/**
 * One launch, remembered: the program and all of its arguments but the places of its operands. Running it again over operands of the
 * same sizes and strides needs no plan.
 *
 * A launch can be remembered if the work was this one launch, over operands in reach. Every address must say whose it is: operands in
 * one storage have the same element 0, and have it again when the launch is repeated. Programs that were given up since then end what
 * was remembered of them.
 */
import type { Value } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import { type KernelProgram, kernelBackend } from "../backend.ts";
import { nativeProduct } from "../contract/native.ts";
import { presentCall } from "./call.ts";
import { launched, programsEnded } from "./programs.ts";

/** What is asked of an operand: where it is, and the elements that it spans, from the start of its storage; all of them are in it. */
export interface Place {
  readonly storage: Storage;
  readonly itemsize: number;
  readonly start: number;
  readonly low: number;
  readonly high: number;
}

/** An operand when a launch is repeated: a storage, and its element 0. */
export interface Placed {
  readonly source: unknown;
  readonly start: number;
}

/** A launch without the places of its operands. */
export interface Launch {
  readonly program: KernelProgram;
  /** How often programs had been given up when it was made. */
  readonly ended: number;
  /** Of each operand: bytes of an element, and of what lies before and behind element 0. */
  readonly itemsizes: readonly number[];
  readonly before: readonly number[];
  readonly behind: readonly number[];
  /** Of each operand: the first one in the same storage. */
  readonly sharing: readonly number[];
  /** Of each buffer: which operand it is, and the bytes from that one's element 0. */
  readonly operands: readonly number[];
  readonly shifts: readonly number[];
  readonly sizes: readonly number[];
  readonly scalars: readonly Value[];
  readonly modes: readonly number[][];
  readonly units: number;
  readonly unitSize: number;
}

/** Does the work, and gives its launch if it can be remembered; else null. */
export function recordLaunch(places: readonly Place[], work: () => void): Launch | null {
  const call = presentCall();
  const before = launched.count;
  const sharing = places.map(({ storage }) => places.findIndex((other) => other.storage === storage));
  if (sharing.some((first, k) => (places[first] as Place).start !== (places[k] as Place).start)) {
    work();
    return null;
  }
  call.memories.fill(undefined as never);
  call.sizes.length = 0;
  call.scalars.length = 0;
  work();
  const { program } = launched;
  if (launched.count !== before + 1 || program === null || nativeProduct !== null) return null;
  const operands: number[] = [];
  const shifts: number[] = [];
  for (let k = 0; call.memories[k] !== undefined; k++) {
    const address = call.addresses[k] as number;
    const which = places.findIndex(({ storage }) => {
      const from = address - storage.byteOffset;
      return from >= 0 && from < storage.nbytes && storage.readable() === call.memories[k];
    });
    if (which < 0) return null;
    const { storage, start, itemsize } = places[which] as Place;
    operands.push(which);
    shifts.push(address - storage.byteOffset - start * itemsize);
  }
  const { sizes, scalars, modes, units, unitSize } = call;
  return {
    program,
    ended: programsEnded(),
    itemsizes: places.map(({ itemsize }) => itemsize),
    before: places.map(({ itemsize, start, low }) => (start - low) * itemsize),
    behind: places.map(({ itemsize, start, high }) => (high + 1 - start) * itemsize),
    sharing,
    operands,
    shifts,
    sizes: sizes.slice(),
    scalars: scalars.slice(),
    modes: modes.slice(),
    units,
    unitSize,
  };
}

/** True if and only if a launch can be run again. */
export const isCurrent = ({ ended }: Launch): boolean => ended === programsEnded() && nativeProduct === null;

/** True if and only if the inputs, which come behind `outputs` others, are at places where the launch can read them. */
export function canReplay(launch: Launch, placed: readonly Placed[], outputs: number): boolean {
  const backend = kernelBackend();
  for (let k = outputs; k < placed.length; k++) {
    const { source, start } = placed[k] as Placed;
    const at = start * (launch.itemsizes[k] as number);
    if (at < (launch.before[k] as number) || at + (launch.behind[k] as number) > (source as Storage).nbytes)
      return false;
    if (!backend.reaches((source as Storage).readable())) return false;
    const first = placed[launch.sharing[k] as number] as Placed;
    if (first.source !== source || first.start !== start) return false;
  }
  return true;
}

/** Runs a launch over operands at other places, new outputs first; false, and nothing is done, if one of these is out of reach. */
export function replayLaunch(launch: Launch, placed: readonly Placed[], outputs: number): boolean {
  const backend = kernelBackend();
  const call = presentCall();
  const { operands, shifts, sizes, scalars, modes, itemsizes } = launch;
  for (let k = 0; k < outputs; k++)
    if (!backend.reaches(((placed[k] as Placed).source as Storage).writable())) return false;
  for (let k = 0; k < operands.length; k++) {
    const which = operands[k] as number;
    const { source, start } = placed[which] as Placed;
    call.memories[k] = (source as Storage).readable();
    call.addresses[k] = (source as Storage).byteOffset + start * (itemsizes[which] as number) + (shifts[k] as number);
  }
  for (let k = 0; k < sizes.length; k++) call.sizes[k] = sizes[k] as number;
  for (let k = 0; k < scalars.length; k++) call.scalars[k] = scalars[k] as Value;
  for (let k = 0; k < modes.length; k++) call.modes[k] = modes[k] as number[];
  call.units = launch.units;
  call.unitSize = launch.unitSize;
  launch.program.run(call);
  return true;
}
