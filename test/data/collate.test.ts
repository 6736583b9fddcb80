/**
 * Samples as programs have them: typed arrays, which become rows of a tensor, and records whose type is an interface.
 */
import { ones, type Tensor } from "stridewise";
import { collate, DataLoader, randomSplit } from "stridewise/data";
import { expect, test } from "vitest";

test("typed arrays are rows of a tensor of their dtype", () => {
  const samples = [
    { image: new Uint8Array([1, 2]), label: 1 },
    { image: new Uint8Array([3, 4]), label: 0 },
  ];
  const { image, label } = collate(samples);
  expect([image.dtype, image.toArray()]).toEqual(["uint8", [[1, 2], [3, 4]]]); // biome-ignore format: rows
  expect(label.toArray()).toEqual([1, 0]);
  const [batch] = new DataLoader([new Float64Array([0.5])]);
  expect([batch?.dtype, batch?.shape]).toEqual(["float64", [1, 1]]);
  expect(() => collate([new Float32Array(2), new Float32Array(3)])).toThrow(
    "collate: a sample is Float32Array(2) in sample 0 of the batch and Float32Array(3) in sample 1",
  );
  expect(() => collate<unknown>([new Float32Array(2), new Int8Array(2)])).toThrow("Int8Array(2) in sample 1");
});

interface Columns {
  readonly x: Tensor;
  readonly y: Tensor;
}
interface Sample {
  readonly x: Tensor;
  readonly name: string;
}

test("records may be declared as an interface, as columns and as samples", () => {
  const columns: Columns = { x: ones([4, 2]), y: ones([4]) };
  for (const { x, y } of new DataLoader(columns, { batchSize: 4 })) expect([x.shape, y.shape]).toEqual([[4, 2], [4]]);
  const [part] = randomSplit(columns, [0.5, 0.5]);
  for (const { x } of new DataLoader(part as NonNullable<typeof part>, { batchSize: 4 }))
    expect(x.shape).toEqual([2, 2]);
  const samples: Sample[] = [{ x: ones([2]), name: "a" }];
  for (const { x, name } of new DataLoader(samples)) expect([x.shape, name]).toEqual([[1, 2], ["a"]]);
  // @ts-expect-error not all columns are tensors
  expect(() => new DataLoader({ x: 3 })).toThrow("DataLoader: the source must be");
  // @ts-expect-error a number is not a source
  expect(() => new DataLoader(5)).toThrow("DataLoader: the source must be");
  // @ts-expect-error the function returns nothing to iterate over
  expect(() => [...new DataLoader(() => 5)]).toThrow("DataLoader: the function must return an iterable");
});
