/**
 * From a list of samples to a batch: tensors and typed arrays are stacked, numbers and booleans become a tensor, lists and records are
 * collated entry by entry, and everything else stays a list.
 */
import { scope, stack, Tensor, tensor } from "../index.ts";
import { DataError, told } from "./checks.ts";

/** A row of numbers: all typed arrays, and no list. */
interface NumberArray extends ArrayBufferView {
  readonly BYTES_PER_ELEMENT: number;
  readonly length: number;
}

/** What a batch of such samples is. */
export type Collated<T> = T extends Tensor | NumberArray | number | bigint | boolean
  ? Tensor
  : T extends string
    ? string[]
    : T extends readonly unknown[]
      ? { -readonly [K in keyof T]: Collated<T[K]> }
      : T extends object
        ? { -readonly [K in keyof T]: Collated<T[K]> }
        : T[];

const isScalar = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
const isNumberArray = (value: unknown): value is NumberArray =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The batch of some samples; there is at least one. */
export function collate<T>(samples: readonly T[]): Collated<T> {
  if (!Array.isArray(samples)) throw new DataError(`collate: needs a list of samples, got ${told(samples)}`);
  return collated(samples, "a sample") as Collated<T>;
}

function collated(values: readonly unknown[], where: string): unknown {
  const [first] = values;
  if (first instanceof Tensor) {
    checkAll(values, where, (value) => value instanceof Tensor && value.shape.join() === first.shape.join(), describe);
    return stack(values as Tensor[]);
  }
  if (isScalar(first)) {
    checkAll(values, where, (value) => typeof value === typeof first, describe);
    return tensor(values as number[]);
  }
  if (isNumberArray(first)) {
    const fits = (value: unknown): boolean => isNumberArray(value) && describe(value) === describe(first);
    checkAll(values, where, fits, describe);
    return scope(() => stack(values.map((value) => tensor(value as Float32Array) as Tensor)));
  }
  if (Array.isArray(first)) {
    checkAll(values, where, (value) => Array.isArray(value) && value.length === first.length, describe);
    return first.map((_, k) =>
      collated(
        (values as unknown[][]).map((value) => value[k]),
        `${where}[${k}]`,
      ),
    );
  }
  if (isPlain(first)) {
    const names = Object.keys(first);
    const all = values as Record<string, unknown>[];
    checkAll(
      values,
      where,
      (value) => isPlain(value) && Object.keys(value).sort().join() === names.slice().sort().join(),
      describe,
    );
    return Object.fromEntries(
      names.map((name) => [
        name,
        collated(
          all.map((value) => value[name]),
          `${where}.${name}`,
        ),
      ]),
    );
  }
  return values.slice();
}

function checkAll(
  values: readonly unknown[],
  where: string,
  fits: (value: unknown) => boolean,
  show: (value: unknown) => string,
): void {
  const wrong = values.findIndex((value) => !fits(value));
  if (wrong >= 0)
    throw new DataError(
      `collate: ${where} is ${show(values[0])} in sample 0 of the batch and ${show(values[wrong])} in sample ${wrong}, and they do not join. Give a collate function`,
    );
}

function describe(value: unknown): string {
  if (value instanceof Tensor) return `a tensor of shape [${value.shape}]`;
  if (isNumberArray(value)) return `a ${value.constructor.name} of ${value.length}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isPlain(value)) return `a record of ${Object.keys(value).join(", ")}`;
  return `a ${value === null ? "null" : typeof value}`;
}
