/**
 * Runs the nodes of a block one by one. The same code runs a model eagerly and while `compile` traces it: then operators record nodes of a graph,
 * except that values which depend only on shapes and constants are computed immediately, outside of the trace, because JavaScript code reads them.
 */

import { markConstant } from "../graph/trace/constants.ts";
import { scope, type Tensor } from "../index.ts";
import { outsideModes } from "../tensor/dispatch/modes.ts";
import { outsideScopes } from "../tensor/scope.ts";
import { type Block, type Step, versionIn } from "./block.ts";
import { Call } from "./call.ts";
import { OnnxError } from "./error.ts";
import { type Entry, Frame, type Stability } from "./frame.ts";
import type { limitsOf } from "./limits.ts";
import type { AttributeProto, SparseTensorProto, TensorProto } from "./proto/types.ts";
import { describeOnnxValue, type OnnxValue, tensorsIn } from "./values.ts";

/** The largest number of elements of a value that is computed while a function is traced; larger ones are computed by the program. */
const maxKnownSize = 65536;

/** Reads the constants of a model: initializers and tensors in attributes. */
export interface ConstantReader {
  read(source: TensorProto | SparseTensorProto | AttributeProto): OnnxValue;
  /** Frees the constants that it holds. */
  dispose(): void;
}

/** An error of a node. */
export class StepError extends OnnxError {
  declare readonly step: Step;

  constructor(step: Step, inputs: readonly OnnxValue[], cause: unknown) {
    const message = cause instanceof Error ? cause.message : String(cause);
    super(
      cause instanceof StepError
        ? `${step.title}: ${message}`
        : `${step.title} of ${inputs.map(describeOnnxValue).join(", ") || "no inputs"}: ${message}`,
    );
    this.step = step;
    this.cause = cause;
  }
}

/** Runs the graph of a control flow node, or the body of a function, in place of the runner: by compiled programs. */
export type BlockDriver = (block: Block, inputs: readonly Entry[], outer: Frame | null) => readonly Entry[];

/** Measures a node, or a program of several nodes, while it runs. */
export type Watch = <T>(steps: readonly Step[], isProgram: boolean, run: () => T) => T;

/** Runs blocks of one model. */
export class Runner {
  readonly #reader: ConstantReader;
  /** The results of nodes that depend on constants only, and initializers. */
  readonly #constants = new Map<Step | TensorProto | SparseTensorProto | AttributeProto, readonly Entry[]>();
  /** The tensors of constants, which outlive all runs. */
  readonly constantTensors = new WeakSet<Tensor>();
  /** Tensors that nodes compute from constants, such as dequantized weights, and their bytes. */
  readonly #derived = new Map<Step, Entry>();
  #derivedBytes = 0;
  readonly #maxSteps: number;
  readonly #maxKeptBytes: number;
  /** The number of nodes and iterations of this run so far. */
  #steps = 0;
  /** True while a function is traced. */
  isTracing = false;
  /** Runs the graphs of control flow; null to run them node by node. */
  driver: BlockDriver | null = null;
  /** Measures all nodes that run, except while a function is traced; null for no measurement. */
  watch: Watch | null = null;

  constructor(reader: ConstantReader, { maxSteps, maxKeptBytes }: ReturnType<typeof limitsOf>) {
    this.#reader = reader;
    this.#maxSteps = maxSteps;
    this.#maxKeptBytes = maxKeptBytes;
  }

  /** Begins a run: counts its steps from 0. */
  begin(): void {
    this.#steps = 0;
  }

  /** Runs all nodes of a block, and returns its outputs. The caller owns those that are computed. */
  runBlock(block: Block, inputs: readonly Entry[], outer: Frame | null): readonly Entry[] {
    const frame = this.open(block, inputs, outer);
    this.runSteps(block, frame, 0, block.steps.length);
    return block.outputs.map((name) => frame.get(name));
  }

  /** Returns a frame with the inputs of a block. An input that is missing has the value of its initializer. */
  open(block: Block, inputs: readonly Entry[], outer: Frame | null): Frame {
    this.#steps += 1 + block.steps.length;
    if (this.#steps > this.#maxSteps)
      throw new OnnxError(
        `the run exceeds the limit of ${this.#maxSteps} nodes and iterations. Raise maxSteps if the model needs more`,
      );
    const frame = new Frame(outer, this.constantTensors);
    for (const [name, proto] of block.initializers) frame.set(name, this.#constant(proto));
    for (const [k, name] of block.inputs.entries()) {
      const entry = inputs[k] ?? absent;
      if (entry.value !== null || !block.initializers.has(name)) frame.set(name, entry);
    }
    return frame;
  }

  /** Runs the nodes in [from, to), and frees values that no later node reads. */
  runSteps(block: Block, frame: Frame, from: number, to: number): void {
    for (let k = from; k < to; k++) {
      const step = block.steps[k];
      const run = (): readonly Entry[] => this.runStep(block, step, frame);
      const entries = this.watch === null || this.isTracing ? run() : this.watch([step], false, run);
      for (const [j, name] of step.node.output.entries()) if (name !== "") frame.own(name, entries[j] ?? absent);
      if (this.isTracing) continue;
      for (const name of step.reads) if (block.lastUse.get(name) === k) frame.release(name);
      for (const name of step.node.output) if (name !== "" && !block.lastUse.has(name)) frame.release(name);
    }
  }

  /** Frees the constants. */
  dispose(): void {
    for (const { value } of [...this.#constants.values(), ...this.#derived.values()].flat())
      for (const t of tensorsIn(value)) t.dispose();
    this.#constants.clear();
    this.#derived.clear();
    this.#derivedBytes = 0;
    this.#reader.dispose();
  }

  /** Runs one node, and returns its outputs. */
  runStep(block: Block, step: Step, frame: Frame): readonly Entry[] {
    const known = this.#constants.get(step);
    if (known !== undefined) return known;
    const inputs = step.node.input.map((name) => (name === "" ? absent : frame.get(name)));
    try {
      const stability = stabilityOf(step, frame);
      const run = (): readonly Entry[] => this.#call(block, step, inputs, frame, stability);
      if (stability === "constant") return this.#keepConstant(step, run);
      if (stability === "computed") return scoped(run);
      const entries = this.#ahead(run);
      if (sizeOf(entries) <= maxKnownSize) return entries;
      if (!this.isTracing) return withStability(entries, "computed");
      for (const { value } of entries) for (const t of tensorsIn(value)) t.dispose();
      return withStability(run(), "computed");
    } catch (error) {
      throw new StepError(
        step,
        inputs.map(({ value }) => value),
        error,
      );
    }
  }

  /** Runs a call that depends on known values only: outside of the trace, if there is one. */
  #ahead(run: () => readonly Entry[]): readonly Entry[] {
    if (!this.isTracing) return scoped(run);
    this.isTracing = false;
    try {
      return outsideModes(() => scoped(run));
    } finally {
      this.isTracing = true;
    }
  }

  /** Computes a result that depends only on constants, once for all runs. */
  #keepConstant(
    key: Step | TensorProto | SparseTensorProto | AttributeProto,
    run: () => readonly Entry[],
  ): readonly Entry[] {
    const entries = this.#computeConstant(run);
    this.#constants.set(key, entries);
    return entries;
  }

  #computeConstant(run: () => readonly Entry[]): readonly Entry[] {
    const entries = withStability(
      outsideScopes(() => this.#ahead(run)),
      "constant",
    );
    for (const { value } of entries)
      for (const t of tensorsIn(value)) {
        markConstant(t);
        this.constantTensors.add(t);
      }
    return entries;
  }

  /** Computes a tensor from some inputs of a node: once for all runs if they are constants, and the bytes of such tensors are within the limit. */
  #derive(step: Step, sources: readonly Entry[], bytes: number, compute: () => Tensor): Tensor {
    let entry = this.#derived.get(step);
    if (entry === undefined) {
      const isConstant = sources.every(({ stability }) => stability === "constant");
      if (!isConstant || this.#derivedBytes + bytes > this.#maxKeptBytes) return compute();
      [entry] = this.#computeConstant(() => entriesOf([compute()], "constant"));
      this.#derived.set(step, entry);
      this.#derivedBytes += bytes;
    }
    return entry.value as Tensor;
  }

  #constant(source: TensorProto | SparseTensorProto | AttributeProto): Entry {
    const known =
      this.#constants.get(source) ??
      this.#keepConstant(source, () => entriesOf([this.#reader.read(source)], "constant"));
    return known[0];
  }

  #call(block: Block, step: Step, inputs: readonly Entry[], frame: Frame, stability: Stability): readonly Entry[] {
    const { definition, body } = step;
    if (definition?.isLoop === true && this.isTracing)
      throw new OnnxError("its body is a separate program, which runs once for each iteration");
    if (body !== null) return this.#runInner(body, inputs, null);
    let results: readonly Entry[] = [];
    const call = new Call(
      step.node,
      inputs.map(({ value }) => value),
      step.attributes,
      {
        narrowTypes: step.narrowTypes,
        versionOf: (domain) => versionIn(block.versions, domain) as number,
        runGraph: (graph, values) => {
          results = this.#runGraph(step.graphs.get(graph) as Block, values, frame);
          return results.map(({ value }) => value);
        },
        free: (values, kept) => this.#free(values, kept, frame),
        valueOf: (attribute) => this.#constant(attribute).value,
        isKnown: (k) => inputs[k]?.stability !== "computed",
        derive: (sources, bytes, compute) =>
          this.#derive(
            step,
            sources.map((k) => inputs[k] ?? absent),
            bytes,
            compute,
          ),
      },
    );
    const result = definition?.run(call) ?? null;
    if (definition?.isBranch === true && inputs.every((each) => each.stability !== "computed"))
      return results.map((each) => (each.stability === "constant" ? { ...each, stability: "known" } : each));
    return entriesOf(Array.isArray(result) ? result : [result as OnnxValue], stability);
  }

  /** Runs a graph of a node. Its inputs count as computed, because they may differ in each iteration of a loop. */
  #runGraph(block: Block, values: readonly OnnxValue[], frame: Frame): readonly Entry[] {
    const entries = entriesOf(values, "computed");
    return scoped(() => this.#runInner(block, entries, frame));
  }

  #runInner(block: Block, inputs: readonly Entry[], outer: Frame | null): readonly Entry[] {
    return this.driver === null || this.isTracing
      ? this.runBlock(block, inputs, outer)
      : this.driver(block, inputs, outer);
  }

  #free(values: readonly OnnxValue[], kept: readonly OnnxValue[], frame: Frame): void {
    if (this.isTracing) return;
    const needed = new Set(kept.flatMap(tensorsIn));
    for (const t of values.flatMap(tensorsIn)) if (!needed.has(t) && !frame.has(t)) t.dispose();
  }
}

export const absent: Entry = { value: null, stability: "constant" };

const entriesOf = (values: readonly OnnxValue[], stability: Stability): Entry[] =>
  values.map((value) => ({ value, stability }));

const withStability = (entries: readonly Entry[], stability: Stability): Entry[] =>
  entries.map(({ value }) => ({ value, stability }));

/** Runs a call of an operator and disposes the tensors that it created besides its results. */
function scoped(run: () => readonly Entry[]): readonly Entry[] {
  let entries: readonly Entry[] = [];
  scope(() => {
    entries = run();
    return entries.flatMap(({ value }) => tensorsIn(value));
  });
  return entries;
}

/** The stability of the outputs of a node: that of its least stable input. */
function stabilityOf(step: Step, frame: Frame): Stability {
  if (step.isRandom) return "computed";
  let result: Stability = "constant";
  for (const name of step.reads) {
    const { stability } = frame.get(name);
    if (stability === "computed" && step.definition?.readsShapes !== true) return "computed";
    if (stability !== "constant") result = "known";
  }
  return result;
}

const sizeOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { value }) => sum + tensorsIn(value).reduce((count, t: Tensor) => count + t.size, 0), 0);
