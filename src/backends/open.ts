/**
 * The backend that runs kernels here: WebAssembly over the heap, or, where modules cannot be compiled or
 * have no vectors, the reference with one warning.
 *
 * `shutdown` ends the worker threads. It is not needed at the end of a Node program, which they do not keep alive.
 */
import { backendIfOpen, type KernelBackend } from "../kernel/backend.ts";
import { cpuAllocator } from "../storage/allocator.ts";
import { policyHint } from "../storage/heap.ts";
import { referenceBackend } from "./reference/backend.ts";
import { openWasmBackend } from "./wasm/backend.ts";
import { canCompile } from "./wasm/probes.ts";

/** Opens the best backend that works here. Without a heap the heap has already warned. */
export function openBackend(warn: (text: string) => void = console.warn): KernelBackend {
  const { heap } = cpuAllocator().regions;
  if (heap === null) return referenceBackend();
  const wasm = openWasmBackend(heap);
  if (wasm !== null) return wasm;
  const [reason, remedy] = canCompile()
    ? ["WebAssembly has no vector instructions here", ""]
    : ["WebAssembly modules cannot be compiled here", ` ${policyHint}`];
  warn(`stridewise: ${reason}, so kernels are interpreted: everything works, slowly.${remedy}`);
  return referenceBackend();
}

/** Ends all worker threads. Work goes on with one thread; large work starts new ones. */
export async function shutdown(): Promise<void> {
  await backendIfOpen()?.shutdown();
}
