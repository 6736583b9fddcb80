/** A picture for the background example: a red teapot on a wooden table in front of hills, painted by formulas with soft edges. */

/** Colors of pixels, row by row, from 0 to 255: red, green, blue. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

type Color = readonly [red: number, green: number, blue: number];

/** Paints the picture. */
export function teapotPicture(width = 480, height = 360): Picture {
  const pixels = new Uint8Array(width * height * 3);
  for (let j = 0; j < height; j++)
    for (let i = 0; i < width; i++) {
      const [x, y] = [(i - width / 2) / (height / 2), (j - height / 2) / (height / 2)];
      pixels.set(colorAt(x, y, 2 / height).map(Math.round), (j * width + i) * 3);
    }
  return { width, height, pixels };
}

/** The color at a point; y is down, from -1 to 1. `pixel` is the size of a pixel. */
function colorAt(x: number, y: number, pixel: number): Color {
  let color: Color = mixed([178, 208, 235], [236, 232, 214], (y + 1) / 1.3);
  color = over(color, [126, 158, 132], cover(0.1 + 0.1 * Math.sin(2.2 * x + 1) - y, pixel));
  color = over(color, [92, 128, 96], cover(0.27 + 0.07 * Math.sin(3.1 * x + 4) - y, pixel));
  const grain = 9 * Math.sin(40 * y + 2 * Math.sin(2 * x)) + 5 * Math.sin(90 * y + x);
  color = over(color, [151 + grain, 112 + grain, 74 + grain], cover(0.42 - y, pixel));
  color = over(color, [96, 68, 42], 0.6 * cover(ellipse(x - 0.03, y - 0.64, 0.66, 0.11), 0.12));
  for (const part of [spout, handle, body, lid, knob]) {
    const amount = cover(part(x, y), pixel);
    if (amount > 0) color = over(color, glaze(x, y), amount);
  }
  return color;
}

/** Shapes: negative inside, positive outside, about the distance to the edge. */
type Shape = (x: number, y: number) => number;

const body: Shape = (x, y) => Math.max(ellipse(x, y - 0.2, 0.52, 0.44), y - 0.62);
const lid: Shape = (x, y) => Math.max(ellipse(x, y + 0.17, 0.3, 0.13), y + 0.12);
const knob: Shape = (x, y) => ellipse(x, y + 0.34, 0.08, 0.075);
const handle: Shape = (x, y) => Math.abs(ellipse(x + 0.55, y - 0.17, 0.25, 0.25)) - 0.05;
const spout: Shape = (x, y) => {
  const along = x - 0.4;
  const middle = 0.28 - 0.42 * along - 0.75 * along * along;
  return Math.max(Math.abs(y - middle) - (0.15 - 0.2 * along), -along, along - 0.45);
};

/** About the distance to an ellipse around the origin. */
const ellipse = (x: number, y: number, a: number, b: number): number => (Math.hypot(x / a, y / b) - 1) * Math.min(a, b);

/** Red glaze with a light from the upper left and a reflection. */
function glaze(x: number, y: number): Color {
  const light = Math.max(0, 1 - Math.hypot(x + 0.25, y + 0.05) / 0.95);
  const base = mixed([92, 14, 20], [214, 52, 46], light);
  return mixed(base, [255, 246, 238], 0.85 * cover(ellipse(x + 0.24, y - 0.02, 0.07, 0.13), 0.08));
}

/** How much of a pixel at this distance from an edge is inside: 1 inside, 0 outside. `below - y` is the distance to a horizon. */
const cover = (distance: number, softness: number): number => Math.min(1, Math.max(0, 0.5 - distance / softness));

const mixed = (a: Color, b: Color, amount: number): Color => {
  const t = Math.min(1, Math.max(0, amount));
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
};

const over = (below: Color, above: Color, amount: number): Color => mixed(below, above, amount);
