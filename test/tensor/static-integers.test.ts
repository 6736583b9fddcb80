/** Static integers are accepted wherever a tensor takes an index, a size, a count or an axis. */
import { describe, expect, test } from "vitest";
import * as api from "../../src/index.ts";
import { _, _0, _1, _2, _3, _4, int } from "../../src/layout/index.ts";

type Calls = Readonly<Record<string, (n: (value: number) => number) => unknown>>;

const t = api.arange(12).reshape([3, 4]);
const index = api.tensor([0, 1], { dtype: "int32" });

/** Each call with plain numbers, and with static integers instead. */
const calls: Calls = {
  "at, last axis": (n) => t.at(_, n(1)),
  "at, first axis": (n) => t.at(n(-1)),
  "at, range": (n) => t.at(api.range(n(1), n(3))),
  "get, each axis": (n) => t.get(n(1), 0),
  "get, coordinate": (n) => t.get([n(1), n(2)]),
  getColMajor: (n) => t.getColMajor(n(5)),
  dataPtr: (n) => t.dataPtr([n(1), n(0)]) - t.dataPtr(),
  pick: (n) => t.pick([n(0), n(2)], n(1)),
  select: (n) => t.select(n(0), n(1)),
  narrow: (n) => t.narrow(n(0), n(1), n(2)),
  slice: (n) => t.slice(n(1), n(1), n(3)),
  split: (n) => t.split(n(2), n(1)),
  chunk: (n) => t.chunk(n(2), n(1)),
  unbind: (n) => t.unbind(n(0)),
  unfold: (n) => t.unfold(n(1), n(2), n(1)),
  diagonal: (n) => t.diagonal(n(1)),
  reshape: (n) => t.reshape([n(4), n(3)]),
  "reshape, one by one": (n) => t.reshape(n(4), n(-1)),
  view: (n) => t.view([n(2), n(6)]),
  flatten: (n) => t.flatten(n(0), n(1)),
  unflatten: (n) => t.unflatten(n(1), [n(2), n(2)]),
  expand: (n) => t.at(0).expand([n(2), n(4)]),
  asStrided: (n) => t.asStrided([n(2), n(2)], [n(1), n(1)], n(0)),
  permute: (n) => t.permute([n(1), n(0)]),
  transpose: (n) => t.transpose(n(0), n(1)),
  unsqueeze: (n) => t.unsqueeze(n(1)),
  squeeze: (n) => t.unsqueeze(0).squeeze(n(0)),
  zeros: (n) => api.zeros([n(2), n(3)]),
  full: (n) => api.full([n(2)], 7),
  arange: (n) => api.arange(n(4)),
  eye: (n) => api.eye(n(3)),
  linspace: (n) => api.linspace(0, 1, n(5)),
  repeat: (n) => t.repeat([n(2), n(1)]),
  roll: (n) => t.roll(n(1), n(0)),
  flip: (n) => t.flip([n(0)]),
  sum: (n) => t.sum(n(1)),
  "sum, several axes": (n) => t.sum([n(0), n(1)]),
  softmax: (n) => t.softmax(n(1)),
  cumsum: (n) => t.cumsum(n(1)),
  topk: (n) => t.topk(n(2)).values,
  cat: (n) => api.cat([t, t], n(1)),
  stack: (n) => api.stack([t, t], n(1)),
  indexSelect: (n) => t.indexSelect(n(0), index),
  add: (n) => t.add(n(2)),
};

const textOf = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(";") : String(value));

test.each(Object.entries(calls))("%s", (_name, call) => {
  expect(textOf(call((value) => int(value) as never))).toBe(textOf(call((value) => value)));
});

describe("writes", () => {
  test("set and assignAt", () => {
    const a = api.zeros([2, 3]);
    a.set(_1, _2, 5);
    a.assignAt([_0], 1);
    expect(a.toArray()).toEqual([
      [1, 1, 1],
      [0, 0, 5],
    ]);
  });
});

test("an index outside the axis throws like a number", () => {
  expect(() => t.at(_, _4 as never)).toThrow("index 4 is out of range for axis 1 with size 4");
  expect(() => t.get(_3, _0)).toThrow("index 3 is out of range for axis 0 with size 3");
});

test("nested coordinates, and layouts keep their static integers", () => {
  const tiled = api
    .arange(12)
    .reshape([12])
    .zippedDivide([int(4)]);
  expect(tiled.at([_1], [_2]).item()).toBe(9);
  expect(String(tiled.at(_, [_2]).layout)).toBe("((_4)):((1))");
});
