/**
 * Colours of lines in charts. The classes of `palette.ts` are pale, made to carry text; a thin line must stand out from the background by
 * itself, so these are darker in light surroundings and lighter in dark ones. A test computes that each has a contrast of at least 3:1.
 * Colour never says anything alone: lines are also dashed in turn, and named.
 */

/** One colour for each of six lines; more lines begin anew. */
export const lightLines: readonly string[] = ["#0072b2", "#c4500a", "#008a64", "#a0407f", "#7a6a00", "#4b5560"];
export const darkLines: readonly string[] = ["#5cb3f0", "#f29049", "#3fd6a6", "#d988bd", "#e6d34a", "#c0c8d0"];

/** How each line is dashed; "": it is not. */
export const dashes: readonly string[] = ["", "6 3", "2 3", "10 3 2 3"];
