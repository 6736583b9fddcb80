/** NumPy's creation functions: recorded results, dtypes, options, and errors. */
import { type Tensor, tensor } from "stridewise";
import { beforeAll, expect, test } from "vitest";
import { refusals } from "../../test/support/refusals.ts";
import { geomspace, identity, tri } from "./numpy-creation.ts";

// The package's own functions start the library, these do not.
beforeAll(() => tensor(0).dispose());

test("geomspace has both ends exactly, and equal factors between", () => {
  const dtype = "float64";
  // NumPy 1.24.
  expect(geomspace(1, 1000, 4).toArray()).toEqual([1, 10, 100, 1000]);
  expect(geomspace(-1000, -1, 4).toArray()).toEqual([-1000, -100, -10, -1]);
  expect([geomspace(2, 9, 1).toArray(), geomspace(2, 9, 0).toArray()]).toEqual([[2], []]);
  for (const [start, stop, count] of [
    [0.1, 0.7, 11],
    [256, 1, 9],
    [1e-200, 1e200, 7],
    [-3, -5e9, 4],
  ] as const) {
    const values = geomspace(start, stop, count, { dtype }).toArray() as number[];
    expect([values[0], values.at(-1), values.length]).toEqual([start, stop, count]);
    const factor = Math.exp((Math.log(Math.abs(stop)) - Math.log(Math.abs(start))) / (count - 1));
    for (let i = 1; i < count; i++) expect(values[i]! / values[i - 1]! / factor).toBeCloseTo(1, 11);
  }
});

test("identity is the square eye, tri has ones on and below a diagonal", () => {
  expect(identity(2, { dtype: "int32" }).toArray()).toEqual([
    [1, 0],
    [0, 1],
  ]);
  // NumPy 1.24.
  expect(tri(3, 5, 2, { dtype: "int64" }).toArray()).toEqual([
    [1, 1, 1, 0, 0],
    [1, 1, 1, 1, 0],
    [1, 1, 1, 1, 1],
  ]);
  expect(tri(2, 3, -1).toArray()).toEqual([
    [0, 0, 0],
    [1, 0, 0],
  ]);
  expect(tri(2, undefined, undefined, { dtype: "bool" }).toArray()).toEqual([
    [true, false],
    [true, true],
  ]);
  expect(tri(0).shape).toEqual([0, 0]);
});

test("dtypes, names, devices and gradients are as asked for", () => {
  const tensors: readonly Tensor[] = [geomspace(1, 8, 4), identity(2), tri(2)];
  expect(tensors.map((t) => t.dtype)).toEqual(["float32", "float32", "float32"]);
  expect(geomspace(1, 8, 4, { names: ["x"] }).names).toEqual(["x"]);
  const requested = [geomspace(1, 8, 4, { requiresGrad: true }), tri(2, 3, 0, { requiresGrad: true })];
  expect(requested.map((t: Tensor) => [t.requiresGrad, t.isLeaf])).toEqual([
    [true, true],
    [true, true],
  ]);
  expect([tri(2, 3, 0, { device: "meta" }).shape, identity(3, { device: "meta" }).shape]).toEqual([
    [2, 3],
    [3, 3],
  ]);
});

test("invalid arguments throw", () => {
  expect(
    refusals([
      () => geomspace(0, 1, 3),
      () => geomspace(-1, 1, 3),
      () => geomspace(1, 2, 1.5),
      () => geomspace(1, 2, 3, { dtyp: "int32" } as never),
      () => identity(-1),
      () => tri(2, -1),
      () => tri(2, 2, 0, { dtype: "float" as never }),
    ]),
  ).toMatchInlineSnapshot(`
    "StridewiseError: geomspace: start and stop must be numbers, both positive or both negative, got 0 and 1
    StridewiseError: geomspace: start and stop must be numbers, both positive or both negative, got -1 and 1
    ShapeError: geomspace: 1.5 is not a size in [1.5]; sizes must be non-negative integers
    StridewiseError: geomspace: there is no option dtyp. Did you mean dtype?
    ShapeError: identity: -1 is not a size in [-1, -1]; sizes must be non-negative integers
    ShapeError: tri: -1 is not a size in [2, -1]; sizes must be non-negative integers
    DTypeError: tri: "float" is not a dtype. Did you mean "float32"?"
  `);
});

test("more values than there is memory for are refused as elsewhere", () => {
  expect(() => geomspace(1, 10, 1e10)).toThrow(
    /the result needs 40000000000 bytes, at most 2\^32 \(4 GiB\) are possible/,
  );
});
