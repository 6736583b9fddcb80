/**
 * Values of inputs in the dtype that a model declares: tensors of files, which are converted if no element changes (or, from float64, with a
 * message), and numbers, lists and texts on the command line.
 */
import { type DType, type Tensor, tensor } from "../../index.ts";
import type { OnnxInput, OnnxPort } from "../../onnx/index.ts";
import { dtypes } from "../../storage/dtype.ts";
import { UsageError } from "../arguments.ts";

export type Say = (text: string) => void;

/** A number, or a list of lists of numbers. */
type Nested = number | bigint | boolean | string | readonly Nested[];

const isInteger = (dtype: DType): boolean => /^u?int/.test(dtype);

/** Returns a tensor in the dtype of an input. Throws if elements do not fit. */
export function fitted(t: Tensor, { name, type }: OnnxPort, where: string, say: Say): Tensor {
  const { dtype } = type;
  const from = t.dtype as DType;
  if (dtype === null || from === dtype) return t;
  const isExact = isInteger(dtype) || dtype === "bool";
  const isLike = isExact ? isInteger(from) || from === "bool" : dtypes[from].category === dtypes[dtype].category;
  if (!isLike)
    throw new UsageError(`${where}: the input "${name}" must be ${type.text}, got ${from}. Save it as ${dtype}.`);
  const result = t.to(dtype);
  if (!isExact) {
    if (dtypes[from].itemsize > dtypes[dtype].itemsize) say(`${where}: ${from} is rounded to ${dtype}`);
    return result;
  }
  // A negative number and a large unsigned one may have the same bits, so signs are compared too.
  const isEqual = result
    .to(from)
    .eq(t)
    .logicalAnd(result.lt(0).eq(t.lt(0)))
    .all()
    .item();
  if (!isEqual)
    throw new UsageError(
      `${where}: the input "${name}" must be ${type.text}, and some of the ${from} values do not fit.`,
    );
  return result;
}

/** Returns the value of a text on the command line: a number, true or false, a list, or, for inputs of strings, the text. */
export function inlineValue(text: string, port: OnnxPort, where: string, say: Say): OnnxInput {
  const { type } = port;
  if (type.kind === "text") return atRank(/^\s*\[/.test(text) ? listOfTexts(text, where) : text, port) as OnnxInput;
  const value = parseNumbers(text);
  if (value === undefined)
    throw new UsageError(
      `${where}: the input "${port.name}" (${type.text}) needs a number, a list such as [1, 2], or a file .npy.`,
    );
  if (type.kind !== "tensor") return value as OnnxInput;
  const leaves = leavesOf(value);
  const isBoolean = leaves.every((each) => typeof each === "boolean");
  const isWhole = leaves.every((each) => typeof each === "bigint");
  const shaped = atRank(value, port);
  if (leaves.length === 0) return shaped as OnnxInput;
  if (isBoolean || (isWhole && (type.dtype === null || isInteger(type.dtype) || type.dtype === "bool")))
    return fitted(
      tensor(shaped as never, { dtype: isBoolean ? "bool" : wideType(leaves as bigint[], where) }) as Tensor,
      port,
      where,
      say,
    );
  if (type.dtype !== null && (isInteger(type.dtype) || type.dtype === "bool"))
    throw new UsageError(`${where}: the input "${port.name}" (${type.text}) needs integers.`);
  return toNumbers(shaped) as OnnxInput;
}

const wideType = (values: readonly bigint[], where: string): DType => {
  if (values.every((each) => BigInt.asIntN(64, each) === each)) return "int64";
  if (values.every((each) => BigInt.asUintN(64, each) === each)) return "uint64";
  throw new UsageError(`${where}: the integers need more than 64 bits.`);
};

/** Lists of numbers, with booleans as 0 and 1. */
const toNumbers = (value: Nested): Nested =>
  Array.isArray(value) ? value.map(toNumbers) : typeof value === "bigint" ? Number(value) : (value as Nested);

/** Parses a number or nested lists; integers become bigints, so that large ones stay exact. Undefined for other texts. */
function parseNumbers(text: string): Nested | undefined {
  const special: Readonly<Record<string, number>> = { nan: NaN, inf: Infinity, "+inf": Infinity, "-inf": -Infinity };
  const leaf = (each: unknown): Nested | undefined => {
    if (Array.isArray(each)) {
      const items = each.map(leaf);
      return items.includes(undefined) ? undefined : (items as Nested[]);
    }
    if (typeof each === "boolean") return each;
    if (typeof each !== "string") return undefined;
    const lower = each.toLowerCase();
    if (Object.hasOwn(special, lower)) return special[lower];
    return /^[-+]?\d+$/.test(each) ? BigInt(each.replace(/^\+/, "")) : Number(each);
  };
  // Numbers become strings, because JSON would round integers.
  const quoted = text
    .trim()
    .replaceAll(/[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|inf|nan)\b|[-+]?\d+\.(?=[\s,\]]|$)/gi, '"$&"');
  try {
    return leaf(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}

function listOfTexts(text: string, where: string): Nested {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${where}: a list of texts is written as JSON: ["a", "b"].`);
  }
}

/** A single value in as many lists as an input of one element has axes. */
function atRank(value: Nested, { type: { shape } }: OnnxPort): Nested {
  if (Array.isArray(value) || shape?.every((size) => typeof size !== "number" || size === 1) !== true) return value;
  return shape.reduce<Nested>((inner) => [inner], value);
}

const leavesOf = (value: Nested): readonly Nested[] => (Array.isArray(value) ? value.flatMap(leavesOf) : [value]);
