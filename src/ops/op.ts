/**
 * Definitions of ops that are not formulas: a signature, a family, and the functions that compute them.
 *
 * `structuredOp` is the usual form: a rule that returns shape and dtype of the results from the arguments alone, and a function that fills
 * them. The rule computes on `Int`, and is all that the meta device needs. `compositeOp` defines an op by other ops, which go through
 * dispatch one by one. `op` takes kernels by key, for ops without such a rule: their shapes depend on values.
 */
import { InternalError, renamed, StorageError } from "../base/errors.ts";
import type { ProgramBuilder } from "../kernel/program/builder.ts";
import { execute } from "../kernel/program/run-program.ts";
import { type Int, valueOf } from "../layout/int.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { allocateLike, withFlatModes } from "../tensor/clone.ts";
import { rowMajorStrides } from "../tensor/contiguity.ts";
import { copyAll } from "../tensor/copy-all.ts";
import type { OpFacts } from "../tensor/dispatch/facts.ts";
import type { GradientRule } from "../tensor/dispatch/gradient.ts";
import type { DispatchKey } from "../tensor/dispatch/keys.ts";
import { type Allocate, defineOperator, type Family, guarded, type OpKernel } from "../tensor/dispatch/operator.ts";
import { isFlat, sizeOf, sizesOf } from "../tensor/geometry.ts";
import { lowerCopyAll } from "../tensor/lowering.ts";
import { setNames } from "../tensor/names.ts";
import { bumpVersion } from "../tensor/operand.ts";
import { outOf, ProgramCache } from "../tensor/program-cache.ts";
import { scope } from "../tensor/scope.ts";
import { storageOf, Tensor, tensorOver } from "../tensor/tensor.ts";
import type { OpFunction } from "./elementwise/map.ts";
import { freeing } from "./freeing.ts";
import { readIndices } from "./index-arguments.ts";
import { metaOutput } from "./meta-output.ts";
import { finishOut, outIn, type Result, targetsFor, tensorsIn } from "./out.ts";
import { checkArguments, placeOptions, Signature } from "./signature.ts";

export { type Result, tensorsIn } from "./out.ts";

/**
 * The signature of an op, or its text. With a text, arguments are checked and passed by position; with a signature, the op reads its
 * arguments by name itself.
 */
export type Definition = string | Signature;

/** Returns the function that calls an op. It has no kernels yet. */
function callable<F extends OpFunction>(
  definition: Definition,
  family: Family,
  facts: Facts,
  takesOut: boolean,
  programs: ProgramCache | null = null,
): F {
  const signature = typeof definition === "string" ? new Signature(definition, takesOut) : definition;
  const isByPosition = signature !== definition;
  const operator = defineOperator(signature.name, family, facts);
  operator.gradient = facts.gradient ?? null;
  const call = (...args: unknown[]): unknown => {
    if (isByPosition) placeOptions(signature, args);
    try {
      if (signature.indices.length > 0) readIndices(signature, args);
      const cached =
        programs !== null && guarded === 0 && operator.hasBuiltInKernel ? programs.run(args, outOf(args)) : undefined;
      if (cached !== undefined) return cached;
      if (isByPosition) checkArguments(signature, args);
      return operator.call(args);
    } catch (error) {
      // Inside a mode, the error may be the mode's.
      throw guarded === 0 ? renameError(signature.name, error) : error;
    }
  };
  return Object.assign(call as unknown as F, { operator });
}

/** Returns an error of an op that this one calls, reworded to name this one. */
export function renameError(name: string, error: unknown): unknown {
  if (error instanceof RangeError && /^(?:Invalid|Array buffer|Maximum call)/.test(error.message))
    return new StorageError(`${name}: sizes are too large for memory (${error.message})`);
  return renamed(name, error);
}

/** The facts of an op, and its gradient. */
export interface Facts extends OpFacts {
  /** Omitted if the op has no gradient. */
  readonly gradient?: GradientRule | undefined;
}

/** Defines an op with a kernel for each key. */
export function op<F extends OpFunction>(
  definition: Definition,
  family: Family,
  kernels: Readonly<Partial<Record<DispatchKey, OpKernel>>>,
  facts: Facts = {},
): F {
  const fn = callable<F>(definition, family, facts, false);
  for (const [key, kernel] of Object.entries(kernels))
    fn.operator.setKernel(key as DispatchKey, key === "cpu" ? freeing(kernel, true) : kernel);
  return fn;
}

/** Defines an op by other ops. */
export function compositeOp<F extends OpFunction>(
  definition: Definition,
  kernel: OpKernel,
  family: Family = "composite",
  facts: OpFacts = {},
): F {
  const fn = callable<F>(definition, family, facts, false);
  fn.operator.setKernel("composite", freeing(kernel));
  return fn;
}

/** An op whose results have shapes and dtypes that follow from the arguments. */
export interface Structure<A extends readonly unknown[]> extends Facts {
  /** Returns the results in their order. Throws if the arguments do not fit. */
  infer(...args: A): Result | readonly Result[];
  /** Fills the results, which are new or passed as `out`. The dtype of `out` may be another one that holds the values. */
  fill?(results: readonly Tensor[], ...args: A): void;
  /**
   * Adds the steps that fill the results to a program; replaces `fill`. The program depends on dtypes, sizes, strides and the other arguments
   * only. All tensors have flat modes.
   */
  lower?(builder: ProgramBuilder, results: readonly Tensor[], ...args: A): void;
}

/** Defines an op by a `Structure`. It has the option `out`, and returns a list if `infer` does. */
export function structuredOp<F extends OpFunction, A extends readonly unknown[] = readonly never[]>(
  definition: Definition,
  family: Family,
  structure: Structure<A>,
): F {
  const { infer, fill, lower } = structure;
  const programs = lower === undefined ? null : new ProgramCache();
  const fn = callable<F>(definition, family, structure, true, programs);
  const { operator } = fn;
  const { name } = operator;
  const prepare = (args: readonly unknown[], allocate?: Allocate): Prepared => {
    const results = infer(...(args as unknown as A));
    const list = listOf(results);
    const out = outIn(name, args);
    const tensors = out ?? list.map(({ dtype, shape }) => fresh(dtype, shape, allocate));
    const targets = out === null ? tensors : targetsFor(name, out, list, args);
    return { results, list, out, tensors, targets };
  };
  // The scope frees temporary tensors, and the results of a call that throws.
  const compute = (args: readonly unknown[]): unknown =>
    scope(() => {
      const { results, list, out, tensors, targets } = prepare(args);
      if (programs === null) fill?.(targets, ...(args as unknown as A));
      else runLowered(programs, args, tensors, targets, list === results, lower as Lower);
      out?.forEach((t, k) => {
        finishOut(name, t, targets[k]);
      });
      nameAll(name, tensors, list);
      return list === results ? tensors : tensors[0];
    });
  operator.setUsual((...args: unknown[]) => programs?.run(args, outOf(args)) ?? compute(args));
  operator.plan = (args, allocate) => {
    const { results, list, out, tensors, targets } = prepare(args, allocate);
    return {
      results: tensors,
      value: list === results ? tensors : tensors[0],
      isHost: lower === undefined,
      lower: (builder) => {
        if (lower !== undefined) (lower as Lower)(builder, targets, ...args.map(flatArgument));
        else {
          // The step holds the tensors of this call.
          builder.isCacheable = false;
          builder.add({ kind: "host", name, run: () => fill?.(targets, ...(args as unknown as A)) });
        }
        targets.forEach((target, k) => {
          if (target.source !== tensors[k].source) lowerCopyAll(builder, target, tensors[k], name);
        });
      },
      finish() {
        if (out !== null) for (const t of out) bumpVersion(t);
        nameAll(name, tensors, list);
      },
    };
  };
  operator.setKernel("meta", (...args: unknown[]) => {
    const results = infer(...(args as unknown as A));
    const list = listOf(results);
    const out = outIn(name, args);
    const tensors = list.map(({ dtype, shape }, k) =>
      metaOutput(
        name,
        dtype,
        shape.map((size) => valueOf(size, name)),
        tensorsIn(args),
        out?.[k] ?? null,
      ),
    );
    nameAll(name, tensors, list);
    return list === results ? tensors : tensors[0];
  });
  return fn;
}

/** A call whose results are allocated, or checked if they were passed as `out`. */
interface Prepared {
  readonly results: Result | readonly Result[];
  readonly list: readonly Result[];
  readonly out: readonly Tensor[] | null;
  readonly tensors: readonly Tensor[];
  /** The tensors that the op fills: `tensors`, or others that are copied to them afterward. */
  readonly targets: readonly Tensor[];
}

/** Returns a tensor, or a list, with copies of tensors whose modes are not flat; other arguments as they are. */
export function flatArgument(arg: unknown): unknown {
  if (arg instanceof Tensor) return withFlatModes(arg);
  return Array.isArray(arg) && arg.some((one) => one instanceof Tensor && !isFlat(one)) ? arg.map(flatArgument) : arg;
}

type Lower = (builder: ProgramBuilder, results: readonly Tensor[], ...args: readonly unknown[]) => void;

/** Adds the steps of a call of another op. Returns its result, which is in the workspace unless the option `out` is passed. */
export function lowerOp(builder: ProgramBuilder, { operator }: OpFunction, ...args: readonly unknown[]): Tensor {
  const { plan } = operator;
  if (plan === null) throw new InternalError(`${operator.name}: cannot be a part of a program`);
  const call = plan(args, (bytes) => builder.scratch(bytes));
  if (call === null) throw new InternalError(`${operator.name}: a view has no steps`);
  call.lower(builder);
  return call.results[0];
}

/** Runs the program that fills the targets. Tensors with nested modes are replaced by flat copies. */
function runLowered(
  programs: ProgramCache,
  args: readonly unknown[],
  tensors: readonly Tensor[],
  targets: readonly Tensor[],
  isList: boolean,
  lower: Lower,
): void {
  const flatArgs = args.map(flatArgument);
  const flatTargets = targets.map((t) => (isFlat(t) ? t : fresh(t.dtype, sizesOf(t))));
  const areTargets = targets.every((t, k) => t.source === tensors[k].source);
  const build = (builder: ProgramBuilder): void => lower(builder, flatTargets, ...flatArgs);
  if (areTargets && flatTargets.every((t, k) => t === targets[k]) && flatArgs.every((arg, k) => arg === args[k]))
    programs.build({ args, results: tensors, isList, lower: build });
  else execute(flatTargets.map(stored), tensorsIn(flatArgs).map(stored), build);
  targets.forEach((t, k) => {
    if (t !== flatTargets[k]) copyAll(flatTargets[k], t, "copy");
  });
}

const stored = (t: Tensor): { readonly storage: Storage } => ({ storage: storageOf(t, "program") });

/** Names the axes of the results. A tensor that has names keeps them. */
function nameAll(who: string, tensors: readonly Tensor[], list: readonly Result[]): void {
  for (let k = 0; k < list.length; k++) {
    const { names = null } = list[k];
    const t = tensors[k];
    if (names !== null && t.names === null) setNames(who, t, names);
  }
}

const listOf = (results: Result | readonly Result[]): readonly Result[] =>
  Array.isArray(results) ? (results as readonly Result[]) : [results as Result];

/** Returns a new row-major tensor with uninitialized elements on the device of another. */
export const freshLike = (like: Tensor, dtype: DType, shape: readonly Int[]): Tensor =>
  fresh(dtype, shape, (bytes) => allocateLike(like, bytes));

/** Returns a new row-major tensor with uninitialized elements. */
export function fresh(dtype: DType, shape: readonly Int[], allocate: Allocate = Storage.allocate): Tensor {
  const sizes = shape.map((size) => valueOf(size));
  const storage = allocate(sizeOf(sizes) * dtypes[dtype].itemsize);
  return tensorOver(storage, dtype, 0, sizes, rowMajorStrides(sizes));
}
