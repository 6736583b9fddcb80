/** Constants, ranges and identity matrices. */
import * as sw from "../../index.ts";
import type { DType } from "../../storage/dtype.ts";
import { type Call, isIntegerType } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { dtypeOfElement, elementName } from "../value-type.ts";
import { type OnnxValue, TextTensor } from "../values.ts";

/** The value is in one of these attributes. */
function constant(call: Call): OnnxValue {
  if (call.hasAttribute("value")) return call.value("value");
  if (call.hasAttribute("sparse_value")) return call.value("sparse_value");
  if (call.hasAttribute("value_float")) return sw.tensor(call.float("value_float"), { dtype: "float32" });
  if (call.hasAttribute("value_floats")) return sw.tensor(Float32Array.from(call.floats("value_floats")));
  if (call.hasAttribute("value_int")) return longs([call.attribute("value_int")?.i ?? 0]).reshape([]);
  if (call.hasAttribute("value_ints")) return longs(call.attribute("value_ints")?.ints ?? []);
  if (call.hasAttribute("value_string")) return new TextTensor([], [call.string("value_string")]);
  if (call.hasAttribute("value_strings")) {
    const texts = call.strings("value_strings");
    return new TextTensor([texts.length], texts);
  }
  throw call.error("the node has no attribute with a value");
}

const longs = (values: Iterable<number | bigint>): sw.Tensor => sw.tensor(BigInt64Array.from([...values].map(BigInt)));

/** A tensor full of one value: float32 zeros if none is given. */
function constantOfShape(call: Call): OnnxValue {
  const shape = call.numbers(0);
  if (!call.hasAttribute("value")) return sw.zeros(shape, { dtype: "float32" });
  const value = call.value("value");
  if (value instanceof TextTensor) {
    const count = call.count(
      shape.reduce((a, b) => a * b, 1),
      "the number of strings",
    );
    return new TextTensor(shape, new Array<string>(count).fill(value.data[0]));
  }
  if (!(value instanceof sw.Tensor) || value.size !== 1)
    throw call.error("the attribute value must be a tensor of one element");
  return sw.full(shape, elementOf(value), { dtype: value.dtype as DType });
}

/** The one element of a tensor; integers of 64 bits as bigints. */
const elementOf = (t: sw.Tensor): sw.Value =>
  t.reshape([]).toArray({ bigint: t.dtype === "int64" || t.dtype === "uint64" }) as sw.Value;

/** start + k * delta for all k >= 0 before limit. */
function range(call: Call): sw.Tensor {
  const [start, limit, delta] = [0, 1, 2].map((k) => call.tensor(k).reshape([]));
  const dtype = start.dtype as DType;
  const numbers = [start, limit, delta].map(elementOf);
  if (Number(numbers[2]) === 0) throw call.error("input 2, the step, must not be 0");
  const count = isIntegerType(dtype) ? wholeCount(numbers.map((each) => BigInt(each as number))) : floatCount(numbers);
  const steps = sw.arange(count, { dtype: isIntegerType(dtype) ? dtype : "float64" });
  if (isIntegerType(dtype)) return sw.add(start, sw.mul(steps, delta));
  return sw.add(start.to("float64"), sw.mul(steps, delta.to("float64"))).to(dtype);
}

function wholeCount([start, limit, delta]: readonly bigint[]): number {
  const distance = delta > 0n ? limit - start : start - limit;
  const step = delta > 0n ? delta : -delta;
  return distance <= 0n ? 0 : Number((distance + step - 1n) / step);
}

const floatCount = (numbers: readonly sw.Value[]): number => {
  const [start, limit, delta] = numbers.map(Number);
  return Math.max(0, Math.ceil((limit - start) / delta));
};

/** The dtype in an attribute, or `otherwise` if it is absent. */
export function dtypeAttribute(call: Call, otherwise: DType, name = "dtype"): DType {
  if (!call.hasAttribute(name)) return otherwise;
  const type = call.int(name);
  const dtype = dtypeOfElement[type];
  if (dtype === undefined) throw call.error(`the attribute ${name} must not be ${elementName(type)}`);
  return dtype;
}

/** Ones on diagonal k of a matrix. */
function eyeLike(call: Call): sw.Tensor {
  const x = call.tensor(0);
  if (x.ndim !== 2) throw call.error(`the input must have 2 axes, got [${x.shape}]`);
  const [rows, columns] = x.shape;
  const row = sw.arange(rows, { dtype: "int32" }).reshape([rows, 1]);
  const isOne = sw.eq(sw.arange(columns, { dtype: "int32" }), sw.add(row, call.int("k", 0)));
  return isOne.to(dtypeAttribute(call, x.dtype as DType));
}

export const creation: OperatorTable = {
  Constant: constant,
  ConstantOfShape: constantOfShape,
  Range: range,
  EyeLike: { readsShapes: true, run: eyeLike },
};
