/**
 * Ops that write to some elements of a tensor, each in two forms: one returns a changed copy, the other writes in place.
 * Arguments, and the values of indices, are checked before the first element is written.
 */

import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { execute } from "../../kernel/program/run-program.ts";
import type { Storage } from "../../storage/storage.ts";
import { withFlatModes } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { isFlat, sizesOf } from "../../tensor/geometry.ts";
import { lowerClone, lowerCopyAll, lowerThrough } from "../../tensor/lowering.ts";
import { bumpVersion, checkNoSelfOverlap, checkTensor, checkWritable, mayOverlap } from "../../tensor/operand.ts";
import { ProgramCache } from "../../tensor/program-cache.ts";
import { storageOf, Tensor } from "../../tensor/tensor.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { checkMeta } from "../meta-output.ts";
import { flatArgument, op, structuredOp, tensorsIn } from "../op.ts";

/** The definition of an op that writes. */
export interface WriteOpDefinition<A extends readonly unknown[]> extends OpFacts {
  readonly name: string;
  /** The first parameters after x in the text of a signature: those that are checked, or are indices. */
  readonly parameters?: string;
  /** The names of its options, separated by commas. */
  readonly options?: string;
  /** Throws if the shapes or dtypes of the arguments do not fit the tensor. */
  check(x: Tensor, ...args: A): void;
  /** The shape that the tensor is broadcast to before its copy is changed; omitted if the shape stays. */
  shapeOf?(x: Tensor, ...args: A): readonly number[];
  /**
   * Adds checks of the values of indices to a program, and returns the function that adds the writes, or null if there is nothing to write. All
   * tensors have flat modes, and those in `args` share no memory with the target.
   */
  write(builder: ProgramBuilder, target: Tensor, ...args: A): (() => void) | null;
  /** The gradient of both forms. */
  readonly gradient: GradientRule;
}

/** Returns the arguments with copies in the workspace of those tensors that share memory with the target. */
function withoutOverlap(builder: ProgramBuilder, args: readonly unknown[], target: Tensor): unknown[] {
  return args.map((arg) => {
    if (Array.isArray(arg)) return withoutOverlap(builder, arg, target);
    return arg instanceof Tensor && mayOverlap(target, arg) ? lowerClone(builder, arg, "index") : arg;
  });
}

/** Returns the op that returns a changed copy. */
export function changedCopy<F extends OpFunction, A extends readonly unknown[]>(writing: WriteOpDefinition<A>): F {
  const { name, parameters = "", options = "" } = writing;
  const shapeOf = (x: Tensor, args: unknown): readonly number[] => writing.shapeOf?.(x, ...(args as A)) ?? sizesOf(x);
  return structuredOp<F, readonly [x: Tensor, ...args: A]>(
    `${name}(x: Tensor, ${parameters}...; ${options})`,
    "movement",
    {
      ...writing,
      infer(x, ...args) {
        writing.check(x, ...(args as unknown as A));
        const shape = shapeOf(x, args);
        return { dtype: x.dtype, shape, names: shape.length === x.rank ? x.names : null };
      },
      lower(builder, [result], x, ...args) {
        const shape = shapeOf(x, args);
        lowerThrough(builder, result, x.dtype, true, name, (target) => {
          const write = writing.write(builder, target, ...(withoutOverlap(builder, args, target) as unknown as A));
          lowerCopyAll(builder, writing.shapeOf ? expand(x, shape) : x, target, name);
          write?.();
        });
      },
    },
  );
}

/** Runs a program that writes to a tensor, or to a copy with flat modes that is then copied to it. Counts one write. */
export function writeInPlace(
  who: string,
  x: Tensor,
  args: readonly unknown[],
  lower: (builder: ProgramBuilder, target: Tensor) => void,
): void {
  const target = withFlatModes(x);
  execute([stored(target)], tensorsIn(args).map(stored), (builder) => lower(builder, target));
  if (target !== x) copyAll(target, x, who);
  bumpVersion(x);
}

/** Returns the op that writes in place and returns the tensor. */
export function changeInPlace<F extends OpFunction, A extends readonly unknown[]>(writing: WriteOpDefinition<A>): F {
  const name = `${writing.name}_`;
  const programs = new ProgramCache();
  const check = (x: Tensor, args: readonly unknown[]): void => {
    checkTensor(name, x);
    checkWritable(x, name);
    checkNoSelfOverlap(x, name);
    writing.check(x, ...(args as unknown as A));
  };
  const lower = (builder: ProgramBuilder, x: Tensor, args: readonly unknown[]): void =>
    writing.write(builder, x, ...(withoutOverlap(builder, args.map(flatArgument), x) as unknown as A))?.();
  const fn = op<F>(
    `${name}(x: Tensor, ${writing.parameters ?? ""}...; ${writing.options ?? ""})`,
    "movement",
    {
      cpu(x: Tensor, ...args: unknown[]) {
        // The tensor is the slot of `out`.
        const key = [...args, { out: x }];
        if (x instanceof Tensor && programs.run(key, x) !== undefined) return x;
        check(x, args);
        if (tensorsIn([x, ...args]).every(isFlat)) {
          programs.build({ args: key, results: [x], isList: false, lower: (builder) => lower(builder, x, args) });
          bumpVersion(x);
        } else writeInPlace(name, x, args, (builder, target) => lower(builder, target, args));
        return x;
      },
      meta(x: Tensor, ...args: unknown[]) {
        checkMeta(name, tensorsIn([x, ...args]));
        writing.check(x, ...(args as unknown as A));
        return x;
      },
    },
    writing,
  );
  fn.operator.plan = ([x, ...args]) => {
    check(x as Tensor, args);
    return { results: [x as Tensor], lower: (builder) => lower(builder, x as Tensor, args) };
  };
  return fn;
}

const stored = (t: Tensor): { readonly storage: Storage } => ({ storage: storageOf(t, "index") });
