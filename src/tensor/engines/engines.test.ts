/** Engines without memory and a user-defined engine: reading, slicing, tiling, describing. */
import { describe, expect, test } from "vitest";
import { composition as composeLayouts } from "../../layout/algebra/composition.ts";
import { _, E, type IntTuple, int, makeLayout, offsetAt, size } from "../../layout/index.ts";
import { swizzle } from "../../layout/swizzle.ts";
import { range } from "../access/indexing.ts";
import { makeCoordTensor, makeIdentityTensor, makeTransformTensor, makeZipTensor } from "../cute/make-like.ts";
import { makeTensor } from "../cute/make-tensor.ts";
import { tiledDivide, zippedDivide } from "../cute/tensor-modes.ts";
import { indexReader } from "../elements.ts";
import type { Engine } from "../engine.ts";
import { installMethods } from "../install.ts";
import type { Tensor } from "../tensor.ts";
import { counting, transformEngine } from "./computed-engines.ts";
import { gmem } from "./pointers.ts";

installMethods();

const elements = (t: Tensor): unknown[] => Array.from({ length: t.size }, (_unused, i) => indexReader(t, "test")(i));

/** Runs of equal elements: [[3, "a"], [2, "b"]] is a a a b b. */
function runLengths<V>(runs: readonly (readonly [count: number, value: V])[], valueType: string, start = 0): Engine<V> {
  return {
    kind: "run-length",
    valueType,
    space: "gmem",
    read(offset: IntTuple): V {
      let left = start + (offset as number);
      for (const [count, value] of runs) {
        if (left < count) return value;
        left -= count;
      }
      throw new RangeError(`offset ${String(offset)} is past the last run`);
    },
    advance: (offset) => runLengths(runs, valueType, start + (offset as number)),
    describe: () => `runs+${start}`,
  };
}

test("a computed tensor has no bytes to read as a different dtype", () => {
  const t = makeTensor(counting(1), [2, 3]);
  expect(() => t.view("float32")).toThrow("has no storage; its elements are computed by a counting engine");
  expect(t.view("int32").get(0, 0)).toBe(1);
});

describe("counting", () => {
  test("shows the offsets of any layout", () => {
    for (const layout of [makeLayout([int(3), 4], "right"), composeLayouts(swizzle(2, 0, 2), makeLayout([4, 4]))]) {
      const t = makeTensor(counting(100), layout);
      for (let i = 0; i < size(layout as never); i++) expect(t.getColMajor(i)).toBe(100 + offsetAt(layout, i));
    }
  });

  test("prints its start, slices included", () => {
    const t = makeTensor(counting(7), [int(3), int(4)]);
    expect(t.describe()).toBe("counting_iter(7) o (_3,_4):(_1,_3)");
    expect(t.at(1, _).describe()).toBe("counting_iter(8) o (_4):(_3)");
    expect(t.at(_, 2).at(1).get()).toBe(14);
    expect(t.toArray()).toEqual([
      [7, 10, 13, 16],
      [8, 11, 14, 17],
      [9, 12, 15, 18],
    ]);
  });

  test("throws for writes, storage and coordinates", () => {
    const t = makeTensor(counting(), [2, 2]);
    expect(() => t.set(0, 0, 1)).toThrow("has a counting engine, whose elements cannot be written");
    expect(() => t.storage).toThrow("its elements are computed by a counting engine");
    expect(() => makeTensor(counting(), makeLayout([2, 2], [E(0), E(1)])).get(0, 0)).toThrow(
      "cannot read at the coordinate",
    );
    expect(() => counting(0.5)).toThrow("the start must be an integer, got 0.5");
  });
});

describe("coordinates", () => {
  test("an identity tensor holds its own coordinates", () => {
    const t = makeIdentityTensor([4, [2, 3]]);
    expect(t.describe()).toBe("ArithTuple(_0,(_0,_0)) o (4,(2,3)):(_1@0,(_1@0@1,_1@1@1))");
    expect(t.getCoord(3, 5)).toEqual([3, [1, 2]]);
    expect(t.getCoord(3, [1, 2])).toEqual([3, [1, 2]]);
    expect(makeIdentityTensor(6).getCoord(5)).toEqual([5]);
  });

  test("slices and tiles keep the coordinates of the whole", () => {
    const t = makeIdentityTensor([8, 9]);
    for (const tile of [t.localTile([4, 3], [1, 2]), tiledDivide(t, [4, 3]).at(_, 1, 2)])
      expect(elements(tile)).toEqual(
        elements(makeIdentityTensor([4, 3])).map((c) => [
          ((c as number[])[0] as number) + 4,
          ((c as number[])[1] as number) + 6,
        ]),
      );
    expect(t.at(3, _).getCoord(7)).toEqual([3, 7]);
    expect(t.at(3, _).at(7).describe()).toBe("ArithTuple(3,7) o ():()");
    expect(t.at(3, 7).getCoord()).toEqual([3, 7]);
    expect(zippedDivide(t, [3, 3]).at(_, 8).describe()).toContain("ArithTuple(6,6)");
  });

  test("ranges, single indices and transposes keep the coordinates of the whole", () => {
    const t = makeIdentityTensor([8, [3, 3]]);
    expect(t.at(range(2, 8, 3), _).getCoord(1, 4)).toEqual([5, [1, 1]]);
    expect(t.at(range(null, null, -1), _).getCoord(0, 0)).toEqual([7, [0, 0]]);
    expect(t.at(null, 2, range(3, 9)).getCoord(0, 1)).toEqual([2, [1, 1]]);
    expect(t.select(1, 4).getCoord(6)).toEqual([6, [1, 1]]);
    expect(t.transpose(0, 1).narrow(1, 5, 2).getCoord(8, 1)).toEqual([6, [2, 2]]);
    expect(t.narrow(0, 1, 0).size).toBe(0);
  });

  test("a coordinate tensor may permute and broadcast", () => {
    const swapped = makeCoordTensor(makeLayout([3, 4], [E(1), E(0)]));
    expect(swapped.getCoord(2, 3)).toEqual([3, 2]);
    const rows = makeCoordTensor(makeLayout([2, 3], [E(0), 0]));
    expect(elements(rows)).toEqual([[0], [1], [0], [1], [0], [1]]);
  });

  test("other tensors have no coordinates as elements", () => {
    expect(() => makeTensor(counting(), 4).getCoord(1)).toThrow("are not coordinates; use get(...)");
  });
});

describe("transform", () => {
  test("applies its function when it is read, not before", () => {
    const memory = Float32Array.of(1, 2, 3, 4);
    let calls = 0;
    const squared = makeTransformTensor(
      makeTensor(gmem(memory), [2, 2]),
      (x) => {
        calls++;
        return (x as number) ** 2;
      },
      "float32",
    );
    expect(calls).toBe(0);
    memory[3] = 10;
    expect([squared.get(1, 1), calls]).toEqual([100, 1]);
    expect([squared.space, squared.dtype]).toEqual(["gmem", "float32"]);
    expect(squared.at(_, 1).toArray()).toEqual([9, 100]);
    expect(squared.describe()).toMatch(/^transform_iter\(gmem_ptr\[32b\]\(0x[0-9a-f]+\)\) o \(2,2\):\(_1,2\)$/);
    expect(() => squared.set(0, 0, 1)).toThrow("has a transform engine");
  });

  test("of an engine, of a sliced tensor, of itself", () => {
    const twice = transformEngine(counting(5), (x) => 2 * x, "int32");
    expect(makeTensor(twice, [2, 3]).toArray()).toEqual([
      [10, 14, 18],
      [12, 16, 20],
    ]);
    const t = makeTensor(counting(), [4, 4]);
    expect(makeTransformTensor(t.at(1, _), (x) => -(x as number), "int32").toArray()).toEqual([-1, -5, -9, -13]);
    expect(
      elements(
        makeTensor(
          transformEngine(twice, (x) => x % 3 === 0, "bool"),
          3,
        ),
      ),
    ).toEqual([false, true, false]);
  });

  test("of a disposed tensor throws", () => {
    const t = makeTensor("float32", int(4));
    const doubled = makeTransformTensor(t, (x) => 2 * (x as number), "float32");
    t.dispose();
    expect(() => doubled.get(0)).toThrow("was disposed");
  });
});

describe("zip", () => {
  test("reads tensors of one shape together, whatever their layouts", () => {
    const zipped = makeZipTensor(
      makeTensor(counting(0), [int(2), int(3)]),
      makeTensor(counting(100), [int(2), int(3)], "right"),
    );
    expect(elements(zipped)).toEqual([
      [0, 100],
      [1, 103],
      [2, 101],
      [3, 104],
      [4, 102],
      [5, 105],
    ]);
    expect(elements(zipped.at(1, _))).toEqual([
      [1, 103],
      [3, 104],
      [5, 105],
    ]);
    expect(zipped.describe()).toBe("zip_iter(counting_iter(0),counting_iter(100)) o (_2,_3):(_1,_2)");
  });

  test("writes to no tensor if one is a const view", () => {
    const a = makeTensor("float32", [int(2)]);
    const zipped = makeZipTensor(a, makeTensor(gmem(new Float32Array(2), { const: true }), [int(2)]));
    expect(() => zipped.set(0, [5, 7] as never)).toThrow("const view and not writable");
    expect(a.get(0)).toBe(0);
  });

  test("writes each tensor its part", () => {
    const [a, b] = [makeTensor("float32", [int(2), int(2)]), makeTensor("int32", [int(2), int(2)], "right")];
    makeZipTensor(a, b).set(1, 0, [5, 7] as never);
    expect([a.get(1, 0), b.get(1, 0), a.version, b.version]).toEqual([5, 7, 1, 1]);
  });
});

describe("a user-defined engine", () => {
  const engine = runLengths(
    [
      [5, 1.5],
      [2, -2],
      [17, 0.25],
    ],
    "float64",
  );
  const t: Tensor = makeTensor(engine, [4, 6]);

  test("has its dtype and space, and is read by every form of coordinate", () => {
    expect([t.dtype, t.space, t.ownership]).toEqual(["float64", "gmem", "view"]);
    expect([t.get(0, 1), t.get([1, 1]), t.getColMajor(7)]).toEqual([1.5, -2, 0.25]);
    expect(t.at(0, _).toArray()).toEqual([1.5, 1.5, 0.25, 0.25, 0.25, 0.25]);
  });

  test("is sliced, tiled, partitioned and composed like any other", () => {
    const plain = makeTensor(
      Float64Array.from({ length: 24 }, (_unused, i) => (i < 5 ? 1.5 : i < 7 ? -2 : 0.25)),
      [4, 6],
    );
    const threads = makeLayout([2, 3]);
    const both: readonly ((x: Tensor) => Tensor)[] = [
      (x) => x.at(1, _),
      (x) => x.at(_, 1).at(2),
      (x) => x.zippedDivide([2, 3]),
      (x) => x.localTile([2, 3], [0, 1]),
      (x) => x.localPartition(threads, 4),
      (x) => x.threadValuePartition(makeLayout([6, 4]), 2),
      (x) => x.compose(makeLayout([8, 3], [3, 1])),
    ];
    for (const f of both) {
      expect(elements(f(t))).toEqual(elements(f(plain)));
      expect(f(t).space).toBe("gmem");
    }
    expect(t.at(1, 2).describe()).toBe("runs+9 o ():()");
  });

  test("may have elements that are not numbers", () => {
    const words = makeTensor(
      runLengths(
        [
          [2, "a"],
          [4, "b"],
        ],
        "text",
      ),
      [2, 3],
    );
    expect(elements(words)).toEqual(["a", "a", "b", "b", "b", "b"]);
    expect(elements(words.at(_, 1))).toEqual(["b", "b"]);
    expect(() => words.dtype).toThrow("are not numbers");
    expect(() => words.set(0, 0, 1)).toThrow("has a run-length engine");
  });

  test("is distinguished from engines with memory", () => {
    const owned = makeTensor("int8", int(4));
    const kinds = [owned, owned.at(range(1, 3)), makeTensor(gmem(owned, { const: true }), 2), t, makeIdentityTensor(3)];
    expect(kinds.map((x) => x.engine.kind)).toEqual(["owning", "view", "const", "run-length", "coordinate"]);
    expect(owned.at(range(1, 3)).engine.read(1)).toBe(owned.get(2));
  });

  test("that writes is written through, unless it is const", () => {
    const cells = new Map<number, number>();
    const writable = (start: number): Engine<number> => ({
      kind: "cells",
      valueType: "float32",
      space: "none",
      read: (offset) => cells.get(start + (offset as number)) ?? 0,
      write: (offset, value) => void cells.set(start + (offset as number), value),
      advance: (offset) => writable(start + (offset as number)),
      describe: () => "cells",
    });
    makeTensor(writable(0), [4, 4]).at(_, 1).set(2, 8);
    expect([...cells]).toEqual([[6, 8]]);
    const frozen = makeTensor(gmem(writable(0), { const: true }), [4, 4]);
    expect(() => frozen.set(0, 0, 1)).toThrow("const view and not writable");
  });
});
