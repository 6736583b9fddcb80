/**
 * The layout algebra: composition and division of nested layouts, and coordinates to offsets.
 * Targets on Node 20: composition and logicalDivide under 5 µs, a coordinate to its offset under 50 ns.
 */
import {
  type Coord,
  complement,
  composition,
  int,
  type Layout,
  logicalDivide,
  makeLayout,
  offsetAt,
  rightInverse,
} from "../src/layout/index.ts";
import { parseLayout } from "../src/layout/notation.ts";
import { compare, describeMachine } from "./harness.ts";

console.log(describeMachine());

const parse = (text: string): Layout => parseLayout(text) as Layout;
const a = parse("((4,8),(2,16)):((1,4),(32,64))");
const b = parse("((2,4),(8,2)):((4,1),(32,16))");
const staticA = parse("((_4,_8),(_2,_16)):((_1,_128),(_4,_8))");
const staticB = parse("((_2,_2),(_8,_2)):((_1,_2),(_4,_32))");
const tiler = [parse("4:2"), parse("(2,4):(1,4)")];
const matrix = makeLayout([128, 256], "right");

await compare("algebra", {
  "composition, nested rank 2": () => composition(a, b),
  "composition, nested rank 2, not coalescing, static": () => composition(staticA, staticB),
  "logicalDivide (128,256) by <4:2,(2,4):(1,4)>": () => logicalDivide(matrix, tiler),
  "logicalDivide by <32,64>": () => logicalDivide(matrix, [32, 64]),
  complement: () => complement(b, 1024),
  rightInverse: () => rightInverse(staticA),
});

const count = 1000;
const flat = makeLayout([64, 64], "right");
const nested = parse("((4,8),(2,16)):((1,128),(4,8))");
const fixed = makeLayout(
  [
    [int(4), int(8)],
    [int(2), int(16)],
  ],
  [
    [int(1), int(128)],
    [int(4), int(8)],
  ],
);
/** Allocated beforehand: three arrays cost more than the offset. */
const nestedCoords = Array.from({ length: count }, (_unused, i) => [
  [i & 3, (i >> 2) & 7],
  [(i >> 5) & 1, i >> 6],
]);
const loop = (f: (i: number) => number) => () => {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += f(i);
  return sum;
};
const rows = await compare(`${count} coordinates to offsets`, {
  "by hand": loop((i) => (i & 63) * 64 + (i >> 6)),
  "offsetAt(flat, [i, j])": loop((i) => offsetAt(flat, [i & 63, i >> 6])),
  "offsetAt(flat, i)": loop((i) => offsetAt(flat, i)),
  "offsetAt(nested, i)": loop((i) => offsetAt(nested, i)),
  "offsetAt(nested, [i, j])": loop((i) => offsetAt(nested, [i & 31, i >> 5])),
  "offsetAt(nested, [[a, b], [c, d]])": loop((i) => offsetAt(nested, nestedCoords[i] as Coord)),
  "offsetAt(static nested, i)": loop((i) => offsetAt(fixed, i)),
});
for (const row of rows) console.log(`${row.name}: ${(row.nanoseconds / count).toFixed(1)} ns each`);
