/**
 * A block as compiled programs. The nodes between two cuts are one compiled function; a node at a cut runs by itself. Cuts are found by tracing: a
 * node that needs elements which the trace does not have, such as NonZero, or an If on data, ends the segment before it.
 *
 * Known values that cross a cut are arguments of the next function by their numbers, so that it is traced for each of them; computed ones are
 * tensors.
 */

import { compiledFunction } from "../graph/compile/compile.ts";
import { GraphError } from "../graph/ir.ts";
import { Tensor } from "../index.ts";
import { Storage } from "../storage/storage.ts";
import { outsideModes } from "../tensor/dispatch/modes.ts";
import { outsideScopes } from "../tensor/scope.ts";
import type { Block } from "./block.ts";
import { numbersOf } from "./call.ts";
import { type Entry, Frame } from "./frame.ts";
import { type Runner, StepError } from "./runner.ts";
import type { OnnxValue } from "./values.ts";

/** The largest number of elements of a known value that selects a program; larger ones are passed as tensors. */
const maxKeySize = 256;
/** The number of calls with different keys whose known outputs a segment caches. */
const maxCached = 512;

type SegmentFunction = (tensors: readonly Tensor[], key: string) => readonly Tensor[];

/** The nodes in [from, to): one program, or, without a function, nodes that run one by one. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly program: SegmentProgram | null;
  /** Why its nodes run one by one. */
  readonly reason: string;
}

/** The compiled function of a segment, and what it needs of the call that is running. */
interface SegmentProgram {
  readonly run: SegmentFunction & { explain(): string };
  /** The known outputs by the key of a call. */
  readonly known: Map<string, ReadonlyMap<string, Entry>>;
  present: { readonly reads: readonly Read[]; readonly frame: Frame } | null;
}

/** A value that a segment reads from outside. */
interface Read {
  readonly name: string;
  readonly entry: Entry;
  /** The index among the tensors of the call; -1 for a known value. */
  readonly index: number;
}

/** A value that cannot enter or leave a program. */
class NotCompiled extends Error {}

export class SegmentedBlock {
  readonly #runner: Runner;
  readonly #block: Block;
  #segments: Segment[];

  constructor(runner: Runner, block: Block) {
    this.#runner = runner;
    this.#block = block;
    this.#segments = this.#compiled(0, block.steps.length);
  }

  /** Runs the block, and returns its outputs. */
  run(inputs: readonly Entry[], outer: Frame | null): readonly Entry[] {
    const block = this.#block;
    const frame = this.#runner.open(block, inputs, outer);
    for (let k = 0; k < this.#segments.length; ) {
      const segment = this.#segments[k];
      if (segment.program === null) {
        this.#runner.runSteps(block, frame, segment.from, segment.to);
        k++;
        continue;
      }
      const cut = this.#runProgram(segment, segment.program, frame);
      if (cut === null) k++;
      else this.#segments.splice(k, 1, ...cut);
    }
    return block.outputs.map((name) => frame.get(name));
  }

  /** A text with the programs of the block, and the nodes between them. */
  explain(): string {
    return this.#segments
      .map(({ from, to, program, reason }) =>
        program === null
          ? `${this.#block.steps
              .slice(from, to)
              .map(({ title }) => title)
              .join(", ")}: ${reason}`
          : `nodes ${from} to ${to - 1}: ${program.run.explain()}`,
      )
      .join("\n");
  }

  /** Runs a segment. Returns the segments that replace it, if its nodes cannot be one program. */
  #runProgram(segment: Segment, program: SegmentProgram, frame: Frame): readonly Segment[] | null {
    const { from, to } = segment;
    try {
      const reads = this.#readsOf(from, to, frame);
      const tensors = reads.flatMap(({ index, entry }) => (index < 0 ? [] : [entry.value as Tensor]));
      const key = reads.flatMap(({ index, entry }) => (index < 0 ? [keyOf(entry.value)] : [])).join(";");
      const fullKey = knownKey(tensors, key);
      program.present = { reads, frame };
      let results: readonly Tensor[];
      try {
        results = program.run(tensors, key);
        // The known outputs of an old call may have been forgotten: compute all outputs again.
        if (!program.known.has(fullKey)) results = this.#inline(segment, program, tensors, key);
      } finally {
        program.present = null;
      }
      this.#setOutputs(segment, frame, results, program.known.get(fullKey) as ReadonlyMap<string, Entry>);
      this.#release(from, to, frame);
      return null;
    } catch (error) {
      if (error instanceof StepError && this.#isOwn(error, from, to)) {
        const k = this.#block.steps.indexOf(error.step);
        return [...this.#compiled(from, k), this.#single(k, k + 1, firstLine(error)), ...this.#compiled(k + 1, to)];
      }
      if (error instanceof NotCompiled || error instanceof GraphError)
        return [this.#single(from, to, firstLine(error))];
      throw error;
    }
  }

  #isOwn({ step }: StepError, from: number, to: number): boolean {
    const k = this.#block.steps.indexOf(step);
    return k >= from && k < to;
  }

  #single(from: number, to: number, reason: string): Segment {
    return { from, to, program: null, reason };
  }

  /** The nodes in [from, to) as a compiled segment; none if there are no nodes. */
  #compiled(from: number, to: number): Segment[] {
    if (from >= to) return [];
    const known = new Map<string, ReadonlyMap<string, Entry>>();
    const segment = { from, to, program: null as SegmentProgram | null, reason: "" };
    const fn = (tensors: readonly Tensor[], key: string): readonly Tensor[] =>
      this.#inline(segment, segment.program as SegmentProgram, tensors, key);
    segment.program = { run: compiledFunction(fn, {}, false), known, present: null };
    return [segment];
  }

  /** Runs the nodes of a segment over the tensors of a call: while it is traced, or eagerly. Returns the computed outputs. */
  #inline(
    { from, to }: Pick<Segment, "from" | "to">,
    program: SegmentProgram,
    tensors: readonly Tensor[],
    key: string,
  ): readonly Tensor[] {
    const { reads, frame } = program.present as NonNullable<SegmentProgram["present"]>;
    const runner = this.#runner;
    const inner = new Frame(frame);
    for (const { name, entry, index } of reads)
      inner.set(name, index < 0 ? entry : { value: tensors[index], stability: "computed" });
    const isTraced = tensors.some(isScratch);
    const results: Tensor[] = [];
    const run = (): readonly Tensor[] => {
      runner.runSteps(this.#block, inner, from, to);
      const known = new Map<string, Entry>();
      for (const name of this.#outputsOf(from, to)) {
        const entry = inner.get(name);
        if (entry.stability !== "computed") known.set(name, kept(entry));
        else if (entry.value instanceof Tensor) results.push(entry.value);
        else throw new NotCompiled(`"${name}" is not a tensor`);
      }
      if (program.known.size >= maxCached) program.known.clear();
      program.known.set(knownKey(tensors, key), known);
      return results;
    };
    if (!isTraced) return run();
    const before = runner.isTracing;
    runner.isTracing = true;
    try {
      return run();
    } finally {
      runner.isTracing = before;
    }
  }

  /** The values that a segment reads from outside. */
  #readsOf(from: number, to: number, frame: Frame): readonly Read[] {
    const reads: Read[] = [];
    const seen = new Set<string>();
    let count = 0;
    for (let k = from; k < to; k++) {
      const { node, reads: names } = this.#block.steps[k];
      for (const name of names) {
        if (seen.has(name)) continue;
        seen.add(name);
        const entry = frame.get(name);
        if (entry.stability === "constant") continue;
        const isTensor = entry.value instanceof Tensor;
        if (!isTensor && entry.value !== null) throw new NotCompiled(`"${name}" is not a tensor`);
        const isKey = !isTensor || (entry.stability === "known" && (entry.value as Tensor).size <= maxKeySize);
        reads.push({ name, entry, index: isKey ? -1 : count++ });
      }
      for (const name of node.output) seen.add(name);
    }
    return reads;
  }

  /** The names that a segment defines and that later nodes read, or that are outputs of the block. */
  #outputsOf(from: number, to: number): readonly string[] {
    return this.#block.steps
      .slice(from, to)
      .flatMap(({ node }) => node.output.filter((name) => (this.#block.lastUse.get(name) ?? -1) >= to));
  }

  #setOutputs(
    { from, to }: Segment,
    frame: Frame,
    results: readonly Tensor[],
    known: ReadonlyMap<string, Entry>,
  ): void {
    let next = 0;
    for (const name of this.#outputsOf(from, to)) {
      const entry = known.get(name) ?? { value: results[next++], stability: "computed" as const };
      // Known values are kept for further calls with the same key.
      if (known.has(name)) frame.set(name, entry);
      else frame.own(name, entry);
    }
  }

  #release(from: number, to: number, frame: Frame): void {
    for (const [name, last] of this.#block.lastUse) if (last >= from && last < to) frame.release(name);
  }
}

/** A copy of a known entry that outlives the run: further calls use it. */
function kept({ value, stability }: Entry): Entry {
  if (stability === "constant" || !(value instanceof Tensor)) return { value, stability };
  return { value: outsideScopes(() => outsideModes(() => value.clone())), stability };
}

const isScratch = (t: Tensor): boolean => t.source instanceof Storage && t.source.isScratch;

const firstLine = (error: Error): string => error.message.split("\n")[0];

/** A text that is the same for equal known values. */
function keyOf(value: OnnxValue): string {
  if (!(value instanceof Tensor)) return "none";
  return `${value.dtype}[${value.shape}]${numbersOf(value)}`;
}

const knownKey = (tensors: readonly Tensor[], key: string): string =>
  `${tensors.map((t) => `${t.dtype}[${t.shape}]`).join(",")}|${key}`;
