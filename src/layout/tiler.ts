/**
 * Tilers: what a layout can be composed with or divided by.
 * A layout acts on the 1-D index; an integer n means n:1; an array acts mode by mode; `_` leaves a mode as it is.
 */

import { ShapeError } from "../base/errors.ts";
import { compactColMajor } from "./compact.ts";
import type { Underscore } from "./coord.ts";
import { formatLayout } from "./format.ts";
import type { Int } from "./int.ts";
import { joinModes, type Layout, modesOf, rawLayout } from "./layout.ts";
import type { Trace } from "./trace.ts";

export type Tiler = Layout | Int | Underscore | null | readonly Tiler[];

export const isTilerTuple = (tiler: unknown): tiler is readonly Tiler[] => Array.isArray(tiler);

/** The layout that an integer tiler stands for: n:1 (and `_1:_0` for a static 1, as in CuTe). */
export const makeTile = (size: Int): Layout => rawLayout(size, compactColMajor(size));

/** Applies `f` to each mode and its part of the tiler; modes past the tiler stay as they are. */
export function byMode(
  who: string,
  layout: Layout,
  tiler: readonly Tiler[],
  trace: Trace | undefined,
  f: (mode: Layout, tiler: Tiler, trace?: Trace) => Layout,
): Layout {
  const modes = modesOf(layout);
  if (tiler.length > modes.length)
    throw new ShapeError(
      `${who}: a tiler of ${tiler.length} modes for ${formatLayout(layout)}, which has rank ${modes.length}`,
    );
  return joinModes(
    modes.map((mode, i) => {
      const part = tiler[i];
      if (part === undefined) return mode;
      trace?.note("by mode", { mode: i, layout: mode, tiler: part });
      trace?.enter();
      const result = f(mode, part, trace);
      trace?.leave();
      return result;
    }),
  );
}
