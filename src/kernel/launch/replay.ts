/**
 * Launches, remembered: programs and all of their arguments but the places of operands. Running them again over operands of the same
 * sizes and strides needs no plan.
 *
 * They can be remembered if the work was a few launches and nothing else, over operands in reach. Every address must say whose it is:
 * operands in one storage have the same element 0, and have it again when the launches are repeated. Programs that were given up since
 * then end what was remembered of them.
 */
import { areApart } from "../../storage/byte-range.ts";
import type { Value } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
import type { Storage } from "../../storage/storage.ts";
import { kernelBackend } from "../backend.ts";
import { nativeProduct } from "../contract/native.ts";
import { presentCall } from "./call.ts";
import { programsEnded } from "./programs.ts";
import { type Launch, type Origin, Recording, spoilRecording } from "./recording.ts";
import { ifRoom } from "./temporary.ts";

/** What is asked of an operand: where it is, and the elements that it spans, from the start of its storage; all of them are in it. */
export interface Place {
  readonly storage: Storage;
  readonly itemsize: number;
  readonly start: number;
  readonly low: number;
  readonly high: number;
}

/** An operand when launches are repeated: a storage, and its element 0. */
export interface Placed {
  readonly source: unknown;
  readonly start: number;
}

/** Launches without the places of their operands. */
export interface Replay {
  readonly launches: readonly Launch[];
  /** Bytes that they need for a moment. */
  readonly bytes: number;
  /** How often programs had been given up when they were made. */
  readonly ended: number;
  /** Of each operand: bytes of an element, and of what lies before and behind element 0. */
  readonly itemsizes: readonly number[];
  readonly before: readonly number[];
  readonly behind: readonly number[];
  /** Of each operand: the first one in the same storage. */
  readonly sharing: readonly number[];
}

/** Does the work, and gives its launches if they can be remembered; else null. */
export function recordLaunches(places: readonly Place[], work: () => void): Replay | null {
  const sharing = places.map(({ storage }) => places.findIndex((other) => other.storage === storage));
  const origins = places.map(({ storage, start, itemsize }): Origin => ({ storage, origin: start * itemsize }));
  const recording = new Recording(origins);
  recording.isSpoilt = sharing.some((first, k) => origins[first]?.origin !== origins[k]?.origin);
  const ended = programsEnded();
  recording.run(work);
  const { launches, bytes, isSpoilt } = recording;
  if (isSpoilt || launches.length === 0 || ended !== programsEnded() || nativeProduct !== null) return null;
  for (const [k, { storage }] of places.entries()) {
    // What is out of reach was brought near by other means.
    if (!kernelBackend().reaches(storage.readable())) return null;
    // Bytes of two operands do not say whose they are.
    if (sharing[k] === k && !places.every((other, at) => sharing[at] === k || areApart(other.storage, storage)))
      return null;
  }
  return {
    launches,
    bytes,
    ended,
    itemsizes: places.map(({ itemsize }) => itemsize),
    before: places.map(({ itemsize, start, low }) => (start - low) * itemsize),
    behind: places.map(({ itemsize, start, high }) => (high + 1 - start) * itemsize),
    sharing,
  };
}

/** True if and only if launches can be run again. */
export const isCurrent = ({ ended }: Replay): boolean => ended === programsEnded() && nativeProduct === null;

/**
 * True if and only if the operands behind the first `outputs`, which are still to be made, are at places where they can be used. If none
 * is to be made, the first was given.
 */
export function canReplay(
  { itemsizes, before, behind, sharing }: Replay,
  placed: readonly Placed[],
  outputs: number,
): boolean {
  const backend = kernelBackend();
  try {
    for (let k = outputs; k < placed.length; k++) {
      const { source, start } = placed[k] as Placed;
      const storage = source as Storage;
      const at = start * (itemsizes[k] as number);
      if (at < (before[k] as number) || at + (behind[k] as number) > storage.nbytes) return false;
      if (!backend.reaches(storage.readable())) return false;
      const which = sharing[k] as number;
      const first = placed[which] as Placed;
      if (first.source !== source || first.start * (itemsizes[which] as number) !== at) return false;
      if (outputs === 0 && which !== 0 && !areApart(storage, (placed[0] as Placed).source as Storage)) return false;
    }
    return true;
  } catch {
    // What cannot be read any more is refused elsewhere.
    return false;
  }
}

/**
 * Runs launches over operands at other places, new outputs first; false, and nothing is done, if one of these is out of reach, or there is
 * no room for what is needed on the way.
 */
export function replayLaunches(replay: Replay, placed: readonly Placed[], outputs: number): boolean {
  const backend = kernelBackend();
  spoilRecording();
  for (let k = 0; k < outputs; k++)
    if (!backend.reaches(((placed[k] as Placed).source as Storage).writable())) return false;
  if (replay.bytes > 0) return ifRoom(replay.bytes, (memory, byteOffset) => run(replay, placed, memory, byteOffset));
  run(replay, placed, null, 0);
  return true;
}

function run({ launches, itemsizes }: Replay, placed: readonly Placed[], room: Memory | null, from: number): void {
  const call = presentCall();
  for (const { program, operands, shifts, sizes, scalars, modes, units, unitSize } of launches) {
    for (let k = 0; k < operands.length; k++) {
      const which = operands[k] as number;
      const of = which < 0 ? undefined : placed[which];
      const storage = of?.source as Storage | undefined;
      call.memories[k] = storage?.readable() ?? (room as Memory);
      const at =
        storage === undefined ? from : storage.byteOffset + (of as Placed).start * (itemsizes[which] as number);
      call.addresses[k] = at + (shifts[k] as number);
    }
    for (let k = 0; k < sizes.length; k++) call.sizes[k] = sizes[k] as number;
    for (let k = 0; k < scalars.length; k++) call.scalars[k] = scalars[k] as Value;
    for (let k = 0; k < modes.length; k++) call.modes[k] = modes[k] as number[];
    call.units = units;
    call.unitSize = unitSize;
    program.run(call);
  }
}
