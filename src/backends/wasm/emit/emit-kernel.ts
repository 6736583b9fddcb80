/**
 * A lowered kernel as a WebAssembly module with one function, `run(args, begin, end)`: it does the units begin <= u < end of the
 * kernel's parallel loop, with the arguments that lie at the address `args` (see `arguments.ts`).
 *
 * The module imports the memory as env.memory; if the kernel allocates, the address of the thread's scratch bytes as env.scratch;
 * and the Math functions that it calls. What kernels are lowered to is `compile-kernel.ts`.
 */
import type { Kernel } from "../../../kernel/ir/kernel.ts";
import type { WasmImport, WasmModule } from "../encoder/module.ts";
import { openEmission } from "./emission.ts";
import { emitStatements } from "./emit-loops.ts";
import { unrollKernel } from "./unroll.ts";

export interface EmitOptions {
  /** Use instructions whose results differ between machines in the last bit. */
  readonly relaxedSimd: boolean;
  /** Whether the memory is shared. */
  readonly shared: boolean;
  /** The most pages that the memory may grow to: 65536 unless told. */
  readonly maximumPages?: number;
}

export interface EmittedKernel {
  readonly module: WasmModule;
  /** How many bytes from env.scratch on the kernel uses. */
  readonly scratchBytes: number;
}

/** The module of a lowered kernel. */
export function emitKernel(kernel: Kernel, { relaxedSimd, shared, maximumPages = 65536 }: EmitOptions): EmittedKernel {
  const emission = openEmission(unrollKernel(kernel), relaxedSimd);
  emitStatements(emission, emission.kernel.body);
  const { builder, scratchBytes } = emission;
  const imports: WasmImport[] = [
    { module: "env", name: "memory", kind: "memory", shared, initial: 1, maximum: maximumPages },
  ];
  if (scratchBytes > 0) imports.push({ module: "env", name: "scratch", kind: "global", type: "i32", mutable: false });
  const functions = builder.imports;
  const module: WasmModule = {
    name: kernel.name,
    imports: [...imports, ...functions],
    functions: [builder.finish(kernel.name)],
    exports: [{ name: "run", function: functions.length }],
  };
  return { module, scratchBytes };
}
