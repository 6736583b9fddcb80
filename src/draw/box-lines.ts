/**
 * The characters where lines meet: one for each choice of no, light or heavy line towards each of four sides.
 */

/** How thick a line is. */
export type Weight = 0 | 1 | 2;

/** Unicode box drawing, at the number with base-3 digits up, right, down, left. */
const unicodeJoints = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋";

/** The characters that one renderer draws with. */
export interface LineSet {
  readonly joint: (up: Weight, right: Weight, down: Weight, left: Weight) => string;
  /** Brackets of headers: start, middle and end, lying and standing. */
  readonly lying: readonly [string, string, string];
  readonly standing: readonly [string, string, string];
}

export const unicodeLines: LineSet = {
  joint: (up, right, down, left) => unicodeJoints[up * 27 + right * 9 + down * 3 + left] as string,
  lying: ["╭", "─", "╮"],
  standing: ["╭", "│", "╰"],
};

export const asciiLines: LineSet = {
  joint: (up, right, down, left) => {
    const heavy = Math.max(up, right, down, left) === 2;
    if (up + down === 0) return right + left === 0 ? " " : heavy ? "=" : "-";
    if (right + left === 0) return heavy ? "#" : "|";
    return heavy ? "#" : "+";
  },
  lying: ["/", "-", "\\"],
  standing: ["/", "|", "\\"],
};
