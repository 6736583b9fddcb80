/** Parses expressions with bitwise functions, which `parse.ts` alone does not load: "xor(i, i / 8)". */
import { and, shiftLeft, shiftRight, xor } from "./bits.ts";
import type { Expr } from "./expr.ts";
import { type CalledFunctions, type ParseOptions, parseCalling } from "./parse.ts";

const bitwise: CalledFunctions = {
  and: [2, Infinity, and],
  xor: [2, Infinity, xor],
  shiftLeft: [2, 2, shiftLeft],
  shiftRight: [2, 2, shiftRight],
};

export function parse(text: string, options?: ParseOptions): Expr {
  return parseCalling(bitwise, text, options);
}
