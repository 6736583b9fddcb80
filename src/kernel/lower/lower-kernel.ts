/**
 * The lowering passes before the emission of a kernel. They leave types and functions that machines have instructions for: bool, integers,
 * float32 and float64, and functions of float64 that engines have.
 */
import type { DType } from "../../storage/dtype.ts";
import type { Kernel } from "../ir/kernel.ts";
import { checkLowered, scalarsOf, statementsOf } from "../ir/visit.ts";
import { lowerComplex } from "./lower-complex.ts";
import { lowerHalf } from "./lower-half.ts";
import { lowerMath } from "./lower-math.ts";

/** A lowering pass; skipped if no value has one of its dtypes. */
export interface Pass {
  readonly lower: (kernel: Kernel) => Kernel;
  readonly dtypes?: readonly DType[];
}

/** The passes in their order: complex values to pairs of floats, halves to bits, functions to polynomials. */
export const passes: readonly Pass[] = [
  { lower: lowerComplex, dtypes: ["complex64", "complex128"] },
  { lower: lowerHalf, dtypes: ["float16", "bfloat16"] },
  { lower: lowerMath },
];

/** The kernel without complex and half values, and without functions that lack instructions. */
export const lowerKernel = (kernel: Kernel): Kernel => lowerBy(passes, kernel);

/** Returns the kernel after these passes. */
export function lowerBy(passes: readonly Pass[], kernel: Kernel): Kernel {
  checkLowered(kernel);
  const used = dtypesIn(kernel);
  let lowered = kernel;
  for (const { lower, dtypes } of passes)
    if (dtypes === undefined || dtypes.some((dtype) => used.has(dtype))) lowered = lower(lowered);
  return lowered;
}

/** The dtypes of all values and buffers. */
function dtypesIn(kernel: Kernel): ReadonlySet<DType> {
  const used = new Set<DType>();
  for (const { dtype } of kernel.buffers) used.add(dtype);
  for (const { dtype } of kernel.scalars) used.add(dtype);
  for (const { statement } of statementsOf(kernel)) {
    if (statement.kind === "allocate") used.add(statement.dtype);
    for (const { dtype } of scalarsOf(statement)) used.add(dtype);
  }
  return used;
}
