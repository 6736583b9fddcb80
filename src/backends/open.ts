/**
 * Which backend runs kernels here: WebAssembly over the heap, or, where modules cannot be compiled, the reference with one warning.
 */
import type { KernelBackend } from "../kernel/backend.ts";
import { cpuAllocator } from "../storage/cpu-allocator.ts";
import { referenceBackend } from "./reference/backend.ts";
import { openWasmBackend } from "./wasm/backend.ts";

/** Opens the best backend that works here. Without a heap the heap has already warned. */
export function openBackend(warn: (text: string) => void = console.warn): KernelBackend {
  const { heap } = cpuAllocator().regions;
  if (heap === null) return referenceBackend();
  const wasm = openWasmBackend(heap);
  if (wasm !== null) return wasm;
  warn(
    "stridewise: WebAssembly modules cannot be compiled here, so kernels are interpreted: everything works, slowly. " +
      "A page with a content security policy needs 'wasm-unsafe-eval' in script-src.",
  );
  return referenceBackend();
}
