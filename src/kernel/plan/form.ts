/**
 * The form of the kernel that runs a plan: what must be known when the kernel is made, and so is part of its cache key.
 * A line is one loop; a plane is two loops, and a walk over the modes that are left. Of each operand the form knows whether it
 * stands still, goes by 1 or by any other step in the innermost mode. All other numbers are arguments; `tiles.ts` chooses those.
 */
import type { FlatLayout } from "../../layout/flat.ts";

export interface Form {
  readonly kind: "line" | "plane";
  /** Two bits for each operand, the first operand in the lowest: its step in the innermost mode is 0, 1 or another (2). */
  readonly classes: number;
  /** Of a plane: which mode is the second loop. Of a line 0. */
  readonly second: number;
  /** True if an operand runs along its memory in the second mode, not in the innermost, so that tiles save memory traffic. */
  readonly transposing: boolean;
}

/** Class 0, 1 or 2 (another step) of operand k. Exact for up to 26 operands. */
export const classOf = (classes: number, k: number): number => Math.floor(classes / 4 ** k) % 4;

// Steps up to this many bytes (a page) find in the next row what the row before has brought near.
const nearBytes = 4096;

/** The form for a plan, whose operand k has elements of `itemsizes[k]` bytes. A single element is a line of steps of 1. */
export function formOf({ sizes, strides }: FlatLayout, itemsizes: readonly number[]): Form {
  let classes = 0;
  for (let k = strides.length - 1; k >= 0; k--) {
    const step = sizes.length === 0 ? 1 : strides[k][0];
    classes = classes * 4 + (step === 0 || step === 1 ? step : 2);
  }
  if (sizes.length < 2) return { kind: "line", classes, second: 0, transposing: false };
  const second = transposedMode(strides, itemsizes);
  return { kind: "plane", classes, second: second === 0 ? 1 : second, transposing: second !== 0 };
}

/** The mode in which the first operand that jumps in the innermost mode has its smallest step; 0 if there is no such operand. */
function transposedMode(strides: readonly (readonly number[])[], itemsizes: readonly number[]): number {
  for (let k = 0; k < strides.length; k++) {
    const of = strides[k];
    let smallest = Math.abs(of[0]);
    let found = 0;
    for (let d = 1; d < of.length; d++) {
      const step = Math.abs(of[d]);
      if (step === 0 || step >= smallest) continue;
      smallest = step;
      found = d;
    }
    if (found !== 0 && smallest * itemsizes[k] <= nearBytes) return found;
  }
  return 0;
}

/** The modes that a plane walks: rows of (size, stride of each operand), one after the other, the fastest mode first. */
export function walkedModes({ sizes, strides }: FlatLayout, { kind, second }: Form): number[] {
  const rows: number[] = [];
  if (kind === "line") return rows;
  for (let d = 1; d < sizes.length; d++) {
    if (d === second) continue;
    rows.push(sizes[d]);
    for (let k = 0; k < strides.length; k++) rows.push(strides[k][d]);
  }
  return rows;
}
