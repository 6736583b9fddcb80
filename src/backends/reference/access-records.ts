/**
 * The accesses of threads to memory while a kernel is interpreted, and those among them that break a rule: two threads that access one byte, one
 * of them storing to it, without a barrier between them; and loads of allocated bytes that nothing has stored to. Threads of different units
 * have no barrier between them.
 */
import type { Statement } from "../../kernel/ir/kernel.ts";

/** The statement that accesses memory, and the name of the buffer in it. */
export interface AccessSource {
  readonly buffer: string;
  readonly isStore: boolean;
  readonly statement: Statement;
}

/** The bytes of an access, and its thread. */
export interface AccessBytes {
  readonly memory: ArrayBufferLike;
  /** The first byte, and their number. */
  readonly at: number;
  readonly bytes: number;
  /** The number of the element in its buffer. */
  readonly element: number;
  readonly unit: number;
  readonly thread: number;
}

/** A race, or a load of an element without a value. */
export interface AccessFault {
  readonly kind: "race" | "uninitialized";
  readonly buffer: string;
  readonly element: number;
  readonly text: string;
}

interface Access extends AccessSource {
  readonly unit: number;
  readonly thread: number;
  readonly interval: number;
}

/**
 * The accesses of one byte that later ones may conflict with: the last store, two loads by different units, and two loads by different threads
 * since the last barrier. More are not needed: a third one conflicts with nothing that the two do not conflict with.
 */
interface ByteRecord {
  store?: Access;
  ofUnits: Access[];
  ofThreads: Access[];
}

export class AccessRecords {
  readonly faults: AccessFault[] = [];
  readonly #lineText: (statement: Statement) => string;
  readonly #bytes = new WeakMap<ArrayBufferLike, Map<number, ByteRecord>>();
  readonly #allocated = new WeakSet<ArrayBufferLike>();
  readonly #known = new Set<string>();
  #interval = 0;

  /** `lineText` returns the line of a statement, for messages. */
  constructor(lineText: (statement: Statement) => string) {
    this.#lineText = lineText;
  }

  /** Notes memory without values. */
  allocate(memory: ArrayBufferLike): void {
    this.#allocated.add(memory);
  }

  barrier(): void {
    this.#interval++;
  }

  access(source: AccessSource, range: AccessBytes): void {
    const { memory, at, bytes, unit, thread } = range;
    let records = this.#bytes.get(memory);
    if (records === undefined) {
      records = new Map();
      this.#bytes.set(memory, records);
    }
    const access: Access = { ...source, unit, thread, interval: this.#interval };
    for (let byte = at; byte < at + bytes; byte++) {
      let record = records.get(byte);
      if (record === undefined) {
        record = { ofUnits: [], ofThreads: [] };
        records.set(byte, record);
      }
      if (!source.isStore && record.store === undefined && this.#allocated.has(memory))
        this.#reportEmpty(access, range);
      this.#enter(record, access, range);
    }
  }

  #enter(record: ByteRecord, access: Access, range: AccessBytes): void {
    const earlier = access.isStore ? [record.store, ...record.ofUnits, ...record.ofThreads] : [record.store];
    for (const other of earlier) if (other !== undefined && meet(other, access)) this.#reportRace(other, access, range);
    if (access.isStore) {
      record.store = access;
      return;
    }
    const { ofUnits, ofThreads } = record;
    if (ofUnits.length < 2 && ofUnits.every(({ unit }) => unit !== access.unit)) ofUnits.push(access);
    const recent = ofThreads.filter((each) => each.unit === access.unit && each.interval === access.interval);
    if (recent.length < 2 && recent.every(({ thread }) => thread !== access.thread)) recent.push(access);
    record.ofThreads = recent;
  }

  #reportRace(first: Access, second: Access, { element }: AccessBytes): void {
    const { buffer } = second;
    const textOf = (access: Access): string =>
      `${access.isStore ? "stored to" : "loaded"} by thread ${access.thread} of unit ${access.unit} (${this.#lineText(access.statement)})`;
    const why = first.unit === second.unit ? "without a barrier between them" : "and units run in any order";
    const text = `race: ${buffer}[${element}] is ${textOf(first)} and ${textOf(second)}, ${why}.`;
    this.#report({ kind: "race", buffer, element, text }, first.statement, second.statement);
  }

  #reportEmpty(access: Access, { element }: AccessBytes): void {
    const { buffer, statement, thread, unit } = access;
    const text = `uninitialized: ${buffer}[${element}] is loaded by thread ${thread} of unit ${unit} (${this.#lineText(statement)}), and nothing has stored to it.`;
    this.#report({ kind: "uninitialized", buffer, element, text }, statement, statement);
  }

  /** Adds a fault, unless the same two statements have one of this kind. */
  #report(fault: AccessFault, ...statements: readonly Statement[]): void {
    const key = [fault.kind, fault.buffer, ...statements.map(this.#lineText).sort()].join("\n");
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.faults.push(fault);
  }
}

/** True if two accesses, one of which stores, have no order. */
const meet = (a: Access, b: Access): boolean =>
  a.unit !== b.unit || (a.interval === b.interval && a.thread !== b.thread);
