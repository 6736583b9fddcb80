/** Random operands and attributes for the cases of operators. */
import { type DType, type Tensor, tensor } from "../../../src/index.ts";
import { TextTensor } from "../../../src/onnx/values.ts";
import { type Random, seededRandom } from "../../support/files.ts";
import type { Attributes } from "../../support/onnx-graphs.ts";

/** One node. An input that is null is omitted. */
export interface OperatorCase {
  readonly version: number;
  readonly attributes?: Attributes;
  readonly inputs: readonly (Tensor | TextTensor | null)[];
  /** The number of outputs. Default: 1. */
  readonly outputs?: number;
  /** The inputs that are initializers of the model. Default: some of them at random. */
  readonly weights?: readonly number[];
  /** A difference that elements may have in addition to rounding errors. */
  readonly slack?: number;
}

/** Makes one random case of an operator. */
export type CaseMaker = (draw: Draw) => OperatorCase;

export const floatTypes = ["float32", "float64", "float16"] as const;
export const integerTypes = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"] as const;
export const numberTypes = [...floatTypes, ...integerTypes] as const;

const bounds: Partial<Record<DType, readonly [number, number]>> = {
  int8: [-128, 127],
  uint8: [0, 255],
  int16: [-32768, 32767],
  uint16: [0, 65535],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
};

/** A source of random values, the same ones for each seed. */
export class Draw {
  readonly below: Random;

  constructor(seed: number) {
    this.below = seededRandom(seed);
    for (let k = 0; k < 4; k++) this.below(2);
  }

  /** An integer from low to high, both included. */
  int(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** A number in [low, high). */
  real(low: number, high: number): number {
    return low + ((high - low) * this.below(2 ** 30)) / 2 ** 30;
  }

  chance(probability: number): boolean {
    return this.below(1000) < probability * 1000;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Returns `make()` with a probability, and otherwise the mark of an omitted value. */
  maybe<T>(make: () => T, probability = 0.5): T | null {
    return this.chance(probability) ? make() : null;
  }

  list<T>(length: number, make: (k: number) => T): T[] {
    return Array.from({ length }, (_, k) => make(k));
  }

  /** Attributes of which each is present with the probability 1/2. */
  some(attributes: Attributes): Attributes {
    return Object.fromEntries(Object.entries(attributes).filter(() => this.chance(0.5)));
  }

  size(): number {
    return this.chance(0.06) ? 0 : this.chance(0.2) ? 1 : this.int(2, 5);
  }

  shape(low = 0, high = 5): number[] {
    return this.list(this.int(low, high), () => this.size());
  }

  /** A shape that broadcasts with another one: leading axes are missing, sizes are 1. */
  broadcastable(shape: readonly number[]): number[] {
    return shape.slice(this.chance(0.4) ? this.int(0, shape.length) : 0).map((size) => (this.chance(0.25) ? 1 : size));
  }

  /** An axis, possibly counted from the end. */
  axis(rank: number): number {
    return this.int(-rank, rank - 1);
  }

  /** Different axes, possibly counted from the end. */
  axes(rank: number, count = this.int(0, rank)): number[] {
    const all = this.shuffled(this.list(rank, (k) => k)).slice(0, count);
    return all.map((axis) => (this.chance(0.4) ? axis - rank : axis));
  }

  shuffled<T>(list: readonly T[]): T[] {
    const rest = [...list];
    return rest.flatMap(() => rest.splice(this.below(rest.length), 1)).concat(rest);
  }

  /** A tensor of numbers in [low, high], of whole ones for integers. */
  tensor(dtype: DType, shape: readonly number[], low = -4, high = 4): Tensor {
    const [least, most] = bounds[dtype] ?? (dtype === "uint64" ? [0, 2 ** 52] : [-Infinity, Infinity]);
    const [from, to] = [Math.max(low, least), Math.min(high, most)];
    const count = shape.reduce((a, b) => a * b, 1);
    const isFloat = dtype.startsWith("float");
    const make = (): number | boolean =>
      dtype === "bool" ? this.chance(0.5) : isFloat ? this.real(low, high) : this.int(Math.ceil(from), Math.floor(to));
    return shaped(this.list(count, make), dtype, shape);
  }

  /** A tensor with some special numbers: infinities, NaN, zeros, the ends of integers. */
  special(dtype: DType, shape: readonly number[], low = -4, high = 4): Tensor {
    const plain = this.tensor(dtype, shape, low, high);
    if (dtype === "bool") return plain;
    const list = plain.reshape([-1]).toArray({ bigint: true }) as (number | bigint)[];
    const ends =
      dtype === "int64" ? [-(2n ** 63n), 2n ** 63n - 1n] : dtype === "uint64" ? [0n, 2n ** 64n - 1n] : bounds[dtype];
    const odd = ends ?? [Number.NaN, Infinity, -Infinity, 0, -0, 0.5, 1.5, 2.5, -0.5, -1, 1];
    const values = list.map((value) => (this.chance(0.2) ? this.pick<number | bigint>(odd) : value));
    return shaped(values, dtype, shape);
  }

  /** A list of int64 as a tensor. */
  longs(values: readonly (number | bigint)[], shape: readonly number[] = [values.length]): Tensor {
    return shaped(values.map(BigInt), "int64", shape);
  }

  texts(shape: readonly number[], words: readonly string[] = ["a", "b", "", "ab c", "é"]): TextTensor {
    return new TextTensor(
      shape,
      this.list(
        shape.reduce((a, b) => a * b, 1),
        () => this.pick(words),
      ),
    );
  }
}

export function shaped(values: readonly (number | bigint | boolean)[], dtype: DType, shape: readonly number[]): Tensor {
  return tensor(values as number[], { dtype }).reshape(shape as number[]) as Tensor;
}
