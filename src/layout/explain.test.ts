/** Explanations of partitions: the result equals that of the operation, and the steps name the fixed and the kept modes. */
import { expect, test } from "vitest";
import { forAll, layouts, tilers } from "../../test/support/layouts.ts";
import {
  innerPartition,
  localPartition,
  localTile,
  outerPartition,
  type Partition,
  threadValuePartition,
} from "./algebra/partition.ts";
import { _ } from "./coord.ts";
import { explain, formatExplanation } from "./explain.ts";
import { formatLayout, formatTuple } from "./format.ts";
import { int } from "./int.ts";
import { type Layout, makeLayout } from "./layout.ts";
import { offsetAt, size } from "./queries.ts";

const same = (explanation: ReturnType<typeof explain>, [layout, offset]: Partition): void => {
  expect(explanation.refusal).toBeUndefined();
  expect(formatLayout(explanation.result as Layout)).toBe(formatLayout(layout as Layout));
  expect(formatTuple(explanation.offset as never)).toBe(formatTuple(offset as never));
};

const A = makeLayout([8, 24]);
const threads = makeLayout([int(4), int(8)], "right");
const tile = [int(4), int(8)];

test("the explained result is the result of the operation", () => {
  same(explain("innerPartition", A, tile, [1, 2]), innerPartition(A, tile, [1, 2]));
  same(explain("outerPartition", A, tile, 5), outerPartition(A, tile, 5));
  same(explain("localTile", A, tile, [1, _]), localTile(A, tile, [1, _]));
  same(explain("localTile", A, [4, 100, 8], [1, 0, _], [1, _, 1]), localTile(A, [4, 100, 8], [1, 0, _], [1, _, 1]));
  same(explain("localPartition", A, threads, 9), localPartition(A, threads, 9));
  same(
    explain("localPartition", A, makeLayout([4, 2, 8]), 13, [1, _, 1]),
    localPartition(A, makeLayout([4, 2, 8]), 13, [1, _, 1]),
  );
});

test("law: explained partitions of random layouts agree with the operations, errors included", () => {
  forAll(
    "explained partitions",
    [layouts(), tilers()],
    (layout, tiler) => {
      const explanation = explain("innerPartition", layout, tiler, 0);
      let parts: Partition | undefined;
      try {
        parts = innerPartition(layout, tiler, 0);
      } catch {
        expect(explanation.refusal).toBeDefined();
      }
      if (parts !== undefined) same(explanation, parts);
    },
    300,
  );
});

test("law: value v of thread t is A(TV(t, v))", () => {
  forAll(
    "thread-value partitions",
    [layouts({ strides: "positive" })],
    (layout) => {
      const count = size(layout);
      if (count % 4 !== 0) return;
      const tv = makeLayout([4, count / 4], [count / 4, 1]);
      let parts: Partition;
      try {
        parts = threadValuePartition(layout, tv, 3);
      } catch {
        expect(explain("threadValuePartition", layout, tv, 3).refusal).toBeDefined();
        return;
      }
      same(explain("threadValuePartition", layout, tv, 3), parts);
      for (let v = 0; v < count / 4; v++)
        expect(Number(parts[1]) + offsetAt(parts[0] as Layout, v)).toBe(offsetAt(layout, offsetAt(tv, [3, v])));
    },
    400,
  );
});

const outline = (explanation: ReturnType<typeof explain>): string[] =>
  formatExplanation(explanation)
    .split("\n")
    .filter((line) => !line.startsWith("    "));

test("the explanations of localPartition and localTile name their difference", () => {
  expect(outline(explain("localPartition", A, threads, 9))).toEqual([
    "localPartition((8,24):(_1,8), (_4,_8):(_8,_1), 9)",
    "  thread 9 of (_4,_8):(_8,_1) has the coordinate (1,1): its index divided by each stride, modulo the size",
    "  the tile is (_4,_8), the sizes of (_4,_8):(_8,_1): one element for each thread",
    "  zippedDivide cuts (8,24):(_1,8) into tiles of (_4,_8)",
    "  outer: (1,1) selects an element inside the tile (_4,_8):(_1,8), and all tiles stay",
    "  so the result is one element of every tile, in round-robin order; localTile would take one whole tile",
    "= (2,3):(_4,64) from offset 9",
  ]);
  expect(outline(explain("localTile", A, tile, [1, 2]))).toEqual([
    "localTile((8,24):(_1,8), <_4,_8>, (1,2))",
    "  zippedDivide cuts (8,24):(_1,8) into tiles of (_4,_8)",
    "  inner: (1,2) selects among the tiles (2,3):(_4,64), and the tile itself stays",
    "  so the result is one whole tile of adjacent elements; localPartition would take one element of every tile",
    "= (_4,_8):(_1,8) from offset 132",
  ]);
});
