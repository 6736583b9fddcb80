/**
 * The reference backend: interprets kernels in plain TypeScript. Slow, and obviously right: the oracle of the other backends, and
 * what runs where the policy of a page forbids WebAssembly. It reaches every memory.
 */
import type { KernelBackend } from "../../kernel/backend.ts";
import { compileKernel } from "./interpret.ts";

/** A backend that interprets. */
export function referenceBackend(): KernelBackend {
  return {
    name: "reference",
    reaches: () => true,
    compile: (kernel) => ({ run: compileKernel(kernel), release: () => {} }),
    shutdown: () => Promise.resolve(),
  };
}
