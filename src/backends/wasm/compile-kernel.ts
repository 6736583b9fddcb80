/**
 * Compiles a kernel to a function: lowering passes, emission, bytes, instance.
 *
 * The passes leave types and functions that WebAssembly has instructions for: bool, integers, float32 and float64, and the engine's Math
 * functions on float64. The argument block has the layout of the original kernel, which is the same for the lowered one.
 */
import type { Kernel } from "../../kernel/ir/kernel.ts";
import { lowerKernel } from "../../kernel/lower/lower-kernel.ts";
import { type ArgumentLayout, argumentLayout } from "./arguments.ts";
import { type EmitOptions, emitKernel } from "./emit/emit-kernel.ts";
import { encodeModule, type WasmModule } from "./encoder/module.ts";

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
