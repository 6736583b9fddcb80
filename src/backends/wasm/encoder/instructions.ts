/**
 * The WebAssembly instructions by their names in the text format: opcode and kind of immediates.
 * The table has the instructions that kernels can use: numeric and SIMD instructions except averages, dot products and pairwise sums; the multiply-adds of
 * relaxed SIMD; indirect calls. There are no atomic instructions, because threads synchronize outside of kernels.
 * An instruction is plain data, `["v128.load", 4, 16]`; `module.ts` encodes it as bytes, `text.ts` as text.
 */

import { InternalError } from "../../../base/errors.ts";
import { once } from "../../../base/lazy.ts";

/**
 * The immediates that follow an opcode, and the form they have in an `Instruction`:
 * - none: nothing
 * - block: a `blockType`, or nothing for a block without results
 * - index: a label depth, or the number of a function, a local or a global
 * - labels: an array of label depths, then the default one
 * - indirect: a type index (into `WasmModule.types`), then a table index (0 by default)
 * - memory: log2 of the alignment, byte offset
 * - lane memory: the same, then a lane
 * - lane: a lane
 * - bytes: an array of 16 bytes
 * - i32, i64, f32, f64: a constant; integers wrap modulo 2^32 or 2^64, NaN is the canonical one
 * - zero, zeros: nothing; one or two zero bytes are written
 */
export type Immediates =
  | "none"
  | "block"
  | "index"
  | "labels"
  | "indirect"
  | "memory"
  | "lane memory"
  | "lane"
  | "bytes"
  | "i32"
  | "i64"
  | "f32"
  | "f64"
  | "zero"
  | "zeros";

/** The encoding of an instruction: an opcode byte, or a prefix and a number as prefix * 0x1000 + number. */
export interface Encoding {
  readonly code: number;
  readonly immediates: Immediates;
}

const compare = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u";
const integer = "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr";
const float = "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign";
const truncSat = "f32_s f32_u f64_s f64_u";
const saturating = "shl shr_s shr_u add add_sat_s add_sat_u sub sub_sat_s sub_sat_u";
const wide = "shl shr_s shr_u add - - sub - - - mul";
const vectorFloat = "abs neg - sqrt add sub mul div min max pmin pmax";

/**
 * Rows of instructions with consecutive codes: first code, immediates, patterns, words. A name is a pattern with a word for
 * its star; the patterns of one word come before those of the next. A word `-` is a code without an instruction.
 */
const rows = [
  [0x00, "none", "*", "unreachable nop"],
  [0x02, "block", "*", "block loop if"],
  [0x05, "none", "*", "else"],
  [0x0b, "none", "*", "end"],
  [0x0c, "index", "*", "br br_if"],
  [0x0e, "labels", "*", "br_table"],
  [0x0f, "none", "*", "return"],
  [0x10, "index", "*", "call"],
  [0x11, "indirect", "*", "call_indirect"],
  [0x1a, "none", "*", "drop select"],
  [0x20, "index", "local.*", "get set tee"],
  [0x23, "index", "global.*", "get set"],
  [0x28, "memory", "i32.* i64.* f32.* f64.*", "load"],
  [0x2c, "memory", "i32.*", "load8_s load8_u load16_s load16_u"],
  [0x30, "memory", "i64.*", "load8_s load8_u load16_s load16_u load32_s load32_u"],
  [0x36, "memory", "i32.* i64.* f32.* f64.*", "store"],
  [0x3a, "memory", "i32.*", "store8 store16"],
  [0x3c, "memory", "i64.*", "store8 store16 store32"],
  [0x3f, "zero", "memory.*", "size grow"],
  [0x41, "i32", "i32.*", "const"],
  [0x42, "i64", "i64.*", "const"],
  [0x43, "f32", "f32.*", "const"],
  [0x44, "f64", "f64.*", "const"],
  [0x45, "none", "i32.*", "eqz"],
  [0x46, "none", "i32.*", compare],
  [0x50, "none", "i64.*", "eqz"],
  [0x51, "none", "i64.*", compare],
  [0x5b, "none", "f32.*", "eq ne lt gt le ge"],
  [0x61, "none", "f64.*", "eq ne lt gt le ge"],
  [0x67, "none", "i32.*", integer],
  [0x79, "none", "i64.*", integer],
  [0x8b, "none", "f32.*", float],
  [0x99, "none", "f64.*", float],
  [0xa7, "none", "i32.*", "wrap_i64 trunc_f32_s trunc_f32_u trunc_f64_s trunc_f64_u"],
  [0xac, "none", "i64.*", "extend_i32_s extend_i32_u trunc_f32_s trunc_f32_u trunc_f64_s trunc_f64_u"],
  [0xb2, "none", "f32.convert_*", "i32_s i32_u i64_s i64_u"],
  [0xb6, "none", "f32.*", "demote_f64"],
  [0xb7, "none", "f64.convert_*", "i32_s i32_u i64_s i64_u"],
  [0xbb, "none", "f64.*", "promote_f32"],
  [0xbc, "none", "*", "i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64"],
  [0xc0, "none", "i32.*", "extend8_s extend16_s"],
  [0xc2, "none", "i64.*", "extend8_s extend16_s extend32_s"],
  [0xfc000, "none", "i32.trunc_sat_*", truncSat],
  [0xfc004, "none", "i64.trunc_sat_*", truncSat],
  [0xfc00a, "zeros", "memory.*", "copy"],
  [0xfc00b, "zero", "memory.*", "fill"],
  [0xfd000, "memory", "v128.*", "load load8x8_s load8x8_u load16x4_s load16x4_u load32x2_s load32x2_u"],
  [0xfd007, "memory", "v128.*", "load8_splat load16_splat load32_splat load64_splat store"],
  [0xfd00c, "bytes", "*", "v128.const i8x16.shuffle"],
  [0xfd00e, "none", "*", "i8x16.swizzle"],
  [0xfd00f, "none", "*.splat", "i8x16 i16x8 i32x4 i64x2 f32x4 f64x2"],
  [0xfd015, "lane", "*.extract_lane_s *.extract_lane_u *.replace_lane", "i8x16 i16x8"],
  [0xfd01b, "lane", "*.extract_lane *.replace_lane", "i32x4 i64x2 f32x4 f64x2"],
  [0xfd023, "none", "i8x16.*", compare],
  [0xfd02d, "none", "i16x8.*", compare],
  [0xfd037, "none", "i32x4.*", compare],
  [0xfd041, "none", "f32x4.*", "eq ne lt gt le ge"],
  [0xfd047, "none", "f64x2.*", "eq ne lt gt le ge"],
  [0xfd04d, "none", "v128.*", "not and andnot or xor bitselect any_true"],
  [0xfd054, "lane memory", "v128.load*_lane", "8 16 32 64"],
  [0xfd058, "lane memory", "v128.store*_lane", "8 16 32 64"],
  [0xfd05c, "memory", "v128.load*_zero", "32 64"],
  [0xfd05e, "none", "*", "f32x4.demote_f64x2_zero f64x2.promote_low_f32x4"],
  [0xfd060, "none", "i8x16.*", "abs neg popcnt all_true bitmask narrow_i16x8_s narrow_i16x8_u"],
  [0xfd067, "none", "f32x4.*", "ceil floor trunc nearest"],
  [0xfd06b, "none", "i8x16.*", saturating],
  [0xfd074, "none", "f64x2.*", "ceil floor"],
  [0xfd076, "none", "i8x16.*", "min_s min_u max_s max_u"],
  [0xfd07a, "none", "*", "f64x2.trunc"],
  [0xfd080, "none", "i16x8.*", "abs neg - all_true bitmask narrow_i32x4_s narrow_i32x4_u"],
  [0xfd087, "none", "i16x8.extend_low_i8x16_* i16x8.extend_high_i8x16_*", "s u"],
  [0xfd08b, "none", "i16x8.*", saturating],
  [0xfd094, "none", "*", "f64x2.nearest i16x8.mul"],
  [0xfd096, "none", "i16x8.*", "min_s min_u max_s max_u"],
  [0xfd09c, "none", "i16x8.extmul_low_i8x16_* i16x8.extmul_high_i8x16_*", "s u"],
  [0xfd0a0, "none", "i32x4.*", "abs neg - all_true bitmask"],
  [0xfd0a7, "none", "i32x4.extend_low_i16x8_* i32x4.extend_high_i16x8_*", "s u"],
  [0xfd0ab, "none", "i32x4.*", wide],
  [0xfd0b6, "none", "i32x4.*", "min_s min_u max_s max_u dot_i16x8_s"],
  [0xfd0c0, "none", "i64x2.*", "abs neg - all_true bitmask"],
  [0xfd0c7, "none", "i64x2.extend_low_i32x4_* i64x2.extend_high_i32x4_*", "s u"],
  [0xfd0cb, "none", "i64x2.*", wide],
  [0xfd0d6, "none", "i64x2.*", "eq ne lt_s gt_s le_s ge_s"],
  [0xfd0e0, "none", "f32x4.*", vectorFloat],
  [0xfd0ec, "none", "f64x2.*", vectorFloat],
  [0xfd0f8, "none", "i32x4.trunc_sat_f32x4_*", "s u"],
  [0xfd0fa, "none", "f32x4.convert_i32x4_*", "s u"],
  [0xfd0fc, "none", "i32x4.trunc_sat_f64x2_*_zero", "s u"],
  [0xfd0fe, "none", "f64x2.convert_low_i32x4_*", "s u"],
  [0xfd105, "none", "*.relaxed_madd *.relaxed_nmadd", "f32x4 f64x2"],
] as const satisfies readonly (readonly [number, Immediates, string, string])[];

type Words<Text extends string, Result = never> = Text extends `${infer Word} ${infer Rest}`
  ? Words<Rest, Result | Word>
  : Result | Text;
type Filled<Pattern, Word extends string> = Pattern extends `${infer Left}*${infer Right}`
  ? `${Left}${Exclude<Word, "-">}${Right}`
  : never;
type NamesOf<Row> = Row extends readonly [number, Immediates, infer Patterns extends string, infer Text extends string]
  ? Filled<Words<Patterns>, Words<Text>>
  : never;

/** The name of an instruction, as in the text format. */
export type Op = NamesOf<(typeof rows)[number]>;

/** One immediate of an instruction; `Immediates` lists those that an instruction takes. */
export type Immediate = number | bigint | readonly number[];

/** An instruction with its immediates: `["i32.const", 7]`, `["v128.load", 4, 16]`, `["block", blockType.void]`. */
export type Instruction = readonly [op: Op, ...immediates: Immediate[]];

/** Instructions, and nested lists of them. */
export type Code = readonly (Instruction | Code)[];

/** True if and only if an entry is a nested list. */
export const isList = (entry: Instruction | Code): entry is Code => typeof entry[0] !== "string";

/** The types of values. */
export type ValueType = "i32" | "i64" | "f32" | "f64" | "v128";

/** The codes of block types; a number of 0 or more is an index into `WasmModule.types`. */
export const blockType = { void: -0x40, i32: -1, i64: -2, f32: -3, f64: -4, v128: -5 } as const;

/** All instructions by name. */
export const instructions: () => ReadonlyMap<string, Encoding> = /* @__PURE__ */ once(() => {
  const table = new Map<string, Encoding>();
  for (const [first, immediates, patterns, words] of rows) {
    let code: number = first;
    for (const word of words.split(" "))
      for (const pattern of patterns.split(" "))
        if (word === "-") code++;
        else table.set(pattern.replace("*", word), { code: code++, immediates });
  }
  return table;
});

/** The encoding of one instruction. */
export function encodingOf(op: Op): Encoding {
  const encoding = instructions().get(op);
  if (encoding === undefined) throw new InternalError(`encodingOf: there is no instruction "${op}"`);
  return encoding;
}
