/**
 * The loop nest of the kernel for a flat layout: the properties that its code depends on, which are its cache key.
 * A line is one loop; a plane is two loops and a walk over the other modes. All other numbers are arguments, which `tiles.ts` chooses.
 */
import type { FlatLayout } from "../../layout/flat.ts";
import { stepClass } from "./step-classes.ts";

export interface LoopNest {
  readonly kind: "line" | "plane";
  /** The step classes of the operands in the innermost mode. */
  readonly classes: number;
  /** The mode of a plane's second loop; 0 for a line. */
  readonly second: number;
  /** True if an operand is contiguous in the second mode, not in the innermost, so that tiles save memory traffic. */
  readonly isTransposing: boolean;
}

// Up to steps of this many bytes (a page), a row finds its cache lines loaded by the row before.
const nearBytes = 4096;

/** Returns the loop nest for a layout whose operand k has elements of `itemsizes[k]` bytes. A single element is a line with steps of 1. */
export function loopNestOf({ sizes, strides }: FlatLayout, itemsizes: readonly number[]): LoopNest {
  let classes = 0;
  for (let k = strides.length - 1; k >= 0; k--) {
    const step = sizes.length === 0 ? 1 : strides[k][0];
    classes = classes * 4 + stepClass(step);
  }
  if (sizes.length < 2) return { kind: "line", classes, second: 0, isTransposing: false };
  const second = transposedMode(strides, itemsizes);
  return { kind: "plane", classes, second: second === 0 ? 1 : second, isTransposing: second !== 0 };
}

/** The mode with the smallest step of the first operand that is not contiguous in the innermost mode; 0 if there is no such operand. */
function transposedMode(strides: readonly (readonly number[])[], itemsizes: readonly number[]): number {
  for (let k = 0; k < strides.length; k++) {
    const operandStrides = strides[k];
    let smallest = Math.abs(operandStrides[0]);
    let mode = 0;
    for (let d = 1; d < operandStrides.length; d++) {
      const step = Math.abs(operandStrides[d]);
      if (step === 0 || step >= smallest) continue;
      smallest = step;
      mode = d;
    }
    if (mode !== 0 && smallest * itemsizes[k] <= nearBytes) return mode;
  }
  return 0;
}

/** Returns the modes that a plane walks: rows of (size, stride of each operand), the fastest mode first. */
export function outerModes({ sizes, strides }: FlatLayout, { kind, second }: LoopNest): number[] {
  const rows: number[] = [];
  if (kind === "line") return rows;
  for (let d = 1; d < sizes.length; d++) {
    if (d === second) continue;
    rows.push(sizes[d]);
    for (let k = 0; k < strides.length; k++) rows.push(strides[k][d]);
  }
  return rows;
}
