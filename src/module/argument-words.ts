/** The argument block of a launch as words of a plan, in the layout of `../backends/wasm/arguments.ts`. */
import { type ArgumentLayout, writeArguments } from "../backends/wasm/arguments.ts";
import type { Launch } from "../kernel/program/program.ts";
import { bfloat16ToNumber, float16ToNumber, numberToBfloat16, numberToFloat16 } from "../storage/half.ts";
import { BufferMemory } from "../storage/memory.ts";
import type { Word } from "./plan.ts";

/** Returns the words of a launch. `slotName` names the slots of a program. */
export function argumentWords(
  layout: ArgumentLayout,
  { slots, shifts, sizes, scalars, modes, units, unitSize }: Launch,
  slotName: (slot: number) => string,
): Word<number>[] {
  const values = scalars ?? [];
  const memory = new BufferMemory("overflow", new ArrayBuffer(Math.max(8, layout.buffers)));
  const scalarsOnly = { ...layout, sizes: layout.buffers, modes: layout.buffers, rowWords: [] };
  writeArguments(scalarsOnly, memory, 0, {
    memories: [],
    addresses: [],
    scalars: values,
    sizes: [],
    modes: [],
    units,
    unitSize,
  });
  const bits = memory.array("i32");
  const words: Word<number>[] = [];
  layout.scalars.forEach((dtype, k) => {
    const value = values[k];
    const at = layout.slots[k] / 4;
    const isPlain = typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0);
    if (isPlain && dtype === "float64") words.push(["f64", value]);
    else if (isPlain && dtype === "float32") words.push(["f32", value]);
    else if (isPlain && dtype === "float16") words.push(["f32", float16ToNumber(numberToFloat16(value))]);
    else if (isPlain && dtype === "bfloat16") words.push(["f32", bfloat16ToNumber(numberToBfloat16(value))]);
    else for (let i = at; i < (layout.slots[k + 1] ?? layout.buffers) / 4; i++) words.push(bits[i]);
  });
  const buffers = (layout.sizes - layout.buffers) / 4;
  for (let k = 0; k < buffers; k++) words.push(["at", slotName(slots[k]), shifts[k]]);
  words.push(...sizes.slice(0, (layout.modes - layout.sizes) / 4));
  let rows = layout.rows;
  layout.rowWords.forEach((width, k) => {
    words.push(modes[k].length / width, ["here", rows]);
    rows += 4 * modes[k].length;
  });
  for (let k = 0; k < layout.rowWords.length; k++) words.push(...modes[k]);
  return words;
}

/** Bytes of a block of words, a multiple of 8. */
export function blockBytes(words: readonly Word<unknown>[]): number {
  const count = words.reduce(
    (sum: number, word) => sum + (Array.isArray(word) && (word[0] === "f32" || word[0] === "f64") ? 2 : 1),
    0,
  );
  return 8 * Math.ceil(count / 2);
}
