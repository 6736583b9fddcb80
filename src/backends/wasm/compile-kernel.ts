/**
 * Compiles a kernel to a function: lowering passes, emission, bytes, instance.
 *
 * The passes leave types and functions that WebAssembly has instructions for: bool, integers, float32 and float64, and the engine's Math
 * functions on float64. The argument block has the layout of the original kernel, which is the same for the lowered one.
 */
import type { Kernel } from "../../kernel/ir/kernel.ts";
import { checkLowered, scalarsOf, statementsOf } from "../../kernel/ir/visit.ts";
import { lowerComplex } from "../../kernel/lower/lower-complex.ts";
import { lowerHalf } from "../../kernel/lower/lower-half.ts";
import { lowerMath } from "../../kernel/lower/lower-math.ts";
import type { DType } from "../../storage/dtype.ts";
import { type ArgumentLayout, argumentLayout } from "./arguments.ts";
import { type EmitOptions, emitKernel } from "./emit/emit-kernel.ts";
import { encodeModule, type WasmModule } from "./encoder/module.ts";

/** A lowering pass; skipped if no value has one of its dtypes. */
interface Pass {
  readonly lower: (kernel: Kernel) => Kernel;
  readonly dtypes?: readonly DType[];
}

/** The passes in their order: complex values to pairs of floats, halves to bits, functions to polynomials. */
const passes: readonly Pass[] = [
  { lower: lowerComplex, dtypes: ["complex64", "complex128"] },
  { lower: lowerHalf, dtypes: ["float16", "bfloat16"] },
  { lower: lowerMath },
];

/** The kernel without complex and half values, and without functions that lack instructions. */
export function lowerKernel(kernel: Kernel): Kernel {
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

export interface KernelModule {
  readonly module: WasmModule;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The number of scratch bytes that a thread needs for it. */
  readonly scratchBytes: number;
  readonly layout: ArgumentLayout;
}

/** The module of a kernel, its bytes, and the layout of its arguments. */
export function kernelModule(kernel: Kernel, options: EmitOptions): KernelModule {
  const { module, scratchBytes } = emitKernel(lowerKernel(kernel), options);
  return { module, bytes: encodeModule(module), scratchBytes, layout: argumentLayout(kernel) };
}

/** Runs the units begin <= u < end with the arguments at the address `args`. */
export type RunKernel = (args: number, begin: number, end: number) => void;

/** Compiles the function of a module over a memory; `scratch` is the address of the calling thread's scratch bytes. */
export function instantiate(bytes: Uint8Array<ArrayBuffer>, memory: WebAssembly.Memory, scratch: number): RunKernel {
  const global = new WebAssembly.Global({ value: "i32", mutable: false }, scratch | 0);
  const imports = { env: { memory, scratch: global }, Math: Math as unknown as WebAssembly.ModuleImports };
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports["run"] as RunKernel;
}
