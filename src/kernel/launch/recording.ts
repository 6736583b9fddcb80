/**
 * What a piece of work launches, written down while it runs: each program with its arguments, and of every address whose it is, that of
 * an operand or of temporary bytes. Whatever else the work does spoils the record.
 *
 * Temporary bytes are given back in the reverse order, so all have a place in one block, each where those that are still in use end.
 */
import type { Value } from "../../storage/dtype.ts";
import { alignment, type Memory } from "../../storage/memory.ts";
import type { Storage } from "../../storage/storage.ts";
import type { KernelProgram } from "../backend.ts";
import { presentCall } from "./call.ts";

/** One launch without the places of its operands. */
export interface Launch {
  readonly program: KernelProgram;
  /** Of each buffer: which operand it is, and the bytes from that one's element 0; or -1, and the bytes from the temporary block. */
  readonly operands: readonly number[];
  readonly shifts: readonly number[];
  readonly sizes: readonly number[];
  readonly scalars: readonly Value[];
  readonly modes: readonly number[][];
  readonly units: number;
  readonly unitSize: number;
}

/** Bytes of an operand, and the one of them where its element 0 lies. */
export interface Origin {
  readonly storage: Storage;
  readonly origin: number;
}

/** Bytes with a name: an operand's number, and the byte that shifts are counted from; or -1, for temporary bytes. */
interface Span {
  readonly memory: Memory;
  readonly from: number;
  readonly bytes: number;
  readonly which: number;
  readonly base: number;
}

/** Work of more launches is not remembered: they take longer than planning them. */
const most = 16;

/** What is written down now. */
let present: Recording | null = null;

export class Recording {
  readonly launches: Launch[] = [];
  /** Bytes of the temporary block. */
  bytes = 0;
  isSpoilt = false;
  readonly #origins: readonly Origin[];
  readonly #rooms: Span[] = [];

  constructor(origins: readonly Origin[]) {
    this.#origins = origins;
  }

  /** Does the work. Work that is part of other work spoils the record of that. */
  run(work: () => void): void {
    const { memories, sizes, scalars } = presentCall();
    memories.fill(undefined as never);
    sizes.length = 0;
    scalars.length = 0;
    spoilRecording();
    const outer = present;
    present = this;
    try {
      work();
    } finally {
      present = outer;
    }
  }

  add(program: KernelProgram): void {
    const { memories, addresses, sizes, scalars, modes, units, unitSize } = presentCall();
    const spans = this.#origins.map(({ storage, origin }, which): Span => {
      const memory = storage.readable();
      const from = storage.byteOffset;
      return { memory, from, bytes: storage.nbytes, which, base: from + origin };
    });
    spans.push(...this.#rooms);
    const operands: number[] = [];
    const shifts: number[] = [];
    for (let k = 0; memories[k] !== undefined; k++) {
      const address = addresses[k] as number;
      const isIn = ({ memory, from, bytes }: Span): boolean =>
        memory === memories[k] && address >= from && address < from + bytes;
      const span = spans.find(isIn);
      this.isSpoilt ||= span === undefined;
      operands.push(span?.which ?? -1);
      shifts.push(address - (span?.base ?? 0));
    }
    // The next program may have fewer buffers.
    memories.fill(undefined as never);
    this.launches.push({
      program,
      operands,
      shifts,
      sizes: sizes.slice(),
      scalars: scalars.slice(),
      modes: modes.slice(),
      units,
      unitSize,
    });
    if (this.launches.length > most) this.isSpoilt = true;
  }

  open(memory: Memory, from: number, bytes: number): void {
    const last = this.#rooms.at(-1);
    const place = last === undefined ? 0 : Math.ceil((last.from + last.bytes - last.base) / alignment) * alignment;
    this.#rooms.push({ memory, from, bytes, which: -1, base: from - place });
    this.bytes = Math.max(this.bytes, place + bytes);
  }

  close(): void {
    this.#rooms.pop();
  }
}

/** Runs a program with the present call. */
export function launchProgram(program: KernelProgram): void {
  program.run(presentCall());
  if (present !== null && !present.isSpoilt) present.add(program);
}

/** Says that the work does more than to launch, or would be done otherwise another time. */
export function spoilRecording(): void {
  if (present !== null) present.isSpoilt = true;
}

/** What is written down now, if anything is. */
export const presentRecording = (): Recording | null => present;
