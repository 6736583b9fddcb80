/**
 * The memory plan: offsets in one arena for storages whose lifetimes are known. A storage lives from the first task that uses it to the last one;
 * storages that live at the same time do not overlap. No plan can be smaller than the largest sum of bytes that live at once. Storages are placed one
 * by one, each at the lowest free offset, in several orders; the smallest plan is kept.
 *
 * A map whose input dies may write its result over it, element by element, and a row kernel row by row: both are one storage then.
 */
import type { ElementStorage, Operand } from "../../kernel/operand.ts";
import { alignment } from "../../storage/memory.ts";
import { Storage } from "../../storage/storage.ts";
import { isInPlaceSafe } from "../fuse/overlap.ts";
import { overwritesEarly } from "../fuse/spec-values.ts";
import { storagesOf, type Task } from "./tasks.ts";

/** Bytes that are in use from one task to another one, both included. */
export interface Lifetime {
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
}

/** Returns the largest sum of bytes that live at once: no plan is smaller. */
export function liveBytesOf(lifetimes: readonly Lifetime[]): number {
  const changes = new Map<number, number>();
  const change = (at: number, bytes: number): unknown => changes.set(at, (changes.get(at) ?? 0) + bytes);
  for (const { first, last, bytes } of lifetimes) {
    change(first, bytes);
    change(last + 1, -bytes);
  }
  let [live, max] = [0, 0];
  for (const [, bytes] of [...changes].sort(([a], [b]) => a - b)) {
    live += bytes;
    max = Math.max(max, live);
  }
  return max;
}

/** Offsets for lifetimes, in their order, and the bytes of the arena. */
export interface MemoryPlan {
  readonly offsets: readonly number[];
  readonly size: number;
}

const durationOf = ({ first, last }: Lifetime): number => last - first + 1;

/** The orders in which lifetimes are placed. */
const orders: readonly ((a: Lifetime, b: Lifetime) => number)[] = [
  (a, b) => b.bytes - a.bytes || a.first - b.first,
  (a, b) => b.bytes * durationOf(b) - a.bytes * durationOf(a) || a.first - b.first,
  (a, b) => durationOf(b) - durationOf(a) || b.bytes - a.bytes || a.first - b.first,
  (a, b) => a.first - b.first || b.bytes - a.bytes,
  (a, b) => b.last - a.last || b.bytes - a.bytes,
];

/** The maximum number of plans that are tried after those of the orders. */
const maxRepairs = 32;

/** Returns a plan of the lifetimes, of the minimum size if an order leads to one. */
export function planMemory(lifetimes: readonly Lifetime[]): MemoryPlan {
  const bound = liveBytesOf(lifetimes);
  let best: MemoryPlan | null = null;
  let bestOrder: readonly number[] = [];
  const attempt = (order: readonly number[]): MemoryPlan => {
    const plan = placeInOrder(lifetimes, order);
    if (best === null || plan.size < best.size) [best, bestOrder] = [plan, order];
    return plan;
  };
  for (const compare of orders) {
    attempt(lifetimes.map((_, k) => k).sort((a, b) => compare(lifetimes[a], lifetimes[b])));
    if ((best as unknown as MemoryPlan).size <= bound) break;
  }
  // Lifetimes that end at the top of the arena are placed earlier.
  let order = bestOrder;
  let plan = best as unknown as MemoryPlan;
  for (let k = 0; k < maxRepairs && (best as unknown as MemoryPlan).size > bound; k++) {
    const { offsets, size } = plan;
    const isTop = (at: number): boolean => offsets[at] + lifetimes[at].bytes === size;
    order = [...order.filter(isTop), ...order.filter((at) => !isTop(at))];
    plan = attempt(order);
  }
  return best as unknown as MemoryPlan;
}

/** Places lifetimes one by one, each at the lowest offset at which it overlaps no earlier one that lives at the same time. */
function placeInOrder(lifetimes: readonly Lifetime[], order: readonly number[]): MemoryPlan {
  const offsets = new Array<number>(lifetimes.length).fill(0);
  /** The indices of lifetimes that have an offset, by ascending offset. */
  const done: number[] = [];
  let size = 0;
  for (const at of order) {
    const { first, last, bytes } = lifetimes[at];
    let offset = 0;
    for (const other of done) {
      const { first: from, last: to, bytes: taken } = lifetimes[other];
      if (from > last || first > to) continue;
      if (offsets[other] - offset >= bytes) break;
      offset = Math.max(offset, offsets[other] + taken);
    }
    offsets[at] = offset;
    let k = done.length;
    while (k > 0 && offsets[done[k - 1]] > offset) k--;
    done.splice(k, 0, at);
    size = Math.max(size, offset + bytes);
  }
  return { offsets, size };
}

/** A part of the arena, from the first task that uses it to the last one. */
export interface ArenaBlock extends Lifetime {
  readonly offset: number;
}

/** A storage in the arena, and the storages that reuse its memory. */
interface Region {
  readonly storages: Storage[];
  first: number;
  last: number;
  readonly bytes: number;
}

/** Returns the regions of all parts of the workspace that tasks use, except those from outside of the graph. */
function regionsOf(tasks: readonly Task[], outside: ReadonlySet<ElementStorage>): Region[] {
  const regions = new Map<ElementStorage, Region>();
  tasks.forEach((task, k) => {
    const { reads, writes } = storagesOf(task);
    for (const storage of [...reads, ...writes]) {
      if (!(storage instanceof Storage) || !storage.isScratch || outside.has(storage)) continue;
      const region = regions.get(storage);
      if (region !== undefined) region.last = k;
      else {
        const bytes = Math.ceil(storage.nbytes / alignment) * alignment;
        regions.set(storage, { storages: [storage], first: k, last: k, bytes });
      }
    }
  });
  for (const [k, task] of tasks.entries()) reuseInputs(task, k, regions);
  return [...new Set(regions.values())];
}

/** True if a task computes each element of its results from the input elements at the same address, or reads a whole row before it writes it. */
function mayRunInPlace(task: Task, input: Operand): boolean {
  if (task.kind === "map") return task.kernel.spec.isMasked !== true;
  if (task.kind !== "rows" || task.operands.outputs.length > 1) return false;
  const { kernel, operands } = task;
  return !operands.inputs.some(({ storage }, k) => storage === input.storage && overwritesEarly(kernel, k));
}

/** Lets the results of a map or a row kernel reuse the memory of inputs that are no longer used. */
function reuseInputs(task: Task, k: number, regions: Map<ElementStorage, Region>): void {
  if (task.kind !== "map" && task.kind !== "rows") return;
  const { outputs, inputs } = task.operands;
  for (const output of outputs) {
    const target = regions.get(output.storage);
    if (target === undefined || target.first !== k || target.storages.length > 1) continue;
    const from = inputs.find((input) => {
      const { storage, dtype, offset, stride } = input;
      const region = regions.get(storage);
      return (
        region !== undefined &&
        region !== target &&
        region.last === k &&
        region.first < k &&
        region.bytes === target.bytes &&
        dtype === output.dtype &&
        offset === output.offset &&
        `${stride}` === `${output.stride}` &&
        isInPlaceSafe([{ ...output, storage }], inputs) &&
        outputs.every((other) => regions.get(other.storage) !== region) &&
        mayRunInPlace(task, input)
      );
    });
    const region = from === undefined ? undefined : regions.get(from.storage);
    if (region === undefined) continue;
    region.storages.push(...target.storages);
    region.last = target.last;
    for (const storage of target.storages) regions.set(storage, region);
  }
}

/** Returns the offset of each storage, the size of the arena, the bytes that live at once, and the blocks of the plan. */
export function planArena(
  tasks: readonly Task[],
  outside: ReadonlySet<ElementStorage>,
): {
  readonly size: number;
  readonly liveBytes: number;
  readonly offsets: ReadonlyMap<Storage, number>;
  readonly blocks: readonly ArenaBlock[];
} {
  const regions = regionsOf(tasks, outside);
  const { offsets, size } = planMemory(regions);
  const byStorage = regions.flatMap(({ storages }, k) => storages.map((storage) => [storage, offsets[k]] as const));
  const blocks = regions.map(({ first, last, bytes }, k) => ({ first, last, bytes, offset: offsets[k] }));
  return { size, liveBytes: liveBytesOf(regions), offsets: new Map(byStorage), blocks };
}
