/**
 * The work of a graph as a list of tasks: calls of kernels, which can be combined (`fuse.ts`), and other steps. A recorder does not lower: it records
 * the calls of kernels that the lowering of an op makes. If the lowering adds other steps, the op is one task that is lowered later.
 */

import type { ElementStorage, Operand } from "../../kernel/operand.ts";
import { type KernelWork, ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMap } from "../../kernel/program/lower-map.ts";
import { lowerReduce } from "../../kernel/program/lower-reduce.ts";
import { lowerRows } from "../../kernel/program/lower-rows.ts";
import { dtypes } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { withMap } from "../fuse/epilogue.ts";
import { lowerContract } from "../fuse/fuse-contract.ts";
import { lowerPieces, type Movable, type OtherWork } from "../fuse/fuse-pieces.ts";
import type { Node } from "../ir.ts";

export type Task = (KernelWork | OtherWork) & {
  /** The nodes that the task computes; none for a copy. */
  readonly nodes?: readonly Node[];
};

/** The nodes of tasks that become one. */
export const nodesOf = (...tasks: readonly Task[]): readonly Node[] => tasks.flatMap(({ nodes = [] }) => nodes);

/** Returns the storages that a task reads, and those that it writes. */
export function storagesOf(task: Task): {
  readonly reads: readonly ElementStorage[];
  readonly writes: readonly ElementStorage[];
} {
  if (task.kind === "other") return task;
  const { outputs, inputs } = task.operands;
  const storages = ({ storage }: Operand): ElementStorage => storage;
  const own = { reads: inputs.map(storages), writes: outputs.map(storages) };
  return task.kind === "contract" && task.after !== null ? withMap(own, task.after) : own;
}

/** Adds the steps of a task to a program. */
export function lowerTask(builder: ProgramBuilder, task: Task): void {
  if (task.kind === "other") {
    lowerPieces(builder, task);
    return;
  }
  const { outputs, inputs, scalars } = task.operands;
  if (task.kind === "contract") lowerContract(builder, task);
  else if (task.kind === "map")
    lowerMap(builder, task.kernel, [...outputs, ...inputs], scalars, { idempotent: task.idempotent });
  else if (task.kind === "reduce") lowerReduce(builder, task.kernel, outputs, inputs, scalars);
  else lowerRows(builder, task.kernel, task.axes, outputs, inputs, scalars);
}

/** A task in texts: its kernel or op, and the bytes of its operands. */
export interface TaskSummary {
  readonly name: string;
  readonly bytes: number;
  /** "other" for an op with steps that are not calls of kernel specs. */
  readonly kind: Task["kind"];
  readonly nodes: readonly Node[];
}

/** Returns the summary of a task. */
export function summaryOf(task: Task): TaskSummary {
  const { kind, nodes = [] } = task;
  if (task.kind === "other") {
    const storages = [...new Set([...task.reads, ...task.writes])];
    return {
      kind,
      nodes,
      name: task.name,
      bytes: storages.reduce((sum, each) => sum + (each instanceof Storage ? each.nbytes : 0), 0),
    };
  }
  const { outputs, inputs } = task.operands;
  const bytesOf = ({ shape, stride, dtype }: Operand): number =>
    shape.reduce((count, size, d) => (stride[d] === 0 ? count : count * size), dtypes[dtype].itemsize);
  if (task.kind === "contract") {
    const { after } = task;
    const own = after === null ? [] : [...after.operands.outputs, ...after.operands.inputs];
    const more = own.filter(({ storage }) => storage !== outputs[0].storage);
    return {
      kind,
      nodes,
      name: `product${after === null ? "" : ` and ${after.kernel.spec.name}`}`,
      bytes: [...outputs, ...inputs, ...more].reduce((sum, each) => sum + bytesOf(each), 0),
    };
  }
  const bytes = [...outputs, ...inputs].reduce((sum, each) => sum + bytesOf(each), 0);
  return { name: task.kernel.spec.name, bytes, kind, nodes };
}

/** Storages without addresses, at offsets that do not overlap. */
export class VirtualMemory {
  #next = 0;

  take(bytes: number): Storage {
    const at = this.#next;
    this.#next += Math.ceil(bytes / 64) * 64 + 64;
    return Storage.inWorkspace(bytes, at);
  }
}

/** A builder that records calls of kernels. */
class Recorder extends ProgramBuilder {
  readonly work: KernelWork[] = [];
  /** The finished parts of the result. */
  readonly parts: Operand[] = [];
  isOpaque = false;
  readonly #memory: VirtualMemory;

  constructor(memory: VirtualMemory) {
    super();
    this.#memory = memory;
    this.mayUseSteps = false;
  }

  override defer(work: KernelWork): boolean {
    this.work.push(work);
    return true;
  }

  override finished(part: Operand): void {
    this.parts.push(part);
  }

  override add(): void {
    this.isOpaque = true;
  }

  override take(bytes: number): readonly [storage: ElementStorage, byteOffset: number] {
    return [this.#memory.take(bytes), 0];
  }

  override scratch(bytes: number): Storage {
    return this.#memory.take(bytes);
  }
}

/** The work of an op: its steps, and the storages that they read and write. */
export interface OpWork {
  readonly name: string;
  readonly reads: readonly ElementStorage[];
  readonly writes: readonly ElementStorage[];
  lower(builder: ProgramBuilder): void;
  /**
   * The only result, and a function that adds the same steps with the result in a different storage of the same number of bytes; null if there are
   * more results.
   */
  readonly movable: Movable | null;
}

/** Returns the tasks of an op: its calls of kernels, or one task. */
export function tasksOf({ name, reads, writes, lower, movable }: OpWork, memory: VirtualMemory): Task[] {
  const recorder = new Recorder(memory);
  recorder.workspace(0, () => lower(recorder));
  // Products of pieces use the same workspace in turn.
  const products = recorder.work.filter(({ kind }) => kind === "contract").length;
  if (!recorder.isOpaque && products < 2) return recorder.work;
  const partsIn = (storage: ElementStorage): readonly Operand[] => {
    const again = new Recorder(memory);
    again.workspace(0, () => movable?.lowerInto(again, storage));
    return again.parts;
  };
  const pieces = movable === null || recorder.parts.length === 0 ? undefined : { ...movable, partsIn };
  return [{ kind: "other", name, reads, writes, lower, pieces }];
}
