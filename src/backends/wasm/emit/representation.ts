/**
 * The representation of dtypes in WebAssembly after lowering: value type, size, signedness, vector shape.
 * Complex and half values are lowered before and have no entry.
 *
 * A scalar: bool and integers of up to 32 bits are a normalized i32 (bool 0 or 1, int8 sign-extended, uint8 zero-extended, uint32 as its
 * bits), 64-bit integers are an i64, floats f32 and f64. A vector of L lanes, L a power of two: values of s bytes are packed in the low
 * L * s <= 16 bytes of a v128, and the bytes above are undefined; a bool is a mask of 16 / L bytes per lane, all ones or all zeros, that
 * covers the whole v128.
 *
 * The operation tables of this folder write to an Assembler: the instruction stream of one function, with fresh locals, values computed
 * once before the loops, and the engine's Math functions. `builder.ts` implements it.
 */
import { getOrCompute } from "../../../base/lazy.ts";
import { KernelError } from "../../../kernel/ir/error.ts";
import type { DType } from "../../../storage/dtype.ts";
import type { Instruction, Op, ValueType } from "../encoder/instructions.ts";

/** The types of scalars. */
export type NumberType = "i32" | "i64" | "f32" | "f64";

export interface Representation {
  readonly dtype: DType;
  /** A number below 16, different for each dtype. */
  readonly number: number;
  readonly kind: "bool" | "integer" | "float";
  readonly type: NumberType;
  readonly shape: "i8x16" | "i16x8" | "i32x4" | "i64x2" | "f32x4" | "f64x2";
  readonly bytes: 1 | 2 | 4 | 8;
  readonly signed: boolean;
  /** The suffix of instructions that differ between signed and unsigned integers. */
  readonly sign: "s" | "u";
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
  sign: signed ? "s" : "u",
});

const float = { kind: "float", signed: true, sign: "s" } as const;

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
  float32: { ...float, dtype: "float32", number: 9, type: "f32", shape: "f32x4", bytes: 4 },
  float64: { ...float, dtype: "float64", number: 10, type: "f64", shape: "f64x2", bytes: 8 },
};

/** Leaves a function of one or two scalar locals on the stack; `y` is -1 if there is one. */
export type Emit = (a: Assembler, r: Representation, x: number, y: number) => void;

/** The representation of a dtype. */
export function representation(dtype: DType): Representation {
  const known = representations[dtype];
  if (known === undefined)
    throw new KernelError(`wasm: ${dtype} has no instructions. Lower the kernel (lowerComplex, lowerHalf) first.`);
  return known;
}

/** The vector shape of integers of this many bytes. */
export const integerShape = (bytes: number): Representation["shape"] =>
  integerShapes[bytes as keyof typeof integerShapes];

/** Wraps the i32 on the stack to a dtype of 8 or 16 bits; wider ones stay as they are. */
export function normalize(a: Assembler, r: Representation): void {
  if (r.kind !== "integer" || r.bytes > 2) return;
  if (r.signed) a.op(r.bytes === 1 ? "i32.extend8_s" : "i32.extend16_s");
  else a.emit(["i32.const", r.bytes === 1 ? 255 : 65535], "i32.and");
}

/** One step of straight-line code: the local to push, the name of an instruction without immediates, or an instruction. */
export type Step = number | Op | Instruction;

/** A step on values of one type or shape, which a name that begins with a dot belongs to: `.add` is `f32.add` on f32. */
export type TypedStep = Step | `.${string}` | readonly [name: ".const", value: number];

export interface Assembler {
  /** Appends one instruction. */
  op(...instruction: Instruction): void;
  /** Appends straight-line code. */
  emit(...steps: readonly Step[]): void;
  /** Appends straight-line code on values of a type or shape. */
  emitFor(type: NumberType | Representation["shape"], ...steps: readonly TypedStep[]): void;
  /** A fresh local. */
  local(type: ValueType): number;
  get(local: number): void;
  set(local: number): void;
  /** A local that holds what `make` leaves on the stack, computed once before the loops; one for each key. `make` must not hoist. */
  hoist(type: ValueType, key: string, make: () => void): number;
  /** The index of the engine's Math function of this name, from f64 values to an f64. */
  math(name: string, arity: 1 | 2): number;
}

/** Most instructions access locals, so equal ones are one object. */
const [gets, sets, tees]: [Instruction[], Instruction[], Instruction[]] = [[], [], []];

function onLocal(known: Instruction[], op: "local.get" | "local.set" | "local.tee", local: number): Instruction {
  for (let next = known.length; next <= local; next++) known.push([op, next]);
  return known[local];
}

export const get = (local: number): Instruction => onLocal(gets, "local.get", local);
export const set = (local: number): Instruction => onLocal(sets, "local.set", local);
export const tee = (local: number): Instruction => onLocal(tees, "local.tee", local);

const byType = new Map<string, Map<string, Instruction>>();

/** The instruction of a name, with the type in front if it begins with a dot: one object, so that names are concatenated once. */
export function instructionOf(type: string, name: string): Instruction {
  const known = getOrCompute(byType, name[0] === "." ? type : "", () => new Map<string, Instruction>());
  return getOrCompute(known, name, () => [(name[0] === "." ? type + name : name) as Op]);
}
