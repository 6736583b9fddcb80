/**
 * A spec with the programs made of it so far, one for each form of operands that was met.
 * The object is the cache: who wants a kernel again keeps it.
 */
import { KernelTable } from "../program/kernels.ts";
import type { MapSpec } from "./spec.ts";

export class MapKernel extends KernelTable {
  declare readonly spec: MapSpec;
  /** How many operands it has, outputs first. */
  declare readonly operands: number;

  constructor(spec: MapSpec) {
    super();
    this.spec = spec;
    this.operands = spec.outputs.length + spec.inputs.length;
  }
}
