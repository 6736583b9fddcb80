/**
 * Lowers a graph to a program, for tensors of its concrete sizes.
 *
 * Every node is planned over tensors without memory; views are formed. Values live in one arena: a value takes bytes of it from the node that
 * computes it to the last one that uses it or a view of it. Results are computed in the memory of output tensors directly, and writes in place
 * where the previous value is no longer needed. Routines in TypeScript are host steps over tensors in the bound memory.
 */

import { resultsOf } from "../../autograd/arguments.ts";
import { InternalError } from "../../base/errors.ts";
import type { ElementStorage } from "../../kernel/operand.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import { isDense, rowMajorStrides } from "../../tensor/contiguity.ts";
import type { Operator } from "../../tensor/dispatch/operator.ts";
import { lowerCopyAll, lowerFillAll } from "../../tensor/lowering.ts";
import { operandOf } from "../../tensor/operand.ts";
import { type Tensor, tensorOver, viewOf } from "../../tensor/tensor.ts";
import { fuse } from "../fuse/fuse.ts";
import type { Movable } from "../fuse/fuse-pieces.ts";
import { type Argument, type Graph, mapValues, type Node, type TensorType, type Value, valuesIn } from "../ir.ts";
import { mapTensors } from "../leaves.ts";
import { firstIn } from "../trace/traced.ts";
import { aliasesOf, isView, overwritten } from "./aliases.ts";
import { type ArenaBlock, planArena } from "./arena.ts";
import { lowerHost } from "./host-step.ts";
import { planRegions, type RegionLowering } from "./lower-regions.ts";
import { lowerTask, type Task, tasksOf, VirtualMemory } from "./tasks.ts";

/** Ops of graphs that are not in the op table, or have a different meaning there: views by geometry relative to a value. */
const byGeometry = new Set(["asStrided", "asStridedScatter"]);

/** A planned node, with the tensors that it reads and writes. */
interface PlannedNode {
  /** The name in texts. */
  readonly name: string;
  /** The node; none for a copy. */
  readonly nodes?: readonly Node[];
  /** True if the steps are not calls of kernels that can be combined. */
  readonly isOpaque?: boolean;
  readonly reads: readonly Tensor[];
  readonly writes: readonly Tensor[];
  lower(builder: ProgramBuilder): void;
  /** Adds the steps, with the only result in a different storage. */
  readonly lowerInto?: Movable["lowerInto"] | null;
}

export class GraphLowering implements RegionLowering {
  readonly #graph: Graph;
  readonly #tensors: Map<Value, Tensor>;
  readonly #roots: ReadonlyMap<Value, Value>;
  readonly #inPlace: ReadonlySet<Value>;
  /** Values that are results of the program, each in separate memory. */
  readonly escaping: readonly Value[];
  readonly #planned: PlannedNode[] = [];
  readonly #memory: VirtualMemory;
  readonly #inputs: ReadonlySet<Value>;
  readonly #constants: ReadonlySet<Value>;
  /** Storages from outside of a region, which are not in its arena. */
  readonly #outside: ReadonlySet<ElementStorage>;

  /** A region shares the memory of the enclosing graph, so that its storages do not overlap others; `results` are those of its node. */
  constructor(
    graph: Graph,
    inputs: ReadonlyMap<Value, Tensor>,
    memory: VirtualMemory = new VirtualMemory(),
    results: readonly Tensor[] = [],
  ) {
    this.#memory = memory;
    this.#outside = new Set([...inputs.values(), ...results].map(storageIn));
    this.#graph = graph;
    this.#tensors = new Map(inputs);
    this.#inputs = new Set(inputs.keys());
    const { roots, inPlace } = aliasesOf(graph);
    this.#roots = roots;
    this.#inPlace = inPlace;
    const outputs = graph.outputs.map((value) => this.#rootOf(value));
    this.#constants = new Set(graph.inputs.flatMap(({ kind, value }) => (kind === "constant" ? [value] : [])));
    this.escaping = [...new Set(outputs)].filter((root) => !this.#inputs.has(root) || this.#constants.has(root));
  }

  /** The tensor of a value. Called after `plan`. */
  tensorOf(value: Value): Tensor {
    const t = this.#tensors.get(value);
    if (t === undefined) throw new InternalError("lower: a value is used before it is computed");
    return t;
  }

  /** Plans all nodes. `results` are tensors of the escaping values. */
  plan(results: ReadonlyMap<Value, Tensor>): void {
    const { nodes, writes } = this.#graph;
    // A caller may write to an output, so a constant is copied.
    for (const [value, result] of results)
      if (this.#constants.has(value)) {
        this.#addCopy(this.tensorOf(value), result);
        this.#tensors.set(value, result);
      }
    for (const node of nodes) this.#planNode(node, results);
    for (const { to, value } of writes) {
      const [from, target] = [this.tensorOf(value), this.tensorOf(to)];
      if (from.source !== target.source) this.#addCopy(from, target);
    }
  }

  copy(from: Tensor, to: Tensor): void {
    this.#addCopy(from, to);
  }

  step(name: string, reads: readonly Tensor[], writes: readonly Tensor[], lower: PlannedNode["lower"]): void {
    this.#planned.push({ name, isOpaque: true, reads, writes, lower });
  }

  /** Combines the calls of kernels of all nodes. */
  prepare(): void {
    const tasks = this.#planned.flatMap((planned): readonly Task[] => {
      const { name, nodes, isOpaque, lower, lowerInto = null } = planned;
      const [reads, writes] = [planned.reads.map(storageIn), planned.writes.map(storageIn)];
      const movable = lowerInto && { result: operandOf(planned.writes[0], name), lowerInto };
      const tasks: Task[] =
        isOpaque === true
          ? [{ kind: "other", name, reads, writes, lower }]
          : tasksOf({ name, reads, writes, lower, movable }, this.#memory);
      return nodes === undefined ? tasks : tasks.map((task): Task => ({ ...task, nodes }));
    });
    this.tasks = fuse(tasks, this.#outside);
  }

  /** Returns offsets for all values. Called after `prepare`. */
  planMemory(): ReturnType<typeof planArena> {
    return planArena(this.tasks, this.#outside);
  }

  /** Adds the steps of all nodes to a program. Called after `prepare`. */
  lower(builder: ProgramBuilder): void {
    const { size, liveBytes, offsets, blocks } = this.planMemory();
    const [, start] = builder.take(size);
    for (const [storage, offset] of offsets) storage.byteOffset = start + offset;
    this.arenaBytes = size;
    this.liveBytes = liveBytes;
    this.arena = blocks;
    for (const task of this.tasks) builder.workspace(0, () => lowerTask(builder, task));
  }

  /** The tasks, the bytes of the arena, and the largest sum of bytes that live at once; after `lower`. */
  tasks: readonly Task[] = [];
  arenaBytes = 0;
  liveBytes = 0;
  /** The values in the arena. */
  arena: readonly ArenaBlock[] = [];

  #addCopy(from: Tensor, to: Tensor): void {
    this.#planned.push({
      name: "copy",
      reads: [from],
      writes: [to],
      lower: (builder) => lowerCopyAll(builder, from, to, "compile"),
    });
  }

  #rootOf(value: Value): Value {
    return this.#roots.get(value) ?? value;
  }

  /** Returns a tensor for a value: the output tensor if it escapes, else one in the arena. */
  #allocate(value: Value, results: ReadonlyMap<Value, Tensor>): Tensor {
    const result = results.get(value);
    if (result !== undefined) return result;
    return tensorOfType(this.#memory.take(bytesOf(value.type)), value.type);
  }

  #planNode(node: Node, results: ReadonlyMap<Value, Tensor>): void {
    const targets = overwritten(node);
    if (byGeometry.has(node.op.name)) {
      this.#planGeometry(node, results);
      return;
    }
    if (node.regions.length > 0) {
      this.#planRegions(node, results);
      return;
    }
    const operator = node.op;
    const args = node.args.map((arg) => mapValues(arg, (value) => this.tensorOf(value)));
    if (targets !== null) {
      const tensors = targets.map((value, k) => this.#target(value, node.results[k], results));
      const old = targets.map((value) => this.tensorOf(value));
      const own = replaceTensors(operator, args, old, tensors);
      this.#add(node, operator, own, tensors);
      for (const [k, value] of node.results.entries()) this.#tensors.set(value, tensors[k]);
      return;
    }
    if (isView(node)) {
      const views = resultsOf((operator.kernelFor("cpu") as (...args: unknown[]) => unknown)(...args));
      for (const [k, value] of node.results.entries()) this.#tensors.set(value, views[k]);
      return;
    }
    const tensors = node.results.map((value) => this.#allocate(value, results));
    for (const [k, value] of node.results.entries()) this.#tensors.set(value, tensors[k]);
    this.#add(node, operator, args, tensors);
  }

  /** Returns the tensor that a node overwrites: the current one if its old value is not needed, otherwise a copy. */
  #target(old: Value, result: Value, results: ReadonlyMap<Value, Tensor>): Tensor {
    const t = this.tensorOf(old);
    if (this.#inPlace.has(result)) return t;
    const copy = this.#allocate(result, results);
    this.#addCopy(t, copy);
    return copy;
  }

  #planRegions(node: Node, results: ReadonlyMap<Value, Tensor>): void {
    const args = valuesIn(node.args).map((value) => this.tensorOf(value));
    const tensors = node.results.map((value) => this.#allocate(value, results));
    const region = (graph: Graph, inputs: readonly Tensor[]): GraphLowering =>
      new GraphLowering(graph, new Map(graph.inputs.map(({ value }, k) => [value, inputs[k]])), this.#memory, tensors);
    const lower = planRegions(node, { args, results: tensors, memory: this.#memory, region });
    this.step(node.op.name, args, tensors, lower);
    for (const [k, value] of node.results.entries()) this.#tensors.set(value, tensors[k]);
  }

  #planGeometry(node: Node, results: ReadonlyMap<Value, Tensor>): void {
    const [base, ...rest] = node.args;
    const [result] = node.results;
    if (node.op.name === "asStrided") {
      this.#tensors.set(result, partOf(this.tensorOf(base as Value), rest));
      return;
    }
    const from = this.tensorOf(rest[0] as Value);
    const target = this.#target(base as Value, result, results);
    const part = partOf(target, rest.slice(1));
    this.#addCopy(from, part);
    this.#tensors.set(result, target);
  }

  /** Adds the task of a call whose results are these tensors. */
  #add(node: Node, operator: Operator, args: readonly unknown[], tensors: readonly Tensor[]): void {
    const reads = resultsOf(args);
    const add = (lower: PlannedNode["lower"], lowerInto: PlannedNode["lowerInto"] = null): void => {
      this.#planned.push({ name: node.op.name, nodes: [node], reads, writes: tensors, lower, lowerInto });
    };
    const fill = fillOf(operator, args);
    if (fill !== undefined) {
      add((builder) => lowerFillAll(builder, tensors[0], fill, operator.name));
      return;
    }
    let next = 0;
    const allocate = (bytes: number): Storage => {
      const storage = tensors[next++].source as Storage;
      if (storage.nbytes !== bytes)
        throw new InternalError(`lower: ${operator.name} has a result of ${bytes} bytes, not ${storage.nbytes}`);
      return storage.retain();
    };
    const call = operator.makes || operator.plan === null ? null : operator.plan(args, allocate);
    if (call === null || call.isHost === true) add((builder) => lowerHost(builder, operator, args, tensors));
    else if (tensors.length > 1 || overwritten(node) !== null) add((builder) => call.lower(builder));
    else
      add(
        (builder) => call.lower(builder),
        (builder, storage) => operator.plan?.(args, () => (storage as Storage).retain())?.lower(builder),
      );
  }
}

const storageIn = ({ source }: Tensor): Storage => source as Storage;

/** Returns a part of a tensor by its geometry relative to the first element, optionally with a different dtype. */
export function partOf(t: Tensor, part: readonly Argument[]): Tensor {
  const [sizes, strides, offset, dtype = t.dtype] = part as [number[], number[], number, DType?];
  const first = (t.start * t.itemsize) / dtypes[dtype].itemsize;
  if (dtype === t.dtype) return viewOf(t, sizes, strides, first + offset);
  return tensorOver((t.source as Storage).retain(), dtype, first + offset, sizes, strides);
}

/** Bytes of a new tensor of a type. */
export function bytesOf({ dtype, shape }: TensorType): number {
  return (shape as readonly number[]).reduce((a, b) => a * b, 1) * dtypes[dtype].itemsize;
}

/** A tensor of a type over a storage of its bytes. A value whose elements have gaps or share addresses is row-major in new memory. */
export function tensorOfType(storage: Storage, { dtype, shape, strides }: TensorType): Tensor {
  const sizes = shape as readonly number[];
  const steps = strides as readonly number[] | null;
  const own = steps !== null && isDense(sizes, steps) ? steps : rowMajorStrides(sizes);
  return tensorOver(storage, dtype, firstIn(sizes, own), sizes, own);
}

/** The value that a creation function fills a tensor with; undefined for other ops. */
function fillOf({ name, makes }: Operator, args: readonly unknown[]): number | undefined {
  if (!makes) return undefined;
  if (name === "zeros" || name === "zerosBeside" || name === "empty" || name === "emptyLike") return 0;
  if (name === "ones") return 1;
  return (name === "full" || name === "fullLike") && typeof args[1] === "number" ? args[1] : undefined;
}

/** Returns arguments in which written tensors replace the old ones. */
function replaceTensors(
  operator: Operator,
  args: readonly unknown[],
  old: readonly Tensor[],
  by: readonly Tensor[],
): unknown[] {
  const swap = (t: Tensor): Tensor => (old.includes(t) ? by[old.indexOf(t)] : t);
  if (operator.isInPlace) return [swap(args[0] as Tensor), ...args.slice(1)];
  return args.map((arg) => {
    if (typeof arg !== "object" || arg === null || !("out" in arg)) return arg;
    return { ...arg, out: mapTensors([arg.out], swap)[0] };
  });
}
