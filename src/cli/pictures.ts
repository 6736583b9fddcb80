/**
 * Which picture belongs to which answer, and a picture as text, SVG or LaTeX. What cannot be drawn is refused in the
 * words of the command line.
 */
import { LayoutError, ShapeError } from "../base/errors.ts";
import { type GridOptions, layoutPicture, type Picture, swizzlePicture, tilingPicture } from "../draw/index.ts";
import { type AnyLayout, isComposed, isSwizzle, type Tiler } from "../layout/index.ts";

/** The picture of any layout; a swizzled one shows the offsets before and after. */
export const drawLayout =
  (layout: AnyLayout) =>
  (options: GridOptions): Picture =>
    isComposed(layout) && isSwizzle(layout.outer) ? swizzlePicture(layout, options) : layoutPicture(layout, options);

/** The picture of a division: the layout itself with its tiles marked, or else the result. */
export const drawTiling =
  (layout: AnyLayout, tiler: Tiler, result: AnyLayout) =>
  (options: GridOptions): Picture => {
    try {
      return tilingPicture(layout, tiler, options);
    } catch (error) {
      if (error instanceof LayoutError || error instanceof ShapeError) return drawLayout(result)(options);
      throw error;
    }
  };
