/**
 * The dtypes that are left after lowering, as WebAssembly knows them: value type, size, signedness, vector shape.
 * Complex and half values are lowered before and have no entry.
 *
 * An Assembler is what the operation tables of this folder write to: a stream of instructions of one function, with fresh locals, values computed once
 * before the loops, and the engine's Math functions. `builder.ts` implements it.
 *
 * How a value lies in WebAssembly. A scalar: bool and integers up to 32 bits are an i32 that is kept normalised (bool 0 or 1, int8
 * sign-extended, uint8 zero-extended, uint32 as its bits), 64-bit integers an i64, floats f32 and f64. A vector of L lanes, L a power
 * of two: a value of s bytes is packed in the low L * s <= 16 bytes of a v128, and what lies above is open; a bool is a mask of
 * 16 / L bytes for each lane, all ones or all zeros, over the whole v128.
 */
import { remember } from "../../../base/remember.ts";
import { KernelError } from "../../../kernel/ir/error.ts";
import type { DType } from "../../../storage/dtype.ts";
import type { Instruction, Op, ValueType } from "../encoder/instructions.ts";

export interface Representation {
  readonly dtype: DType;
  /** Another one for each dtype, below 16. */
  readonly number: number;
  readonly kind: "bool" | "integer" | "float";
  readonly type: "i32" | "i64" | "f32" | "f64";
  readonly shape: "i8x16" | "i16x8" | "i32x4" | "i64x2" | "f32x4" | "f64x2";
  readonly bytes: 1 | 2 | 4 | 8;
  readonly signed: boolean;
}

const integerShapes = { 1: "i8x16", 2: "i16x8", 4: "i32x4", 8: "i64x2" } as const;

const integer = (dtype: DType, number: number, bytes: 1 | 2 | 4 | 8, signed: boolean): Representation => ({
  dtype,
  number,
  kind: dtype === "bool" ? "bool" : "integer",
  type: bytes === 8 ? "i64" : "i32",
  shape: integerShapes[bytes],
  bytes,
  signed,
});

const representations: Readonly<Partial<Record<DType, Representation>>> = {
  bool: integer("bool", 0, 1, false),
  int8: integer("int8", 1, 1, true),
  uint8: integer("uint8", 2, 1, false),
  int16: integer("int16", 3, 2, true),
  uint16: integer("uint16", 4, 2, false),
  int32: integer("int32", 5, 4, true),
  uint32: integer("uint32", 6, 4, false),
  int64: integer("int64", 7, 8, true),
  uint64: integer("uint64", 8, 8, false),
  float32: { dtype: "float32", number: 9, kind: "float", type: "f32", shape: "f32x4", bytes: 4, signed: true },
  float64: { dtype: "float64", number: 10, kind: "float", type: "f64", shape: "f64x2", bytes: 8, signed: true },
};

/** Leaves a function of one or two scalar locals on the stack; of one, `y` is -1. */
export type Emit = (a: Assembler, r: Representation, x: number, y: number) => void;

/** How values of this dtype lie in WebAssembly. */
export function representation(dtype: DType): Representation {
  const found = representations[dtype];
  if (found === undefined)
    throw new KernelError(`wasm: ${dtype} has no instructions. Lower the kernel (lowerComplex, lowerHalf) first.`);
  return found;
}

/** The vector shape of integers of this many bytes. */
export const integerShape = (bytes: number): Representation["shape"] =>
  integerShapes[bytes as keyof typeof integerShapes];

const made = new Map<string, Map<string, Instruction>>();

/** The instruction `prefix.name` without immediates: one object, so that a name is not put together each time. */
function instructionOf(prefix: string, name: string): Instruction {
  const own = remember(made, prefix, () => new Map<string, Instruction>());
  return remember(own, name, () => [`${prefix}.${name}` as Op]);
}

/** Appends instructions that have no immediates. */
export function ops(a: Assembler, ...names: readonly Op[]): void {
  for (const name of names) a.op(name);
}

/** Appends the instruction of this name for scalars, as in `i32.add`. */
export function scalarOp(a: Assembler, r: Representation, name: string): void {
  a.put(instructionOf(r.type, name));
}

/** Appends the instruction whose name differs for signed and unsigned integers, as in `i32.lt_s`. */
export function signedOp(a: Assembler, r: Representation, name: string): void {
  a.put(instructionOf(r.type, `${name}_${r.signed ? "s" : "u"}`));
}

/** Pushes a number of the scalar's type. */
export function pushNumber(a: Assembler, r: Representation, value: number): void {
  a.op(`${r.type}.const` as Op, value);
}

/** Appends the instruction of this name for vectors of a shape, as in `i8x16.add`. */
export function vectorOp(a: Assembler, shape: Representation["shape"], name: string): void {
  a.put(instructionOf(shape, name));
}

/** Wraps the i32 on the stack to a dtype of 8 or 16 bits; wider ones stay. */
export function normalise(a: Assembler, r: Representation): void {
  if (r.kind !== "integer" || r.bytes > 2) return;
  if (r.signed) a.op(r.bytes === 1 ? "i32.extend8_s" : "i32.extend16_s");
  else {
    a.op("i32.const", r.bytes === 1 ? 255 : 65535);
    a.op("i32.and");
  }
}

export interface Assembler {
  /** Appends one instruction. */
  op(...instruction: Instruction): void;
  /** Appends one that others may hold, too. */
  put(instruction: Instruction): void;
  /** A fresh local. */
  local(type: ValueType): number;
  get(local: number): void;
  set(local: number): void;
  tee(local: number): void;
  /** A local that holds these 16 bytes, set once before the loops. */
  constant(bytes: readonly number[]): number;
  /** A local that holds what `make` leaves on the stack, made once before the loops; one for each key. `make` must not hoist. */
  hoist(type: ValueType, key: string, make: () => void): number;
  /** The index of the engine's Math function of this name, from f64 values to an f64. */
  math(name: string, arity: 1 | 2): number;
}
