/** Tables as text: columns of equal width, numbers at the right. */

/** A row of cells; a cell that is a number is written with `digits` of its column. */
export type Row = readonly (string | number)[];

/** Formats rows below a title row. Columns whose cells are all numbers are aligned at the right. */
export function tableLines(titles: readonly string[], rows: readonly Row[]): string[] {
  const isNumeric = titles.map(
    (_, k) =>
      rows.length > 0 &&
      rows.every((row) => typeof row[k] === "number" || /^[\d.,]+( ?%| [a-zA-Z]+)?$/.test(String(row[k]))),
  );
  const texts = [titles, ...rows.map((row) => row.map(String))];
  const widths = titles.map((_, k) => Math.max(...texts.map((row) => [...row[k]].length)));
  return texts.map((row) =>
    row
      .map((cell, k) => {
        const gap = " ".repeat(widths[k] - [...cell].length);
        return isNumeric[k] ? gap + cell : cell + gap;
      })
      .join("  ")
      .trimEnd(),
  );
}

/** "12.3 ms" or "1.23 s". */
export function timeText(ms: number): string {
  const [value, unit] = ms < 1000 ? [ms, "ms"] : [ms / 1000, "s"];
  return `${value < 100 ? Number(value.toPrecision(3)) : Math.round(value)} ${unit}`;
}
