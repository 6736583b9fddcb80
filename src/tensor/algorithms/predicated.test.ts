/**
 * copyIf: only elements that the predicate selects are read and written: ragged tiles with guards around them.
 * axpby: y = alpha x + beta y by the arithmetic of the destination's dtype, with and without a predicate.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  counted,
  distinctLayouts,
  listed,
  offsetsOf,
  stored,
  valuesOf,
} from "../../../test/support/algorithm-tensors.ts";
import { forAll } from "../../../test/support/layouts.ts";
import { ShapeError, WriteError } from "../../base/errors.ts";
import { cosize, type IntTuple, type Layout, makeLayout, offsetAt } from "../../layout/index.ts";
import { elemLess } from "../../layout/int-tuple.ts";
import { parseLayout } from "../../layout/notation.ts";
import { complex, DTypeError } from "../../storage/dtype.ts";
import { makeIdentityTensor, makeTransformTensor } from "../cute/make-like.ts";
import { makeTensor } from "../cute/make-tensor.ts";
import { localTile } from "../cute/partition.ts";
import { readAt } from "../elements.ts";
import { pointer } from "../engines/pointers.ts";
import { heldView, type Tensor } from "../tensor.ts";
import { axpby, copyIf } from "./predicated.ts";

const layout = (text: string): Layout => parseLayout(text) as Layout;
const pairs = fc.constantFrom(4, 6, 12, 24).chain((n) => fc.tuple(distinctLayouts(n), distinctLayouts(n)));

describe("copyIf", () => {
  test("copies exactly where the predicate holds, whether it is a tensor or a function", () => {
    forAll("copyIf", [pairs, fc.array(fc.boolean(), { minLength: 24, maxLength: 24 })], ([a, b], bits) => {
      const n = offsetsOf(a).length;
      const source = stored("int32", a, counted(n));
      const mask = stored("bool", makeLayout(n, 3), bits);
      const expected = counted(n).map((x, i) => (bits[i] ? x : -1));
      for (const predicate of [mask, (i: number) => bits[i] as boolean]) {
        const destination = stored("int32", b, new Array(n).fill(-1));
        copyIf(predicate, source, destination);
        expect(valuesOf(destination)).toEqual(expected);
        expect(destination.version).toBe(1);
      }
    });
  });

  test("reads and writes nothing else", () => {
    const [source, from] = listed("int32", layout("(2,3):(3,1)"), counted(6));
    const [destination, to] = listed("int32", layout("6:1"));
    copyIf((i) => i % 2 === 0, source, destination);
    expect(from.log.reads).toEqual([0, 1, 2]);
    expect(to.log.writes).toEqual([0, 2, 4]);
  });

  test("passes the coordinate, nested as the destination, to a function of two parameters", () => {
    const destination = stored("int32", layout("((2,2),3):((1,2),4)"));
    const seen: unknown[] = [];
    copyIf(
      (index, coord) => {
        seen.push([index, coord]);
        return false;
      },
      stored("int32", layout("12:1")),
      destination,
    );
    expect(seen.slice(0, 3)).toEqual([
      [0, [[0, 0], 0]],
      [1, [[1, 0], 0]],
      [2, [[0, 1], 0]],
    ]);
    expect(seen[11]).toEqual([11, [[1, 1], 2]]);
  });

  test("accepts predicates with strides of 0 and with modes of size 1", () => {
    const source = stored("int32", layout("(4,3):(1,4)"), counted(12));
    for (const mask of ["(4,3):(0,1)", "(1,3):(0,1)"]) {
      const destination = stored("int32", layout("(4,3):(3,1)"));
      copyIf(
        stored("bool", layout(mask), mask.startsWith("(1") ? [true, false, true] : [...columns]),
        source,
        destination,
      );
      expect(valuesOf(destination), mask).toEqual([1, 2, 3, 4, 0, 0, 0, 0, 9, 10, 11, 12]);
    }
  });
  const columns = [0, 1, 2].flatMap((column) => new Array<boolean>(4).fill(column !== 1));

  test("throws for a predicate of a different shape", () => {
    const four = stored("int32", layout("4:1"));
    expect(() => copyIf(stored("bool", layout("3:1")), four, four)).toThrow(ShapeError);
    expect(() => copyIf(stored("bool", layout("3:1")), four, four)).toThrow(
      "copyIf: the predicate 3:1 has 3 elements and the destination 4:1 has 4",
    );
  });

  test("throws where copy throws", () => {
    const four = stored("int32", layout("4:1"));
    const yes = () => true;
    expect(() => copyIf(yes, four, stored("int32", layout("5:1")))).toThrow(/^copyIf: sizes differ/);
    expect(() => copyIf(yes, four, stored("int32", layout("4:0")))).toThrow(WriteError);
    expect(() => copyIf(yes, four, makeTensor(pointer(new Int32Array(4), { const: true }), 4))).toThrow(WriteError);
  });

  test("is as if the source had been copied away first, where both share memory", () => {
    forAll("copyIf within memory", [pairs, fc.nat(3), fc.nat(3)], ([a, b], x, y) => {
      const memory = stored("int32", makeLayout(Math.max(cosize(a) + x, cosize(b) + y), 1), counted(300));
      const before = offsetsOf(a).map((offset) => offset + x + 1);
      const destination = heldView(memory, b, y);
      const old = valuesOf(destination);
      copyIf((i) => i % 3 !== 1, heldView(memory, a, x), destination);
      expect(valuesOf(destination)).toEqual(before.map((value, i) => (i % 3 !== 1 ? value : old[i])));
    });
  });
});

test("a predicate in the destination's own memory is read first", () => {
  const memory = stored("bool", layout("8:1"), [true, true, false, true, false, false, false, false]);
  const source = stored("bool", layout("4:1"), [false, true, true, false]);
  copyIf(heldView(memory, layout("4:1"), 0), source, heldView(memory, layout("4:1"), 1));
  expect(valuesOf(memory)).toEqual([true, false, true, true, false, false, false, false]);
});

describe("ragged tiles", () => {
  // A 10 x 7 matrix in tiles of 4 x 3: the last tiles reach 2 rows and 2 columns past the matrix.
  const shape = [10, 7] as const;
  const tile = [4, 3] as const;
  const tileCount = [3, 3] as const;
  const guard = 99;

  /** Returns the predicate of one tile: true where its coordinates are inside the matrix. */
  const insideOf = (coord: readonly [number, number]): Tensor => {
    const coords = localTile(makeIdentityTensor(shape), tile as never, coord as never);
    return makeTransformTensor(coords, (c) => elemLess(c as unknown as IntTuple, shape as never), "bool");
  };

  test.each(["left", "right"] as const)("a matrix goes to buffers and back, tile by tile, order %s", (order) => {
    const matrix = makeLayout(shape as never, order) as Layout;
    const memory = new Int32Array(80).fill(guard);
    const source = heldView(makeTensor(memory, 80), matrix, 5);
    for (let i = 0; i < 70; i++) memory[5 + offsetAt(matrix, i)] = i;
    const back = new Int32Array(80).fill(guard);
    const target = heldView(makeTensor(back, 80), matrix, 5);
    for (let m = 0; m < tileCount[0]; m++)
      for (let n = 0; n < tileCount[1]; n++) {
        const inside = insideOf([m, n]);
        const buffer = makeTensor(new Int32Array(12).fill(-1), tile as never) as Tensor;
        copyIf(inside, localTile(source, tile as never, [m, n]), buffer);
        // The buffer is unchanged outside the matrix.
        for (let i = 0; i < 12; i++) {
          const [row, column] = [4 * m + (i % 4), 3 * n + Math.floor(i / 4)];
          expect(readAt(buffer, i)).toBe(row < 10 && column < 7 ? row + 10 * column : -1);
        }
        copyIf(inside, buffer, localTile(target, tile as never, [m, n]));
      }
    expect([...back]).toEqual([...memory]);
    expect([...back.slice(0, 5), ...back.slice(75)]).toEqual(new Array(10).fill(guard));
  });

  test("nothing outside the matrix is read or written", () => {
    const [source, from] = listed("int32", makeLayout(shape as never) as Layout, counted(70));
    const [target, to] = listed("int32", makeLayout(shape as never) as Layout);
    for (let m = 0; m < tileCount[0]; m++)
      for (let n = 0; n < tileCount[1]; n++)
        copyIf(insideOf([m, n]), localTile(source, tile as never, [m, n]), localTile(target, tile as never, [m, n]));
    expect([...from.log.reads].sort((a, b) => a - b)).toEqual(counted(70, 0));
    expect([...to.log.writes].sort((a, b) => a - b)).toEqual(counted(70, 0));
  });
});

describe("axpby", () => {
  const layout = (text: string): Layout => parseLayout(text) as Layout;
  const pairs = fc.constantFrom(4, 6, 12).chain((n) => fc.tuple(distinctLayouts(n), distinctLayouts(n)));

  test("y becomes alpha x + beta y, element by element", () => {
    forAll(
      "axpby",
      [pairs, fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })],
      ([a, b], alpha, beta) => {
        const n = offsetsOf(a).length;
        for (const dtype of ["float32", "int32", "int64", "int16"] as const) {
          const [x, y] = [stored(dtype, a, counted(n)), stored(dtype, b, counted(n, -3))];
          axpby(alpha, x, beta, y);
          expect(valuesOf(y).map(Number), dtype).toEqual(counted(n).map((v, i) => alpha * v + beta * (i - 3) + 0));
          expect(y.version).toBe(1);
        }
      },
    );
  });

  test("integers wrap exactly, and 64 bits are all kept", () => {
    const x = stored("int32", layout("2:1"), [2 ** 31 - 1, 123456789]);
    const y = stored("int32", layout("2:1"), [1, 987654321]);
    axpby(987654321, x, -7, y);
    const exact = (a: bigint, b: bigint): number => Number(BigInt.asIntN(32, 987654321n * a - 7n * b));
    expect(valuesOf(y)).toEqual([exact(2n ** 31n - 1n, 1n), exact(123456789n, 987654321n)]);
    const long = stored("int64", layout("1:1"), [2n ** 61n + 1n]);
    axpby(2, stored("int64", layout("1:1"), [2n ** 60n + 1n]), 1n, long);
    expect(valuesOf(long)).toEqual([2n ** 62n + 3n]);
  });

  test("real scalars of integer tensors compute in float64 and truncate", () => {
    const y = stored("int32", layout("3:1"), [10, 10, 10]);
    axpby(0.5, stored("int32", layout("3:1"), [1, 2, 3]), 1, y);
    expect(valuesOf(y)).toEqual([10, 11, 11]);
  });

  test("complex tensors and scalars multiply as complex numbers", () => {
    const y = stored("complex64", layout("1:1"), [complex(1, 1)]);
    axpby(complex(0, 1), stored("complex64", layout("1:1"), [complex(2, 3)]), 2, y);
    expect(valuesOf(y)).toEqual([{ re: -3 + 2, im: 2 + 2 }]);
    expect(() => axpby(complex(0, 1), y, 1, stored("float32", layout("1:1")))).toThrow(DTypeError);
  });

  test("with beta 0, y is not read", () => {
    const [y, engine] = listed("float32", layout("2:1"), [NaN, NaN]);
    axpby(2, stored("float32", layout("2:1"), [1, 2]), 0, y);
    expect([engine.list, engine.log.reads]).toEqual([[2, 4], []]);
    const inMemory = stored("float32", layout("2:1"), [NaN, Infinity]);
    axpby(2, stored("float32", layout("2:1"), [1, 2]), 0, inMemory);
    expect(valuesOf(inMemory)).toEqual([2, 4]);
  });

  test("a predicate selects the elements", () => {
    for (const predicate of [(i: number) => i !== 1, stored("bool", layout("3:1"), [true, false, true])]) {
      const y = stored("float32", layout("3:1"), [1, 1, 1]);
      axpby(10, stored("float32", layout("3:1"), [1, 2, 3]), 1, y, predicate);
      expect(valuesOf(y)).toEqual([11, 1, 31]);
    }
  });

  test("y may be x, and may overlap it", () => {
    const y = stored("int32", layout("4:1"), counted(4));
    axpby(2, y, 3, y);
    expect(valuesOf(y)).toEqual([5, 10, 15, 20]);
  });

  test("a destination whose elements share an address throws", () => {
    expect(() => axpby(1, stored("float32", layout("4:1")), 1, stored("float32", layout("4:0")))).toThrow(WriteError);
  });
});
