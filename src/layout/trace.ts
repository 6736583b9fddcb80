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

/** Collects steps. Operations call it as `trace?.note(...)`, so that nothing is made when nobody listens. */
export class Trace {
  readonly steps: Step[] = [];
  #level = 0;

  note(rule: string, data: Readonly<Record<string, unknown>>, text: string): void {
    this.steps.push({ rule, text, data, level: this.#level });
  }
  /** The steps that follow belong to an inner operation. */
  enter(): void {
    this.#level++;
  }
  leave(): void {
    this.#level--;
  }
}

/** The error of a refused operation. */
export function refuse(operation: string, rule: string, data: Record<string, unknown>, text: string): LayoutError {
  const refusal: Refusal = { operation, rule, text, data };
  return new LayoutError(`${operation}: ${text}`, refusal);
}
