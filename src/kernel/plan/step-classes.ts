/**
 * Step classes: how each operand of a kernel steps in its innermost mode. The class is 0 for operands that do not move, 1 for a step of 1, and
 * 2 for any other step, which is then an argument of the kernel. The code of a kernel depends on the classes, so they are part of its key:
 * two bits for each operand, the first operand in the lowest.
 */
import { listOf } from "../../base/list-of.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import type { SizeParameter } from "../ir/kernel.ts";
import { anyStride, sizeSymbol } from "../ir/symbols.ts";

/** The class of a step. */
export const stepClass = (step: number): number => (step === 0 || step === 1 ? step : 2);

/** The class of operand k. Exact for up to 26 operands. */
export const classOf = (classes: number, k: number): number => Math.floor(classes / 4 ** k) % 4;

/** The classes of `count` operands in the name of a kernel: 0, 1 or s for each. */
export const classText = (classes: number, count: number): string =>
  listOf(count, (k) => "01s"[classOf(classes, k)]).join("");

/** step * index, where operand k steps by its class; a step of class 2 is the argument `<name>_n`. */
export function stepped(classes: number, k: number, name: string, index: Expr): Expr {
  const kind = classOf(classes, k);
  return kind === 0 ? constant(0) : kind === 1 ? index : sizeSymbol(anyStride(`${name}_n`)).mul(index);
}

/** The steps that are arguments: those of class 2, in the order of the operands. */
export const steppedSizes = (classes: number, names: readonly string[]): SizeParameter[] =>
  names.filter((_, k) => classOf(classes, k) === 2).map((name) => anyStride(`${name}_n`));
