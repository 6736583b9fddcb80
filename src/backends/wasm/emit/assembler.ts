/**
 * What the operation tables of this folder write to: a stream of instructions of one function, with fresh locals, values made once
 * before the loops, and the engine's Math functions. `builder.ts` implements it.
 *
 * How a value lies in WebAssembly. A scalar: bool and integers up to 32 bits are an i32 that is kept normalised (bool 0 or 1, int8
 * sign-extended, uint8 zero-extended, uint32 as its bits), 64-bit integers an i64, floats f32 and f64. A vector of L lanes, L a power
 * of two: a value of s bytes is packed in the low L * s <= 16 bytes of a v128, and what lies above is open; a bool is a mask of
 * 16 / L bytes for each lane, all ones or all zeros, over the whole v128.
 */
import type { Instruction, ValueType } from "../encoder/instructions.ts";

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
