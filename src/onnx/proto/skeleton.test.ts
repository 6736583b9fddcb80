/** The skeleton of a file has the messages of the file, without the long elements of tensors, which are ranges of it; damaged files fail alike. */
import { expect, test } from "vitest";
import { mutate, seededRandom } from "../../../test/support/files.ts";
import {
  bytesOf,
  chunk,
  graph,
  integer,
  join,
  model,
  node,
  raw,
  tensor,
  text,
  varint,
} from "../../../test/support/onnx-files.ts";
import { readFromBytes, readFromSource } from "../../io/source.ts";
import { tensorsOfModel } from "../model-tensors.ts";
import { readModel } from "./read.ts";
import { modelFields } from "./schema.ts";
import { skeletonReader } from "./skeleton.ts";
import type { ModelProto, SparseTensorProto, TensorProto } from "./types.ts";

const numbers = (count: number, seed: number): Float32Array => Float32Array.from({ length: count }, (_, i) => i + seed);
const floatData = (values: Float32Array): Uint8Array => chunk(4, bytesOf(values));
const attribute = (number: number, message: Uint8Array): Uint8Array =>
  join(text(1, "a"), chunk(number, message), integer(20, number === 5 ? 4 : 5));

/** Long and short elements wherever a tensor can be. */
const file = model(
  {
    nodes: [
      node("Constant", [], ["c"], attribute(5, tensor([6000], 1, "", raw(numbers(6000, 1))))),
      node("Constant", [], ["d"], attribute(5, tensor([6], 1, "", raw(numbers(6, 2))))),
      node(
        "If",
        ["x"],
        ["y"],
        attribute(6, graph({ initializers: [tensor([5000], 1, "inner", raw(numbers(5000, 3)))] })),
      ),
    ],
    initializers: [
      tensor([4097], 1, "raw", raw(numbers(4097, 4))),
      tensor([0], 1, "empty", raw(new Float32Array(0))),
      tensor([5000], 1, "floats", floatData(numbers(5000, 5))),
      // Elements in several pieces, of another type, before their type, and after a long tag.
      tensor([10000], 1, "pieces", floatData(numbers(5000, 6)), floatData(numbers(5000, 7))),
      tensor([5000], 7, "other", floatData(numbers(5000, 8))),
      join(floatData(numbers(5000, 9)), tensor([5000], 1, "early")),
      tensor([5000], 1, "tag", join(varint(34, 2), varint(20000), bytesOf(numbers(5000, 10)))),
      tensor([3000], 11, "doubles", chunk(10, new Uint8Array(24000).fill(1))),
      tensor([1], 8, "texts", chunk(6, new Uint8Array(20000).fill(65))),
    ],
    sparse: [
      join(
        chunk(1, tensor([5000], 1, "sparse", raw(numbers(5000, 11)))),
        chunk(2, tensor([5000], 7, "", raw(new BigInt64Array(5000)))),
        integer(3, 9999),
      ),
    ],
  },
  text(6, "a long text ".repeat(5000)),
);

const skeletonOf = (bytes: Uint8Array) => readFromBytes(bytes, skeletonReader("loadOnnx", bytes.length, modelFields));

/** A model whose long elements are read from their ranges. */
function completed(bytes: Uint8Array): ModelProto {
  const { bytes: skeleton, rangeOf, positionOf } = skeletonOf(bytes);
  const proto = readModel(skeleton, "the model", { positionOf });
  for (const each of tensorsIn(proto)) {
    const range = rangeOf(each.rawData);
    if (range !== undefined) Object.assign(each, { rawData: bytes.subarray(range.begin, range.end) });
  }
  return proto;
}

const partsOf = (each: TensorProto | SparseTensorProto): TensorProto[] =>
  "dataType" in each ? [each] : [each.values, each.indices].filter((part) => part !== undefined);
const tensorsIn = (proto: ModelProto): TensorProto[] =>
  [...tensorsOfModel(proto)].flatMap(({ tensor }) => partsOf(tensor));

/** A model with long floats in raw data, as the skeleton has them. */
function withRawFloats(proto: ModelProto): ModelProto {
  for (const each of tensorsIn(proto)) {
    const list = each.dataType === 1 ? each.floatData : each.dataType === 11 ? each.doubleData : [];
    const isMoved = list.length > 4000 && ["floats"].includes(each.name);
    if (isMoved || each.name === "doubles")
      Object.assign(each, {
        rawData: bytesOf(list as Float32Array),
        floatData: new Float32Array(0),
        doubleData: new Float64Array(0),
      });
  }
  return proto;
}

test("the messages are those of the file, and the ranges have the long elements", () => {
  const { bytes } = skeletonOf(file);
  expect(file.length).toBeGreaterThan(300_000);
  expect(bytes.length).toBeLessThan(220_000);
  expect(completed(file)).toEqual(withRawFloats(readModel(file)));
});

test("a source is read by windows, without the long elements", async () => {
  const large = model({
    initializers: Array.from({ length: 20 }, (_, k) => tensor([50000], 1, `w${k}`, raw(numbers(50000, k)))),
  });
  let read = 0;
  const source = {
    size: large.length,
    read: (begin: number, end: number) => {
      read += end - begin;
      return Promise.resolve(large.subarray(begin, end));
    },
  };
  const { bytes } = await readFromSource(source, skeletonReader("loadOnnx", large.length, modelFields));
  expect(bytes).toEqual(skeletonOf(large).bytes);
  expect(read).toBeLessThan(large.length / 20);
});

test("damaged files are read alike with and without their skeleton, with the same errors at the same bytes", () => {
  const random = seededRandom(5);
  const small = model({
    nodes: [node("Constant", [], ["c"], attribute(5, tensor([4100], 1, "c", raw(numbers(4100, 1)))))],
    initializers: [tensor([4097], 1, "floats", floatData(numbers(4097, 4))), tensor([1], 1, "w", raw(numbers(1, 0)))],
  });
  const outcome = (read: () => ModelProto): unknown => {
    try {
      return read();
    } catch (error) {
      return String(error);
    }
  };
  let errors = 0;
  for (let i = 0; i < 300; i++) {
    const damaged = mutate(small, i % 2 === 0 ? 60 : small.length, random);
    const expected = outcome(() => withRawFloats(readModel(damaged)));
    const result = outcome(() => completed(damaged));
    if (typeof expected === "string") errors++;
    // Elements of damaged types may be in another field; errors are the same.
    if (typeof expected === "string" || typeof result === "string") expect(result).toEqual(expected);
  }
  expect(errors).toBeGreaterThan(50);
});
