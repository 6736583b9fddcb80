/**
 * The arguments of a kernel: one struct in a uniform buffer, and the function that writes it.
 *
 * Scalars of 64 bits come first, then words: other scalars, a zero, the number of units, the element of each binding at which a buffer starts, the
 * sizes, and for each mode list its number of rows and its first number among the rows, which are last.
 */
import type { KernelCall } from "../../../kernel/backend.ts";
import { toShortFloat } from "../../../kernel/element.ts";
import type { Kernel } from "../../../kernel/ir/kernel.ts";
import { type Complex, type DType, dtypes, isComplexDType, isHalf, type Value } from "../../../storage/dtype.ts";
import { bfloat16ToNumber, float16ToNumber, numberToBfloat16, numberToFloat16 } from "../../../storage/half.ts";
import type { Names } from "./names.ts";
import { isLong, valueType } from "./types.ts";

export interface ArgumentStruct {
  /** The fields in WGSL, without the rows. */
  readonly fields: readonly string[];
  /** The word of each scalar of the lowered kernel. */
  readonly scalars: readonly number[];
  /** The words of a zero that compilers do not know, of the units, of the first buffer, size and mode list, and of the first row. */
  readonly zero: number;
  readonly units: number;
  readonly buffers: number;
  readonly sizes: number;
  readonly modes: number;
  readonly rows: number;
}

/** Returns the arguments of a lowered kernel. */
export function argumentStruct({ scalars, buffers, sizes, modes }: Kernel, names: Names): ArgumentStruct {
  const fields: string[] = [];
  const words = new Array<number>(scalars.length);
  let at = 0;
  const add = (name: string, type: string, count = 1): number => {
    fields.push(`${name}: ${type},`);
    at += count;
    return at - count;
  };
  const addScalars = (areLong: boolean): void => {
    for (const [k, { name, dtype }] of scalars.entries())
      if (isLong(dtype) === areLong) words[k] = add(names.of(name), scalarType(dtype), areLong ? 2 : 1);
  };
  addScalars(true);
  addScalars(false);
  const zero = add("zero", "u32");
  const units = add("units", "i32");
  const buffersAt = at;
  for (const { name } of buffers) add(`${names.of(name)}_base`, "i32");
  const sizesAt = at;
  for (const { name } of sizes) add(names.of(name), "i32");
  const modesAt = at;
  for (const { name } of modes) {
    add(`${names.of(name)}_count`, "i32");
    add(`${names.of(name)}_first`, "i32");
  }
  return {
    fields,
    scalars: words,
    zero,
    units,
    buffers: buffersAt,
    sizes: sizesAt,
    modes: modesAt,
    rows: Math.ceil(at / 4) * 4,
  };
}

/** The type of a scalar among the arguments: bools are words. */
const scalarType = (dtype: DType): string => (dtype === "bool" ? "u32" : valueType(dtype));

/** The number of words of a call's arguments, a multiple of 4. `rowWords` is the capacity for rows. */
export const argumentWords = ({ rows }: ArgumentStruct, rowWords: number): number => rows + rowWords;

/** Typed arrays over the memory that arguments are written to. */
export interface ArgumentMemory {
  readonly words: Int32Array;
  readonly floats: Float32Array;
}

/** Writes the arguments of a call of the original kernel from word `at` on. `bases` has the first element of each buffer in its binding. */
export function writeArguments(
  struct: ArgumentStruct,
  scalars: Kernel["scalars"],
  memory: ArgumentMemory,
  at: number,
  call: KernelCall,
  bases: readonly number[],
): void {
  const { words } = memory;
  // A complex scalar is two of the lowered kernel.
  let lowered = 0;
  for (let k = 0; k < scalars.length; k++) {
    const { dtype } = scalars[k];
    const value = call.scalars[k];
    if (isComplexDType(dtype)) {
      const { re, im }: Complex = typeof value === "object" ? value : { re: Number(value), im: 0 };
      memory.floats[at + struct.scalars[lowered++]] = re;
      memory.floats[at + struct.scalars[lowered++]] = im;
    } else writeScalar(memory, at + struct.scalars[lowered++], dtype, value);
  }
  words[at + struct.zero] = 0;
  words[at + struct.units] = call.units;
  for (let k = 0; k < bases.length; k++) words[at + struct.buffers + k] = bases[k];
  const sizes = struct.modes - struct.sizes;
  for (let k = 0; k < sizes; k++) words[at + struct.sizes + k] = call.sizes[k];
  let row = 0;
  const lists = (struct.rows - struct.modes) >> 1;
  for (let k = 0; k < lists && k < call.modes.length; k++) {
    const list = call.modes[k];
    words[at + struct.modes + 2 * k] = list.length;
    words[at + struct.modes + 2 * k + 1] = row;
    for (let i = 0; i < list.length; i++) words[at + struct.rows + row++] = list[i];
  }
}

function writeScalar({ words, floats }: ArgumentMemory, at: number, dtype: DType, value: Value): void {
  if (dtype === "float32" || dtype === "float64") floats[at] = toShortFloat(value);
  else if (isHalf(dtype)) floats[at] = roundedTo(dtype, toShortFloat(value));
  else if (isLong(dtype)) {
    const bits = BigInt.asUintN(64, typeof value === "bigint" ? value : BigInt(Math.trunc(Number(value)) || 0));
    words[at] = Number(bits & 0xffffffffn) | 0;
    words[at + 1] = Number(bits >> 32n) | 0;
  } else if (dtype === "bool") words[at] = Number(Boolean(value));
  else {
    const word = Number(typeof value === "bigint" ? BigInt.asIntN(32, value) : value) | 0;
    const unused = 32 - 8 * dtypes[dtype].itemsize;
    words[at] = valueType(dtype) === "i32" ? (word << unused) >> unused : (word << unused) >>> unused;
  }
}

const roundedTo = (dtype: DType, value: number): number =>
  dtype === "float16" ? float16ToNumber(numberToFloat16(value)) : bfloat16ToNumber(numberToBfloat16(value));
