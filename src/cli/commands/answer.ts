/**
 * The outcomes that most commands have: a layout, or a layout at an offset.
 */
import { valuesPicture } from "../../draw/index.ts";
import {
  type AnyLayout,
  formatLayout,
  formatTuple,
  type Int,
  type IntTuple,
  type Nested,
  valueOf,
} from "../../layout/index.ts";
import type { Outcome } from "../command.ts";
import { drawLayout } from "../pictures.ts";

/** An outcome that can be drawn. */
type DrawnOutcome = Outcome & Required<Pick<Outcome, "picture">>;

export const layoutOutcome = (result: AnyLayout, picture = drawLayout(result)): Outcome => ({
  lines: [formatLayout(result)],
  data: { result },
  picture,
});

export const partOutcome = ([part, offset]: readonly [part: AnyLayout, offset: IntTuple]): DrawnOutcome => ({
  lines: [formatLayout(part), `offset ${formatTuple(offset as Nested<unknown>)}`],
  data: { result: part, offset },
  picture: Array.isArray(offset) ? drawLayout(part) : drawFrom(part, offset as Int),
});

/** The picture of a part: where its elements are in the whole. */
const drawFrom =
  (part: AnyLayout, start: Int): DrawnOutcome["picture"] =>
  (options) =>
    valuesPicture(part, (offset) => valueOf(start) + offset, {
      ...options,
      colorBy: "offset",
      legend: `number: offset in A, from ${valueOf(start)}`,
    });

/** Names and values in two columns. */
export function columns(rows: readonly (readonly [name: string, value: unknown])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}
