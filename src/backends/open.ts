/**
 * Which backend runs kernels here: WebAssembly over the heap, or, where modules cannot be compiled or
 * have no vectors, the reference with one warning.
 */
import type { KernelBackend } from "../kernel/backend.ts";
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
