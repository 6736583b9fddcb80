/**
 * The flags of a tensor, the strides of a view and the strides of a copy compared with their definitions, by
 * enumerating offsets.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { boot } from "../../src/boot.ts";
import { formatLayout, type IntTuple, type Layout } from "../../src/layout/index.ts";
import { type DType, dtypeNames, dtypes, isComplex, type Value } from "../../src/storage/dtype.ts";
import { Storage } from "../../src/storage/storage.ts";
import { isContiguousIn, isDense, preservedStrides, selfOverlap } from "../../src/tensor/contiguity.ts";
import { layoutTensor, type Tensor, tensorOver } from "../../src/tensor/tensor.ts";
import { viewStrides } from "../../src/tensor/views/view-shape.ts";
import { grid } from "../support/grids.ts";
import { flat, forAll, imageOf, lawTimeout, layouts, orderedFactorizations, sizeOf } from "../support/layouts.ts";

boot();

interface Geometry {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
}

/** Flat geometries of all kinds, from the layouts and sometimes with sizes of 0. */
const geometries = (maxModes = 5): fc.Arbitrary<Geometry> =>
  fc
    .tuple(layouts({ maxSize: 48, maxModes, strides: "signed" }), fc.nat(20), fc.boolean())
    .map(([layout, empty, isRowMajor]) => {
      const sizes = flat(layout.shape);
      const strides = flat(layout.stride as IntTuple).map((stride) => stride + 0);
      // Half of them with the last axis fastest, which includes contiguous ones.
      if (isRowMajor) {
        sizes.reverse();
        strides.reverse();
      }
      return { sizes: sizes.map((size, axis) => (axis === empty ? 0 : size)), strides };
    });

/** Offsets of all elements; `order` lists the axes from the slowest to the fastest. */
function offsetsOf(
  { sizes, strides }: Geometry,
  order: readonly number[] = sizes.map((_size, axis) => axis),
): number[] {
  return grid(
    order.map((axis) => sizes[axis] as number),
    (index) => order.reduce((sum, axis, at) => sum + (index[at] as number) * (strides[axis] as number), 0),
  ).cells.slice();
}

const counts = (list: readonly number[]): boolean => list.every((offset, i) => offset === i);
const isDistinct = (list: readonly number[]): boolean => new Set(list).size === list.length;
const fillsRange = (list: readonly number[]): boolean =>
  list.length === 0 || (isDistinct(list) && Math.max(...list) - Math.min(...list) + 1 === list.length);

test(
  "contiguous means that elements in row-major order are at offsets 0, 1, 2, ...",
  () => {
    forAll("contiguous", [geometries()], (g) => {
      expect(isContiguousIn("contiguous", g.sizes, g.strides)).toBe(counts(offsetsOf(g)));
    });
  },
  lawTimeout,
);

const channelOrders = { channelsLast: [0, 2, 3, 1], channelsLast3d: [0, 2, 3, 4, 1] } as const;

test.each(["channelsLast", "channelsLast3d"] as const)(
  "%s means the same with the second axis walking fastest",
  (format) => {
    const order = channelOrders[format];
    const sizes = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: order.length, maxLength: order.length });
    const pads = fc.array(fc.constantFrom(1, 1, 1, 1, 2), { minLength: order.length, maxLength: order.length });
    forAll(format, [sizes, pads, fc.boolean()], (sizes, pad, isOther) => {
      const walk = isOther ? sizes.map((_size, axis) => axis) : order;
      const strides = sizes.map(() => 0);
      let step = 1;
      for (const axis of walk.toReversed()) {
        strides[axis] = step * (pad[axis] as number);
        step = (strides[axis] as number) * (sizes[axis] as number);
      }
      const g = { sizes: sizes, strides };
      expect(isContiguousIn(format, sizes, strides)).toBe(counts(offsetsOf(g, order)));
      expect(isContiguousIn(format, sizes.slice(1), strides.slice(1))).toBe(false);
    });
  },
  lawTimeout,
);

test(
  "dense means that the elements fill a range of offsets, each once, flat or nested",
  () => {
    forAll("dense", [geometries()], (g) => {
      expect(isDense(g.sizes, g.strides), JSON.stringify(g)).toBe(fillsRange(offsetsOf(g)));
    });
    forAll("dense nested", [layouts({ maxSize: 48, strides: "signed" })], (layout) => {
      expect(tensorWith(layout, "uint8").isNonOverlappingAndDense, formatLayout(layout)).toBe(
        fillsRange(imageOf(layout)),
      );
    });
  },
  lawTimeout,
);

test(
  "overlap is 'no' only if no two elements share an offset, and 'yes' only if two do",
  () => {
    const seen = new Set<string>();
    forAll("overlap", [geometries()], (g) => {
      const answer = selfOverlap(g.sizes, g.strides);
      seen.add(answer);
      if (answer === "unknown") expect(isDense(g.sizes, g.strides)).toBe(false);
      else expect(isDistinct(offsetsOf(g)), JSON.stringify(g)).toBe(answer === "no");
    });
    expect([...seen].sort()).toEqual(["no", "unknown", "yes"]);
  },
  lawTimeout,
);

/**
 * The strides with which a shape reads these offsets in row-major order, if they exist: each axis determines its own.
 */
function stridesReading(list: readonly number[], shape: readonly number[]): number[] | null {
  let block = 1;
  const strides = shape.map(() => 0);
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if ((shape[axis] as number) > 1) strides[axis] = (list[block] as number) - (list[0] as number);
    block *= shape[axis] as number;
  }
  const first = list[0] ?? 0;
  return offsetsOf({ sizes: shape, strides }).every((offset, i) => offset + first === list[i]) ? strides : null;
}

test(
  "a view exists if and only if strides exist that read the same elements in the same order",
  () => {
    let views = 0;
    let refusals = 0;
    forAll("viewStrides", [geometries(), fc.nat(1000), fc.nat(1000)], (g, choice, ones) => {
      const size = g.sizes.reduce((a, b) => a * b, 1);
      if (size === 0) return;
      const shapes = orderedFactorizations(size);
      const shape = (shapes[choice % shapes.length] as number[]).slice();
      if (ones % 3 === 0) shape.splice(ones % (shape.length + 1), 0, 1);
      const list = offsetsOf(g);
      const ours = viewStrides(g.sizes, g.strides, shape);
      const expected = stridesReading(list, shape);
      expect(ours !== null, `${JSON.stringify(g)} as [${shape}]`).toBe(expected !== null);
      if (ours === null) refusals++;
      else {
        views++;
        expect(offsetsOf({ sizes: shape, strides: ours })).toEqual(list);
      }
    });
    expect(views).toBeGreaterThan(100);
    expect(refusals).toBeGreaterThan(100);
  },
  lawTimeout,
);

test(
  "the strides of a copy are dense and positive, and are the tensor's own if it is dense already",
  () => {
    forAll("preserved strides", [geometries()], (g) => {
      const strides = preservedStrides(g.sizes, g.strides);
      const list = offsetsOf({ sizes: g.sizes, strides });
      expect(list.length === 0 || (fillsRange(list) && Math.min(...list) === 0), JSON.stringify(g)).toBe(true);
      if (isDense(g.sizes, g.strides)) expect(strides).toEqual(g.strides.map(Math.abs));
    });
  },
  lawTimeout,
);

/** A tensor with this layout over new memory, its elements all 0. */
function tensorWith(layout: Layout, dtype: DType): Tensor {
  const image = imageOf(layout);
  const low = Math.min(0, ...image);
  const reach = Math.max(0, ...image) - low + 1;
  const storage = Storage.allocate(reach * dtypes[dtype].itemsize, { zeroed: true });
  return layoutTensor(storage, dtype, -low, layout, 0);
}

/** A small number converted to a dtype and back to a plain number. */
const plain = (value: Value): number => (isComplex(value) ? value.re : Number(value));
const elements = (t: Tensor): number[] =>
  Array.from({ length: t.size }, (_unused, i) => plain((t.getColMajor as (index: number) => Value)(i)));

test(
  "clone has the elements of any layout in any dtype, and to(dtype) those of another",
  () => {
    forAll(
      "clones",
      [layouts({ maxSize: 48, strides: "signed" }), fc.constantFrom(...dtypeNames), fc.constantFrom(...dtypeNames)],
      (layout, dtype, other) => {
        const t = tensorWith(layout, dtype);
        for (let i = 0; i < t.size; i++) (t.setColMajor as (index: number, value: Value) => void)(i, i % 2 === 1);
        const before = elements(t);
        for (const copy of [t.clone(), t.clone("contiguous"), t.to(other, { copy: true })]) {
          expect(elements(copy), `${formatLayout(layout)} ${dtype} ${copy.dtype}`).toEqual(before);
          expect(copy.storage).not.toBe(t.storage);
          expect(copy.storage.nbytes).toBe(t.size * copy.itemsize);
        }
        expect(t.clone("contiguous").isContiguous()).toBe(true);
      },
    );
  },
  lawTimeout,
);

test(
  "copy_ moves every element between any two layouts of one shape, and bumps the version of the written one by one",
  () => {
    let copies = 0;
    forAll(
      "copies",
      [
        layouts({ maxSize: 36, strides: "signed" }),
        fc.array(fc.nat(100), { minLength: 5, maxLength: 5 }),
        fc.constantFrom(...dtypeNames),
        fc.constantFrom(...dtypeNames),
      ],
      (layout, order, from, to) => {
        const source = tensorWith(layout, from);
        if (source.overlap === "yes") return;
        for (let i = 0; i < source.size; i++)
          (source.setColMajor as (index: number, value: Value) => void)(i, from === "bool" ? i % 3 === 0 : i);
        const sizes = source.shape as readonly number[];
        const axes = sizes.map((_size, axis) => axis).sort((a, b) => (order[a] as number) - (order[b] as number));
        const strides = sizes.map(() => 0);
        let step = 1;
        for (const axis of axes) {
          strides[axis] = step;
          step *= sizes[axis] as number;
        }
        const target = tensorOver(Storage.allocate(source.size * dtypes[to].itemsize), to, 0, sizes, strides);
        const { version } = target;
        expect(target.copy_(source)).toBe(target);
        const expected = elements(source).map((value) => (to === "bool" ? Number(value !== 0) : value));
        expect(elements(target), `${formatLayout(layout)} ${from} to ${to}`).toEqual(expected);
        expect([target.version, sizeOf(layout)]).toEqual([version + 1, target.size]);
        copies++;
      },
    );
    expect(copies).toBeGreaterThan(500);
  },
  lawTimeout,
);
