/** Conversions between element types, those of strings and of narrow types included. */
import * as sw from "../../index.ts";
import { dtypes } from "../../storage/dtype.ts";
import { type Call, isIntegerType } from "../call.ts";
import { codesOf, fromCodes, type NarrowType, narrowTypes, type RoundMode, roundToNarrow } from "../narrow.ts";
import type { OperatorTable } from "../operator.ts";
import { DataType } from "../proto/types.ts";
import { dtypeOfElement, elementName } from "../value-type.ts";
import { type OnnxValue, TextTensor } from "../values.ts";

const roundModes: readonly string[] = ["up", "down", "nearest"];

/** Converts a value to an element type of ONNX. */
function convert(call: Call, value: OnnxValue, to: number): OnnxValue {
  if (to === DataType.STRING) return value instanceof TextTensor ? value : textsOf(call.tensor(0));
  const dtype = dtypeOfElement[to];
  if (dtype === undefined) throw call.error(`there is no conversion to ${elementName(to)}`);
  const narrow = narrowTypes[to];
  const x =
    value instanceof TextTensor ? parsed(call, value, narrow === undefined ? dtype : "float64") : call.tensor(0);
  return narrow === undefined ? x.to(dtype) : toNarrow(call, x, narrow);
}

function toNarrow(call: Call, x: sw.Tensor, type: NarrowType): sw.Tensor {
  const roundMode = call.string("round_mode", "up");
  if (!roundModes.includes(roundMode))
    throw call.error(`the attribute round_mode must be up, down or nearest, got "${roundMode}"`);
  return roundToNarrow(x, type, { saturate: call.int("saturate", 1) !== 0, roundMode: roundMode as RoundMode });
}

/** A number, or an infinity, or NaN, in the notation of ONNX. */
const numeral = /^\s*([+-]?)(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|(inf|infinity)|(nan)|(true)|(false))\s*$/i;

/** The numbers that texts denote. Integers of 64 bits are exact. */
function parsed(call: Call, { data, shape }: TextTensor, dtype: sw.DType): sw.Tensor {
  const isLong = dtype === "int64" || dtype === "uint64";
  const numbers = data.map((text) => {
    const match = numeral.exec(text);
    if (match === null) throw call.error(`"${text}" is not a number`);
    const [, sign, digits, infinite, , isTrue, isFalse] = match;
    const factor = sign === "-" ? -1 : 1;
    if (isTrue !== undefined || isFalse !== undefined) return isTrue === undefined ? 0 : 1;
    if (infinite !== undefined) return factor * Infinity;
    if (digits === undefined) return Number.NaN;
    return isLong && /^\d+$/.test(digits) ? BigInt(`${digits}`) * BigInt(factor) : factor * Number(digits);
  });
  if (dtype === "bool") return sw.tensor(numbers.map((each) => each !== 0)).reshape(shape);
  if (!isIntegerType(dtype)) return sw.tensor(Float64Array.from(numbers, Number)).reshape(shape).to(dtype);
  const whole = numbers.map((each) =>
    typeof each === "bigint" ? each : BigInt(Math.trunc(Number.isFinite(each) ? each : 0)),
  );
  return sw
    .tensor(BigInt64Array.from(whole, (each) => BigInt.asIntN(64, each)))
    .reshape(shape)
    .to(dtype);
}

/** The elements of a tensor as texts: the shortest ones that are read as the same element again. */
function textsOf(x: sw.Tensor): TextTensor {
  const dtype = x.dtype as sw.DType;
  const flat = x.reshape([-1]);
  if (dtype === "bool" || isIntegerType(dtype))
    return new TextTensor(
      x.shape,
      (flat.toArray({ bigint: true }) as sw.Value[]).map((each) =>
        String(each === true ? 1 : each === false ? 0 : each),
      ),
    );
  const values = flat.toArray() as number[];
  if (dtype === "float64") return new TextTensor(x.shape, values.map(textOf));
  // The digits that a dtype needs at most; fewer are tried first, all elements at once.
  const most = { float32: 9, float16: 5, bfloat16: 4 }[dtype as "float32"];
  const texts: string[] = values.map((each) => textOf(each));
  let open = values.map((_, k) => k).filter((k) => Number.isFinite(values[k]) && values[k] !== 0);
  for (let digits = 1; digits <= most && open.length > 0; digits++) {
    const shorter = open.map((k) => Number(values[k].toPrecision(digits)));
    const again = sw.tensor(Float64Array.from(shorter)).to(dtype).toArray() as number[];
    for (const [j, k] of open.entries()) if (again[j] === values[k]) texts[k] = textOf(shorter[j]);
    open = open.filter((k, j) => again[j] !== values[k]);
  }
  return new TextTensor(x.shape, texts);
}

function textOf(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return value > 0 ? "INF" : "-INF";
}

function castLike(call: Call): OnnxValue {
  const target = call.inputs[1] ?? null;
  if (target instanceof TextTensor) return convert(call, call.inputs[0], DataType.STRING);
  const narrow = call.narrowType(1);
  const { dtype } = call.tensor(1);
  const to = Object.keys(dtypeOfElement).find((type) =>
    narrow === null ? dtypeOfElement[Number(type)] === dtype : narrowTypes[Number(type)] === narrow,
  );
  return convert(call, call.inputs[0], Number(to));
}

/** The bits of a value as those of another type of the same size. */
function bitCast(call: Call): OnnxValue {
  const to = call.int("to");
  const x = call.tensor(0);
  const [from, into] = [call.narrowType(0), narrowTypes[to] ?? null];
  const dtype = dtypeOfElement[to];
  if (dtype === undefined) throw call.error(`there is no conversion to ${elementName(to)}`);
  const bits = (type: NarrowType | null, of: sw.DType): number => type?.bits ?? dtypes[of].itemsize * 8;
  const sizes = [bits(from, x.dtype as sw.DType), bits(into, dtype)];
  if (sizes[0] !== sizes[1])
    throw call.error(`the types must have the same size, got ${sizes[0]} and ${sizes[1]} bits`);
  if (from === null && into === null) return x.view(dtype).clone();
  const codes = from === null ? x.view("uint8") : codesOf(x, from);
  return into === null ? codes.view(dtype) : fromCodes(codes, into);
}

export const cast: OperatorTable = {
  Cast: (call) => convert(call, call.inputs[0] ?? null, call.int("to")),
  CastLike: castLike,
  BitCast: bitCast,
};
