/**
 * The offsets of a coordinate of a mode list: its number is divided by the size of one row after the other, and each rest counts
 * that row's strides. The last row takes what is left without a division; a list without rows has offsets 0.
 */
import type { WalkStatement } from "../../../kernel/ir/kernel.ts";
import type { Instruction } from "../encoder/instructions.ts";
import { expanded } from "./accesses.ts";
import { argumentWord, type Emission, innermost } from "./emission.ts";
import { pushIndex } from "./emit-index.ts";

export function emitWalk(e: Emission, { modes, position, offsets }: WalkStatement): void {
  const { builder, kernel, layout } = e;
  const at = layout.modes + 8 * kernel.modes.findIndex((list) => list.name === modes);
  const count = argumentWord(e, `${modes}_count`, at);
  const rows = argumentWord(e, modes, at + 4);
  const rowBytes = 4 * (offsets.length + 1);
  const number = builder.local("i32", `${modes}_number`);
  const quotient = builder.local("i32", `${modes}_quotient`);
  const row = builder.local("i32", `${modes}_row`);
  const last = builder.local("i32", `${modes}_last`);
  pushIndex(e, expanded(e, position));
  builder.set(number);
  const locals = offsets.map((name) => {
    const local = builder.local("i32", name);
    builder.op("i32.const", 0);
    builder.set(local);
    e.integers.set(name, { local, depth: innermost(e).depth, shift: 0 });
    return local;
  });
  /** Each offset moves by the row's stride times `number`. */
  const addRow: Instruction[] = locals.flatMap((local, i): Instruction[] => [
    ["local.get", local],
    ["local.get", number],
    ["local.get", row],
    ["i32.load", 2, 4 + 4 * i],
    ["i32.mul"],
    ["i32.add"],
    ["local.set", local],
  ]);
  const size = builder.local("i32", `${modes}_size`);
  builder.get(count);
  builder.titled(`walk ${modes}`, "if");
  builder.append([
    ["local.get", rows],
    ["local.tee", row],
    ["local.get", count],
    ["i32.const", 1],
    ["i32.sub"],
    ["i32.const", rowBytes],
    ["i32.mul"],
    ["i32.add"],
    ["local.set", last],
    ["local.get", row],
    ["local.get", last],
    ["i32.ne"],
    ["if"],
    ["loop"],
    // number = quotient * size + rest
    ["local.get", number],
    ["local.get", number],
    ["local.get", row],
    ["i32.load", 2, 0],
    ["local.tee", size],
    ["i32.div_u"],
    ["local.tee", quotient],
    ["local.get", size],
    ["i32.mul"],
    ["i32.sub"],
    ["local.set", number],
    ...addRow,
    ["local.get", quotient],
    ["local.set", number],
    ["local.get", row],
    ["i32.const", rowBytes],
    ["i32.add"],
    ["local.tee", row],
    ["local.get", last],
    ["i32.ne"],
    ["br_if", 0],
    ["end"],
    ["end"],
    ...addRow,
    ["end"],
  ]);
}
