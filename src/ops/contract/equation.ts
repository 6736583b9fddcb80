/**
 * The equations of einsum: "bij,bjk->bik". Letters name axes; `...` stands for axes without names, which are broadcast; what is on the
 * right, in that order, stays. Without a right side the letters that occur once stay, in alphabetical order, after the `...`.
 */

import { StridewiseError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { describeValue } from "../../tensor/describe-value.ts";

export interface Equation {
  /** A name for each axis of each operand. */
  readonly inputs: readonly (readonly string[])[];
  readonly output: readonly string[];
}

const fail = (message: string): never => {
  throw new StridewiseError(`einsum: ${message}`);
};

/** The names of one side's axes; `...` becomes as many as the operand has axes left. */
function lettersOf(text: string, k: number, rank: number | null, unnamed: number): string[] {
  const [before, after, ...more] = text.split("...");
  if (more.length > 0 || /[^A-Za-z]/.test(before + (after ?? "")))
    fail(`invalid subscript given in "${text}": letters, and at most one "...", name the axes`);
  const letters = [...(before as string)];
  const rest = [...(after ?? "")];
  if (rank !== null) {
    const count = rank - letters.length - rest.length;
    if (after === undefined ? count !== 0 : count < 0)
      fail(`operand ${k} has ${rank} axes, and the equation ${letters.length + rest.length} letters for them`);
    const names = listOf(Math.max(0, count), (i) => `.${count - i}`);
    return [...letters, ...names, ...rest];
  }
  const names = after === undefined ? [] : listOf(unnamed, (i) => `.${unnamed - i}`);
  return [...letters, ...names, ...rest];
}

/** The equation for operands with so many axes. */
export function parseEquation(text: string, ranks: readonly number[]): Equation {
  if (typeof text !== "string") fail(`the equation is text such as "ij,jk->ik", got ${describeValue(text)}`);
  const [left, right, ...more] = text.replaceAll(" ", "").split("->") as [string, string?, ...string[]];
  if (more.length > 0) fail(`found more than one "->" in "${text}"`);
  const parts = left.split(",");
  if (parts.length !== ranks.length)
    fail(
      `${parts.length > ranks.length ? "fewer" : "more"} operands than in the equation: ${ranks.length} for "${text}"`,
    );
  const inputs = parts.map((part, k) => lettersOf(part, k, ranks[k] as number, 0));
  const all = inputs.flat();
  const unnamed = Math.max(0, ...all.filter((name) => name.startsWith(".")).map((name) => Number(name.slice(1))));
  if (right === undefined) {
    const once = [...new Set(all)].filter(
      (name) => !name.startsWith(".") && all.indexOf(name) === all.lastIndexOf(name),
    );
    const names = listOf(unnamed, (i) => `.${unnamed - i}`);
    return { inputs, output: [...names, ...once.sort()] };
  }
  const output = lettersOf(right, -1, null, unnamed);
  for (const [k, letter] of output.entries()) {
    if (output.indexOf(letter) !== k) fail(`${letter} appears more than once in the output`);
    if (!all.includes(letter)) fail(`output subscript ${letter} does not appear in the equation for any input operand`);
  }
  return { inputs, output };
}
