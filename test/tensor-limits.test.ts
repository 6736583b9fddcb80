/** The limits of shapes: 64 axes, 2^53 elements; nested arrays that are deep or contain themselves. */
import { expect, test } from "vitest";
import {
  broadcastTo,
  empty,
  ones,
  ShapeError,
  stack,
  type Tensor,
  tensor,
  trilIndices,
  triuIndices,
  zeros,
} from "../src/index.ts";

const units = (count: number): number[] => new Array<number>(count).fill(1);

test("arrays that are too deep or contain themselves throw", () => {
  const own: unknown[] = [];
  own.push(own);
  const later: unknown[] = [1];
  later.push(later);
  let deep: unknown = 1;
  for (let i = 0; i < 5000; i++) deep = [deep];
  for (const data of [own, later, deep]) {
    expect(() => tensor(data as never)).toThrow(ShapeError);
    expect(() => tensor(data as never)).toThrow(/^tensor: arrays are nested more than 64 deep, or contain themselves/);
  }
  expect(() => tensor(later as never, { dtype: "int32" })).toThrow(ShapeError);
});

test("a tensor has at most 64 axes, however it is created", () => {
  const max = zeros(units(64)) as Tensor;
  expect(max.rank).toBe(64);
  expect(String(max)).toBe(`tensor(${"[".repeat(64)}0.${"]".repeat(64)})`);
  expect(tensor(max.toArray() as never).rank).toBe(64);
  expect((max.add(1) as Tensor).sum().item()).toBe(1);
  const one = zeros([1]) as Tensor;
  const calls: (() => unknown)[] = [
    () => zeros(units(5000)),
    () => empty(units(65)),
    () => one.reshape(units(65)),
    () => one.expand(units(65)),
    () => max.unsqueeze(0),
    () => stack([max]),
    () => broadcastTo(one, units(100)),
    () => one.at(...new Array(80).fill(null)),
  ];
  for (const call of calls) expect(call).toThrow(/: a tensor has at most 64 axes, got \d+$/);
});

test("a shape has at most 2^53 elements", () => {
  expect(() => ones([1]).expand([2 ** 30, 2 ** 30])).toThrow(ShapeError);
  expect((ones([1, 0, 1]) as Tensor).expand([2 ** 30, 0, 2 ** 30]).size).toBe(0);
});

test("the text of a tensor with many axes shows as many items as fit", () => {
  const wide = ones([1]).expand(new Array<number>(30).fill(2)) as Tensor;
  expect(String(wide).length).toBeLessThan(1000);
});

test("indices of triangles are those of the definition", () => {
  for (const [rows, columns] of [
    [0, 3],
    [3, 0],
    [3, 4],
    [4, 2],
  ] as const)
    for (let offset = -5; offset <= 5; offset++)
      for (const isUpper of [false, true]) {
        const expected: [number[], number[]] = [[], []];
        for (let i = 0; i < rows; i++)
          for (let j = 0; j < columns; j++)
            if (isUpper ? j - i >= offset : j - i <= offset) {
              expected[0].push(i);
              expected[1].push(j);
            }
        const found = (isUpper ? triuIndices : trilIndices)(rows, columns, offset);
        expect(found.toArray(), `${rows} x ${columns}, ${offset}, ${isUpper}`).toEqual(expected);
      }
});
