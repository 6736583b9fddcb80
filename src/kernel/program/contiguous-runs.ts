/**
 * The contiguous runs of memory that a strided box of elements touches, for copies of them to adjacent memory; and copies of runs of
 * elements. Modes with small gaps between their elements form one run, which is copied including the gaps; the other modes step from run
 * to run. In the copy the runs are adjacent, so the box has other strides there.
 */
import { copyBytes, type Memory } from "../../storage/memory.ts";

export interface ContiguousRuns {
  /** Elements of one run. */
  readonly runLength: number;
  /** The number of runs along each further mode, and the step from one to the next, in the box and in the copy. */
  readonly counts: readonly number[];
  readonly steps: readonly number[];
  readonly stepsInCopy: readonly number[];
  /** The lowest element of the box, from its first one: 0 or below. */
  readonly low: number;
  /** The strides of the box in the copy, and its lowest element there. */
  readonly strides: readonly number[];
  readonly lowInCopy: number;
  /** Elements of the copy. */
  readonly length: number;
  /** True if and only if the runs may hold elements that are not in the box. */
  readonly hasGaps: boolean;
}

/** Steps of up to this many elements, or of this many times the run so far, do not end it. */
const closeSteps = 4;
const closeFactor = 2;

/** Returns the runs of a box of these sizes and strides. */
export function runsOf(sizes: readonly number[], strides: readonly number[], mayHaveGaps = true): ContiguousRuns {
  const modes: number[] = [];
  for (let d = 0; d < sizes.length; d++) if (sizes[d] !== 1 && strides[d] !== 0) modes.push(d);
  const stepOf = (d: number): number => Math.abs(strides[d]);
  modes.sort((a, b) => stepOf(a) - stepOf(b));
  const copied = strides.map(() => 0);
  const counts: number[] = [];
  const steps: number[] = [];
  const stepsInCopy: number[] = [];
  let run = 1;
  let length = 1;
  let low = 0;
  let lowInCopy = 0;
  let hasGaps = false;
  for (const d of modes) {
    const step = stepOf(d);
    const reach = sizes[d] - 1;
    const sign = strides[d] < 0 ? -1 : 1;
    let inCopy = step;
    const isClose = step === run || (mayHaveGaps && (step <= closeSteps || step <= closeFactor * run));
    if (counts.length === 0 && isClose) {
      hasGaps ||= step !== run;
      run += reach * step;
      length = run;
    } else {
      inCopy = length;
      counts.push(reach + 1);
      steps.push(step);
      stepsInCopy.push(length);
      length *= reach + 1;
    }
    copied[d] = sign * inCopy;
    if (sign < 0) {
      low -= reach * step;
      lowInCopy -= reach * inCopy;
    }
  }
  return { runLength: run, counts, steps, stepsInCopy, low, strides: copied, lowInCopy, length, hasGaps };
}

/** Runs of fewer words are copied word by word; those of more, by `copyBytes`. */
export const shortRun = 16;
const longRun = 1024;

/** Copies runs of adjacent elements: one for each coordinate over `counts`, at `start` plus its steps, in elements. */
export function copyRuns(
  itemsize: number,
  run: number,
  counts: readonly number[],
  source: Memory,
  sourceStart: number,
  sourceSteps: readonly number[],
  target: Memory,
  targetStart: number,
  targetSteps: readonly number[],
): void {
  // As integers: moving floats could change the bits of a NaN.
  const kind = itemsize === 1 ? "u8" : itemsize === 2 ? "u16" : "i32";
  const words = itemsize <= 4 ? 1 : itemsize / 4;
  const bytes = itemsize / words;
  const [input, output] = [source.array(kind), target.array(kind)];
  const length = run * words;
  const coord = counts.map(() => 0);
  let from = sourceStart * words;
  let to = targetStart * words;
  for (;;) {
    if (length < shortRun) for (let i = 0; i < length; i++) output[to + i] = input[from + i];
    else if (length > longRun) copyBytes(source, from * bytes, target, to * bytes, length * bytes);
    else output.set(input.subarray(from, from + length), to);
    let d = 0;
    for (; d < counts.length; d++) {
      from += sourceSteps[d] * words;
      to += targetSteps[d] * words;
      if (++coord[d] < counts[d]) break;
      from -= counts[d] * sourceSteps[d] * words;
      to -= counts[d] * targetSteps[d] * words;
      coord[d] = 0;
    }
    if (d === counts.length) return;
  }
}
