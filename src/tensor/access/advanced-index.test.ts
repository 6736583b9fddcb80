/**
 * Indexing against recorded answers of PyTorch (test/oracle/records/torch/indexing.jsonl) and against a model that looks up every
 * element one by one.
 */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { visitElements } from "../../kernel/callbacks.ts";
import { _ } from "../../layout/coord.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { rowMajorStrides } from "../contiguity.ts";
import { indexWriter } from "../elements.ts";
import { sizesOf } from "../geometry.ts";
import { installMethods } from "../install.ts";
import { operandOf } from "../operand.ts";
import { type Tensor, tensorOver } from "../tensor.ts";
import { type Index, range } from "./indexing.ts";

beforeAll(installMethods);

interface Recorded {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: readonly Value[];
}

function make({ dtype, shape, data }: Recorded): Tensor {
  const t = tensorOver(Storage.allocate(data.length * dtypes[dtype].itemsize), dtype, 0, shape, rowMajorStrides(shape));
  // The writer counts the first axis fastest, so it is given the flat tensor.
  const flat = t.view(-1 * Math.sign(data.length) || 0);
  const write = indexWriter(flat, "test");
  for (const [i, value] of data.entries()) write(i, value);
  return t;
}

function values(t: Tensor): Value[] {
  const result: Value[] = [];
  visitElements(operandOf(t, "test"), (value) => result.push(value));
  return result;
}

type RecordedItem = number | { slice?: (number | null)[]; tensor?: Recorded; newaxis?: 1; ellipsis?: 1 };

function itemOf(item: RecordedItem): Index {
  if (typeof item === "number") return item;
  if (item.tensor) return make(item.tensor);
  if (item.newaxis) return null;
  if (item.ellipsis) return "...";
  const [start = null, stop = null, step] = item.slice ?? [];
  return range(start, stop, step ?? 1);
}

interface Row {
  readonly name: string;
  readonly inputs: Readonly<Record<string, Recorded>>;
  readonly prog: readonly (readonly [string, string, readonly unknown[]])[];
  readonly values?: readonly Recorded[];
  readonly error?: { readonly msg: string };
}

const rows = readFileSync(new URL("../../../test/oracle/records/torch/indexing.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

/** Runs the last step of a record's program: `index` or `setitem_` on x (or its clone t). */
function run({ inputs, prog }: Row): Tensor {
  const x = make(inputs["x"] as Recorded);
  const args = prog.at(-1)?.[2] as readonly [string, readonly RecordedItem[], unknown?];
  const items = args[1].map(itemOf);
  if (prog.at(-1)?.[1] === "index") return x.at(...items);
  const value = args[2];
  return x.assignAt(items, typeof value === "string" ? make(inputs[value.slice(1)] as Recorded) : (value as number));
}

describe("as PyTorch has it", () => {
  test.each(rows.filter((row) => row.values).map((row) => [row.name, row] as const))("%s", (_name, row) => {
    const result = run(row);
    const expected = row.values?.[0] as Recorded;
    expect([result.dtype, sizesOf(result), values(result)]).toEqual([expected.dtype, expected.shape, expected.data]);
  });
  test.each(rows.filter((row) => row.error).map((row) => [row.name, row] as const))("%s is refused", (_name, row) => {
    expect(() => run(row)).toThrow(/^at: |^assignAt: |^slice: /);
  });
});

const numbered = (shape: readonly number[]): Tensor =>
  make({ dtype: "int32", shape, data: Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_unused, i) => i) });

const integers = (shape: readonly number[], data: readonly number[]): Tensor => make({ dtype: "int64", shape, data });

test("separated index tensors move to the front, adjacent ones keep their axis, and an integer is a select done first", () => {
  const x = numbered([3, 4, 5]);
  const two = integers([2], [0, 1]);
  expect(x.at(_, two, two).shape).toEqual([3, 2]);
  expect(x.at(two, _, two).shape).toEqual([2, 4]);
  expect(numbered([2, 3, 4, 5]).at(0, _, two).shape).toEqual([3, 2, 5]);
  expect(x.at(_, integers([2, 2], [0, 1, 2, 3])).shape).toEqual([3, 2, 2, 5]);
  expect(x.at(null, two, "...").shape).toEqual([1, 2, 4, 5]);
});

test("one tensor on any axis equals looking up each element, and assigning writes exactly those", () => {
  const cases = fc.record({
    shape: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
    axis: fc.nat(3),
    picks: fc.array(fc.integer({ min: -4, max: 3 }), { maxLength: 5 }),
    flip: fc.boolean(),
  });
  fc.assert(
    fc.property(cases, ({ shape, axis: givenAxis, picks, flip }) => {
      const axis = givenAxis % shape.length;
      const size = shape[axis] as number;
      const list = picks.filter((at) => at >= -size && at < size);
      const x = flip ? numbered(shape.toReversed()).T : numbered(shape);
      const items: Index[] = [...new Array<typeof _>(axis).fill(_), integers([list.length], list)];
      const result = x.at(...items);
      expect(values(result)).toEqual(values(x.pick(list, axis)));
      const parts = list.map((at) => x.select(axis, at));
      for (const [i, part] of parts.entries()) expect(values(result.select(axis, i))).toEqual(values(part));
      const before = x.version;
      x.assignAt(items, -7);
      expect(x.version).toBe(before + 1);
      expect(values(x).filter((value) => value === -7).length).toBe(
        (x.size / size) * new Set(list.map((at) => (at + size) % size)).size,
      );
    }),
    { numRuns: 300 },
  );
});

test("a mask chooses the elements where it is true, in order", () => {
  const x = numbered([2, 3]);
  const mask = make({ dtype: "bool", shape: [2, 3], data: [true, false, true, false, false, true] });
  expect(values(x.at(mask))).toEqual([0, 2, 5]);
  x.assignAt([mask], 9);
  expect(values(x)).toEqual([9, 1, 9, 3, 4, 9]);
  expect(values(x.at(true))).toEqual(values(x));
  expect(x.at(false).shape).toEqual([0, 2, 3]);
});

test("masks and index tensors of views: axes that are not one run of memory, backward ones, and memory that is shared", () => {
  const x = numbered([3, 4]);
  const mask = make({ dtype: "bool", shape: [4, 3], data: Array.from({ length: 12 }, (_unused, i) => i % 5 < 2) });
  // Element (i, j) of x.T is 4 * j + i.
  const chosen = Array.from({ length: 12 }, (_unused, k) => 4 * (k % 3) + Math.floor(k / 3)).filter(
    (_v, k) => k % 5 < 2,
  );
  expect(values(x.T.at(mask))).toEqual(chosen);
  const back = x.at(range(null, null, -1), range(null, null, -1));
  expect(values(back.at(integers([2], [0, -1]), integers([2], [1, 0])))).toEqual([10, 3]);
  back.assignAt([integers([2], [0, -1]), integers([2], [1, 0])], -1);
  expect(values(x).flatMap((value, i) => (value === -1 ? [i] : []))).toEqual([3, 10]);
  x.T.assignAt([mask], x.at(0, 0));
  expect(chosen.every((i) => values(x)[i] === 0)).toBe(true);
  const own = make({ dtype: "uint8", shape: [4], data: [1, 0, 2, 0] });
  own.assignAt([own], 7);
  expect(values(own)).toEqual([7, 7, 7, 0]);
});

test("mistakes say what to do", () => {
  const x = numbered([2, 3]);
  expect(() => x.at(make({ dtype: "float32", shape: [1], data: [0] }))).toThrow("pick([...])");
  expect(() => x.at([0, 1])).toThrow("For a list of indices use pick");
  expect(() => x.pick([3])).toThrow("pick: index 3 is out of range for axis 0 with size 2");
  expect(() => x.at(0, 0, 0)).toThrow("too many indices for 2 axes, got 3");
  expect(() => x.at("...", "...")).toThrow("single ellipsis");
});
