/**
 * From a kernel to a function that can be called: lowering passes, emission, bytes, instance.
 *
 * The passes leave what WebAssembly has instructions for: bool, integers, float32 and float64, with the engine's Math functions on
 * float64. The argument block is laid out by the kernel as it was, and is the same for the lowered one.
 */
import type { Kernel } from "../../kernel/ir/kernel.ts";
import type { Scalar } from "../../kernel/ir/scalar.ts";
import { operandsOf, rootsOf, statementsOf } from "../../kernel/ir/visit.ts";
import { lowerComplex } from "../../kernel/lower/lower-complex.ts";
import { lowerHalf } from "../../kernel/lower/lower-half.ts";
import { lowerMath } from "../../kernel/lower/lower-math.ts";
import type { DType } from "../../storage/dtype.ts";
import { type ArgumentLayout, argumentLayout } from "./arguments.ts";
import { type EmitOptions, emitKernel } from "./emit/emit-kernel.ts";
import { encodeModule, type WasmModule } from "./encoder/module.ts";

/** A pass: the same kernel in terms of less; left out where no value is of the dtypes that it is for. */
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

/** The kernel without complex and half values, and without functions that have no instructions. */
export function lowerKernel(kernel: Kernel): Kernel {
  const met = dtypesIn(kernel);
  let lowered = kernel;
  for (const { lower, dtypes } of passes)
    if (dtypes === undefined || dtypes.some((dtype) => met.has(dtype))) lowered = lower(lowered);
  return lowered;
}

/** The dtypes of all values and buffers. */
function dtypesIn(kernel: Kernel): ReadonlySet<DType> {
  const met = new Set<DType>();
  for (const { dtype } of kernel.buffers) met.add(dtype);
  for (const { dtype } of kernel.scalars) met.add(dtype);
  const seen = new Set<Scalar>();
  const value = (scalar: Scalar): void => {
    if (seen.has(scalar)) return;
    seen.add(scalar);
    met.add(scalar.dtype);
    for (const operand of operandsOf(scalar)) value(operand);
  };
  for (const { statement } of statementsOf(kernel)) {
    if (statement.kind === "allocate") met.add(statement.dtype);
    for (const root of rootsOf(statement)) value(root);
  }
  return met;
}

export interface CompiledKernel {
  readonly module: WasmModule;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many scratch bytes a thread needs for it. */
  readonly scratchBytes: number;
  readonly layout: ArgumentLayout;
}

/** The module of a kernel, its bytes, and where its arguments go. */
export function kernelModule(kernel: Kernel, options: EmitOptions): CompiledKernel {
  const { module, scratchBytes } = emitKernel(lowerKernel(kernel), options);
  return { module, bytes: encodeModule(module), scratchBytes, layout: argumentLayout(kernel) };
}

/** Does the units begin <= u < end with the arguments at the address `args`. */
export type RunKernel = (args: number, begin: number, end: number) => void;

/** The function of a module over a memory, at once; `scratch` is the address of the calling thread's scratch bytes. */
export function instantiate(bytes: Uint8Array<ArrayBuffer>, memory: WebAssembly.Memory, scratch: number): RunKernel {
  const global = new WebAssembly.Global({ value: "i32", mutable: false }, scratch | 0);
  const imports = { env: { memory, scratch: global }, Math: Math as unknown as WebAssembly.ModuleImports };
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports["run"] as RunKernel;
}
