/** Arguments and results of calls, changed: other tensors in the place of those in lists and records, `out` too. */
import { Tensor } from "../tensor.ts";

/** The same with other tensors. */
export function mapTensors<T>(value: T, change: (t: Tensor) => unknown): T {
  if (value instanceof Tensor) return change(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => mapTensors(each, change)) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const result: Record<string, unknown> = {};
  for (const key in value) result[key] = mapTensors(value[key], change);
  return result as T;
}
