/**
 * Kernels over memory that the backend does not reach: buffers of the user, and overflow buffers.
 *
 * The plan is cut into pieces of some thousand elements. Of each operand out of reach, the stretches of memory that a piece touches are
 * copied into a place in the heap, the kernel runs there, and the stretches of outputs are copied back. An output whose
 * stretches have gaps is brought in first, so that what lies between stays as it was; where another output may lie there, in the
 * same memory, there are no gaps.
 */
import { alignment, type Memory } from "../../storage/memory.ts";
import { kernelBackend } from "../backend.ts";
import { type Plan, planModes } from "../plan/plan.ts";
import { moveStretches, type Stretches, stretchesOf } from "./stretches.ts";
import { withBytes } from "./temporary.ts";

/** Elements of a piece, and of its innermost mode where an operand out of reach runs across it. */
export const pieceElements = 8192;
const pieceSide = 64;

/** Runs a plan piece by piece; `run` runs a plan whose operands are in these memories, all in reach. */
export function runStaged(
  plan: Plan,
  memories: readonly Memory[],
  itemsizes: readonly number[],
  outputs: number,
  run: (plan: Plan, memories: readonly Memory[]) => void,
): void {
  const backend = kernelBackend();
  const isFar = memories.map((memory) => !backend.reaches(memory));
  const isOutputIn = (memory: Memory, j: number): boolean => j < outputs && memories[j]?.buffer === memory.buffer;
  const isAlone = memories.map(
    (memory, k) => k >= outputs || !memories.some((_, j) => j !== k && isOutputIn(memory, j)),
  );
  const stretched = (sizes: readonly number[]): (Stretches | null)[] =>
    plan.strides.map((strides, k) => (isFar[k] ? stretchesOf(sizes, strides, isAlone[k]) : null));
  const cut = pieceSizes(plan, isFar);
  const { offsets, bytes } = placesFor(stretched(cut), itemsizes);
  withBytes(bytes, (heap, from) => {
    const near = memories.map((memory, k) => (isFar[k] ? heap : memory));
    const places = offsets.map((offset, k) => (from + offset) / (itemsizes[k] as number));
    eachPiece(plan, cut, (sizes, starts) => {
      const staged = stretched(sizes);
      const move = (k: number, direction: "in" | "out"): void => {
        const [memory, start, place] = [memories[k] as Memory, starts[k] as number, places[k] as number];
        moveStretches(staged[k] as Stretches, itemsizes[k] as number, memory, start, heap, place, direction);
      };
      const moved = starts.map((start, k) => {
        const part = staged[k];
        if (part == null) return start;
        if (k >= outputs || part.hasGaps) move(k, "in");
        return (places[k] as number) - part.lowInCopy;
      });
      const strides = plan.strides.map((of, k) => staged[k]?.strides ?? of);
      run(planModes(sizes, moved, strides), near);
      for (let k = 0; k < outputs; k++) if (isFar[k]) move(k, "out");
    });
  });
}

/** Where each staged operand lies in the temporary bytes, and how many bytes that makes. */
function placesFor(
  staged: readonly (Stretches | null)[],
  itemsizes: readonly number[],
): { readonly offsets: readonly number[]; readonly bytes: number } {
  let bytes = 0;
  const offsets = staged.map((part, k) => {
    const offset = bytes;
    const length = (part?.length ?? 0) * (itemsizes[k] as number);
    bytes += Math.ceil(length / alignment) * alignment;
    return offset;
  });
  return { offsets, bytes };
}

/** The sizes of a piece: inner modes whole while they fit; about square where a staged operand runs across the innermost mode. */
function pieceSizes({ sizes, strides }: Plan, isFar: readonly boolean[]): readonly number[] {
  const cut = sizes.map(() => 1);
  let room = pieceElements;
  const take = (mode: number, most: number): void => {
    cut[mode] = Math.max(1, Math.min(sizes[mode] as number, most, room));
    room = Math.floor(room / (cut[mode] as number));
  };
  const across = acrossMode(strides, isFar);
  if (across > 0) {
    take(0, pieceSide);
    take(across, room);
  }
  for (let d = 0; d < sizes.length; d++) if (cut[d] === 1) take(d, room);
  return cut;
}

/** The mode in which a staged operand has its smallest step, where that is not the innermost; else 0. */
function acrossMode(strides: readonly (readonly number[])[], isFar: readonly boolean[]): number {
  for (let k = 0; k < strides.length; k++) {
    if (!isFar[k]) continue;
    const of = strides[k] as readonly number[];
    let best = 0;
    for (let d = 1; d < of.length; d++)
      if (of[d] !== 0 && Math.abs(of[d] as number) < Math.abs(of[best] as number)) best = d;
    if (best !== 0) return best;
  }
  return 0;
}

/** Every piece of the plan: its sizes, and where each operand begins in it. */
function eachPiece(
  { sizes, strides, starts }: Plan,
  cut: readonly number[],
  use: (sizes: readonly number[], starts: readonly number[]) => void,
): void {
  const corner = sizes.map(() => 0);
  for (;;) {
    use(
      sizes.map((size, d) => Math.min(cut[d] as number, size - (corner[d] as number))),
      starts.map((start, k) =>
        corner.reduce((at, c, d) => at + c * ((strides[k] as readonly number[])[d] as number), start),
      ),
    );
    let d = 0;
    for (; d < sizes.length; d++) {
      corner[d] = (corner[d] as number) + (cut[d] as number);
      if ((corner[d] as number) < (sizes[d] as number)) break;
      corner[d] = 0;
    }
    if (d === sizes.length) return;
  }
}
