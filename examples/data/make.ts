/**
 * Creates the data of the examples from the files that README.md in this folder names: `npx tsx examples/data/make.ts
 * digits.csv.gz us-constitution.gz`. Needed only to verify the origin of the data.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { tensor } from "stridewise";
import { saveNpz } from "stridewise/io";

const [digits, text] = process.argv.slice(2);
if (digits === undefined || text === undefined)
  throw new Error("usage: npx tsx examples/data/make.ts digits.csv.gz us-constitution.gz");
const unpacked = (path: string): string => gunzipSync(readFileSync(path)).toString("utf8");
const here = (name: string): URL => new URL(name, import.meta.url);

// Each line: the 64 pixels of an 8 x 8 image, 0 to 16, row by row, and the digit.
const rows = unpacked(digits)
  .trim()
  .split("\n")
  .map((line) => line.split(",").map(Number));
await saveNpz(
  here("digits.npz"),
  {
    images: tensor(Uint8Array.from(rows.flatMap((row) => row.slice(0, 64)))).view(rows.length, 8, 8),
    labels: tensor(Uint8Array.from(rows.map((row) => row[64] as number))),
  },
  { compress: true },
);
// Lines are wrapped in the original. Here a paragraph is one line, and paragraphs are separated by an empty line.
const paragraphs = unpacked(text)
  .split(/\n\s*\n/)
  .map((paragraph) => paragraph.trim().split(/\s+/).join(" "))
  .filter((paragraph) => paragraph !== "");
writeFileSync(here("constitution.txt"), `${paragraphs.join("\n\n")}\n`);
