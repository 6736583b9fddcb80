/**
 * A confusion matrix as SVG: row r, column c is the number of samples of class r that were classified as c. Correct answers are shaded by their
 * fraction of the row; mistakes, in a different color, relative to the most frequent mistake, so that rare ones stay visible.
 */
import { ShapeError } from "../../base/errors.ts";
import { decimal, textWidth } from "../scene.ts";
import { escapeXml } from "../svg.ts";
import { type ChartSvgOptions, chartSvg, chartText } from "./chart-svg.ts";
import { numberText } from "./ticks.ts";

export interface ConfusionMatrixOptions extends ChartSvgOptions {
  readonly title?: string;
  /** The labels of rows and columns. Default: "true class" and "predicted class". */
  readonly rowLabel?: string;
  readonly columnLabel?: string;
}

const padding = 16;
const line = 20;
const cellHeight = 30;

type Counts = readonly (readonly number[])[];

function check(counts: Counts, labels: readonly string[]): void {
  const who = "confusionMatrix";
  const size = counts.length;
  if (size === 0) throw new ShapeError(`${who}: needs at least one class, got an empty matrix.`);
  const ragged = counts.findIndex((row) => row.length !== size);
  if (ragged >= 0)
    throw new ShapeError(`${who}: ${size} rows need ${size} counts each; row ${ragged} has ${counts[ragged]?.length}.`);
  if (labels.length !== size)
    throw new ShapeError(`${who}: a matrix of ${size} classes needs ${size} labels, got ${labels.length}.`);
  counts.forEach((row, r) => {
    const c = row.findIndex((count) => !(count >= 0 && Number.isFinite(count)));
    if (c >= 0) throw new ShapeError(`${who}: counts are 0 or more; row ${r}, column ${c} holds ${row[c]}.`);
  });
}

const sum = (row: readonly number[]): number => row.reduce((total, count) => total + count, 0);

/** The matrix as a heat map with numbers; `counts[r][c]` is the number of samples of class r classified as c. */
export function confusionMatrix(
  counts: Counts,
  labels: readonly string[] = counts.map((_, k) => String(k)),
  options: ConfusionMatrixOptions = {},
): string {
  check(counts, labels);
  const { title = "", rowLabel = "true class", columnLabel = "predicted class" } = options;
  const size = counts.length;
  const total = sum(counts.map(sum));
  const right = sum(counts.map((row, k) => row[k]));
  const worst = Math.max(0, ...counts.flatMap((row, r) => row.filter((_, c) => c !== r)));

  const texts = [...labels, ...counts.flat().map(numberText)];
  const cellWidth = Math.max(34, ...texts.map((text) => textWidth(text, "label") + 10));
  const left = padding + line + Math.max(...labels.map((label) => textWidth(label, "header"))) + 8;
  const top = padding + (title ? line + 4 : 0) + 2 * line;
  const middle = (k: number, step: number): number => (k + 0.5) * step;

  const cells = counts.flatMap((row, r) =>
    row.map((count, c) => {
      const share = r === c ? count / (sum(row) || 1) : count / (worst || 1);
      const [x, y] = [left + c * cellWidth, top + r * cellHeight];
      const box = `x="${decimal(x + 1)}" y="${decimal(y + 1)}" width="${decimal(cellWidth - 2)}" height="${cellHeight - 2}" rx="3"`;
      // A translucent color over the neutral cell: text is readable on both, and so on any mixture.
      const shade =
        count > 0 ? `<rect class="c${r === c ? 0 : 6}" ${box} fill-opacity="${decimal(0.15 + 0.85 * share)}"/>` : "";
      const hint = `<title>${escapeXml(`${labels[r]} predicted as ${labels[c]}: ${numberText(count)}`)}</title>`;
      const number =
        count > 0 ? chartText("label", numberText(count), x + cellWidth / 2, y + cellHeight / 2, "middle") : "";
      return `<g><rect ${box}/>${shade}${number}${hint}</g>`;
    }),
  );
  const bottom = top + size * cellHeight;
  const note = `correct: ${numberText(right)} of ${numberText(total)}${total > 0 ? ` (${((100 * right) / total).toFixed(1)}%)` : ""}`;
  const marks = [
    ...(title ? [chartText("title", title, padding, padding + line / 2)] : []),
    chartText("note", columnLabel, left + (size * cellWidth) / 2, top - 1.5 * line, "middle"),
    chartText("note", rowLabel, padding + 6, top + (size * cellHeight) / 2, "middle", true),
    ...labels.map((label, c) => chartText("header", label, left + middle(c, cellWidth), top - line / 2, "middle")),
    ...labels.map((label, r) => chartText("header", label, left - 6, top + middle(r, cellHeight), "end")),
    ...cells,
    chartText("note", note, left, bottom + line * 0.75),
  ];
  const width =
    Math.max(left + size * cellWidth, padding + textWidth(title, "title"), left + textWidth(note, "note")) + padding;
  const description = `${note}. ${mistakesInWords(counts, labels)}`;
  return chartSvg(
    { width, height: bottom + 1.5 * line + padding / 2, title: title || "confusion matrix", description, marks },
    options,
  );
}

/** The three most frequent mistakes. */
function mistakesInWords(counts: Counts, labels: readonly string[]): string {
  const mistakes = counts
    .flatMap((row, r) => row.map((count, c) => ({ count, r, c })))
    .filter(({ count, r, c }) => count > 0 && r !== c)
    .sort((a, b) => b.count - a.count);
  const listed = mistakes
    .slice(0, 3)
    .map(
      ({ count, r, c }) =>
        `${labels[r]} predicted as ${labels[c]} ${count === 1 ? "once" : `${numberText(count)} times`}`,
    );
  return listed.length === 0 ? "no mistakes" : `most frequent errors: ${listed.join(", ")}`;
}
