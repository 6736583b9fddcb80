/**
 * Arguments and results of calls: the tensors in them, in lists and records too, changed or looked at.
 */
import type { Arguments, Operator } from "../../tensor/dispatch/operator.ts";
import { Tensor } from "../../tensor/tensor.ts";

export type Options = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Options =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The same with other tensors. */
export function mapTensors<T>(value: T, change: (t: Tensor) => unknown): T {
  if (value instanceof Tensor) return change(value) as T;
  if (Array.isArray(value)) return value.map((each) => mapTensors(each, change)) as T;
  if (!isRecord(value)) return value;
  const result: Record<string, unknown> = {};
  for (const key in value) result[key] = mapTensors((value as Options)[key], change);
  return result as T;
}

/** All tensors in a value. */
export function tensorsOf(value: unknown): Tensor[] {
  const found: Tensor[] = [];
  mapTensors(value, (t) => found.push(t));
  return found;
}

/** What a call writes to: the tensors given as `out`, or the first argument of an op whose name ends so. */
export function writtenBy({ name }: Operator, args: Arguments): Tensor[] {
  const out = args.flatMap((arg) => (isRecord(arg) && arg["out"] != null ? tensorsOf(arg["out"]) : []));
  return out.length === 0 && name.endsWith("_") ? [args[0] as Tensor] : out;
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
