/**
 * Arguments and results of calls, changed: other tensors in the place of those in lists and records, `out` too.
 */
import { Tensor } from "../../tensor/tensor.ts";
import { isRecord } from "../arguments.ts";

export type Options = Readonly<Record<string, unknown>>;

/** The same with other tensors. */
export function mapTensors<T>(value: T, change: (t: Tensor) => unknown): T {
  if (value instanceof Tensor) return change(value) as T;
  if (Array.isArray(value)) return value.map((each) => mapTensors(each, change)) as T;
  if (!isRecord(value)) return value;
  const result: Record<string, unknown> = {};
  for (const key in value) result[key] = mapTensors((value as Options)[key], change);
  return result as T;
}

/** All tensors in a value, `out` too. */
export function tensorsOf(value: unknown): Tensor[] {
  const found: Tensor[] = [];
  mapTensors(value, (t) => found.push(t));
  return found;
}
