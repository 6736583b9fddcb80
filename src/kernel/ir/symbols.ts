/**
 * The symbols of a kernel's integer expressions, and what is known of each: one place, because one name is one symbol with one set of
 * assumptions. A size has the bounds of its parameter; a loop index and a name bound by `index` are 0 or more (a kernel whose loop
 * starts below 0 is refused by the verifier); offsets from `walk` and integers from `fetch` may be anything.
 */
import { type Expr, sym } from "../../expr/expr.ts";
import type { SizeParameter } from "./kernel.ts";

/** The symbol of a size parameter. */
export const sizeSymbol = ({ name, min, max }: SizeParameter): Expr => sym(name, { min, max });

/** The symbol of a loop index, or of a name bound by `index`: 0 or more. */
export const loopSymbol = (name: string): Expr => sym(name, { min: 0 });

/** The symbol of an offset from `walk`, or of an integer from `fetch`: nothing is known. */
export const offsetSymbol = (name: string): Expr => sym(name);
