/**
 * Tracing: a function runs once, and every op that it calls becomes a node of a graph. A mode receives the calls below autograd, so the backward
 * pass and optimizers are traced too. Traced tensors have a dtype, a shape and strides, but no memory (`../../tensor/lowering.ts`): ops are
 * planned over them, not run, and views are formed as usual.
 *
 * Writes become values (`traced-memory.ts`). Reading an element throws.
 */
import { allWrittenBy, isRecord, resultsOf, withoutOut } from "../../autograd/arguments.ts";
import { gradients, historyOf } from "../../autograd/history.ts";
import { Storage } from "../../storage/storage.ts";
import { type Mode, withMode } from "../../tensor/dispatch/modes.ts";
import type { Arguments, Operator } from "../../tensor/dispatch/operator.ts";
import { flatStrides, isFlat, sizesOf } from "../../tensor/geometry.ts";
import { type LiveNumbers, type ValueTracer, withTracer } from "../../tensor/live.ts";
import { bumpVersion } from "../../tensor/operand.ts";
import { outsideScopes, presentScope } from "../../tensor/scope.ts";
import { computedEngine, Tensor, tensorOver, viewOf } from "../../tensor/tensor.ts";
import { clone, copy_ } from "../../tensor/views/view-ops.ts";
import {
  type Argument,
  Graph,
  GraphError,
  type Input,
  type Node,
  Regions,
  type TensorType,
  type Value,
} from "../ir.ts";
import { mapTensors } from "../leaves.ts";
import { isConstantStorage } from "./constants.ts";
import { checkSameDraw, Draws, generatorIn } from "./draws.ts";
import { type LiveInput, liveInput, tensorsByName } from "./live-input.ts";
import { checkedCall, tracedError } from "./read-error.ts";
import { inStorage, isWhole, onMeta, relative, type StorageState, scratch, scratchOf, typeOf } from "./traced.ts";
import { type Guard, TracedGradients } from "./traced-gradients.ts";
import { TracedMemory } from "./traced-memory.ts";

/** The largest tensor, in bytes, that becomes a constant if the function creates it without random numbers. */
const maxConstant = 16384;

/** Ops that change the storage of a tensor, which a graph cannot express. */
const untraceable = new Set(["set_", "resize_", "takeAxes_", "setData"]);

/** The trace of one function. */
export class Trace implements Mode {
  readonly graph: Graph;
  readonly #memory: TracedMemory;
  /** Tensors from outside of the trace, as the function used them. */
  readonly captured = new Set<Tensor>();
  /** The live numbers, in their order. */
  readonly live: LiveInput[] = [];
  /** The guarded values, in the order in which they were read. */
  readonly guards: Guard[] = [];
  readonly #draws = new Draws();
  /** The gradients of tensors from outside. */
  readonly gradients = new TracedGradients(this.guards);
  /** The tensors from outside, one for each storage. */
  readonly originals: Tensor[] = [];
  /** True if the function created state, such as that of an optimizer. The next trace captures it. */
  createsState = false;
  /** The number of the last storage before the trace. */
  #before = 0;

  /** Live numbers of an earlier trace of the same call. They are not computed again, because that may count a step. */
  readonly #knownLive: readonly LiveInput[];

  /** The trace of the enclosing graph; null if this is not a region of a node. */
  readonly parent: Trace | null;
  readonly #root: Trace;
  /** The trace that receives calls: the root, or the region that is being traced. */
  #active: Trace = this;
  /** Inputs of a region for tensors from outside of it. */
  readonly captures = new Map<Tensor, Value>();

  constructor(name: string, knownLive: readonly LiveInput[] = [], parent: Trace | null = null) {
    this.graph = new Graph(name);
    this.#memory = new TracedMemory(this.graph);
    this.#knownLive = knownLive;
    this.parent = parent;
    this.#root = parent === null ? this : parent.#root;
  }

  /** Runs `fn` with a trace that receives all calls: that of a region, a graph inside a node. */
  region<T>(name: string, fn: (region: Trace) => T): T {
    const root = this.#root;
    const parent = root.#active;
    root.#active = new Trace(name, [], parent);
    try {
      const result = fn(root.#active);
      root.#active.#checkGradients(name);
      return result;
    } finally {
      root.#active = parent;
    }
  }

  /** Returns new tensors of these types, the next inputs of a region. */
  addState(types: readonly TensorType[]): Tensor[] {
    return types.map((type) => {
      const t = scratchOf(type);
      const value = this.graph.addInput(type);
      this.#memory.begin(t, value, value);
      return t;
    });
  }

  /** Returns traced tensors for tensors; they share memory if the tensors do. They are the next arguments of the graph. */
  addArguments(tensors: readonly Tensor[]): Tensor[] {
    const scratches = new Map<Storage, Storage>();
    return tensors.map((t, k) => {
      if (!isFlat(t) || !(t.source instanceof Storage))
        throw new GraphError(`compile: argument ${k} has nested modes or computed elements. Pass a copy: contiguous()`);
      let scratch = scratches.get(t.source);
      const isNew = scratch === undefined;
      if (scratch === undefined) {
        scratch = Storage.inWorkspace(t.source.nbytes, 0);
        scratches.set(t.source, scratch);
      }
      const traced = tensorOver(isNew ? scratch : scratch.retain(), t.dtype, t.start, sizesOf(t), flatStrides(t));
      const value = this.graph.addInput(typeOf(traced), "argument");
      if (isNew) this.#memory.begin(traced, value, value);
      else this.#memory.define(traced, value);
      return traced;
    });
  }

  /** Runs the function over traced tensors. */
  run<T>(fn: () => T): T {
    const tracer: ValueTracer = {
      live: (compute) => this.#addLive(compute),
      guard: (compute) => {
        const value = compute();
        this.guards.push({ compute, value });
        return value;
      },
    };
    const probe = Storage.inWorkspace(0, 0);
    this.#before = probe.number;
    const noted = gradients.note;
    gradients.note = (t) => this.gradients.note(t, this.#before);
    try {
      return this.#draws.run(() => withTracer(tracer, () => withMode(this, () => checkedCall(fn))));
    } catch (error) {
      this.gradients.restore();
      throw tracedError(error);
    } finally {
      gradients.note = noted;
    }
  }

  /** Adds the node of a call with regions. */
  #callRegions(op: Operator, { graphs, types }: Regions, args: Arguments): Tensor[] {
    const node = this.graph.add(op, this.#argumentsOf(args), types, graphs);
    return types.map((type, k) => {
      const t = scratchOf(type);
      this.#memory.begin(t, node.results[k]);
      return t;
    });
  }

  /** Makes a tensor from outside of a region an input of the region. */
  #captureInRegion(t: Tensor): Value {
    let value = this.#memory.knownValue(t);
    if (value === undefined) {
      value = this.graph.addInput(typeOf(t));
      this.captures.set(t, value);
      this.#memory.define(t, value);
    }
    return value;
  }

  /** Throws if a region stores gradients in tensors that it captured. */
  #checkGradients(name: string): void {
    for (const t of this.captures.keys()) {
      const history = historyOf(t);
      if (history?.grad == null || this.#memory.stateOf(history.grad.source as Storage) === undefined) continue;
      history.grad = null;
      throw new GraphError(
        `compile: ${name} accumulates a gradient in a tensor from outside of it. Return the gradient instead: grad(loss, [tensor])`,
      );
    }
  }

  /** Returns the current value of a tensor: traced, or captured from outside. */
  valueOf(t: Tensor): Value {
    if (computedEngine(t, "compile") !== null || !(t.source instanceof Storage))
      throw new GraphError("compile: a tensor with computed elements is used. Copy it first: contiguous()");
    const known = this.#memory.stateOf(t.source);
    if (this.parent !== null && known === undefined) return this.#captureInRegion(t);
    const state = known ?? this.#capture(t, t.source);
    if (!t.source.isScratch) this.captured.add(t);
    return this.#memory.read(state, t);
  }

  /** The inputs that the function wrote to, with their last values. */
  get written(): readonly { readonly input: Value; readonly value: Value }[] {
    return this.#memory.written;
  }

  /** True for a tensor of this trace. */
  isTraced(t: Tensor): boolean {
    return t.source instanceof Storage && t.source.isScratch;
  }

  call(op: Operator, args: Arguments, next: () => unknown): unknown {
    const active = this.#active;
    return op.facts.random === undefined ? active.#call(op, args, next) : active.#callRandom(op, args, next);
  }

  /** A call that draws random numbers: a node, or the numbers of an earlier draw if the function went back to its state. */
  #callRandom(op: Operator, args: Arguments, next: () => unknown): unknown {
    const draws = this.#root.#draws;
    const generator = generatorIn(args);
    if (op.makes && presentScope() === null) return draws.real(generator, () => this.#call(op, args, next));
    const earlier = draws.earlier(op.name, generator);
    if (earlier === null) {
      const count = this.graph.nodes.length;
      const result = this.#call(op, args, next);
      const node = this.graph.nodes.slice(count).find((each) => each.op === op) as Node;
      draws.advance(generator, { trace: this, node });
      return result;
    }
    checkSameDraw(earlier, this, { op, args: this.#argumentsOf(args) });
    const again = earlier.node.results.map((value) => this.#copyOf(value));
    const written = allWrittenBy(op, args);
    for (const [k, t] of written.entries()) this.#call(copy_.operator, [t, again[k]], () => null);
    draws.advance(generator, null);
    const results = written.length > 0 ? written : again;
    return results.length === 1 ? results[0] : results;
  }

  /** Returns a copy of a value. */
  #copyOf(value: Value): Tensor {
    const t = scratchOf(value.type);
    this.#memory.begin(t, value);
    return this.#call(clone.operator, [t], () => null) as Tensor;
  }

  #call(op: Operator, args: Arguments, next: () => unknown): unknown {
    if (args[0] instanceof Regions) return this.#callRegions(op, args[0], args.slice(1));
    if (untraceable.has(op.name))
      throw new GraphError(
        `compile: ${op.name} changes the storage of a tensor. Call it outside of the compiled function`,
      );
    if (op.makes) return this.#create(op, args, next);
    if (op.name === "asStridedScatter") return this.#scatter(args);
    const written = allWrittenBy(op, args);
    if (written.length > 0) return this.#write(op, args, written);
    const values = this.#argumentsOf(args);
    const planned = op.plan?.(args, scratch) ?? null;
    const result = planned === null ? this.#unplanned(op, args, next) : (planned.value ?? planned.results[0]);
    this.#record(op, values, resultsOf(result), args);
    return result;
  }

  /** A call of asStridedScatter, as the ops that it is composed of: its geometry refers to a row-major copy, that of nodes to the value. */
  #scatter([x, source, ...rest]: Arguments): unknown {
    const [sizes, strides, offset = 0] = rest.filter((arg) => !isRecord(arg)) as [number[], number[], number?];
    const out = rest.filter(isRecord).find((arg) => arg["out"] != null)?.["out"] as Tensor | undefined;
    const copy = this.call(clone.operator, [x, "contiguous"], () => null) as Tensor;
    const part = viewOf(copy, sizes, strides, offset);
    this.call(copy_.operator, [part, source], () => null);
    return out === undefined ? copy : this.call(copy_.operator, [out, copy], () => null);
  }

  /** Computes the results of an op that is not planned: a view, or an op with a kernel for the meta device. */
  #unplanned(op: Operator, args: Arguments, next: () => unknown): unknown {
    if (op.facts.random === undefined && op.kernelFor("meta") === op.kernelFor("cpu")) return next();
    const kernel = op.kernelFor("meta") as ((...args: unknown[]) => unknown) | null;
    if (kernel === null)
      throw new GraphError(
        `compile: the shape of the result of ${op.name} depends on values. Call it outside of the compiled function`,
      );
    return mapTensors([kernel(...mapTensors(args, onMeta))], (t) => inStorage(t, scratch))[0];
  }

  /** A new tensor: small ones are constants, others are created again in each call. */
  #create(op: Operator, args: Arguments, next: () => unknown): unknown {
    const values = this.#argumentsOf(args);
    const t = next() as Tensor;
    if (presentScope() === null) return this.#createState(t);
    if (op.facts.random === undefined && t.nbytes <= maxConstant)
      return this.#root.#addConstant(t, this.parent === null ? { op, args: values } : undefined);
    const traced = inStorage(t, scratch);
    t.dispose();
    this.#record(op, values, [traced], args);
    return traced;
  }

  #addConstant(t: Tensor, creation?: Input["creation"]): Tensor {
    const storage = t.source as Storage;
    const kept = outsideScopes(() => tensorOver(storage.retain(), t.dtype, t.start, sizesOf(t), flatStrides(t)));
    const value = this.graph.addInput(typeOf(t), "constant", null, kept, creation);
    this.#memory.begin(t, value);
    return t;
  }

  /** A tensor that is created outside of scopes is state, such as that of an optimizer: it exists from now on, and is captured. */
  #createState(t: Tensor): Tensor {
    if (this.parent !== null) return this.#root.#createState(t);
    this.createsState = true;
    const storage = t.source as Storage;
    const kept = tensorOver(storage.retain(), t.dtype, t.start, sizesOf(t), flatStrides(t));
    const value = this.graph.addInput(typeOf(t), "captured", t.label, kept);
    this.#memory.begin(t, value, value);
    return t;
  }

  /** A call that writes to tensors: in place, or by `out`. */
  #write(op: Operator, args: Arguments, written: readonly Tensor[]): unknown {
    const hasOut = withoutOut(args).length !== args.length || args.some((arg) => isRecord(arg) && "out" in arg);
    if (this.parent !== null) for (const t of written) this.#checkOwn(op, t);
    const values = this.#argumentsOf(args);
    const planned = op.plan?.(args, scratch) ?? null;
    if (planned === null && op.facts.random === undefined)
      throw new GraphError(`compile: ${op.name} cannot be traced. Call it outside of the compiled function`);
    const node = this.graph.add(op, values, written.map(typeOf));
    written.forEach((t, k) => {
      const storage = t.source as Storage;
      this.#memory.write(this.#memory.stateOf(storage) ?? this.#capture(t, storage), t, node.results[k]);
      bumpVersion(t);
    });
    if (planned !== null) return planned.value ?? planned.results[0];
    return hasOut && written.length > 1 ? written : written[0];
  }

  /** Throws unless a tensor was created in this region. */
  #checkOwn(op: Operator, t: Tensor): void {
    const state = this.#memory.stateOf(t.source as Storage);
    if (state !== undefined && state.input === null) return;
    throw new GraphError(
      `compile: a call of ${op.name} writes to ${state === undefined ? "a tensor from outside" : "an argument"} of ${this.graph.name}, but the functions of cond, whileLoop and scan may write to tensors that they create only. Return the new value, or write to a clone()`,
    );
  }

  /** Returns traced tensors in place of live numbers. */
  #addLive<T extends LiveNumbers>(compute: () => T): T {
    const input = liveInput(compute, this.#knownLive[this.live.length]?.numbers ?? compute());
    const { names, tensors } = input;
    for (const [k, t] of tensors.entries()) {
      const value = this.graph.addInput(typeOf(t), "live", names?.[k] ?? null, t);
      this.#memory.begin(t, value, value);
    }
    this.live.push(input);
    return tensorsByName(input) as T;
  }

  /** Makes a tensor from outside an input. */
  #capture(t: Tensor, storage: Storage): StorageState {
    if (storage.isScratch)
      throw new GraphError(
        "compile: a tensor of another trace is used. Return it from the compiled function that created it",
      );
    const isOwn = storage.number > this.#before || isConstantStorage(storage);
    const whole = outsideScopes(() =>
      isWhole(t, storage)
        ? tensorOver(storage.retain(), t.dtype, 0, sizesOf(t), flatStrides(t))
        : tensorOver(storage.retain(), t.dtype, 0, [Math.floor(storage.nbytes / t.itemsize)], [1]),
    );
    if (!this.gradients.capture(t, isWhole(t, storage) ? whole : null) && !isOwn) this.originals.push(t);
    // A tensor that was created without an op during the trace never changes, and neither does one that is marked as constant.
    const value = this.graph.addInput(typeOf(whole), isOwn ? "constant" : "captured", t.label, whole);
    return this.#memory.begin(whole, value, isOwn ? null : value);
  }

  /** Adds the node of a call. */
  #record(op: Operator, values: readonly Argument[], results: readonly Tensor[], args: Arguments): void {
    const own = results.filter((t) => this.#memory.knownValue(t) === undefined);
    if (own.length === 0 && results.length > 0) return;
    const node = this.graph.add(op, op.name === "asStrided" ? relative(values, args) : values, results.map(typeOf));
    results.forEach((t, k) => {
      if (this.#memory.knownValue(t) !== undefined) return;
      const storage = t.source as Storage;
      // A view of a tensor from outside of the region is an ordinary result.
      if (this.#memory.stateOf(storage) === undefined && !this.#isOutside(storage))
        this.#memory.begin(t, node.results[k]);
      else this.#memory.define(t, node.results[k]);
    });
  }

  /** True for a storage from outside of a region. */
  #isOutside(storage: Storage): boolean {
    return this.parent !== null && (!storage.isScratch || this.parent.#knows(storage));
  }

  #knows(storage: Storage): boolean {
    if (this.#memory.stateOf(storage) !== undefined) return true;
    return this.parent === null ? false : this.parent.#knows(storage);
  }

  #argumentsOf(args: Arguments): Argument[] {
    return args.map((arg) => this.#argumentOf(arg));
  }

  #argumentOf(arg: unknown): Argument {
    if (arg instanceof Tensor) return this.valueOf(arg);
    if (Array.isArray(arg)) return arg.map((each) => this.#argumentOf(each));
    if (isRecord(arg))
      return Object.fromEntries(
        Object.entries(arg).flatMap(([name, each]) => (each === undefined ? [] : [[name, this.#argumentOf(each)]])),
      );
    return arg as Argument;
  }
}
