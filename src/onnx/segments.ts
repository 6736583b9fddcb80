/**
 * Runs a block as compiled programs. The block is cut into segments: the nodes between two cuts are one compiled function, and a node at a cut runs
 * on its own. Loops are cuts, and so are nodes that read elements, which a trace does not have, such as NonZero, or an If on data: a trace that
 * reaches such a node ends the segment before it.
 *
 * A segment runs node by node until it has been called often enough with the same shapes and known values; then it is traced. So inputs whose sizes
 * differ in every call, such as growing caches, do not cause a trace in every call. A known value that a segment reads selects the program by its
 * elements; a computed value is passed as a tensor.
 */

import { compiledFunction } from "../graph/compile/compile.ts";
import { GraphError } from "../graph/ir.ts";
import { Tensor } from "../index.ts";
import { guarded } from "../tensor/dispatch/operator.ts";
import type { Block, Step } from "./block.ts";
import { numbersOf } from "./call.ts";
import { type Entry, Frame } from "./frame.ts";
import { KnownOutputs } from "./known-outputs.ts";
import { type Runner, StepError } from "./runner.ts";
import type { OnnxValue } from "./values.ts";

/** The largest number of elements of a known value that selects a program. Larger values are passed as tensors. */
const maxKeySize = 256;
/** The largest number of keys without a program whose calls are counted. */
const maxCounted = 512;
/** A trace costs about as much as a hundred calls. After this many traces, a new key is traced after 2^7 calls. */
const maxDoublings = 7;

type SegmentFunction = (tensors: readonly Tensor[], key: string) => readonly Tensor[];

/** The nodes in [from, to): one program, or nodes that run one by one if `program` is null. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly program: SegmentProgram | null;
  /** The reason why the nodes run one by one. */
  readonly reason: string;
}

/** The compiled function of a segment, with the state of the current call. */
interface SegmentProgram {
  readonly run: SegmentFunction & { explain(): string };
  /** The known outputs by the key of a call. */
  readonly known: KnownOutputs;
  /** The number of calls for each key without a program. */
  readonly calls: Map<string, number>;
  /** The number of traces so far. */
  traces: number;
  present: PresentCall | null;
}

/** A call that is currently running. */
interface PresentCall {
  readonly reads: readonly Read[];
  readonly frame: Frame;
  /** The shapes of its tensors and its known values. */
  readonly fullKey: string;
  /** The dispatch keys that are included around the call: a trace adds its key. */
  readonly guarded: number;
}

/** A value that a segment reads from outside. */
interface Read {
  readonly name: string;
  readonly entry: Entry;
  /** The index among the tensors of the call; -1 for a known value. */
  readonly index: number;
}

/** A value that cannot be an input or an output of a program. `step` is the index of the node that reads or defines it. */
class NotCompiled extends Error {
  readonly step: number;

  constructor(step: number, message: string) {
    super(message);
    this.step = step;
  }
}

export class SegmentedBlock {
  readonly #runner: Runner;
  readonly #block: Block;
  #segments: readonly Segment[];

  constructor(runner: Runner, block: Block) {
    this.#runner = runner;
    this.#block = block;
    this.#segments = this.#compiled(0, block.steps.length);
  }

  /** Runs the block, and returns its outputs. A run that throws does not change the segments. */
  run(inputs: readonly Entry[], outer: Frame | null): readonly Entry[] {
    const block = this.#block;
    const frame = this.#runner.open(block, inputs, outer);
    const segments = [...this.#segments];
    for (let k = 0; k < segments.length; ) {
      const { from, to, program } = segments[k];
      const { watch } = this.#runner;
      const run = () => (program === null ? null : this.#runProgram(segments[k], program, frame));
      const cut = watch === null || program === null ? run() : watch(block.steps.slice(from, to), true, run);
      if (program === null) this.#runner.runSteps(block, frame, from, to);
      if (cut === null) k++;
      else segments.splice(k, 1, ...cut);
    }
    this.#segments = segments;
    return block.outputs.map((name) => this.#output(frame.get(name)));
  }

  /** Frees the cached outputs. */
  dispose(): void {
    for (const { program } of this.#segments) program?.known.clear();
  }

  /** Returns a text that lists the programs of the block and the nodes between them. */
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

  /** Runs a segment. If its nodes cannot be one program, nothing runs, and the segments that replace it are returned. */
  #runProgram(segment: Segment, program: SegmentProgram, frame: Frame): readonly Segment[] | null {
    const { from, to } = segment;
    const reads = this.#readsOf(from, to, frame);
    if (reads instanceof NotCompiled) return this.#cut(segment, reads.step, reads);
    const tensors = reads.flatMap(({ index, entry }) => (index < 0 ? [] : [entry.value as Tensor]));
    const key = reads.map(({ name, index, entry }) => (index < 0 ? `${name}=${keyOf(entry.value)}` : name)).join(";");
    const fullKey = `${tensors.map((t) => `${t.dtype}[${t.shape}]`).join(",")}|${key}`;
    if (!isDue(program, fullKey)) {
      this.#runner.runSteps(this.#block, frame, from, to);
      return null;
    }
    program.present = { reads, frame, fullKey, guarded };
    let results: readonly Tensor[];
    try {
      results = program.run(tensors, key);
      // The known outputs of an old call may have been dropped: compute all outputs again.
      if (program.known.get(fullKey) === undefined) results = this.#inline(segment, program, tensors);
    } catch (error) {
      // Errors of a function that is traced may be wrapped.
      const cause = error instanceof GraphError ? (error.cause ?? error) : error;
      if (cause instanceof NotCompiled) return this.#cut(segment, cause.step, cause);
      const k = cause instanceof StepError ? this.#block.steps.indexOf(cause.step) : -1;
      if (k >= from && k < to) return this.#cut(segment, k, cause as StepError);
      if (error instanceof GraphError) return [{ from, to, program: null, reason: firstLine(error) }];
      throw error;
    } finally {
      program.present = null;
    }
    this.#setOutputs(segment, frame, results, program.known.get(fullKey) as ReadonlyMap<string, Entry>);
    this.#release(from, to, frame);
    return null;
  }

  /** Splits a segment at a node, which runs on its own. */
  #cut({ from, to, program }: Segment, k: number, reason: Error): readonly Segment[] {
    program?.known.clear();
    const single = { from: k, to: k + 1, program: null, reason: firstLine(reason) };
    return [...this.#compiled(from, k), single, ...this.#compiled(k + 1, to)];
  }

  /** Returns an output that the caller owns: a copy of a cached value, or the computed value. */
  #output({ value, stability }: Entry): Entry {
    const isCached =
      value instanceof Tensor && this.#segments.some(({ program }) => program?.known.has(value) === true);
    return { value: isCached ? value.clone() : value, stability };
  }

  /** Returns the nodes in [from, to) as compiled segments; each loop is a separate segment. */
  #compiled(from: number, to: number): Segment[] {
    if (from >= to) return [];
    const loop = this.#block.steps.findIndex(({ definition }, k) => k >= from && k < to && definition?.isLoop === true);
    if (loop >= 0)
      return [
        ...this.#compiled(from, loop),
        { from: loop, to: loop + 1, program: null, reason: "a loop, whose body is a separate program" },
        ...this.#compiled(loop + 1, to),
      ];
    const segment = { from, to, program: null as SegmentProgram | null, reason: "" };
    const fn = (tensors: readonly Tensor[]): readonly Tensor[] =>
      this.#inline(segment, segment.program as SegmentProgram, tensors);
    segment.program = {
      run: compiledFunction(fn, {}, false),
      known: new KnownOutputs(),
      calls: new Map(),
      traces: 0,
      present: null,
    };
    return [segment];
  }

  /** Runs the nodes of a segment over the tensors of a call, in a trace or eagerly. Returns the computed outputs. */
  #inline(
    { from, to }: Pick<Segment, "from" | "to">,
    program: SegmentProgram,
    tensors: readonly Tensor[],
  ): readonly Tensor[] {
    const { reads, frame, fullKey, guarded: before } = program.present as PresentCall;
    const runner = this.#runner;
    const inner = new Frame(frame, runner.constantTensors);
    for (const { name, entry, index } of reads)
      inner.set(name, index < 0 ? entry : { value: tensors[index], stability: "computed" });
    const results: Tensor[] = [];
    const run = (): readonly Tensor[] => {
      runner.runSteps(this.#block, inner, from, to);
      const known = new Map<string, Entry>();
      for (const name of this.#outputsOf(from, to)) {
        const entry = inner.get(name);
        const isTensor = entry.value instanceof Tensor;
        if (entry.stability === "computed" && isTensor) results.push(entry.value as Tensor);
        else if (isTensor || entry.value === null || entry.stability === "constant") known.set(name, entry);
        else throw this.#notCompiled(name, from, ({ node }) => node.output.includes(name));
      }
      program.known.set(fullKey, known);
      return results;
    };
    // A trace is a mode. If there are no modes except those of the user, the call runs eagerly.
    if (guarded === before) return run();
    runner.isTracing = true;
    try {
      return run();
    } finally {
      runner.isTracing = false;
    }
  }

  #notCompiled(name: string, from: number, isAt: (step: Step) => boolean): NotCompiled {
    return new NotCompiled(
      this.#block.steps.findIndex((step, k) => k >= from && isAt(step)),
      `"${name}" is not a tensor`,
    );
  }

  /** Returns the values that a segment reads from outside, or an error for the first that cannot be an input of a program. */
  #readsOf(from: number, to: number, frame: Frame): readonly Read[] | NotCompiled {
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
        if (!isTensor && entry.value !== null)
          return this.#notCompiled(name, from, (step) => step.reads.includes(name));
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

/**
 * True if a segment has a program for the shapes and known values of a call, or is to be traced for them. The number of calls before a trace
 * doubles with each program, so that sizes which rarely recur are not traced.
 */
function isDue(program: SegmentProgram, key: string): boolean {
  const { known, calls } = program;
  if (known.get(key) !== undefined) return true;
  const count = (calls.get(key) ?? 0) + 1;
  calls.delete(key);
  if (count > 2 ** Math.min(program.traces, maxDoublings)) {
    program.traces++;
    return true;
  }
  calls.set(key, count);
  const [oldest] = calls.keys();
  if (calls.size > maxCounted) calls.delete(oldest);
  return false;
}

const firstLine = (error: Error): string => error.message.split("\n")[0];

/** A text that is equal for equal known values. */
function keyOf(value: OnnxValue): string {
  if (!(value instanceof Tensor)) return "none";
  return `${value.dtype}[${value.shape}]${numbersOf(value)}`;
}
