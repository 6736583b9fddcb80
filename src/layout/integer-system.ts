/**
 * Linear equations over the integers, one at a time. The solutions so far are point + any integer combination of free
 * directions; each equation fixes at most one direction, found by Euclid's algorithm on what the directions contribute.
 */
import { listOf } from "../base/list-of.ts";
export interface Solutions {
  readonly point: readonly number[];
  readonly free: readonly (readonly number[])[];
}

/** All of Z^count. */
export function everything(count: number): Solutions {
  const unit = (i: number) => listOf(count, (k) => (k === i ? 1 : 0));
  return { point: new Array<number>(count).fill(0), free: listOf(count, (i) => unit(i)) };
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
const addTimes = (a: readonly number[], b: readonly number[], times: number): number[] =>
  a.map((x, i) => x + times * (b[i] as number));

/** The solutions that also satisfy coefficients . x = value, or undefined if there are none. */
export function constrain(solutions: Solutions, coefficients: readonly number[], value: number): Solutions | undefined {
  const missing = value - dot(coefficients, solutions.point);
  const free = [...solutions.free];
  let pivot = -1;
  for (let i = 0; i < free.length; i++) {
    if (dot(coefficients, free[i] as readonly number[]) === 0) continue;
    if (pivot < 0) {
      pivot = i;
      continue;
    }
    // Euclid on the two contributions: one direction is left that contributes, the other contributes nothing.
    for (;;) {
      const x = dot(coefficients, free[pivot] as readonly number[]);
      const y = dot(coefficients, free[i] as readonly number[]);
      if (y === 0) break;
      const remainder = addTimes(free[pivot] as readonly number[], free[i] as readonly number[], -Math.trunc(x / y));
      free[pivot] = free[i] as readonly number[];
      free[i] = remainder;
    }
  }
  if (pivot < 0) return missing === 0 ? solutions : undefined;
  const direction = free[pivot] as readonly number[];
  const step = missing / dot(coefficients, direction);
  if (!Number.isInteger(step)) return undefined;
  free.splice(pivot, 1);
  return { point: addTimes(solutions.point, direction, step), free };
}
