/** Tensors among the arguments of calls, in lists and objects too: which they are, which are written to, and the structure of their gradients. */
import { dtypes } from "../storage/dtype.ts";
import type { Arguments, Operator } from "../tensor/dispatch/operator.ts";
import { Tensor } from "../tensor/tensor.ts";

/** True for a tensor that can have a gradient. */
export const isDifferentiable = ({ type }: Tensor): boolean => {
  if (type === null) return false;
  const { category } = dtypes[type];
  return category === "float" || category === "complex";
};

/** True for an object that is not an instance of a class, such as options. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The tensor that a call writes to, the first of several; null if it writes to none. */
export function writtenBy(op: Operator, args: Arguments): Tensor | null {
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    if (typeof arg === "object" && arg !== null && "out" in arg && isRecord(arg))
      return allWrittenBy(op, args)[0] ?? null;
  }
  return op.isInPlace ? (args[0] as Tensor) : null;
}

/** All tensors that a call writes to: those passed as `out`, or the first argument of an in-place op. */
export function allWrittenBy({ isInPlace }: Operator, args: Arguments): Tensor[] {
  const out = args.flatMap((arg) => (isRecord(arg) && arg["out"] != null ? tensorsOf([arg["out"]]) : []));
  return out.length === 0 && isInPlace ? [args[0] as Tensor] : out;
}

/** The arguments without `out`, and without trailing undefined ones. */
export function withoutOut(args: Arguments): unknown[] {
  const rest = args.map((arg) => {
    if (!isRecord(arg) || !("out" in arg)) return arg;
    const { out: _, ...others } = arg;
    return others;
  });
  while (rest.length > 0 && rest[rest.length - 1] === undefined) rest.pop();
  return rest;
}

/** The tensors among arguments, in lists and objects too, but not those passed as `out`. */
export function tensorsOf(args: Arguments, tensors: Tensor[] = []): Tensor[] {
  for (let k = 0; k < args.length; k++) {
    const arg = args[k];
    if (arg instanceof Tensor) tensors.push(arg);
    else if (Array.isArray(arg)) tensorsOf(arg, tensors);
    else if (isRecord(arg)) for (const key in arg) if (key !== "out") tensorsOf([arg[key]], tensors);
  }
  return tensors;
}

/** The tensors among the results of a call. */
export function resultsOf(result: unknown): readonly Tensor[] {
  return result instanceof Tensor ? [result] : tensorsOf([result]);
}

/** The tensors in an argument: true for a tensor, a list or object of such entries, undefined for other values. */
export type Skeleton = true | readonly Skeleton[] | { readonly [key: string]: Skeleton } | undefined;

export function skeletonOf(arg: unknown): Skeleton {
  if (arg instanceof Tensor) return true;
  if (Array.isArray(arg)) return arg.map(skeletonOf);
  if (!isRecord(arg)) return undefined;
  return Object.fromEntries(
    Object.entries(arg).map(([key, value]) => [key, key === "out" ? undefined : skeletonOf(value)]),
  );
}

/** Collects the gradients of the tensors in an argument, in the order of `tensorsOf`. */
export function collectGradients(skeleton: Skeleton, gradient: unknown, into: (Tensor | null)[]): void {
  if (skeleton === undefined) return;
  if (skeleton === true) into.push((gradient as Tensor | null | undefined) ?? null);
  else if (Array.isArray(skeleton))
    skeleton.forEach((each, k) => {
      collectGradients(each, (gradient as readonly unknown[] | null | undefined)?.[k], into);
    });
  else
    for (const [key, each] of Object.entries(skeleton as { readonly [key: string]: Skeleton }))
      collectGradients(each, (gradient as Readonly<Record<string, unknown>> | null | undefined)?.[key], into);
}
