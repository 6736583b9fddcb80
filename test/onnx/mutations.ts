/**
 * Mutations of ONNX files: of their bytes, and of their messages. A mutated message is well formed, but may ask for impossible sizes, refer to what is
 * not there, or never end.
 */
import type { AnyMessage } from "../../src/onnx/proto/message.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import type { Draft, ModelProto } from "../../src/onnx/proto/types.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";
import { mutate, type Random } from "../support/files.ts";

/** Integers that are likely to be handled wrongly. */
const integers = [
  0,
  1,
  -1,
  2,
  3,
  5,
  127,
  128,
  255,
  2 ** 16,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 40,
  2 ** 53 - 1,
  -(2 ** 31),
  -(2 ** 53) + 1,
];
const wide = [2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n];
const numbers = [0, -0, 1, -1, 0.5, 1e-30, 1e30, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** Fields of sizes and kinds, where values beyond 2^53 - 1 are refused by the writer. */
const plain = new Set(["dims", "dimValue", "version", "irVersion"]);

interface Spot {
  readonly holder: AnyMessage;
  readonly name: string;
}

/** All fields of a message and of the messages in it that have a value. */
function spotsOf(message: AnyMessage, spots: Spot[] = []): Spot[] {
  for (const [name, value] of Object.entries(message)) {
    if (value === undefined) continue;
    spots.push({ holder: message, name });
    for (const each of Array.isArray(value) ? value : [value])
      if (typeof each === "object" && each !== null && !ArrayBuffer.isView(each)) spotsOf(each as AnyMessage, spots);
  }
  return spots;
}

/** A copy of a message that can be changed. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (ArrayBuffer.isView(value)) return (value as Uint8Array).slice();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]));
}

function mutateArray(holder: AnyMessage, name: string, value: unknown[], spots: readonly Spot[], random: Random): void {
  const kind = random(6);
  const at = random(value.length + 1);
  if (kind === 0) value.splice(at, 1);
  else if (kind === 1 && value.length > 0) value.splice(at, 0, copyOf(value[random(value.length)]));
  else if (kind === 2) value.reverse();
  else if (kind === 3) {
    const others = spots.filter((each) => each.name === name && each.holder !== holder);
    if (others.length > 0) holder[name] = copyOf(others[random(others.length)].holder[name]);
  } else if (value.length > 0) {
    const k = random(value.length);
    value[k] = mutatedScalar(name, value[k], spots, random);
  } else if (["dims", "ints"].includes(name)) value.push(integers[random(integers.length)]);
}

/** Another value of the same type; messages in lists stay. */
function mutatedScalar(name: string, value: unknown, spots: readonly Spot[], random: Random): unknown {
  if (typeof value === "bigint" || typeof value === "number") {
    if (name === "floats" || name === "f") return numbers[random(numbers.length)];
    if (name === "dataType" || name === "elemType" || name === "type") return random(30);
    const nearby = Number(value) + random(5) - 2;
    if (random(3) === 0 && Number.isSafeInteger(nearby)) return nearby;
    return random(4) === 0 && !plain.has(name) ? wide[random(wide.length)] : integers[random(integers.length)];
  }
  if (typeof value === "string") {
    const texts = spots.flatMap((each) => [each.holder[each.name]].flat()).filter((each) => typeof each === "string");
    return random(4) === 0 ? "" : texts[random(texts.length)];
  }
  if (value instanceof Uint8Array && value.length % 8 === 0 && value.length > 0 && random(2) === 0) {
    const copy = value.slice();
    const view = new DataView(copy.buffer);
    const at = 8 * random(copy.length / 8);
    view.setBigInt64(at, random(4) === 0 ? wide[random(wide.length)] : BigInt(integers[random(integers.length)]), true);
    return copy;
  }
  if (value instanceof Uint8Array && value.length > 0) {
    const copy = value.slice(0, random(8) === 0 ? random(value.length) : value.length);
    if (copy.length > 0) copy[random(copy.length)] = random(256);
    return copy;
  }
  return value;
}

function mutateTyped(
  value: Float32Array | Float64Array | Int32Array | BigInt64Array | BigUint64Array,
  random: Random,
): void {
  if (value.length === 0) return;
  const k = random(value.length);
  if (value instanceof BigInt64Array)
    value[k] = random(2) === 0 ? wide[random(wide.length)] : BigInt(integers[random(integers.length)]);
  else if (value instanceof BigUint64Array) value[k] = BigInt(random(1000));
  else value[k] = value instanceof Int32Array ? random(1000) - 500 : numbers[random(numbers.length)];
}

/** Fields with the numbers of attributes and weights. */
const numeric = new Set(["i", "ints", "f", "floats", "rawData", "dims", "s"]);

/** The bytes of a model with a few changes of numbers in attributes and weights. */
export const mutateNumbers = (bytes: Uint8Array, random: Random): Uint8Array =>
  mutateMessages(readModel(bytes), random, ({ name }) => numeric.has(name));

/** A model with a few changes in those fields of its messages that `isChanged` selects. */
export function mutateMessages(model: ModelProto, random: Random, isChanged = (_: Spot): boolean => true): Uint8Array {
  const copy = copyOf(model) as AnyMessage;
  for (let times = random(3); times >= 0; times--) {
    const spots = spotsOf(copy).filter(isChanged);
    if (spots.length === 0) break;
    const { holder, name } = spots[random(spots.length)];
    const value = holder[name];
    if (Array.isArray(value)) mutateArray(holder, name, value, spots, random);
    else if (ArrayBuffer.isView(value) && !(value instanceof Uint8Array)) mutateTyped(value as Float32Array, random);
    else if (typeof value === "object" && !(value instanceof Uint8Array)) {
      const others = spots.filter((each) => each.name === name);
      holder[name] = random(3) === 0 ? undefined : copyOf(others[random(others.length)].holder[name]);
    } else holder[name] = mutatedScalar(name, value, spots, random);
  }
  return writeModel(copy as Draft<ModelProto>);
}

/** The bytes of a file with a few changes: of bytes, or of messages. */
export function mutateModel(bytes: Uint8Array, random: Random): Uint8Array {
  return random(3) === 0 ? mutate(bytes, bytes.length, random) : mutateMessages(readModel(bytes), random);
}
