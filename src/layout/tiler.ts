/**
 * Tilers: what a layout can be composed with or divided by.
 * A layout acts on the 1-D index; an integer n means n:1; an array acts mode by mode; `_` leaves a mode as it is.
 */

import type { Underscore } from "./coord.ts";
import type { Int } from "./int.ts";
import { type Layout, makeLayout } from "./layout.ts";

export type Tiler = Layout | Int | Underscore | null | readonly Tiler[];

export const isTilerTuple = (tiler: unknown): tiler is readonly Tiler[] => Array.isArray(tiler);

/** The layout that an integer tiler stands for: n:1 (and `_1:_0` for a static 1, as in CuTe). */
export const makeTile = (size: Int): Layout => makeLayout(size);
