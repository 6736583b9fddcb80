/** Runs a kernel on typed arrays named like its parameters. Each array is a separate memory. */
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import type { KernelBackend } from "../../src/kernel/backend.ts";
import type { Kernel } from "../../src/kernel/ir/kernel.ts";
import { parseKernel } from "../../src/kernel/ir/parse.ts";
import type { TypedArray, Value } from "../../src/storage/dtype.ts";
import { memoryOf } from "../../src/storage/memory.ts";

export interface KernelArguments {
  readonly buffers: Readonly<Record<string, TypedArray>>;
  readonly scalars?: Readonly<Record<string, Value>>;
  readonly sizes?: Readonly<Record<string, number>>;
  readonly modes?: Readonly<Record<string, readonly number[]>>;
}

/** Runs the kernel, or its text, and stores the results in the arrays. */
export function runKernel(
  kernel: Kernel | string,
  { buffers, scalars = {}, sizes = {}, modes = {} }: KernelArguments,
  backend: KernelBackend = referenceBackend(),
): void {
  const parsed = typeof kernel === "string" ? parseKernel(kernel) : kernel;
  const arrays = parsed.buffers.map(({ name }) => buffers[name] as TypedArray);
  const program = backend.compile(parsed);
  program.run({
    memories: arrays.map((array) => memoryOf(array.buffer)),
    addresses: arrays.map((array) => array.byteOffset),
    scalars: parsed.scalars.map(({ name }) => scalars[name] as Value),
    sizes: parsed.sizes.map(({ name }) => sizes[name] as number),
    modes: parsed.modes.map(({ name }) => [...(modes[name] as readonly number[])]),
    units: sizes["units"] ?? sizes["n"] ?? 1,
    unitSize: 1,
  });
  program.release();
}

/** A kernel of n units, one for each element: the statements see the index i. */
export function elementwiseText(parameters: string, ...statements: string[]): string {
  return `kernel test\n${parameters}\nsize n: 0..2147483647\n{\nparallel i in 0..n {\n${statements.join("\n")}\n}\n}`;
}
