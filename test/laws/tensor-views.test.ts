/**
 * Every view, and every chain of views, has the elements of its definition, compared with a plain model without
 * strides.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LayoutError } from "../../src/base/errors.ts";
import { boot } from "../../src/boot.ts";
import { _, type Underscore } from "../../src/layout/coord.ts";
import {
  depth,
  formatLayout,
  type IntTuple,
  int,
  type Layout,
  makeComposedLayout,
  makeLayout,
  swizzle,
} from "../../src/layout/index.ts";
import { type DType, dtypeNames, dtypes } from "../../src/storage/dtype.ts";
import { Storage, StorageError } from "../../src/storage/storage.ts";
import { isContiguousIn, isDense, selfOverlap } from "../../src/tensor/contiguity.ts";
import { layoutTensor, type Tensor, tensorOver } from "../../src/tensor/tensor.ts";
import { type Grid, grid } from "../support/grids.ts";
import { evaluate, flat, forAll, imageOf, lawTimeout, layouts, type Plain, sizeOf } from "../support/layouts.ts";
import { gridOf, ruleNames, step } from "../support/view-chains.ts";

boot();

/** A storage with the elements 0, 1, 2, ... */
function countedStorage(size: number, dtype: DType, itemsize: number): Storage {
  const storage = Storage.allocate(size * itemsize);
  const whole = tensorOver(storage, dtype, 0, [size], [1]);
  for (let i = 0; i < size; i++) whole.set(i, i);
  storage.retain();
  whole.dispose();
  return storage;
}

/** The smallest and the largest offset, 0 among them. */
function reachOf(layout: Layout): { low: number; high: number } {
  const image = imageOf(layout);
  return { low: Math.min(0, ...image), high: Math.max(0, ...image) };
}

/**
 * A tensor with this layout, with an offset that keeps it inside its storage; each element is its own offset in the
 * storage.
 */
function over(layout: Layout, extra = 0): { t: Tensor; start: number } {
  const { low, high } = reachOf(layout);
  const start = extra - low;
  return { t: layoutTensor(countedStorage(high - low + 1 + extra, "int32", 4), "int32", start, layout, 0), start };
}

/** Its model: the sizes of the top-level modes, each counted with its first leaf fastest. */
function modelOf(layout: Layout, start: number): Grid {
  const modes = Array.isArray(layout.shape)
    ? layout.shape.map(
        (shape, i) => ({ shape, stride: (layout.stride as readonly IntTuple[])[i] }) as unknown as Layout,
      )
    : [layout];
  return grid(modes.map(sizeOf), (index) =>
    index.reduce((sum, i, mode) => sum + evaluate(modes[mode] as Layout, i), start),
  );
}

const baseShapes = fc.array(fc.constantFrom<number>(0, 1, 1, 2, 2, 3, 3, 4, 5), { maxLength: 4 }).map((shape) => {
  while (shape.reduce((a, b) => a * Math.max(b, 1), 1) > 60) shape.pop();
  return shape;
});

const moves = fc.array(
  fc.tuple(
    fc.constantFrom(...ruleNames, "at", "at", "at"),
    fc.array(fc.nat(1_000_000), { minLength: 24, maxLength: 24 }),
  ),
  { minLength: 1, maxLength: 6 },
);
type Moves = readonly (readonly [string, readonly number[]])[];

const mayCopy = ["reshape", "flatten", "clone", "contiguous"];

/** A view shares storage and version with its source, and its base is never itself a view. */
function checkKinship(name: string, t: Tensor, view: Tensor): void {
  if (!mayCopy.includes(name)) expect(view.storage, name).toBe(t.storage);
  if (view.storage === t.storage) expect(view.version, name).toBe(t.version);
  expect(view.base?.base ?? null).toBe(null);
}

/** Cached flags equal computed ones, even if the source had its own flags cached. */
function checkFlags(t: Tensor): void {
  if (depth(t.layout) > 1) return;
  const [sizes, strides] = [t.shape as readonly number[], t.stride];
  for (const stride of strides) expect(Object.is(stride, -0), "a stride of -0").toBe(false);
  expect(t.size).toBe(sizes.reduce((a, b) => a * b, 1));
  expect(t.isContiguous()).toBe(isContiguousIn("contiguous", sizes, strides));
  expect(t.isNonOverlappingAndDense).toBe(isDense(sizes, strides));
  expect(t.overlap).toBe(selfOverlap(sizes, strides));
}

/** Applies a chain of views to both, and compares every element after every view. */
function follow(t: Tensor, model: Grid, chain: Moves): void {
  let [view, expected] = [t, model];
  const moves: string[] = [];
  for (const [name, numbers] of chain) {
    let drawn = 0;
    const pick = (below: number): number => (numbers[drawn++ % numbers.length] as number) % below;
    let pair: ReturnType<typeof step>;
    try {
      pair = step(name, view, expected, pick);
    } catch (refusal) {
      // A view that needs a copy (see the law of viewStrides), or a mode without a single stride.
      if (!(refusal instanceof LayoutError) || (name !== "view" && depth(view.layout) < 2)) throw refusal;
      continue;
    }
    if (pair === null) continue;
    const [next, model] = pair;
    moves.push(name);
    checkKinship(name, view, next);
    checkFlags(next);
    [view, expected] = [next, model];
    expect({ ...gridOf(view), told: moves }).toEqual({ ...expected, told: moves });
  }
}

test(
  "a chain of views keeps every element equal to the plain model",
  () => {
    forAll("view chains", [baseShapes, moves], (shape, chain) => {
      const size = shape.reduce((a, b) => a * b, 1);
      const root = tensorOver(countedStorage(size, "int32", 4), "int32", 0, [size], [1]);
      let next = 0;
      follow(
        root.view(shape),
        grid(shape, () => next++),
        chain as Moves,
      );
    });
  },
  lawTimeout,
);

test(
  "so does a chain from any strides: permuted, padded, repeated, negative",
  () => {
    forAll(
      "view chains of strides",
      [layouts({ maxSize: 48, strides: "signed" }), moves, fc.nat(3)],
      (layout, chain, extra) => {
        const sizes = flat(layout.shape);
        const strides = flat(layout.stride as IntTuple).map((stride) => stride + 0);
        const { low, high } = reachOf(layout);
        const storage = countedStorage(high - low + 1 + extra, "int32", 4);
        const start = extra - low;
        const model = grid(sizes, (index) =>
          index.reduce((sum, i, axis) => sum + i * (strides[axis] as number), start),
        );
        follow(tensorOver(storage, "int32", start, sizes, strides), model, chain as Moves);
      },
    );
  },
  lawTimeout,
);

test(
  "so does a chain from any kept layout: nested, static",
  () => {
    forAll(
      "view chains of layouts",
      [layouts({ maxSize: 48, strides: "signed" }), moves, fc.boolean(), fc.nat(3)],
      (layout, chain, isStatic, extra) => {
        const marked = makeLayout(marks(layout.shape, isStatic), marks(layout.stride as IntTuple, isStatic)) as Layout;
        const { t, start } = over(marked, extra);
        expect(gridOf(t)).toEqual(modelOf(layout, start));
        follow(t, modelOf(layout, start), chain as Moves);
      },
    );
  },
  lawTimeout,
);

/** The integers static or dynamic; plus 0, because the random strides include -0. */
const marks = (tuple: IntTuple, isStatic: boolean): IntTuple => {
  if (Array.isArray(tuple)) return tuple.map((mode) => marks(mode as IntTuple, isStatic));
  return isStatic ? int(Number(tuple) + 0) : Number(tuple) + 0;
};

type Item = number | Underscore | readonly Item[];

/** A random coordinate with `_`: each mode is kept, fixed by one integer, or expanded if it is nested. */
function randomItem(shape: Plain, pick: (below: number) => number): Item {
  const kind = pick(3);
  if (kind === 0) return _;
  if (kind === 1 && Array.isArray(shape)) return shape.map((mode: Plain) => randomItem(mode, pick));
  const size = flat(shape).reduce((a, b) => a * b, 1);
  return pick(size);
}

/** The kept leaves, first one fastest, and the offset of the fixed ones. */
function keptLeaves(item: Item, shape: Plain, stride: Plain): { leaves: [number, number][]; fixed: number } {
  const pairs = flat(shape).map((size, i): [number, number] => [size, flat(stride)[i] as number]);
  if (item === _) return { leaves: pairs, fixed: 0 };
  if (typeof item === "number") return { leaves: [], fixed: evaluate({ shape, stride } as unknown as Layout, item) };
  const parts = (item as readonly Item[]).map((part, i) =>
    keptLeaves(part, (shape as readonly Plain[])[i] as Plain, (stride as readonly Plain[])[i] as Plain),
  );
  return { leaves: parts.flatMap(({ leaves }) => leaves), fixed: parts.reduce((sum, part) => sum + part.fixed, 0) };
}

test(
  "a slice with _ at any depth has the elements of its free leaves",
  () => {
    forAll(
      "nested slices",
      [layouts({ maxSize: 48, strides: "signed" }), fc.array(fc.nat(1000), { minLength: 20, maxLength: 20 })],
      (layout, numbers) => {
        let next = 0;
        const pick = (below: number): number => (numbers[next++ % numbers.length] as number) % below;
        const { t, start } = over(layout);
        const shape = layout.shape as Plain;
        const modes = Array.isArray(shape) ? (shape as readonly Plain[]) : [shape];
        const items = modes.map((mode) => randomItem(mode, pick));
        const slice = (t.at as (...items: Item[]) => Tensor)(...items);
        const { leaves, fixed } = keptLeaves(
          Array.isArray(shape) ? items : (items[0] as Item),
          shape,
          layout.stride as Plain,
        );
        const size = leaves.reduce((product, [n]) => product * n, 1);
        const free = makeLayout(leaves.map(([n]) => n) as IntTuple, leaves.map(([, d]) => d) as IntTuple) as Layout;
        expect(slice.size).toBe(size);
        const ours = Array.from({ length: size }, (_unused, i) =>
          slice.rank === 0 ? slice.item() : slice.getColMajor(i),
        );
        const expected = Array.from(
          { length: size },
          (_unused, i) => start + fixed + (leaves.length ? evaluate(free, i) : 0),
        );
        expect(ours, `${formatLayout(layout)} at ${JSON.stringify(items)}`).toEqual(expected);
      },
    );
  },
  lawTimeout,
);

test(
  "a swizzled tensor has the offsets swizzle(layout(coord)), including in its slices",
  () => {
    forAll(
      "swizzled tensors",
      [fc.nat(2), fc.nat(1), fc.nat(3), fc.nat(7)],
      (bits, base, more, row) => {
        const shift = bits + more;
        const inner = makeLayout([8, 8], [8, 1]) as Layout;
        const layout = makeComposedLayout(swizzle(bits, base, shift), 0, inner);
        const storage = countedStorage(1 << 10, "int32", 4);
        const t = layoutTensor(storage, "int32", 0, layout, 0);
        const field = (1 << bits) - 1;
        const swizzled = (x: number): number => x ^ ((x & (field << (base + shift))) >> shift);
        expect(gridOf(t)).toEqual(grid([8, 8], ([i, j]) => swizzled((i as number) * 8 + (j as number))));
        expect(gridOf((t.at as (...items: unknown[]) => Tensor)(row, _))).toEqual(
          grid([8], ([j]) => swizzled(row * 8 + (j as number))),
        );
        expect(gridOf(t.clone())).toEqual(gridOf(t));
      },
      200,
    );
  },
  lawTimeout,
);

test(
  "asStrided reads the storage at offset + index . stride, and throws if and only if that leaves it",
  () => {
    let refused = 0;
    forAll(
      "asStrided",
      [
        fc.array(fc.tuple(fc.nat(3), fc.integer({ min: -4, max: 6 })), { maxLength: 4 }),
        fc.nat(12),
        fc.integer({ min: 1, max: 24 }),
      ],
      (modes, offset, size) => {
        const t = tensorOver(countedStorage(size, "int32", 4), "int32", 0, [size], [1]);
        const sizes = modes.map(([n]) => n);
        const strides = modes.map(([, d]) => d + 0);
        const expected = grid(sizes, (index) =>
          index.reduce((sum, i, axis) => sum + i * (strides[axis] as number), offset),
        );
        const isInside = expected.cells.every((offset) => offset >= 0 && offset < size);
        if (!isInside) refused++;
        if (isInside) expect(gridOf(t.asStrided(sizes, strides, offset))).toEqual(expected);
        else expect(() => t.asStrided(sizes, strides, offset)).toThrow(StorageError);
      },
    );
    expect(refused).toBeGreaterThan(100);
  },
  lawTimeout,
);

const realTypes = dtypeNames.filter((name) => name !== "bool");

test(
  "view(dtype) has the same bytes in the same order, and throws only if they do not fit",
  () => {
    let views = 0;
    forAll(
      "view of a dtype",
      [
        fc.constantFrom(...realTypes),
        fc.constantFrom(...realTypes),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(1, 2, 4, 8, 16),
        fc.nat(3),
        fc.boolean(),
      ],
      (from, to, shape, last, start, isSwapped) => {
        const sizes = [...shape, last];
        const count = sizes.reduce((a, b) => a * b, 1);
        const storage = Storage.allocate((count + start) * dtypes[from].itemsize);
        const bytes = storage.writable().array("u8");
        const { byteOffset } = storage;
        for (let i = 0; i < storage.nbytes; i++) bytes[byteOffset + i] = (i * 37 + 11) & 255;
        const whole = tensorOver(storage, from, start, [count], [1]).view(sizes);
        const t: Tensor = isSwapped ? whole.transpose(0, 1) : whole;
        const ratio = dtypes[to].itemsize / dtypes[from].itemsize;
        const fits =
          ratio === 1 || (t.stride.at(-1) === 1 && (ratio < 1 || (last % ratio === 0 && start % ratio === 0)));
        if (!fits) return expect(() => t.view(to)).toThrow(LayoutError);
        views++;
        const retyped = t.view(to);
        expect(retyped.storage).toBe(t.storage);
        expect(bytesOf(retyped)).toEqual(bytesOf(t));
      },
    );
    expect(views).toBeGreaterThan(200);
  },
  lawTimeout,
);

/** The bytes of the elements in row-major order. */
function bytesOf(t: Tensor): number[] {
  const copy = t.clone("contiguous");
  const memory = copy.storage.readable().array("u8");
  return Array.from(memory.subarray(copy.storage.byteOffset, copy.storage.byteOffset + copy.nbytes));
}
