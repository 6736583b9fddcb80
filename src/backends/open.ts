/**
 * Opens the backend that runs kernels: WebAssembly over the heap, or the reference backend, with one warning, if modules with vectors
 * cannot be compiled.
 *
 * `shutdown` ends the worker threads. A Node program need not call it, because workers do not keep the process alive.
 */
import { backendIfOpen, type KernelBackend } from "../kernel/backend.ts";
import { cpuAllocator } from "../storage/allocator.ts";
import { policyHint } from "../storage/heap.ts";
import { referenceBackend } from "./reference/backend.ts";
import { openWasmBackend } from "./wasm/backend.ts";
import { canCompile } from "./wasm/probes.ts";

/** Opens the best available backend. If there is no heap, a warning was already printed. */
export function openBackend(warn: (text: string) => void = console.warn): KernelBackend {
  const { heap } = cpuAllocator().regions;
  if (heap === null) return referenceBackend();
  const wasm = openWasmBackend(heap);
  if (wasm !== null) return wasm;
  const [reason, remedy] = canCompile()
    ? ["WebAssembly has no vector instructions here", ""]
    : ["WebAssembly modules cannot be compiled here", ` ${policyHint}`];
  warn(`stridewise: ${reason}, so kernels are interpreted: everything works, but slowly.${remedy}`);
  return referenceBackend();
}

/** Ends all worker threads. Later work uses one thread, until a large call starts new ones. */
export async function shutdown(): Promise<void> {
  await backendIfOpen()?.shutdown();
}
