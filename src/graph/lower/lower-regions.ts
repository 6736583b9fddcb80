/**
 * Lowers control flow. `cond` is a choice between the steps of its branches, which compute their outputs in the memory of the results. The state of a loop
 * is in the memory of the results: it starts as a copy of the initial state, the body reads it, and the next state is copied to it. Each region has an
 * arena after that of the enclosing graph.
 */
import { InternalError } from "../../base/errors.ts";
import { lowerCopyApart } from "../../kernel/copy.ts";
import type { ElementStorage } from "../../kernel/operand.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import type { Binding } from "../../kernel/program/program.ts";
import { Storage } from "../../storage/storage.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll } from "../../tensor/lowering.ts";
import { operandOf } from "../../tensor/operand.ts";
import { type Tensor, tensorOver } from "../../tensor/tensor.ts";
import { scanOp, whileOp } from "../control/region-ops.ts";
import type { Graph, Node, Value } from "../ir.ts";
import type { VirtualMemory } from "./tasks.ts";

/** The lowering of a region; `GraphLowering` in `lower.ts`. */
export interface RegionLowering {
  /** Plans all nodes; `results` are tensors in which outputs are computed directly. */
  plan(results: ReadonlyMap<Value, Tensor>): void;
  tensorOf(value: Value): Tensor;
  /** Adds a copy after all nodes. */
  copy(from: Tensor, to: Tensor): void;
  /** Adds steps after all nodes. */
  step(
    name: string,
    reads: readonly Tensor[],
    writes: readonly Tensor[],
    lower: (builder: ProgramBuilder) => void,
  ): void;
  /** Combines the tasks. Called before anything is lowered. */
  prepare(): void;
  lower(builder: ProgramBuilder): void;
}

/** The input of lowering a node with regions. */
export interface RegionContext {
  /** The tensors of the node's arguments, in their order, lists flattened. */
  readonly args: readonly Tensor[];
  readonly results: readonly Tensor[];
  readonly memory: VirtualMemory;
  /** Creates the lowering of a region over the tensors of its inputs. */
  region(graph: Graph, inputs: readonly Tensor[]): RegionLowering;
}

/** Plans a node with regions. Returns a function that adds its steps. */
export function planRegions(node: Node, context: RegionContext): (builder: ProgramBuilder) => void {
  if (node.op === whileOp) return planLoop(node, context);
  return node.op === scanOp ? planScan(node, context) : planChoice(node, context);
}

function planChoice({ regions }: Node, { args, results, region }: RegionContext): (builder: ProgramBuilder) => void {
  const [predicate, ...captured] = args;
  const branches = regions.map((graph) => {
    const lowering = region(graph, captured);
    lowering.plan(targetsOf(graph, results));
    graph.outputs.forEach((value, k) => {
      copyUnlessSame(lowering, lowering.tensorOf(value), results[k]);
    });
    lowering.prepare();
    return lowering;
  });
  return (builder) => {
    const test = testOf(builder, predicate);
    builder.choose(
      "the predicate is true",
      test,
      () => branches[0].lower(builder),
      () => branches[1].lower(builder),
    );
  };
}

/** The outputs of a branch that can be computed in the memory of a result: new values of the type of the result. */
function targetsOf({ inputs, outputs }: Graph, results: readonly Tensor[]): ReadonlyMap<Value, Tensor> {
  const targets = new Map<Value, Tensor>();
  outputs.forEach((value, k) => {
    const { strides } = value.type;
    const isInput = inputs.some((input) => input.value === value);
    const isSame = strides === null && results[k].isContiguous();
    if (!isInput && isSame && outputs.indexOf(value) === k) targets.set(value, results[k]);
  });
  return targets;
}

function planLoop(
  { regions: [condition, body] }: Node,
  { args, results, memory, region }: RegionContext,
): (builder: ProgramBuilder) => void {
  const initial = args.slice(0, results.length);
  const inputs = [...results, ...args.slice(results.length)];
  const test = region(condition, inputs);
  test.plan(new Map());
  const value = test.tensorOf(condition.outputs[0]);
  // The value of the test is read after all steps of the test.
  test.step("test", [value], [], () => undefined);
  test.prepare();
  const iteration = region(body, inputs);
  iteration.plan(new Map());
  copyState(
    iteration,
    body.outputs.map((output) => iteration.tensorOf(output)),
    results,
    memory,
  );
  iteration.prepare();
  return (builder) => {
    copyAll(builder, initial, results);
    builder.loop(
      "the condition is true",
      () => {
        test.lower(builder);
        return testOf(builder, value);
      },
      () => iteration.lower(builder),
    );
  };
}

function planScan(
  { args: nodeArgs, regions: [body] }: Node,
  { args, results, memory, region }: RegionContext,
): (builder: ProgramBuilder) => void {
  const [carries, rows, , reverse, saves] = nodeArgs as [unknown[], unknown[], unknown[], boolean, boolean];
  const count = carries.length;
  const [initial, xs, captured] = [
    args.slice(0, count),
    args.slice(count, count + rows.length),
    args.slice(count + rows.length),
  ];
  const state = results.slice(0, count);
  const length = sizesOf(xs[0])[0];
  const inputs = body.inputs.slice(count, count + rows.length).map(({ value: { type } }, k) => {
    const bytes = type.shape.reduce((product: number, size) => product * Number(size), xs[k].itemsize);
    return tensorOver(
      memory.take(bytes),
      type.dtype,
      0,
      type.shape.map(Number),
      rowMajorStrides(type.shape.map(Number)),
    );
  });
  const iteration = region(body, [...state, ...inputs, ...captured]);
  iteration.plan(new Map());
  const outputs = body.outputs.map((output) => iteration.tensorOf(output));
  // Outputs, and carries before the iteration, are copied to a row of their results.
  const sources = [...outputs.slice(count), ...(saves ? state : [])];
  const targets = results.slice(count);
  const moving = [...xs, ...targets];
  let storages: readonly ElementStorage[] = [];
  iteration.step("stack", sources, targets, (builder) => {
    sources.forEach((from, k) => {
      lowerCopyApart(builder, operandOf(from, "scan"), rowOf(targets[k], storages[xs.length + k]));
    });
  });
  copyState(iteration, outputs.slice(0, count), state, memory);
  iteration.prepare();
  return (builder) => {
    copyAll(builder, initial, state);
    for (const { source } of inputs) (source as Storage).byteOffset = builder.take((source as Storage).nbytes)[1];
    const first = reverse ? length - 1 : 0;
    const steps = moving.map((t) => (length > 0 ? flatStrides(t)[0] : 0));
    builder.pieces(
      moving.some(({ size }) => size > 0) || count > 0 ? length : 0,
      moving.map((t, k) => ({
        storage: t.source as Storage,
        start: t.start + first * steps[k],
        itemsize: t.itemsize,
      })),
      moving.map((t, k) => (reverse ? -1 : 1) * steps[k] * t.itemsize),
      (moved) => {
        storages = moved;
        inputs.forEach((to, k) => {
          lowerCopyApart(builder, rowOf(xs[k], moved[k]), operandOf(to, "scan"));
        });
        iteration.lower(builder);
      },
    );
  };
}

/** The row of a tensor at which a moving storage starts. */
const rowOf = (t: Tensor, storage: ElementStorage) => ({
  storage,
  dtype: t.dtype,
  offset: 0,
  shape: sizesOf(t).slice(1),
  stride: flatStrides(t).slice(1),
});

function copyAll(builder: ProgramBuilder, from: readonly Tensor[], to: readonly Tensor[]): void {
  from.forEach((t, k) => {
    lowerCopyAll(builder, t, to[k], "compile");
  });
}

function copyUnlessSame(lowering: RegionLowering, from: Tensor, to: Tensor): void {
  const isSame =
    from.source === to.source && from.start === to.start && `${flatStrides(from)}` === `${flatStrides(to)}`;
  if (!isSame) lowering.copy(from, to);
}

/** Adds copies of the next state to the state. Values that are parts of the state are copied to other memory first. */
function copyState(
  lowering: RegionLowering,
  next: readonly Tensor[],
  state: readonly Tensor[],
  memory: VirtualMemory,
): void {
  const sources = next.map((t, k) => {
    const isSame = t.source === state[k].source && `${flatStrides(t)}` === `${flatStrides(state[k])}`;
    if (isSame || !state.some(({ source }) => source === t.source)) return t;
    const copy = tensorOver(memory.take(t.size * t.itemsize), t.dtype, 0, sizesOf(t), rowMajorStrides(sizesOf(t)));
    lowering.copy(t, copy);
    return copy;
  });
  sources.forEach((t, k) => {
    copyUnlessSame(lowering, t, state[k]);
  });
}

/** Returns the test whether a bool is true. */
function testOf(builder: ProgramBuilder, { source, start, dtype }: Tensor): (binding: Binding) => boolean {
  if (!(source instanceof Storage) || dtype !== "bool") throw new InternalError("compile: a condition is not a bool");
  return readBool(builder.slotOf(source), builder.shiftOf({ storage: source, start, itemsize: 1 }));
}

/** A separate function, so that its closure holds no tensors. */
const readBool =
  (slot: number, shift: number) =>
  ({ memories, addresses }: Binding): boolean =>
    memories[slot].array("u8")[addresses[slot] + shift] !== 0;
