/**
 * Tensors among the arguments of calls, in lists and records too: which they are, which one is written to, and where the gradients of all
 * of them belong.
 */
import { isComplexDType, isFloatDType } from "../storage/dtype.ts";
import type { Arguments, Operator } from "../tensor/dispatch/operator.ts";
import { Tensor } from "../tensor/tensor.ts";

/** True of a tensor that gradients can pass to. */
export const isDifferentiable = (t: Tensor): boolean => {
  const { type } = t;
  return type !== null && (isFloatDType(type) || isComplexDType(type));
};

/** A record of options, which is none of a class. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The tensor that a call writes to, or null; of several the first. */
export function writtenBy(op: Operator, args: Arguments): Tensor | null {
  // Most calls end with a tensor, and have no options.
  if (args[args.length - 1] instanceof Tensor) return op.isInPlace ? (args[0] as Tensor) : null;
  return allWrittenBy(op, args)[0] ?? null;
}

/** All tensors that a call writes to: those given as `out`, or the first argument of an op whose name says so. */
export function allWrittenBy({ isInPlace }: Operator, args: Arguments): Tensor[] {
  const out = args.flatMap((arg) => (isRecord(arg) && arg["out"] != null ? tensorsOf([arg["out"]]) : []));
  return out.length === 0 && isInPlace ? [args[0] as Tensor] : out;
}

/** The arguments without `out`, those at the end that are left away taken off. */
export function withoutOut(args: Arguments): unknown[] {
  const rest = args.map((arg) => {
    if (!isRecord(arg) || !("out" in arg)) return arg;
    const { out: _, ...others } = arg;
    return others;
  });
  while (rest.length > 0 && rest[rest.length - 1] === undefined) rest.pop();
  return rest;
}

/** The tensors among arguments, in lists and records too, but not what is written to as `out`. */
export function tensorsOf(args: Arguments): Tensor[] {
  const found: Tensor[] = [];
  const visit = (arg: unknown): void => {
    if (arg instanceof Tensor) found.push(arg);
    else if (Array.isArray(arg)) arg.forEach(visit);
    else if (isRecord(arg)) for (const key in arg) if (key !== "out") visit(arg[key]);
  };
  args.forEach(visit);
  return found;
}

/** The tensors that a call has given. */
export function resultsOf(result: unknown): readonly Tensor[] {
  return result instanceof Tensor ? [result] : tensorsOf([result]);
}

/** Where tensors lie in an argument: true for one, a list or record of such, or nothing. */
export type Skeleton = true | readonly Skeleton[] | { readonly [key: string]: Skeleton } | undefined;

/** Where tensors lie in an argument. */
export function skeletonOf(arg: unknown): Skeleton {
  if (arg instanceof Tensor) return true;
  if (Array.isArray(arg)) return arg.map(skeletonOf);
  if (!isRecord(arg)) return undefined;
  return Object.fromEntries(
    Object.entries(arg).map(([key, value]) => [key, key === "out" ? undefined : skeletonOf(value)]),
  );
}

/** The gradients of the tensors in an argument, in the order of `tensorsOf`. */
export function collect(skeleton: Skeleton, gradient: unknown, into: (Tensor | null)[]): void {
  if (skeleton === undefined) return;
  if (skeleton === true) into.push((gradient as Tensor | null | undefined) ?? null);
  else if (Array.isArray(skeleton))
    skeleton.forEach((each, k) => {
      collect(each, (gradient as readonly unknown[] | null | undefined)?.[k], into);
    });
  else
    for (const [key, each] of Object.entries(skeleton as { readonly [key: string]: Skeleton }))
      collect(each, (gradient as Readonly<Record<string, unknown>> | null | undefined)?.[key], into);
}
