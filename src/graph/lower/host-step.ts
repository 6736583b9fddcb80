/**
 * Routines in TypeScript as steps of a program: the op is called over tensors in the bound memory, and its results are copied to theirs.
 */
import { resultsOf } from "../../autograd/arguments.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
import { Storage } from "../../storage/storage.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import type { Operator } from "../../tensor/dispatch/operator.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { scope } from "../../tensor/scope.ts";
import { type Tensor, tensorOver } from "../../tensor/tensor.ts";
import { mapTensors } from "../leaves.ts";

/** A tensor in the memory of a running program: a slot, the bytes from its start, and a geometry. */
interface Bound {
  readonly slot: number;
  readonly shift: number;
  readonly nbytes: number;
  readonly dtype: DType;
  readonly start: number;
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
}

/** Adds a step that calls an op over tensors in the bound memory, and copies its results. */
export function lowerHost(
  builder: ProgramBuilder,
  operator: Operator,
  args: readonly unknown[],
  results: readonly Tensor[],
): void {
  const bound = (t: Tensor): BoundTensor => new BoundTensor(boundOf(builder, t));
  builder.add(hostStep(operator, mapTensors(args, bound), results.map(bound)));
}

class BoundTensor {
  declare readonly bound: Bound;

  constructor(bound: Bound) {
    this.bound = bound;
  }
}

function boundOf(builder: ProgramBuilder, t: Tensor): Bound {
  const storage = t.source as Storage;
  const slot = builder.slotOf(storage);
  const shift = builder.shiftOf({ storage, start: 0, itemsize: 1 });
  return {
    slot,
    shift,
    nbytes: storage.nbytes,
    dtype: t.dtype,
    start: t.start,
    sizes: sizesOf(t),
    strides: flatStrides(t),
  };
}

/** The step; a separate function, so that its closure holds no tensors. */
const hostStep = (operator: Operator, args: readonly unknown[], results: readonly BoundTensor[]) => ({
  kind: "host" as const,
  name: operator.name,
  run({ memories, addresses }: { readonly memories: readonly Memory[]; readonly addresses: readonly number[] }): void {
    const tensorOf = ({ slot, shift, nbytes, dtype, start, sizes, strides }: Bound): Tensor =>
      tensorOver(Storage.within(memories[slot], addresses[slot] + shift, nbytes), dtype, start, sizes, strides);
    const revive = (arg: unknown): unknown => {
      if (arg instanceof BoundTensor) return tensorOf(arg.bound);
      if (Array.isArray(arg)) return arg.map(revive);
      if (typeof arg === "object" && arg !== null && Object.getPrototypeOf(arg) === Object.prototype)
        return Object.fromEntries(Object.entries(arg).map(([name, each]) => [name, revive(each)]));
      return arg;
    };
    scope(() => {
      const computed = resultsOf(operator.call(args.map(revive)));
      results.forEach(({ bound }, k) => {
        const target = tensorOf(bound);
        const same =
          computed[k].source instanceof Storage &&
          (computed[k].source as Storage).byteOffset === (target.source as Storage).byteOffset;
        if (!same) copyAll(computed[k], target, operator.name);
      });
    });
  },
});
