/**
 * What a rule of the verifier is: a name, one sentence, and a function that looks at a kernel and reports what breaks it.
 * The table of rules, and what becomes of a report, are in `verify.ts`.
 */
import type { Bindings } from "./bindings.ts";
import type { Settled } from "./extent.ts";
import type { Kernel } from "./kernel.ts";
import type { Place } from "./visit.ts";

/** What is known from elsewhere and cannot be seen in the kernel. */
export interface KernelFacts {
  /** Buffers no element of which is touched by two units, or two rounds of a vector loop, if one of them writes it: what the layouts of a call promise. */
  readonly apart?: readonly string[];
}

/** A kernel as the rules look at it. */
export interface Inspection {
  readonly kernel: Kernel;
  readonly facts: KernelFacts;
  readonly bindings: Bindings;
  readonly places: readonly Place[];
  /** What loops and index statements say of the names; found once, when first asked. */
  readonly settled: () => Settled;
}

/** error: the rule is broken. unproved: it may hold, and this could not be decided. */
export type FindingLevel = "error" | "unproved";

/** Says that a statement or parameter of the kernel, or the kernel itself, breaks the rule. */
export type Report = (at: object, text: string, level?: FindingLevel) => void;

export interface KernelRule {
  readonly name: string;
  readonly text: string;
  readonly check: (inspection: Inspection, report: Report) => void;
}
