/**
 * The argument block of a kernel call: the layout of the arguments in memory, and the function that writes them.
 *
 * The block starts with an 8-byte slot for each scalar (two for a complex one). 32-bit words follow: the address of each buffer, the sizes, for each
 * mode list the number of its rows and their address, then the rows: (size, stride in each buffer) in elements. A kernel and its
 * lowered form have the same block: complex scalars become two floats, half-precision scalars become float32.
 */
import type { KernelCall } from "../../kernel/backend.ts";
import { toShortFloat } from "../../kernel/element.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import type { Kernel } from "../../kernel/ir/kernel.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { bfloat16ToNumber, float16ToNumber, numberToBfloat16, numberToFloat16 } from "../../storage/half.ts";
import type { Memory } from "../../storage/memory.ts";

export interface ArgumentLayout {
  /** The dtype of each scalar, in order; the first slot is at byte 0. */
  readonly scalars: readonly DType[];
  /** Byte offsets: of each scalar's slot, of the first buffer address, size and mode list, and of the rows. */
  readonly slots: readonly number[];
  readonly buffers: number;
  readonly sizes: number;
  readonly modes: number;
  readonly rows: number;
  /** Words per row of each mode list. */
  readonly rowWords: readonly number[];
}

/** The layout of a kernel's arguments, as byte offsets from the address of the block, which is a multiple of 8. */
export function argumentLayout({ buffers, scalars, sizes, modes }: Kernel): ArgumentLayout {
  const slots: number[] = [];
  let at = 0;
  for (const { dtype } of scalars) {
    slots.push(at);
    at += 8 * dtypes[dtype].parts;
  }
  const sizesAt = at + 4 * buffers.length;
  const modesAt = sizesAt + 4 * sizes.length;
  return {
    scalars: scalars.map((scalar) => scalar.dtype),
    slots,
    buffers: at,
    sizes: sizesAt,
    modes: modesAt,
    rows: modesAt + 8 * modes.length,
    rowWords: modes.map((list) => list.buffers.length + 1),
  };
}

/** The maximum number of words of a mode list: two lists and everything else fit into the 20 kB reserved for arguments. */
const maxModeWords = 2048;

/** Writes the arguments of a call to memory at `address`. */
export function writeArguments(
  layout: ArgumentLayout,
  memory: Pick<Memory, "array">,
  address: number,
  call: KernelCall,
): void {
  const words = memory.array("i32");
  const { scalars, rowWords } = layout;
  for (let i = 0; i < scalars.length; i++)
    writeScalar(memory, words, address + layout.slots[i], scalars[i], call.scalars[i]);
  let at = (address + layout.buffers) >>> 2;
  const { addresses, sizes, modes } = call;
  // The call's lists may be longer than the kernel's. Addresses up to 2^32 are written as the same bits in an i32.
  const bufferCount = (layout.sizes - layout.buffers) >>> 2;
  const sizeCount = (layout.modes - layout.sizes) >>> 2;
  for (let i = 0; i < bufferCount; i++) words[at++] = addresses[i] | 0;
  for (let i = 0; i < sizeCount; i++) words[at++] = sizes[i];
  let row = (address + layout.rows) >>> 2;
  for (let i = 0; i < rowWords.length; i++) {
    const list = modes[i] as number[];
    if (list.length > maxModeWords)
      throw new KernelError(
        `kernel: ${list.length / rowWords[i]} modes do not fit into the argument block. Copy the operands first: contiguous()`,
      );
    words[at++] = list.length / rowWords[i];
    words[at++] = (row << 2) | 0;
    for (let k = 0; k < list.length; k++) words[row++] = list[k];
  }
}

function writeScalar(memory: Pick<Memory, "array">, words: Int32Array, at: number, dtype: DType, value: Value): void {
  switch (dtype) {
    case "float32":
      memory.array("f32")[at >>> 2] = typeof value === "number" ? value : toShortFloat(value);
      return;
    case "float64":
      memory.array("f64")[at >>> 3] = Number(value);
      return;
    case "float16":
      memory.array("f32")[at >>> 2] = float16ToNumber(numberToFloat16(toShortFloat(value)));
      return;
    case "bfloat16":
      memory.array("f32")[at >>> 2] = bfloat16ToNumber(numberToBfloat16(toShortFloat(value)));
      return;
    case "complex64":
      memory.array("f32")[at >>> 2] = real(value);
      memory.array("f32")[(at + 8) >>> 2] = imaginary(value);
      return;
    case "complex128":
      memory.array("f64")[at >>> 3] = typeof value === "object" ? value.re : Number(value);
      memory.array("f64")[(at + 8) >>> 3] = imaginary(value);
      return;
    case "int64":
    case "uint64":
      if (typeof value === "number" && Number.isSafeInteger(value)) {
        words[at >>> 2] = value | 0;
        words[(at >>> 2) + 1] = Math.floor(value / 2 ** 32) | 0;
      } else memory.array("i64")[at >>> 3] = integerValue(dtype, value);
      return;
    default:
      words[at >>> 2] = wordValue(dtype, value);
  }
}

const real = (value: Value): number => (typeof value === "object" ? value.re : toShortFloat(value));
const imaginary = (value: Value): number => (typeof value === "object" ? value.im : 0);

/** The value truncated to an integer; 0 if it is not finite. */
export function integerValue(dtype: DType, value: Value): bigint {
  if (typeof value === "object") throw new KernelError(`kernel: a scalar of ${dtype} cannot be a complex number.`);
  if (typeof value === "number") return Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
  return BigInt(value);
}

/** The i32 that represents a value of a dtype of up to 32 bits. */
export function wordValue(dtype: DType, value: Value): number {
  const bits = typeof value === "number" ? value | 0 : Number(BigInt.asIntN(32, integerValue(dtype, value)));
  switch (dtype) {
    case "bool":
      return Number(typeof value === "number" ? value !== 0 : bits !== 0);
    case "int8":
      return (bits << 24) >> 24;
    case "uint8":
      return bits & 0xff;
    case "int16":
      return (bits << 16) >> 16;
    case "uint16":
      return bits & 0xffff;
    default:
      return bits;
  }
}
