/**
 * A spec and its kernels, one for each form of operands.
 * The object is the cache: keep it to reuse its kernels.
 */
import { KernelTable } from "../program/kernels.ts";
import type { MapSpec } from "./spec.ts";

export class MapKernel extends KernelTable {
  declare readonly spec: MapSpec;
  /** The number of operands, outputs included. */
  declare readonly operands: number;

  constructor(spec: MapSpec) {
    super();
    this.spec = spec;
    this.operands = spec.outputs.length + spec.inputs.length;
  }
}
