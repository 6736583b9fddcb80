/**
 * A spec with the programs made of it so far, one for each form of operands that was met.
 * The object is the cache: who wants a kernel again keeps it.
 */
import { ProgramTable } from "../launch/programs.ts";
import type { Steps } from "../launch/run-steps.ts";
import type { MapSpec } from "./spec.ts";

export class MapKernel extends ProgramTable {
  readonly spec: MapSpec;
  /** How many operands it has, outputs first. */
  readonly operands: number;
  /** How little work is done before there is a program; null if that may not be, undefined if it has not been asked. */
  steps: Steps | null | undefined = undefined;

  constructor(spec: MapSpec) {
    super();
    this.spec = spec;
    this.operands = spec.outputs.length + spec.inputs.length;
  }
}
