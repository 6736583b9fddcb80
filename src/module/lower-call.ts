/**
 * Lowers a compiled function for sizes of its arguments, without memory and without a call: the result is a plan of these sizes. Arguments are
 * row-major, each in separate memory. An op that modules cannot run throws an error that names it.
 */

import { requiresGrad } from "../autograd/history.ts";
import { setGradEnabled } from "../autograd/scopes.ts";
import type { InstanceData } from "../graph/compile/build-instance.ts";
import { ArgumentType, OutputIndex, traceCall } from "../graph/compile/build-instance.ts";
import { fittedGraph, planGraph } from "../graph/compile/build-program.ts";
import type { CompiledSource } from "../graph/compile/source.ts";
import { type Graph, GraphError } from "../graph/ir.ts";
import { isPlainRecord, mapLeaves } from "../graph/leaves.ts";
import { summaryOf, type Task } from "../graph/lower/tasks.ts";
import { runPasses } from "../graph/passes/pipeline.ts";
import type { Program } from "../kernel/program/program.ts";
import { dtypes } from "../storage/dtype.ts";
import { alignment, BufferMemory } from "../storage/memory.ts";
import { Storage } from "../storage/storage.ts";
import { rowMajorStrides } from "../tensor/contiguity.ts";
import { readAt } from "../tensor/elements.ts";
import { flatStrides, sizesOf } from "../tensor/geometry.ts";
import { scope } from "../tensor/scope.ts";
import { type Tensor, tensorOver } from "../tensor/tensor.ts";
import { constantSlot } from "./constants.ts";
import { ModuleBuilder } from "./module-builder.ts";
import type { ModuleParts } from "./parts.ts";
import type { PlanResult, PlanSlot, PlanTensor, PlanVariant } from "./plan.ts";
import { planSteps, slotName } from "./plan-steps.ts";

/** A plan of some sizes, with a name for each of its steps. */
export interface LoweredCall {
  readonly variant: PlanVariant<number>;
  readonly names: readonly string[];
}

/** The tensors among arguments, in their order. */
export function argumentTypes(args: readonly unknown[]): ArgumentType[] {
  const types: ArgumentType[] = [];
  mapTypes(args, (type) => types.push(type));
  return types;
}

/** Returns arguments with the results of `fn` in place of types of tensors. */
const mapTypes = (args: readonly unknown[], fn: (type: ArgumentType) => unknown): unknown[] =>
  args.map((arg) => mapLeaves(arg, (leaf) => (leaf instanceof ArgumentType ? fn(leaf) : leaf)));

/** Lowers the last call of a function, for other shapes of its tensors. */
export function lowerCall(
  who: string,
  { fn, data }: CompiledSource & { readonly data: InstanceData },
  shapes: readonly (readonly number[])[],
  parts: ModuleParts,
): LoweredCall {
  const allocate = virtualMemory();
  return scope(() => {
    const tensors: Tensor[] = [];
    const args = mapTypes(data.args, ({ dtype }) => {
      const sizes = shapes[tensors.length];
      const bytes = sizes.reduce((product, size) => product * size, dtypes[dtype].itemsize);
      const t = tensorOver(allocate(bytes), dtype, 0, sizes, rowMajorStrides(sizes));
      tensors.push(t);
      return t;
    });
    const { trace, outputs, structure } = setGradEnabled(data.isGradEnabled, () =>
      traceCall({ fn, args, tensors, passed: tensors }, { live: data.live }),
    );
    const traced = trace.graph;
    checkTrace(who, traced, trace.guards, data);
    if (outputs.some((t) => trace.isTraced(t) && requiresGrad(t)))
      throw new GraphError(`${who}: an output requires a gradient. Call the function inside noGrad first`);
    // The gradients that the function leaves at captured tensors are not results of a module.
    traced.outputs = traced.outputs.slice(0, outputs.length);
    const graph = fittedGraph(runPasses(traced, data.passes, null), tensors, data.memory);
    const { lowering, results, written } = planGraph(graph, tensors, allocate);
    const builder = new ModuleBuilder();
    const slots: Record<string, PlanSlot<number>> = {};
    const addSlot = (t: Tensor, slot: PlanSlot<number>): void => {
      slots[slotName(builder.addSlot(t.source as Storage))] = slot;
    };
    const byteCount = (t: Tensor): number => (t.source as Storage).nbytes;
    for (const t of results) addSlot(t, { kind: "output", bytes: byteCount(t) });
    for (const t of tensors) addSlot(t, { kind: "input", bytes: byteCount(t) });
    const live = liveNames(data, parts);
    let nextLive = 0;
    for (const { kind, tensor } of graph.inputs) {
      if (tensor === null) continue;
      if (kind === "captured") addSlot(tensor, { kind: "data", data: parts.capture(tensor) });
      else if (kind === "live") addSlot(tensor, { kind: "number", name: live[nextLive++] });
      else addSlot(tensor, constantSlot(tensor, parts));
    }
    lowering.lower(builder);
    const program = builder.finish();
    const planned = planSteps(who, program, parts);
    addTemporaries(slots, builder, planned.uses);
    const tensorOf = (t: Tensor): PlanTensor<number> => ({
      slot: slotName(builder.slotOf(t.source as Storage)),
      dtype: t.dtype,
      shape: sizesOf(t),
      strides: flatStrides(t),
      start: t.start,
    });
    const variant = {
      slots,
      blocks: planned.blocks,
      inputs: tensors.map(tensorOf),
      written: tensors.flatMap((t, k) => (written.has(t) ? [k] : [])),
      outputs: graph.outputs.map((value) => tensorOf(lowering.tensorOf(value))),
      result: resultOf(who, structure),
      steps: planned.steps,
    };
    return { variant, names: namesOf(program, builder, lowering.tasks) };
  });
}

/** Returns storages that are different memory for the lowering, but have none. */
function virtualMemory(): (bytes: number) => Storage {
  const memory = new BufferMemory("overflow", new ArrayBuffer(8));
  let next = 0;
  return (bytes) => {
    const at = next;
    next += (Math.ceil(bytes / alignment) + 1) * alignment;
    return Storage.within(memory, at, bytes);
  };
}

/** Throws for random ops, and if the function takes another branch than it did in the last call. */
function checkTrace(
  who: string,
  graph: Graph,
  guards: readonly { readonly value: unknown }[],
  data: InstanceData,
): void {
  const random = graph.nodes.find(({ op }) => op.facts.random !== undefined);
  if (random !== undefined)
    throw new GraphError(
      `${who}: ${random.op.name} draws random numbers, which a module cannot. Pass them as an argument; call eval() on models with dropout`,
    );
  if (guards.some(({ value }, k) => !Object.is(value, data.guards[k]?.value)))
    throw new GraphError(`${who}: a guarded value has changed since the last call. Call the function again first`);
}

/** The names of the live numbers, one for each tensor. Numbers with the same name and value are one number. */
function liveNames({ live }: InstanceData, parts: ModuleParts): string[] {
  return live.flatMap(({ names, tensors }) =>
    tensors.map((t, k) => {
      const base = names?.[k] ?? "number";
      const value = Number(readAt(t, 0));
      for (let count = 1; ; count++) {
        const name = count === 1 ? base : `${base}_${count}`;
        const known = parts.numbers.get(name);
        if (known !== undefined && !Object.is(known, value)) continue;
        parts.numbers.set(name, value);
        return name;
      }
    }),
  );
}

/** Adds the slots of the workspace, with the steps between which they live. */
function addTemporaries(
  slots: Record<string, PlanSlot<number>>,
  { storages }: ModuleBuilder,
  uses: ReadonlyMap<string, readonly [first: number, last: number]>,
): void {
  storages.forEach((storage, slot) => {
    const use = uses.get(slotName(slot));
    if (slot === 0 || storage.isScratch !== true || use === undefined) return;
    const { nbytes } = storage as Storage;
    slots[slotName(slot)] = { kind: "temporary", bytes: nbytes, first: use[0], last: use[1] };
  });
}

/** A name for each step: its task. */
function namesOf(program: Program, builder: ModuleBuilder, tasks: readonly Task[]): string[] {
  return program.steps.map((step) => {
    const task = tasks[builder.tasks.get(step) ?? -1];
    return task === undefined ? step.kind : summaryOf(task).name;
  });
}

function resultOf(who: string, structure: unknown): PlanResult<number> {
  if (structure instanceof OutputIndex) return ["output", structure.index];
  if (Array.isArray(structure)) return ["list", structure.map((each) => resultOf(who, each))];
  if (isPlainRecord(structure))
    return ["record", Object.entries(structure).map(([name, each]) => [name, resultOf(who, each)])];
  if (typeof structure === "number") return ["number", structure];
  if (structure === undefined) return ["undefined"];
  if (structure === null || typeof structure === "string" || typeof structure === "boolean")
    return ["constant", structure];
  throw new GraphError(`${who}: the function returns a ${typeof structure}, which a module cannot. Return tensors`);
}
