/**
 * Ops that write to some elements of a tensor, each in two forms: one returns a changed copy, the other writes in place.
 * Arguments, and the values of indices, are checked before the first element is written.
 */

import { clone } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { bumpVersion, checkNoOverlap, checkTensor, checkWritable, mayMeet } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { checkMeta } from "../meta-output.ts";
import { fresh, op, structuredOp, tensorsIn } from "../op.ts";

/** The definition of an op that writes. */
export interface Writing<A extends readonly unknown[]> extends OpFacts {
  readonly name: string;
  /** The names of its options, separated by commas. */
  readonly options?: string;
  /** Throws if the shapes or dtypes of the arguments do not fit the tensor. */
  check(x: Tensor, ...args: A): void;
  /** The shape that the tensor is broadcast to before its copy is changed; omitted if the shape stays. */
  shapeOf?(x: Tensor, ...args: A): readonly number[];
  /** Checks the values of indices and returns the function that writes, or null if there is nothing to write. */
  write(target: Tensor, ...args: A): (() => void) | null;
  /** The gradient of both forms. */
  readonly gradient: GradientRule;
}

/** Returns the arguments with copies of those tensors that share memory with the target. */
function apart(args: readonly unknown[], target: Tensor): unknown[] {
  return args.map((arg) => {
    if (Array.isArray(arg)) return apart(arg, target);
    return arg instanceof Tensor && mayMeet(target, arg) ? clone(arg, "contiguous") : arg;
  });
}

/** Returns the op that returns a changed copy. */
export function changedCopy<F extends OpFunction, A extends readonly unknown[]>(writing: Writing<A>): F {
  const { name, options = "" } = writing;
  const shapeOf = (x: Tensor, args: unknown): readonly number[] => writing.shapeOf?.(x, ...(args as A)) ?? sizesOf(x);
  return structuredOp<F, readonly [x: Tensor, ...args: A]>(`${name}(x: Tensor, ...; ${options})`, "movement", {
    ...writing,
    infer(x, ...args) {
      writing.check(x, ...(args as unknown as A));
      const shape = shapeOf(x, args);
      return { dtype: x.dtype, shape, names: shape.length === x.rank ? x.names : null };
    },
    fill([result], x, ...args) {
      const isSame = result.dtype === x.dtype;
      const shape = shapeOf(x, args);
      const target = isSame ? result : fresh(x.dtype, shape);
      const write = writing.write(target, ...(apart(args, target) as unknown as A));
      copyAll(writing.shapeOf ? expand(x, shape) : x, target, name);
      write?.();
      if (!isSame) copyAll(target, result, name);
    },
  });
}

/** Returns the op that writes in place and returns the tensor. */
export function changeInPlace<F extends OpFunction, A extends readonly unknown[]>(writing: Writing<A>): F {
  const name = `${writing.name}_`;
  return op<F>(
    `${name}(x: Tensor, ...; ${writing.options ?? ""})`,
    "movement",
    {
      cpu(x: Tensor, ...args: unknown[]) {
        checkTensor(name, x);
        checkWritable(x, name);
        checkNoOverlap(x, name);
        writing.check(x, ...(args as unknown as A));
        writing.write(x, ...(apart(args, x) as unknown as A))?.();
        bumpVersion(x);
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
}
