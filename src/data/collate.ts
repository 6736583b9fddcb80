/**
 * Collates a list of samples into a batch: tensors and typed arrays are stacked, numbers and booleans become a tensor, lists and objects are
 * collated entry by entry, and other values stay a list.
 */
import { scope, stack, Tensor, tensor } from "../index.ts";
import { DataError, described } from "./checks.ts";

/** A typed array of any kind. */
interface NumberArray extends ArrayBufferView {
  readonly BYTES_PER_ELEMENT: number;
  readonly length: number;
}

/** The type of a batch of samples of type T. */
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

/** Collates samples, at least one, into a batch. */
export function collate<T>(samples: readonly T[]): Collated<T> {
  if (!Array.isArray(samples)) throw new DataError(`collate: needs a list of samples, got ${described(samples)}`);
  return collated(samples, "a sample") as Collated<T>;
}

function collated(values: readonly unknown[], where: string): unknown {
  const [first] = values;
  if (first instanceof Tensor) {
    checkAll(values, where, (value) => value instanceof Tensor && value.shape.join() === first.shape.join());
    return stack(values as Tensor[]);
  }
  if (isScalar(first)) {
    checkAll(values, where, (value) => typeof value === typeof first);
    return tensor(values as number[]);
  }
  if (isNumberArray(first)) {
    checkAll(values, where, (value) => isNumberArray(value) && describe(value) === describe(first));
    return scope(() => stack(values.map((value) => tensor(value as Float32Array) as Tensor)));
  }
  if (Array.isArray(first)) {
    checkAll(values, where, (value) => Array.isArray(value) && value.length === first.length);
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
    const sorted = names.slice().sort().join();
    checkAll(values, where, (value) => isPlain(value) && Object.keys(value).sort().join() === sorted);
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

function checkAll(values: readonly unknown[], where: string, fits: (value: unknown) => boolean): void {
  const wrong = values.findIndex((value) => !fits(value));
  if (wrong >= 0)
    throw new DataError(
      `collate: ${where} is ${describe(values[0])} in sample 0 of the batch and ${describe(values[wrong])} in sample ${wrong}, which cannot be combined. Pass a collate function`,
    );
}

function describe(value: unknown): string {
  if (value instanceof Tensor) return `a tensor of shape [${value.shape}]`;
  if (isNumberArray(value)) return `${value.constructor.name}(${value.length})`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isPlain(value)) return `an object with the keys ${Object.keys(value).join(", ")}`;
  if (value === null || value === undefined) return String(value);
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}
