/**
 * The bytes of one instruction: its opcode, then its immediates by their kind.
 * Immediates that were left out count as 0, a block type that was left out as void.
 */
import type { ByteBuffer } from "./byte-buffer.ts";
import { blockType, encodingOf, type Immediates, type Instruction } from "./instructions.ts";

/** Appends one instruction. */
export function encodeInstruction(out: ByteBuffer, instruction: Instruction): void {
  const { code, immediates } = encodingOf(instruction[0]);
  if (code < 0x100) out.byte(code);
  else {
    out.byte(code >> 12);
    out.unsigned(code & 0xfff);
  }
  if (immediates !== "none") writers[immediates](out, instruction);
}

const number = (given: Instruction, place: number): number => (given[place] ?? 0) as number;
const array = (given: Instruction, place: number): readonly number[] => given[place] as readonly number[];

function memory(out: ByteBuffer, given: Instruction): void {
  out.unsigned(number(given, 1));
  out.unsigned(number(given, 2));
}

const writers: Readonly<Record<Exclude<Immediates, "none">, (out: ByteBuffer, given: Instruction) => void>> = {
  block: (out, given) => out.signed((given[1] ?? blockType.void) as number),
  index: (out, given) => out.unsigned(number(given, 1)),
  labels: (out, given) => {
    out.unsigned(array(given, 1).length);
    for (const label of array(given, 1)) out.unsigned(label);
    out.unsigned(number(given, 2));
  },
  indirect: memory,
  memory,
  "lane memory": (out, given) => {
    memory(out, given);
    out.byte(number(given, 3));
  },
  lane: (out, given) => out.byte(number(given, 1)),
  bytes: (out, given) => out.bytes(array(given, 1)),
  i32: (out, given) => out.signed(number(given, 1)),
  i64: (out, given) => out.signed64((given[1] ?? 0) as number | bigint),
  f32: (out, given) => out.float32(number(given, 1)),
  f64: (out, given) => out.float64(number(given, 1)),
  zero: (out) => out.byte(0),
  zeros: (out) => out.bytes([0, 0]),
};
