/**
 * The type of a rule of the verifier: a name, a sentence, and a function that reports violations. `verify.ts` has the table of rules.
 */
import type { NameBindings } from "./bindings.ts";
import type { FetchedNames } from "./extent.ts";
import type { Kernel } from "./kernel.ts";
import type { NestedStatement } from "./visit.ts";

/** Facts that do not follow from the kernel. */
export interface KernelFacts {
  /** Buffers of which no two units, threads, or iterations of a vector loop, access one element if one writes it, by the layouts of the call. */
  readonly apart?: readonly string[];
}

/** A kernel as the rules see it. */
export interface Inspection {
  readonly kernel: Kernel;
  readonly facts: KernelFacts;
  readonly bindings: NameBindings;
  readonly statements: readonly NestedStatement[];
  /** Returns the bounds of loop indices and index names, computed once. */
  readonly resolvedNames: () => FetchedNames;
}

/** error: the kernel breaks the rule. unproved: it was not proved to keep it. */
export type FindingLevel = "error" | "unproved";

/** Reports that a statement, a parameter or the kernel itself breaks the rule; `textOf` returns the line of another statement. */
export type Report = (
  at: object,
  text: string | ((textOf: (statement: object) => string) => string),
  level?: FindingLevel,
) => void;

export interface KernelRule {
  readonly name: string;
  readonly text: string;
  readonly check: (inspection: Inspection, report: Report) => void;
}
