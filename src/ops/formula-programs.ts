/**
 * The programs of a formula, or of an elementwise op. Over dense tensors one launch works for any size; other calls have a program for their
 * sizes. Numbers among the operands are bound when a program runs.
 */
import { epoch } from "../base/runtime.ts";
import { kernelBackend } from "../kernel/backend.ts";
import { denseLaunch, stepsFor } from "../kernel/program/lower-dense.ts";
import { maxDense } from "../kernel/program/lower-map.ts";
import type { Binding, DenseLaunch } from "../kernel/program/program.ts";
import { launchDense } from "../kernel/program/run-program.ts";
import type { DType, Value } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";
import type { Storage } from "../storage/storage.ts";
import { keyShift } from "../tensor/dispatch/keys.ts";
import { seen } from "../tensor/dispatch/operator.ts";
import { bumpVersion, denseLike, isDenseLike, isFlatAndDense, mayWrite, overlapOfTensors } from "../tensor/operand.ts";
import { disposeResults, ProgramCache, type ProgramCall } from "../tensor/program-cache.ts";
import { callBits, Tensor } from "../tensor/tensor.ts";
import { boundScalars, type Variant } from "./formula-variant.ts";

/** The cached program of an elementwise op for dense tensors of any size: one launch, whose numbers are bound. */
interface DenseEntry {
  readonly launch: DenseLaunch;
  readonly epoch: number;
  /** The memory of all tensors. */
  readonly memory: Memory;
  readonly variant: Variant;
}

/** The maximum number of cached programs for any size. */
const maxDenseEntries = 4;
/** The slots of the current call. No launch calls an op, so one object suffices. */
const binding: Binding = { memories: [], addresses: [0], scalars: [], count: 0, device: null };
const noScalars: readonly Value[] = [];

export class FormulaPrograms extends ProgramCache {
  readonly #dense: DenseEntry[] = [];

  /** Does the same for an elementwise op over dense tensors, whose operands are the first arguments. Returns null if the call must be dispatched. */
  runDense(args: readonly unknown[], out: Tensor | null): Tensor | readonly Tensor[] | undefined | null {
    next: for (let at = 0; at < this.#dense.length; at++) {
      const entry = this.#dense[at];
      const { kinds, kernel } = entry.variant;
      let first: Tensor | null = null;
      let bits = out === null ? 0 : callBits(out);
      for (let k = 0; k < kinds.length; k++) {
        const arg = args[k];
        if (!(arg instanceof Tensor)) {
          if (typeof arg !== kinds[k]) continue next;
          continue;
        }
        if (arg.type !== kinds[k] || !(first === null ? isFlatAndDense(arg) : isDenseLike(arg, first))) continue next;
        bits |= callBits(arg);
        first ??= arg;
      }
      if (entry.epoch !== epoch.now || first === null || first.size > maxDense) continue;
      if ((bits >>> keyShift) & seen) return null;
      // A kernel that is not compiled may be replaced by steps at first.
      if (entry.launch.kernel.compiled === null && stepsFor(kernel, first.size) !== null) continue;
      if (out !== null && !isDenseOut(out, kernel.spec.outputs, first, args)) continue;
      return runForSize(entry, args, out, first);
    }
    return undefined;
  }

  /** Builds, runs and caches the program of a call. Numbers among the operands of `variant`, which are the first arguments, are bound. */
  buildFor(call: ProgramCall, variant: Variant | null): void {
    if (variant === null) this.build(call);
    else {
      const bind = variant.scalars.length === 0 ? undefined : boundScalars.bind(null, variant);
      this.build({ ...call, bind }, (args) => this.#keepDense(variant, args));
    }
  }

  /**
   * Caches the program for any size, if the operands are dense tensors and numbers and the outputs have their usual dtypes; otherwise returns false.
   */
  #keepDense(variant: Variant, args: readonly unknown[]): boolean {
    const { kinds, inputs, scalars, kernel, names } = variant;
    const first = args[inputs[0]];
    if (!(first instanceof Tensor) || kinds.length !== names.length || inputs.length + scalars.length !== kinds.length)
      return false;
    if (!isFlatAndDense(first) || !inputs.every((k) => isDenseLike(args[k] as Tensor, first))) return false;
    const entries = this.#dense;
    const memory = (first.source as Storage).readable();
    if (!kernelBackend().canAddress(memory)) return false;
    const isKept = (entry: DenseEntry): boolean =>
      entry.variant === variant && entry.memory === memory && entry.epoch === epoch.now;
    if (entries.some(isKept)) return true;
    entries.unshift({ launch: denseLaunch(kernel), epoch: epoch.now, memory, variant });
    if (entries.length > maxDenseEntries) entries.pop();
    return true;
  }
}

/** True if a dense program can write to `out`. */
function isDenseOut(out: Tensor, dtypes: readonly DType[], like: Tensor, args: readonly unknown[]): boolean {
  return (
    dtypes.length === 1 &&
    out.type === dtypes[0] &&
    isDenseLike(out, like) &&
    mayWrite(out) &&
    args.every((arg) => !(arg instanceof Tensor) || overlapOfTensors(out, arg) !== "across")
  );
}

/** Runs the program for dense tensors of any size, that of `first`. Returns undefined if a tensor is not in the program's memory. */
function runForSize(
  { launch, memory, variant }: DenseEntry,
  args: readonly unknown[],
  out: Tensor | null,
  first: Tensor,
): Tensor | readonly Tensor[] | undefined {
  const { inputs, itemsizes, scalars, kernel } = variant;
  const { outputs } = kernel.spec;
  const { memories, addresses } = binding;
  const { size } = first;
  const count = outputs.length;
  for (let k = 0; k < inputs.length; k++) {
    const t = args[inputs[k]] as Tensor;
    const itemsize = itemsizes[count + k];
    const at = t.start * itemsize;
    const offset = (t.source as Storage).readOffset(memory, at, at + size * itemsize);
    if (offset < 0) return undefined;
    memories[count + k + 1] = memory;
    addresses[count + k + 1] = offset + at;
  }
  binding.scalars = scalars.length === 0 ? noScalars : boundScalars(variant, args);
  binding.count = size;
  // An empty list would allocate space for 17 elements at the first push.
  const results = new Array<Tensor>(count);
  try {
    for (let k = 0; k < count; k++) {
      const t = out ?? denseLike(first, outputs[k], itemsizes[k]);
      results[k] = t;
      const at = t.start * itemsizes[k];
      const offset = (t.source as Storage).writeOffset(memory, at, at + size * itemsizes[k]);
      if (offset < 0) return disposeResults(results, out);
      memories[k + 1] = memory;
      addresses[k + 1] = offset + at;
    }
    launchDense(launch, binding);
  } catch (error) {
    disposeResults(results, out);
    throw error;
  }
  if (out !== null) bumpVersion(out);
  return count === 1 ? results[0] : results;
}
