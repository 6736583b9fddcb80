/**
 * Tensors for the tests of the algorithms: the same elements in a storage and in a user-defined engine, random layouts
 * of a given size, and the elements of any tensor as an array.
 */
import fc from "fast-check";
import {
  type AnyLayout,
  cosize,
  type IntTuple,
  type Layout,
  makeLayout,
  offsetAt,
  size,
} from "../../src/layout/index.ts";
import { type DType, dtypes, type Value } from "../../src/storage/dtype.ts";
import { Storage } from "../../src/storage/storage.ts";
import { type Index, indexed } from "../../src/tensor/access/indexing.ts";
import { indexReader, indexWriter } from "../../src/tensor/elements.ts";
import type { Engine } from "../../src/tensor/engine.ts";
import type { Space } from "../../src/tensor/identity.ts";
import { identityBits, layoutTensor, type Tensor } from "../../src/tensor/tensor.ts";
import { orderedFactorizations } from "./layouts.ts";

/** A user-defined engine: elements in a list, with counts of reads and writes. */
export class ListEngine implements Engine<Value> {
  readonly kind = "list";
  readonly space = "none";
  readonly valueType: string;
  readonly list: Value[];
  readonly from: number;
  readonly log: { reads: number[]; writes: number[] };
  constructor(valueType: string, list: Value[], from = 0, log = { reads: [] as number[], writes: [] as number[] }) {
    this.valueType = valueType;
    this.list = list;
    this.from = from;
    this.log = log;
  }
  read(offset: IntTuple): Value {
    const index = this.from + (offset as number);
    this.log.reads.push(index);
    return this.list[index] as Value;
  }
  write(offset: IntTuple, value: Value): void {
    const index = this.from + (offset as number);
    this.log.writes.push(index);
    this.list[index] = value;
  }
  advance(offset: IntTuple): ListEngine {
    return new ListEngine(this.valueType, this.list, this.from + (offset as number), this.log);
  }
  describe(): string {
    return `list(${this.from})`;
  }
}

export type EngineName = "storage" | "a user's engine";
export const engineNames: readonly EngineName[] = ["storage", "a user's engine"];

/** A tensor with these elements by 1-D index; the rest of its memory is 0. */
export function tensorOn(
  engine: EngineName,
  dtype: DType,
  layout: AnyLayout,
  values: readonly Value[] = [],
  space: Space = "none",
): Tensor {
  const bits = identityBits("view", space);
  const length = Math.max(1, cosize(layout));
  const zero: Value = dtype === "bool" ? false : dtypes[dtype].category === "complex" ? { re: 0, im: 0 } : 0;
  const t =
    engine === "storage"
      ? layoutTensor(Storage.allocate(length * dtypes[dtype].itemsize, { zeroed: true }), dtype, 0, layout, bits)
      : layoutTensor(new ListEngine(dtype, new Array(length).fill(zero)), dtype, 0, layout, bits);
  const write = indexWriter(t, "test");
  for (let i = 0; i < Math.min(values.length, t.size); i++) write(i, values[i] as Value);
  return t;
}

/** A tensor in memory. */
export const stored = (dtype: DType, layout: AnyLayout, values: readonly Value[] = [], space: Space = "none"): Tensor =>
  tensorOn("storage", dtype, layout, values, space);

/** A tensor on a user's engine, and the engine. */
export function listed(dtype: DType, layout: AnyLayout, values: readonly Value[] = []): readonly [Tensor, ListEngine] {
  const t = tensorOn("a user's engine", dtype, layout, values);
  const engine = t.source as ListEngine;
  engine.log.reads.length = 0;
  engine.log.writes.length = 0;
  return [t, engine];
}

/** All elements by 1-D index. */
export function valuesOf(t: Tensor): Value[] {
  const read = indexReader(t, "test", "bigint");
  return Array.from({ length: t.size }, (_unused, i) => read(i));
}

/** at(...) without the method. */
export const at = (t: Tensor, ...items: Index[]): Tensor => indexed(t, items).view;

/** n, n + 1, ... */
export const counted = (count: number, from = 1): number[] => Array.from({ length: count }, (_unused, i) => from + i);

/** Layouts of n elements with distinct offsets: compact in any order, or padded. */
export function distinctLayouts(n: number): fc.Arbitrary<Layout> {
  const shapes = orderedFactorizations(n);
  return fc
    .record({
      shape: fc.constantFrom(...shapes),
      order: fc.array(fc.nat(100), { minLength: 8, maxLength: 8 }),
      pad: fc.constantFrom(0, 0, 1, 3, 4),
      isNested: fc.boolean(),
    })
    .map(({ shape, order, pad, isNested }) => {
      const axes = shape.map((_size, i) => i).sort((a, b) => (order[a] as number) - (order[b] as number) || a - b);
      const stride = shape.map(() => 0);
      let step = 1;
      for (const [k, i] of axes.entries()) {
        stride[i] = step;
        step = step * (shape[i] as number) + (k === 0 ? pad : 0);
      }
      if (shape.length === 0) return makeLayout(1, 1) as Layout;
      if (!isNested || shape.length < 3) return makeLayout(shape, stride) as Layout;
      return makeLayout(
        [shape.slice(0, 2), ...shape.slice(2)] as IntTuple,
        [stride.slice(0, 2), ...stride.slice(2)] as IntTuple,
      ) as Layout;
    });
}

/** The offsets of a layout by 1-D index. */
export const offsetsOf = (layout: AnyLayout): number[] =>
  Array.from({ length: size(layout) as number }, (_unused, i) => offsetAt(layout, i));
