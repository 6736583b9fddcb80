/**
 * The symbols of a kernel's integer expressions, and their bounds. They are defined in one file because a name must be one symbol with one
 * set of bounds. A size has the bounds of its parameter. A loop index, and a name bound by `index`, is 0 or more (the verifier rejects
 * loops that start below 0). Offsets from `walk` and integers from `fetch` are unbounded.
 */
import { type Expr, sym } from "../../expr/expr.ts";
import type { SizeParameter } from "./kernel.ts";

const largest = 2 ** 31 - 1;

/** A size parameter of at least `min`. */
export const sizeFrom = (name: string, min: number, max = largest): SizeParameter => ({ name, min, max });

/** A stride parameter, which may have any sign. */
export const anyStride = (name: string): SizeParameter => ({ name, min: -largest - 1, max: largest });

/** The symbol of a size parameter. */
export const sizeSymbol = ({ name, min, max }: SizeParameter): Expr => sym(name, { min, max });

/** The symbol of a loop index, or of a name bound by `index`: 0 or more. */
export const loopSymbol = (name: string): Expr => sym(name, { min: 0 });

/** The symbol of an offset from `walk`, or of an integer from `fetch`: unbounded. */
export const offsetSymbol = (name: string): Expr => sym(name);
