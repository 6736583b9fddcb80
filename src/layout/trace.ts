/**
 * The steps of a derivation, for `explain`. Operations take an optional trace and append to it; without one they
 * make no step and pay nothing. A refusal is a LayoutError whose detail is a Refusal.
 */
import { LayoutError } from "../base/errors.ts";

/** One step: the rule that was applied, the numbers it was applied to, and a sentence. */
export interface Step {
  readonly rule: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** How deep the step lies inside other operations; 0 at the top. */
  readonly level: number;
}

/** Why an operation has no answer: the rule that breaks, where, and the numbers that break it. */
export interface Refusal {
  readonly operation: string;
  readonly rule: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Trace {
  readonly steps: Step[];
  level: number;
}

/** Notes a step if someone listens. The text is made only then. */
export function note(trace: Trace | undefined, rule: string, data: Record<string, unknown>, text: () => string): void {
  if (trace) trace.steps.push({ rule, text: text(), data, level: trace.level });
}

/** Runs an inner operation with its steps one level deeper. */
export function within<T>(trace: Trace | undefined, run: () => T): T {
  if (!trace) return run();
  trace.level++;
  try {
    return run();
  } finally {
    trace.level--;
  }
}

/** The error of a refused operation. */
export function refuse(operation: string, rule: string, data: Record<string, unknown>, text: string): LayoutError {
  const refusal: Refusal = { operation, rule, text, data };
  return new LayoutError(`${operation}: ${text}`, refusal);
}
