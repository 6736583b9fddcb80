/** Writing messages: a written message is read as an equal message, and equal messages have equal bytes. */
import { expect, test } from "vitest";
import { type Random, seededRandom } from "../../../test/support/files.ts";
import * as kinds from "./field-kinds.ts";
import { infoOf } from "./message.ts";
import * as packed from "./packed-kinds.ts";
import { readModel, readOptional, readSequence, readTensor } from "./read.ts";
import { modelFields, optionalFields, sequenceFields, tensorFields } from "./schema.ts";
import { DataType } from "./types.ts";
import { modelPieces, writeModel, writeOptional, writeSequence, writeTensor } from "./write.ts";

type Make = (random: Random) => unknown;

const int64 = (random: Random): number | bigint => {
  const bits = random(64);
  const value = BigInt.asIntN(64, (BigInt(random(2 ** 32)) << BigInt(bits)) * (random(2) === 0 ? 1n : -1n));
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
};
const integer = (random: Random): number => {
  const value = int64(random);
  return typeof value === "number" ? value : random(2 ** 32);
};
const int32: Make = (random) => integer(random) | 0;
const float: Make = (random) => [0, -0, 1.5, NaN, -Infinity, Math.fround(0.1)][random(6)];
const text: Make = (random) => ["", "x", "größe", "🙂", "a".repeat(200)][random(5)];
const byteString = (random: Random): Uint8Array =>
  Uint8Array.from({ length: [0, 1, 127, 128, 5000][random(5)] }, () => random(256));
const listOf =
  (make: Make): Make =>
  (random) =>
    Array.from({ length: random(4) }, () => make(random));
const maybe =
  (make: Make): Make =>
  (random) =>
    random(3) === 0 ? undefined : make(random);

/** A random value of each kind of field. */
const values = new Map<unknown, Make>([
  [kinds.aString, text],
  [kinds.anInt32, int32],
  [kinds.anInteger, integer],
  [kinds.anInt64, int64],
  [kinds.optionalFloat, maybe(float)],
  [kinds.optionalInteger, maybe(integer)],
  [kinds.optionalInt64, maybe(int64)],
  [kinds.optionalString, maybe(text)],
  [kinds.optionalBytes, maybe(byteString)],
  [kinds.strings, listOf(text)],
  [kinds.byteStrings, listOf(byteString)],
  [kinds.floats, listOf(float)],
  [kinds.integers, listOf(integer)],
  [kinds.int64s, listOf(int64)],
  [packed.packedFloats, (random) => Float32Array.from({ length: random(4) }, () => random(9) / 4)],
  [packed.packedDoubles, (random) => Float64Array.from({ length: random(4) }, () => random(9) / 7)],
  [packed.packedInt32s, (random) => Int32Array.from({ length: random(4) }, () => integer(random))],
  [packed.packedInt64s, (random) => BigInt64Array.from({ length: random(4) }, () => BigInt(int64(random)))],
  [packed.packedUint64s, (random) => BigUint64Array.from({ length: random(4) }, () => BigInt(int64(random)))],
]);

/** A random message of a table: at most one member of each oneof, and few messages below depth 3. */
function randomMessage(table: object, random: Random, depth = 0): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const { name, kind, table: inner, others } of infoOf(table).ascending) {
    const isSet = random(depth + 2) === 0 && others.every((other) => message[other] === undefined);
    const make = (): unknown => randomMessage(inner?.() as object, random, depth + 1);
    if (kind === "message") message[name] = isSet ? make() : undefined;
    else if (kind === "messages") message[name] = isSet ? Array.from({ length: random(3) }, make) : [];
    else message[name] = isSet ? (values.get(kind) as Make)(random) : kind.empty;
  }
  return message;
}

const messages = [
  ["models", modelFields, writeModel, readModel],
  ["tensors", tensorFields, writeTensor, readTensor],
  ["sequences", sequenceFields, writeSequence, readSequence],
  ["optionals", optionalFields, writeOptional, readOptional],
] as const;

test.each(messages)("%s: read(write(message)) equals the message", (_, table, write, read) => {
  for (let seed = 0; seed < 100; seed++) {
    const message = randomMessage(table, seededRandom(seed));
    const bytes = write(message);
    const again = read(bytes);
    expect(again, `seed ${seed}`).toEqual(message);
    expect(write(again as never), `seed ${seed}`).toEqual(bytes);
  }
});

test("omitted fields have their defaults", () => {
  expect(readModel(writeModel({ graph: { node: [{ opType: "Relu" }] } }))).toEqual(
    readModel(writeModel({ irVersion: 0, domain: "", graph: { name: "", node: [{ opType: "Relu", input: [] }] } })),
  );
  expect(writeModel({})).toEqual(new Uint8Array(0));
});

test("a large tensor is not copied", () => {
  const rawData = new Uint8Array(100_000);
  const tensor = { name: "w", dataType: DataType.UINT8, dims: [100_000], rawData };
  const pieces = modelPieces({ graph: { initializer: [tensor] } });
  expect(pieces.filter((piece) => piece.buffer === rawData.buffer)).toHaveLength(1);
  expect(readModel(writeModel({ graph: { initializer: [tensor] } })).graph?.initializer[0].dims).toEqual([100_000]);
});

test("half of a surrogate pair throws", () => {
  expect(() => writeModel({ docString: "\ud800" })).toThrow("half of a surrogate pair");
});
