/**
 * A loaded model. The first call of `run` with inputs of some shapes runs the nodes one by one; further ones run compiled programs, one for each
 * combination of shapes.
 */

import { wrongKind } from "../base/arguments.ts";
import type { InputShape } from "../graph/dims.ts";
import { type DType, noGrad, scope, Tensor } from "../index.ts";
import { checkOptions } from "../ops/signature.ts";
import { withMemoryLimit } from "../storage/allocator.ts";
import { describeValue } from "../tensor/describe-value.ts";
import type { Block } from "./block.ts";
import { numbersOf } from "./call.ts";
import { type CompiledModel, type CompiledModelOptions, compiledModel } from "./compiled.ts";
import { OnnxError } from "./error.ts";
import type { Entry } from "./frame.ts";
import { limitsOf, type OnnxLimits } from "./limits.ts";
import { type OnnxProfile, type ProfileOptions, profileOptions, Stopwatch } from "./profile.ts";
import type { ModelProto } from "./proto/types.ts";
import { absent, type ConstantReader, Runner } from "./runner.ts";
import { SegmentedBlock } from "./segments.ts";
import { typeOfInfo, type ValueType } from "./value-type.ts";
import { describeOnnxValue, type OnnxInput, type OnnxValue, tensorsIn, ValueSequence } from "./values.ts";

export interface OnnxOptions extends OnnxLimits {
  /** False to run all calls node by node. Default: true. */
  readonly compile?: boolean | undefined;
}

export interface RunOptions {
  /** The names of the outputs to return. Default: all. */
  readonly outputs?: readonly string[] | undefined;
}

/** The largest number of values of a 0-d input for which programs are compiled. An input with more values is passed as a tensor. */
const maxScalarValues = 8;

/** An input or output of a model. */
export interface OnnxPort {
  readonly name: string;
  readonly type: ValueType;
}

/** Throws unless the inputs are an object of values by name. */
function checkInputs(inputs: unknown): void {
  const isObject = typeof inputs === "object" && inputs !== null;
  if (isObject && !Array.isArray(inputs) && !(inputs instanceof Tensor) && !(inputs instanceof Map)) return;
  const got = inputs instanceof Tensor ? describeOnnxValue(inputs) : describeValue(inputs);
  throw new OnnxError(`run: the inputs must be an object of values by name, got ${got}. Write run({ name: value })`);
}

export class OnnxModel {
  /** The inputs, without those that have an initializer. */
  readonly inputs: readonly OnnxPort[];
  readonly outputs: readonly OnnxPort[];
  /** The version of the operators of each domain; "" is the domain of ONNX itself. */
  readonly opsets: ReadonlyMap<string, number>;
  readonly producer: string;
  readonly metadata: ReadonlyMap<string, string>;
  /** The messages of the file. */
  readonly proto: ModelProto;
  readonly #block: Block;
  readonly #runner: Runner;
  readonly #segments: Map<Block, SegmentedBlock> | null;
  readonly #ports: ReadonlyMap<string, OnnxPort>;
  readonly #optional: ReadonlySet<string>;
  /** The distinct values of 0-d inputs. */
  readonly #scalars = new Map<string, Set<string>>();
  readonly #maxBytes: number;
  #isDisposed = false;

  /** `loadOnnx` creates models. */
  constructor(proto: ModelProto, block: Block, reader: ConstantReader, options: OnnxOptions) {
    const graph = proto.graph as NonNullable<ModelProto["graph"]>;
    const ports = graph.input.map((info) => ({ name: info.name, type: typeOfInfo(info) }));
    this.#ports = new Map(ports.map((each) => [each.name, each]));
    this.#optional = new Set(block.initializers.keys());
    this.inputs = ports.filter(({ name }) => !this.#optional.has(name));
    this.outputs = graph.output.map((info) => ({ name: info.name, type: typeOfInfo(info) }));
    this.opsets = block.versions;
    this.producer = [proto.producerName, proto.producerVersion].filter((each) => each !== "").join(" ");
    this.metadata = new Map(proto.metadataProps.map(({ key, value }) => [key, value]));
    this.proto = proto;
    this.#block = block;
    const limits = limitsOf(options);
    this.#maxBytes = limits.maxBytes;
    this.#runner = new Runner(reader, limits);
    this.#segments = options.compile === false ? null : new Map();
    if (this.#segments !== null)
      this.#runner.driver = (inner, inputs, outer) => this.#segmented(inner).run(inputs, outer);
  }

  /** Returns the input with a name, including one that has an initializer. */
  input(name: string): OnnxPort | undefined {
    return this.#ports.get(name);
  }

  /** Runs the model over inputs by name, and returns its outputs by name. */
  run(inputs: Readonly<Record<string, OnnxInput>>, options: RunOptions = {}): Record<string, OnnxValue> {
    return this.#outputsOf(inputs, options, this.#segments !== null);
  }

  /**
   * Runs the model several times, and returns the average time of each node; with `compile: true`, of each compiled program and of the nodes
   * between them. Runs that prepare, such as those that compile, are not measured.
   */
  profile(inputs: Readonly<Record<string, OnnxInput>>, options: ProfileOptions = {}): OnnxProfile {
    const { repeat, compile } = profileOptions(options);
    if (compile && this.#segments === null) throw new OnnxError("profile: the model was loaded with compile: false");
    const run = (): void => {
      for (const value of Object.values(this.#outputsOf(inputs, {}, compile)))
        for (const t of tensorsIn(value)) t.dispose();
    };
    for (let k = 0; k < (compile ? 3 : 1); k++) run();
    const stopwatch = new Stopwatch();
    this.#runner.watch = stopwatch.watch;
    try {
      const start = performance.now();
      for (let k = 0; k < repeat; k++) run();
      return stopwatch.profile(repeat, performance.now() - start);
    } finally {
      this.#runner.watch = null;
    }
  }

  /**
   * Returns the model as one compiled function of the tensors of its inputs, for `toModule` and `drawGraph`. Its first call throws if a node needs
   * elements that are computed from the inputs.
   */
  compiled(options: CompiledModelOptions = {}): CompiledModel {
    this.#checkUse("compiled");
    checkOptions("compiled", options, "shapes", "values");
    const { shapes = {}, values = {} } = options;
    for (const name of [...Object.keys(shapes), ...Object.keys(values)]) this.#checkInput("compiled", name);
    const fixed = new Map<string, OnnxValue>();
    for (const [name, { type }] of this.#ports) {
      const value = values[name] ?? null;
      if (value !== null) fixed.set(name, type.accept(value, name));
      else if (this.#optional.has(name) || (type.kind === "optional" && shapes[name] === undefined))
        fixed.set(name, null);
    }
    const rest = [...this.#ports].filter(([name]) => !fixed.has(name));
    const declared = rest.map(
      ([name, { type }]) => shapes[name] ?? type.shape?.map((size) => (typeof size === "number" ? size : null)),
    );
    const isDeclared = declared.every((shape) => shape !== undefined);
    return compiledModel(this.#runner, this.#block, fixed, isDeclared ? (declared as InputShape[]) : undefined);
  }

  /** Runs by compiled programs, or node by node. */
  #outputsOf(
    inputs: Readonly<Record<string, OnnxInput>>,
    options: RunOptions,
    isCompiled: boolean,
  ): Record<string, OnnxValue> {
    this.#checkUse("run");
    checkInputs(inputs);
    checkOptions("run", options, "outputs");
    const wanted = this.#wanted(options);
    const values: [string, OnnxValue][] = [];
    const compute = (): readonly Tensor[] =>
      scope(() => {
        const entries = this.#entriesOf(inputs);
        const owned = new Set(entries.flatMap(({ value }) => tensorsIn(value)));
        const results = this.#run(entries, isCompiled);
        for (const [k, { name }] of this.outputs.entries())
          if (wanted.has(name)) values.push([name, this.#ownValue(results[k].value, owned)]);
        return values.flatMap(([, value]) => tensorsIn(value));
      });
    noGrad(() => withMemoryLimit(this.#maxBytes, compute));
    return Object.fromEntries(values);
  }

  /** Returns a text that lists the compiled programs, and the nodes outside of programs with the reasons. */
  explain(): string {
    if (this.#segments === null) return "all nodes run one by one (compile: false)";
    return (
      [...this.#segments.values()].map((each) => each.explain()).join("\n") || "nothing is compiled yet: call run twice"
    );
  }

  /** Frees the constants of the model. */
  dispose(): void {
    this.#isDisposed = true;
    this.#runner.dispose();
    for (const each of this.#segments?.values() ?? []) each.dispose();
    this.#segments?.clear();
  }

  #segmented(block: Block): SegmentedBlock {
    const segments = this.#segments as Map<Block, SegmentedBlock>;
    let result = segments.get(block);
    if (result === undefined) {
      result = new SegmentedBlock(this.#runner, block);
      segments.set(block, result);
    }
    return result;
  }

  #run(entries: readonly Entry[], isCompiled: boolean): readonly Entry[] {
    const block = this.#block;
    this.#runner.begin();
    if (isCompiled) return this.#segmented(block).run(entries, null);
    const { driver } = this.#runner;
    this.#runner.driver = null;
    try {
      return this.#runner.runBlock(block, entries, null);
    } finally {
      this.#runner.driver = driver;
    }
  }

  /** An output that the caller owns: with copies of tensors that are constants, or that `owned`, the inputs and the outputs so far, has. */
  #ownValue(value: OnnxValue, owned: Set<Tensor>): OnnxValue {
    if (value instanceof ValueSequence)
      return new ValueSequence(value.items.map((each) => this.#ownValue(each, owned)));
    if (!(value instanceof Tensor)) return value;
    const own = owned.has(value) || this.#runner.constantTensors.has(value) ? value.clone() : value;
    owned.add(own);
    return own;
  }

  #checkUse(who: string): void {
    if (this.#isDisposed) throw new OnnxError(`${who}: the model is disposed`);
  }

  #checkInput(who: string, name: string): void {
    if (!this.#ports.has(name))
      throw new OnnxError(
        `${who}: the model has no input "${name}". Its inputs are ${listed(this.inputs.map((each) => each.name))}`,
      );
  }

  #wanted({ outputs }: RunOptions): ReadonlySet<string> {
    const names = this.outputs.map(({ name }) => name);
    if (outputs !== undefined && !Array.isArray(outputs)) throw wrongKind("run", "outputs: an array of names", outputs);
    for (const name of outputs ?? [])
      if (!names.includes(name))
        throw new OnnxError(`run: the model has no output "${name}". Its outputs are ${listed(names)}`);
    return new Set(outputs ?? names);
  }

  /** The inputs of the graph in their order. */
  #entriesOf(inputs: Readonly<Record<string, OnnxInput>>): readonly Entry[] {
    for (const name of Object.keys(inputs)) this.#checkInput("run", name);
    return this.#block.inputs.map((name) => {
      const input = inputs[name];
      const port = this.#ports.get(name) as OnnxPort;
      if (input === undefined || input === null) {
        if (this.#optional.has(name) || port.type.kind === "optional") return absent;
        throw new OnnxError(`run: the input "${name}" (${port.type.text}) is missing`);
      }
      const value = port.type.accept(input, name);
      return { value, stability: this.#isKnown(name, value) ? "known" : "computed" };
    });
  }

  /** True for an integer or boolean input of one element, such as a sampling rate or a flag: programs are compiled for its value. */
  #isKnown(name: string, value: OnnxValue): boolean {
    if (!(value instanceof Tensor) || value.size !== 1 || value.ndim > 1 || !isExact(value.dtype)) return false;
    const seen = this.#scalars.get(name) ?? new Set<string>();
    this.#scalars.set(name, seen);
    if (seen.size <= maxScalarValues) seen.add(String(numbersOf(value)[0]));
    return seen.size <= maxScalarValues;
  }
}

const isExact = (dtype: DType | null): boolean => dtype === "bool" || /^u?int/.test(String(dtype));

const listed = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ") || "none";
