/**
 * vmap: turns a function of one sample into a function of a batch. The function runs once, on tensors that represent all samples
 * (`batched.ts`); batching rules compute each op for all of them at once.
 */
import { foreign } from "../../base/foreign.ts";
import { checkOptions } from "../../ops/signature.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { WrapperTensor } from "../../tensor/dispatch/wrapper.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { expand, movedim, unsqueeze } from "../../tensor/views/view-ops.ts";
import { isRecord } from "../arguments.ts";
import { VmapError } from "../error.ts";
import { atNewLevel, isBatched, type Level, type Randomness, wrap } from "./batched.ts";
import { installBatching } from "./dispatch.ts";
import { installBatchedGradients } from "./gradients.ts";

/** An axis, or null for values that are not mapped over; or lists and objects of them with the structure of the arguments or results. */
export type MappedAxes = number | null | readonly MappedAxes[] | { readonly [name: string]: MappedAxes };

/** The type of arguments or results of a batch: tensors of a different shape. */
export type OfBatch<T> =
  T extends Tensor<Shape, infer D>
    ? Tensor<Shape, D>
    : T extends readonly unknown[] | Readonly<Record<string, unknown>>
      ? { [K in keyof T]: OfBatch<T[K]> }
      : T;

export interface VmapOptions {
  /** The mapped axis of the arguments: one for all, or a list with one for each; null for arguments that all samples share. Default: 0. */
  readonly inAxes?: MappedAxes;
  /** The axis of the batch in the results. Default: 0. */
  readonly outAxes?: MappedAxes;
  /** Whether random numbers differ between samples. Default: "error". */
  readonly randomness?: Randomness;
}

const show = (axes: MappedAxes): string => JSON.stringify(axes);

const isContainer = (value: unknown): value is object => Array.isArray(value) || isRecord(value);

/** Calls `use` for each leaf of the arguments with its axis, and returns the results in the same structure. */
function matched(
  value: unknown,
  axes: MappedAxes | undefined,
  whole: MappedAxes,
  use: (leaf: unknown, axis: number | null) => unknown,
): unknown {
  const misfit = (): VmapError =>
    new VmapError(
      `vmap: inAxes ${show(whole)} does not fit the arguments, got ${show(axes ?? null)} for ${describeValue(value)}. Pass a number, null, or a list or object of the same form`,
    );
  if (axes === undefined) throw misfit();
  if (isContainer(axes)) {
    if (!isContainer(value) || Array.isArray(axes) !== Array.isArray(value)) throw misfit();
    const keys = Object.keys(value);
    if (keys.length !== Object.keys(axes).length) throw misfit();
  }
  const inside = (key: string): MappedAxes | undefined =>
    isContainer(axes) ? (axes as Readonly<Record<string, MappedAxes>>)[key] : axes;
  if (Array.isArray(value)) return value.map((each, k) => matched(each, inside(String(k)), whole, use));
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, matched(each, inside(key), whole, use)]),
    );
  if (axes !== null && !Number.isInteger(axes)) throw misfit();
  return use(value, axes as number | null);
}

/** The axis counted from the front; throws if the tensor does not have it. */
function mappedAxis(t: Tensor, axis: number): number {
  if (axis >= -t.rank && axis < t.rank) return axis < 0 ? axis + t.rank : axis;
  throw new VmapError(`vmap: inAxes has ${axis} for a tensor of rank ${t.rank}. Pass one of its axes`);
}

function batchSize(args: readonly unknown[], inAxes: MappedAxes): number {
  if (args.length === 0) throw new VmapError("vmap: needs at least one argument to map over, got none");
  const sizes: number[] = [];
  matched(args, inAxes, inAxes, (leaf, axis) => {
    if (axis === null) return leaf;
    if (!(leaf instanceof Tensor)) {
      // One axis for all means all tensors.
      if (typeof inAxes === "number" && !foreign(leaf)) return leaf;
      throw new VmapError(`vmap: inAxes has ${axis} for ${describeValue(leaf)}, which is not a tensor. Pass null`);
    }
    sizes.push(sizesOf(leaf)[mappedAxis(leaf, axis)]);
    return leaf;
  });
  const [size] = sizes;
  if (size === undefined)
    throw new VmapError(`vmap: inAxes ${show(inAxes)} maps over no argument. Call the function itself`);
  if (sizes.some((other) => other !== size))
    throw new VmapError(`vmap: the mapped axes must have the same size, got [${sizes.join(", ")}]`);
  return size;
}

/** The results with the batch at its axis. */
function unwrapped(result: unknown, outAxes: MappedAxes, level: Level): unknown {
  if (result instanceof Tensor) {
    if (outAxes !== null && typeof outAxes !== "number") throw misfitOut(result, outAxes);
    return placed(result, outAxes, level);
  }
  if (!isContainer(result))
    throw new VmapError(
      `vmap: the mapped function must return tensors, or lists or objects of them, got ${describeValue(result)}`,
    );
  const isSame = !isContainer(outAxes);
  if (!isSame && Object.keys(outAxes).length !== Object.keys(result).length) throw misfitOut(result, outAxes);
  const inside = (key: string): MappedAxes => {
    const axes = isSame ? outAxes : (outAxes as Readonly<Record<string, MappedAxes>>)[key];
    if (axes === undefined) throw misfitOut(result, outAxes);
    return axes;
  };
  if (Array.isArray(result)) return result.map((each, k) => unwrapped(each, inside(String(k)), level));
  return Object.fromEntries(Object.entries(result).map(([key, each]) => [key, unwrapped(each, inside(key), level)]));
}

const misfitOut = (result: unknown, outAxes: MappedAxes): VmapError =>
  new VmapError(
    `vmap: outAxes ${show(outAxes)} does not fit the result ${describeValue(result)}. Pass a number, or a list or object of the same form`,
  );

function placed(t: Tensor, axis: number | null, level: Level): Tensor {
  if (t instanceof WrapperTensor) return t.wrap(placed(t.value, axis, level));
  const varies = isBatched(t, level);
  if (axis === null) {
    if (!varies) return t;
    throw new VmapError("vmap: outAxes is null for a result that differs between samples. Pass the axis of the batch");
  }
  const rank = t.rank + 1;
  if (!Number.isInteger(axis) || axis < -rank || axis >= rank)
    throw new VmapError(`vmap: outAxes must be in ${-rank}..${rank - 1}, got ${axis}`);
  const all = varies ? t.value : expand(unsqueeze(t, 0), [level.size, ...sizesOf(t)]);
  return axis === 0 ? all : movedim(all, 0, axis);
}

/**
 * Returns a function that maps `fn` over an axis of its arguments: `vmap(f)(xs)` stacks f of each sample of xs. It can be nested, and
 * differentiated from outside and inside: `vmap(gradOf(loss), { inAxes: [null, 0] })(weight, samples)`.
 */
export function vmap<A extends readonly unknown[], R>(
  fn: (...args: A) => R,
  options: VmapOptions = {},
): (...args: { [K in keyof A]: OfBatch<A[K]> }) => OfBatch<R> {
  checkOptions("vmap", options, "inAxes", "outAxes", "randomness");
  const { inAxes = 0, outAxes = 0, randomness = "error" } = options;
  if (typeof fn !== "function")
    throw new VmapError(`vmap: takes a function of one sample, got ${describeValue(fn)}. Write vmap((x) => ...)`);
  if (!["error", "same", "different"].includes(randomness))
    throw new VmapError(`vmap: randomness must be "error", "same" or "different", got ${describeValue(randomness)}`);
  return (...args) => {
    installBatching();
    installBatchedGradients();
    const size = batchSize(args, inAxes);
    const { level, result } = atNewLevel(size, randomness, (level) => {
      const samples = matched(args, inAxes, inAxes, (leaf, axis) => {
        if (axis === null || !(leaf instanceof Tensor)) return leaf;
        const mapped = mappedAxis(leaf, axis);
        return wrap(mapped === 0 ? leaf : movedim(leaf, mapped, 0), level);
      });
      return { level, result: fn(...(samples as unknown as A)) };
    });
    return unwrapped(result, outAxes, level) as OfBatch<R>;
  };
}
