/** Composition, division and products mode by mode, as an array of tilers asks for. */
import { ShapeError } from "../base/errors.ts";
import { formatLayout } from "./format.ts";
import { joinModes, type Layout, modesOf } from "./layout.ts";
import type { Tiler } from "./tiler.ts";
import type { Trace } from "./trace.ts";

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
    throw new ShapeError(`${who}: a tiler of ${tiler.length} modes for ${formatLayout(layout)}`);
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
