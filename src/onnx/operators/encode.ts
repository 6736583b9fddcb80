/** Maps between labels, categories and numbers: LabelEncoder, CategoryMapper, OneHotEncoder, DictVectorizer, ZipMap, CastMap. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { OnnxError } from "../error.ts";
import type { OperatorTable } from "../operator.ts";
import { describeOnnxValue, type OnnxValue, TextTensor, type ValueMap, ValueSequence } from "../values.ts";
import { classLabels } from "./scores.ts";

type Tensor = sw.Tensor;
type Scalar = number | bigint | string;

/** A list of values, and a function that creates a tensor of the same type from other values. */
interface Column {
  readonly values: readonly Scalar[];
  make(values: readonly Scalar[], shape: readonly number[]): OnnxValue;
}

const makeText: Column["make"] = (values, shape) => new TextTensor(shape, values as readonly string[]);
const makeOf =
  (dtype: sw.DType): Column["make"] =>
  (values, shape) =>
    (dtype === "int64"
      ? sw.tensor(BigInt64Array.from(values as readonly (number | bigint)[], BigInt))
      : sw.tensor((values as readonly (number | bigint)[]).map(Number), { dtype })
    ).reshape([...shape]);

/** The elements of a value in row-major order. */
function elementsOf(value: OnnxValue): readonly Scalar[] {
  if (value instanceof TextTensor) return value.data;
  if (!(value instanceof sw.Tensor)) throw new OnnxError(`a tensor is needed, got ${describeOnnxValue(value)}`);
  return value.reshape([-1]).toArray({ bigint: true }) as Scalar[];
}

/** The elements of an input: strings, or numbers; those of 64 bits are exact. */
function inputElements(call: Call): { readonly values: readonly Scalar[]; readonly shape: readonly number[] } {
  const value = call.inputs[0];
  if (value instanceof TextTensor) return { values: value.data, shape: value.shape };
  const x = call.tensor(0);
  return { values: elementsOf(x), shape: x.shape };
}

/** A key that is the same for equal values: 0 is -0, NaN is NaN, and 1 is 1n. */
const keyOf = (value: Scalar): string => (typeof value === "string" ? `"${value}` : String(value));

/** The attribute of a call that starts with a prefix and has values: strings, integers, floats or a tensor. */
function columnOf(call: Call, prefix: string): Column {
  const texts = call.strings(`${prefix}_strings`, [] as string[]);
  if (texts.length > 0) return { values: texts, make: makeText };
  const integers = call.attribute(`${prefix}_int64s`)?.ints ?? [];
  if (integers.length > 0) return { values: integers, make: makeOf("int64") };
  const floats = call.floats(`${prefix}_floats`, [] as number[]);
  if (floats.length > 0) return { values: floats, make: makeOf("float32") };
  if (!call.hasAttribute(`${prefix}_tensor`))
    throw call.error(`needs an attribute ${prefix}_strings, ${prefix}_int64s, ${prefix}_floats or ${prefix}_tensor`);
  const value = call.value(`${prefix}_tensor`);
  if (value instanceof TextTensor) return { values: value.data, make: makeText };
  if (!(value instanceof sw.Tensor))
    throw call.error(`${prefix}_tensor must be a tensor, got ${describeOnnxValue(value)}`);
  return { values: elementsOf(value), make: makeOf(value.dtype as sw.DType) };
}

/** The value for elements that are not among the keys. */
function defaultOf(call: Call, { values, make }: Column): Scalar {
  if (call.hasAttribute("default_tensor")) {
    const [first] = elementsOf(call.value("default_tensor"));
    if (first === undefined) throw call.error("default_tensor must have one element");
    return first;
  }
  if (make === makeText) return call.string("default_string", "_Unused");
  if (typeof values[0] === "bigint" || call.hasAttribute("values_int64s")) return call.int("default_int64", -1);
  return call.hasAttribute("values_tensor") ? -1 : call.float("default_float", -0);
}

function labelEncoder(call: Call): OnnxValue {
  if (call.version < 2) return mapCategories(call, "classes_strings", null);
  const keys = columnOf(call, "keys");
  const column = columnOf(call, "values");
  if (keys.values.length !== column.values.length)
    throw call.error(`there are ${keys.values.length} keys, but ${column.values.length} values`);
  const map = new Map(keys.values.map((key, k) => [keyOf(key), column.values[k]]));
  const otherwise = defaultOf(call, column);
  const { values, shape } = inputElements(call);
  return column.make(
    values.map((each) => map.get(keyOf(each)) ?? otherwise),
    shape,
  );
}

/** Maps strings to integers, or integers to strings. Without integers, the index of a string is its integer. */
function mapCategories(call: Call, strings: string, integers: string | null): OnnxValue {
  const texts = call.strings<string[]>(strings);
  const numbers = integers === null ? texts.map((_, k) => k) : (call.attribute(integers)?.ints ?? []);
  if (texts.length !== numbers.length)
    throw call.error(`there are ${texts.length} strings, but ${numbers.length} integers`);
  const isText = call.inputs[0] instanceof TextTensor;
  const [from, to]: readonly (readonly Scalar[])[] = isText ? [texts, numbers] : [numbers, texts];
  const map = new Map(from.map((each, k) => [keyOf(each), to[k]]));
  const otherwise = isText ? call.int("default_int64", -1) : call.string("default_string", "_Unused");
  const { values, shape } = inputElements(call);
  const results = values.map((each) => map.get(keyOf(each)) ?? otherwise);
  return (isText ? makeOf("int64") : makeText)(results, shape);
}

function oneHotEncoder(call: Call): Tensor {
  const texts = call.strings("cats_strings", [] as string[]);
  const categories: readonly Scalar[] = texts.length > 0 ? texts : (call.attribute("cats_int64s")?.ints ?? []);
  const index = new Map(categories.map((each, k) => [keyOf(each), k]));
  const { values, shape } = inputElements(call);
  const columns = values.map((each) => {
    const key = keyOf(typeof each === "number" ? Math.trunc(each) : each);
    const column = index.get(key) ?? -1;
    if (column < 0 && call.int("zeros", 1) === 0) throw call.error(`${String(each)} is not among the categories`);
    return column;
  });
  const own = sw.tensor(Int32Array.from(columns)).reshape([...shape, 1]);
  return sw.eq(own, sw.arange(categories.length, { dtype: "int32" })).to("float32");
}

/** Input 0, a map. */
function mapOf(call: Call): ValueMap {
  const value = call.inputs[0];
  if (!(value instanceof Map)) throw call.error(`input 0 must be a map, got ${describeOnnxValue(value)}`);
  return value;
}

/** A tensor of values of a map: strings, integers by bigints, or floats. */
function tensorOfValues(values: readonly Scalar[], shape: readonly number[]): OnnxValue {
  if (values.some((each) => typeof each === "string"))
    return new TextTensor(
      shape,
      values.map((each) => (typeof each === "string" ? each : "")),
    );
  return makeOf(values.some((each) => typeof each === "bigint") ? "int64" : "float32")(values, shape);
}

function dictVectorizer(call: Call): OnnxValue {
  const texts = call.strings("string_vocabulary", [] as string[]);
  const vocabulary: readonly Scalar[] = texts.length > 0 ? texts : (call.attribute("int64_vocabulary")?.ints ?? []);
  const byKey = new Map<string, Scalar>([...mapOf(call)].map(([key, value]) => [keyOf(key), value]));
  return tensorOfValues(
    vocabulary.map((key) => byKey.get(keyOf(key)) ?? 0),
    [1, vocabulary.length],
  );
}

function zipMap(call: Call): ValueSequence {
  const labels = classLabels(call, "classlabels_int64s");
  const x = call.tensor(0);
  const rows = x.ndim === 1 ? x.reshape([1, -1]) : x;
  if (rows.ndim !== 2 || rows.shape[1] !== labels.length)
    throw call.error(`there are ${labels.length} labels, but the input has the shape [${x.shape}]`);
  const keys = labels.map((each) => (typeof each === "string" ? each : BigInt(each)));
  const values = rows.toArray() as number[][];
  return new ValueSequence(values.map((row) => new Map(keys.map((key, k) => [key, row[k]]))));
}

function castMap(call: Call): OnnxValue {
  const entries = [...mapOf(call)].sort(([a], [b]) => (a < b ? -1 : 1));
  const to = call.string("cast_to", "TO_FLOAT");
  const makers: Readonly<Record<string, (values: readonly Scalar[], shape: readonly number[]) => OnnxValue>> = {
    TO_FLOAT: (values, shape) => makeOf("float32")(values.map(Number), shape),
    TO_INT64: (values, shape) =>
      makeOf("int64")(
        values.map((each) => Math.trunc(Number(each))),
        shape,
      ),
    TO_STRING: (values, shape) => makeText(values.map(String), shape),
  };
  if (!Object.hasOwn(makers, to)) throw call.error(`cast_to must be TO_FLOAT, TO_INT64 or TO_STRING, got "${to}"`);
  if (to === "TO_INT64" && entries.some(([, value]) => !Number.isFinite(Number(value))))
    throw call.error("a value of the map is not an integer");
  if (call.string("map_form", "DENSE") === "DENSE")
    return makers[to](
      entries.map(([, value]) => value),
      [1, entries.length],
    );
  const length = call.int("max_map", 1);
  if (length < 0 || length > 2 ** 26) throw call.error(`max_map is ${length}; it must be from 0 to 2^26`);
  const values = new Array<Scalar>(length).fill(to === "TO_STRING" ? "" : 0);
  for (const [key, value] of entries) {
    if (typeof key !== "bigint" || key < 0n || key >= BigInt(length))
      throw call.error(`the key ${String(key)} is not an integer from 0 to ${length - 1}`);
    values[Number(key)] = value;
  }
  return makers[to](values, [1, length]);
}

export const encoders: OperatorTable = {
  CastMap: castMap,
  CategoryMapper: (call) => mapCategories(call, "cats_strings", "cats_int64s"),
  DictVectorizer: dictVectorizer,
  LabelEncoder: labelEncoder,
  OneHotEncoder: oneHotEncoder,
  ZipMap: zipMap,
};
