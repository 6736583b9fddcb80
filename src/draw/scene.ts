/**
 * Scenes: rectangles, texts and lines at positions in pixels from the top left. SVG and LaTeX are two renderings of a scene.
 * Widths of text are estimates for common monospaced and sans-serif fonts.
 */

/** The role of a text, which determines its font. */
export type Role = "title" | "panel" | "header" | "label" | "second" | "note";

export type Item =
  | {
      readonly kind: "cell";
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly color?: number;
      readonly hint?: string;
    }
  | {
      readonly kind: "text";
      readonly x: number;
      /** The baseline. */
      readonly y: number;
      readonly role: Role;
      readonly text: string;
      readonly anchor: "start" | "middle" | "end";
      readonly faded?: boolean;
    }
  | { readonly kind: "line"; readonly points: readonly (readonly [x: number, y: number])[]; readonly heavy: boolean };

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly items: readonly Item[];
}

interface Font {
  readonly size: number;
  readonly mono?: boolean;
  readonly bold?: boolean;
  /** Drawn in the color of headers and legends instead of labels. */
  readonly dim?: boolean;
}

export const fonts: Readonly<Record<Role, Font>> = {
  title: { size: 13, mono: true, bold: true },
  panel: { size: 12, mono: true, dim: true },
  header: { size: 11, mono: true, dim: true },
  label: { size: 12, mono: true },
  second: { size: 10, mono: true },
  note: { size: 12, dim: true },
};

/** An upper estimate of the width of a text. */
export const textWidth = (text: string, role: Role): number =>
  [...text].length * fonts[role].size * (fonts[role].mono ? 0.61 : 0.53);

/** A text vertically centered at y. */
export function textAt(
  role: Role,
  text: string,
  x: number,
  y: number,
  anchor: "start" | "middle" | "end",
  faded = false,
): Item {
  return { kind: "text", role, text, x, y: y + fonts[role].size * 0.35, anchor, ...(faded ? { faded } : {}) };
}

/** Adds the shifted items to a scene, one by one, because the number of arguments of a call is limited. */
export function addShifted(to: Item[], items: readonly Item[], dx: number, dy: number): void {
  for (const item of items)
    to.push(
      item.kind === "line"
        ? { ...item, points: item.points.map(([x, y]) => [x + dx, y + dy] as const) }
        : { ...item, x: item.x + dx, y: item.y + dy },
    );
}

/** A number for SVG and LaTeX, with at most two decimals. */
export const decimal = (value: number): string => String(Math.round(value * 100) / 100 + 0);
