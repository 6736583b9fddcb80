/**
 * Runs the nodes of a block one by one. The same code runs a model eagerly and while `compile` traces it: then operators record nodes of a graph,
 * except that what depends on shapes and constants only is computed at once, outside of the trace, because JavaScript needs the numbers.
 */

import { markConstant } from "../graph/trace/constants.ts";
import { scope, type Tensor } from "../index.ts";
import { outsideModes } from "../tensor/dispatch/modes.ts";
import { outsideScopes } from "../tensor/scope.ts";
import type { Block, Step } from "./block.ts";
import { Call } from "./call.ts";
import { OnnxError } from "./error.ts";
import { type Entry, Frame, type Stability } from "./frame.ts";
import { domainOf } from "./operator.ts";
import type { AttributeProto, SparseTensorProto, TensorProto } from "./proto/types.ts";
import { describeOnnxValue, type OnnxValue, tensorsIn } from "./values.ts";

/** The largest number of elements of a value that is computed while a function is traced; larger ones are computed by the program. */
const maxKnownSize = 65536;

/** Reads the constants of a model: initializers and tensors in attributes. */
export interface ConstantReader {
  read(source: TensorProto | SparseTensorProto | AttributeProto): OnnxValue;
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

/** Runs the graph of a control flow node in place of the runner, for example by compiled programs. */
export type BlockDriver = (block: Block, inputs: readonly Entry[], outer: Frame) => readonly Entry[];

/** Runs blocks of one model. */
export class Runner {
  readonly #reader: ConstantReader;
  /** The results of nodes that depend on constants only, and initializers. */
  readonly #constants = new Map<Step | TensorProto | SparseTensorProto | AttributeProto, readonly Entry[]>();
  /** True while a function is traced. */
  isTracing = false;
  /** Runs the graphs of control flow; null to run them node by node. */
  driver: BlockDriver | null = null;

  constructor(reader: ConstantReader) {
    this.#reader = reader;
  }

  /** Runs all nodes of a block, and returns its outputs. The caller owns those that are computed. */
  runBlock(block: Block, inputs: readonly Entry[], outer: Frame | null): readonly Entry[] {
    const frame = this.open(block, inputs, outer);
    this.runSteps(block, frame, 0, block.steps.length);
    return block.outputs.map((name) => frame.get(name));
  }

  /** Returns a frame with the inputs of a block. An input that is missing has the value of its initializer. */
  open(block: Block, inputs: readonly Entry[], outer: Frame | null): Frame {
    const frame = new Frame(outer);
    for (const [name, proto] of block.initializers) frame.set(name, this.#constant(proto));
    for (const [k, name] of block.inputs.entries()) {
      const entry = inputs[k] ?? absent;
      if (entry.value !== null || !block.initializers.has(name)) frame.set(name, entry);
    }
    return frame;
  }

  /** Runs the nodes in [from, to), and frees what no node after them reads. */
  runSteps(block: Block, frame: Frame, from: number, to: number): void {
    for (let k = from; k < to; k++) {
      const step = block.steps[k];
      const entries = this.runStep(block, step, frame);
      for (const [j, name] of step.node.output.entries()) if (name !== "") frame.own(name, entries[j] ?? absent);
      if (this.isTracing) continue;
      for (const name of step.reads) if (block.lastUse.get(name) === k) frame.release(name);
      for (const name of step.node.output) if (name !== "" && !block.lastUse.has(name)) frame.release(name);
    }
  }

  /** Frees the constants. */
  dispose(): void {
    for (const entries of this.#constants.values())
      for (const { value } of entries) for (const t of tensorsIn(value)) t.dispose();
    this.#constants.clear();
  }

  /** Runs one node, and returns its outputs. */
  runStep(block: Block, step: Step, frame: Frame): readonly Entry[] {
    const known = this.#constants.get(step);
    if (known !== undefined) return known;
    const inputs = step.node.input.map((name) => (name === "" ? absent : frame.get(name)));
    try {
      const stability = stabilityOf(step, frame);
      const isConstant = stability === "constant";
      const run = (): readonly OnnxValue[] => this.#call(block, step, inputs, frame);
      if (isConstant) return this.#keepConstant(step, run);
      if (stability === "computed") return entriesOf(scoped(run), stability);
      const values = this.#ahead(run);
      if (sizeOf(values) <= maxKnownSize) return entriesOf(values, stability);
      if (!this.isTracing) return entriesOf(values, "computed");
      for (const value of values) for (const t of tensorsIn(value)) t.dispose();
      return entriesOf(run(), "computed");
    } catch (error) {
      throw new StepError(
        step,
        inputs.map(({ value }) => value),
        error,
      );
    }
  }

  /** Runs a call that depends on known values only: outside of the trace, if there is one. */
  #ahead(run: () => readonly OnnxValue[]): readonly OnnxValue[] {
    if (!this.isTracing) return scoped(run);
    this.isTracing = false;
    try {
      return outsideModes(() => scoped(run));
    } finally {
      this.isTracing = true;
    }
  }

  /** Computes the results of a node that depends on constants only, once for all runs. */
  #keepConstant(
    key: Step | TensorProto | SparseTensorProto | AttributeProto,
    run: () => readonly OnnxValue[],
  ): readonly Entry[] {
    const entries = entriesOf(
      outsideScopes(() => this.#ahead(run)),
      "constant",
    );
    for (const { value } of entries) for (const t of tensorsIn(value)) markConstant(t);
    this.#constants.set(key, entries);
    return entries;
  }

  #constant(source: TensorProto | SparseTensorProto | AttributeProto): Entry {
    const known = this.#constants.get(source) ?? this.#keepConstant(source, () => [this.#reader.read(source)]);
    return known[0];
  }

  #call(block: Block, step: Step, inputs: readonly Entry[], frame: Frame): readonly OnnxValue[] {
    if (step.body !== null) return this.runBlock(step.body, inputs, null).map(({ value }) => value);
    const call = new Call(
      step.node,
      inputs.map(({ value }) => value),
      step.attributes,
      {
        narrowTypes: step.narrowTypes,
        versionOf: (domain) => block.versions.get(domainOf(domain)) as number,
        runGraph: (graph, values) => this.#runGraph(step.graphs.get(graph) as Block, values, inputs, frame),
        valueOf: (attribute) => this.#constant(attribute).value,
      },
    );
    const result = step.definition?.run(call) ?? null;
    return Array.isArray(result) ? result : [result as OnnxValue];
  }

  /** Runs a graph of a node. Values that are inputs of the node keep their stability; others are computed. */
  #runGraph(block: Block, values: readonly OnnxValue[], inputs: readonly Entry[], frame: Frame): readonly OnnxValue[] {
    const entries = values.map(
      (value) => inputs.find((each) => each.value === value) ?? ({ value, stability: "computed" } as const),
    );
    const run = this.driver === null || this.isTracing ? this.runBlock.bind(this) : this.driver;
    return run(block, entries, frame).map(({ value }) => value);
  }
}

export const absent: Entry = { value: null, stability: "constant" };

const entriesOf = (values: readonly OnnxValue[], stability: Stability): Entry[] =>
  values.map((value) => ({ value, stability }));

/** Runs a call of an operator and disposes the tensors that it created besides its results. */
function scoped(run: () => readonly OnnxValue[]): readonly OnnxValue[] {
  let values: readonly OnnxValue[] = [];
  scope(() => {
    values = run();
    return values.flatMap(tensorsIn);
  });
  return values;
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

const sizeOf = (values: readonly OnnxValue[]): number =>
  values.reduce((sum, value) => sum + tensorsIn(value).reduce((count, t: Tensor) => count + t.size, 0), 0);
