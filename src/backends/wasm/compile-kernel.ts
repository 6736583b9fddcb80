/**
 * From a kernel to a function that can be called: lowering passes, emission, bytes, instance.
 *
 * The passes leave what WebAssembly has instructions for: bool, integers, float32 and float64, with the engine's Math functions on
 * float64. The argument block is laid out by the kernel as it was, and is the same for the lowered one.
 */
import type { Kernel } from "../../kernel/ir/kernel.ts";
import { lowerComplex } from "../../kernel/lower/lower-complex.ts";
import { lowerHalf } from "../../kernel/lower/lower-half.ts";
import { lowerMath } from "../../kernel/lower/lower-math.ts";
import { type ArgumentLayout, argumentLayout } from "./arguments.ts";
import { type EmitOptions, emitKernel } from "./emit/emit-kernel.ts";
import { encodeModule, type WasmModule } from "./encoder/module.ts";

/** A pass: the same kernel in terms of less. */
type Pass = (kernel: Kernel) => Kernel;

/** The passes in their order: complex values to pairs of floats, halves to bits, functions to polynomials. */
const passes: readonly Pass[] = [lowerComplex, lowerHalf, lowerMath];

/** The kernel without complex and half values, and without functions that have no instructions. */
export const lowerKernel = (kernel: Kernel): Kernel => passes.reduce((lowered, pass) => pass(lowered), kernel);

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
