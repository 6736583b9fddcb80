/**
 * The tour: `npm start`. Uses every capability, reports each step, and writes the pictures to out/tour.html. Every
 * claim it prints is checked here; a wrong one stops the tour with an error.
 */
import { strict as assert } from "node:assert";
import { mkdirSync, writeFileSync } from "node:fs";
import {
  _,
  AffinePrimitives,
  type AnyLayout,
  arange,
  coalesce,
  complement,
  composition,
  configuration,
  elementwise,
  explain,
  features,
  formatExplanation,
  Generator,
  isAdmissible,
  isBijective,
  kernelStatistics,
  type Layout,
  logicalProduct,
  makeLayout,
  memoryStatistics,
  offsetAt,
  offsets,
  parseExpr,
  parseLayout,
  rand,
  range,
  rightInverse,
  scope,
  size,
  sliceAndOffset,
  swizzle,
  sym,
  tensor,
  threadValuePartition,
  tileToShape,
  zippedDivide,
} from "stridewise";
import {
  layoutPicture,
  memoryPicture,
  partitionPicture,
  sideBySide,
  slicePicture,
  swizzlePicture,
  threadValuePicture,
  tilingPicture,
  toSvg,
  toText,
} from "stridewise/draw";
import { encodeNpy, parseNpy } from "stridewise/io";
import { printKernel } from "stridewise/kernel";
import { characters } from "./characters.ts";
import { curveFit } from "./curve-fit.ts";
import { digits } from "./digits.ts";
import { gradientsAtWork } from "./gradients.ts";
import { opsAtWork } from "./ops.ts";
import { pendulum } from "./pendulum.ts";
import { raggedCopy } from "./ragged-copy.ts";
import { tiledLoops } from "./tiled-loops.ts";

const started = performance.now();
const pictures: { title: string; text: string; svg: string }[] = [];

function chapter(title: string): void {
  console.log(`\n== ${title}`);
}

function add(title: string, text: string, svg: string): void {
  pictures.push({ title, text, svg });
}

function show(title: string, text: string, picture: Parameters<typeof toSvg>[0]): void {
  add(title, text, toSvg(picture));
}

chapter("A layout is a function from coordinates to offsets");
const columns = makeLayout([4, 8]);
const rows = makeLayout([4, 8], "right");
console.log(`column-major ${columns}: (2,3) -> ${offsetAt(columns, [2, 3])}`);
console.log(`row-major    ${rows}: (2,3) -> ${offsetAt(rows, [2, 3])}`);
const morton = parseLayout("((2,2),(2,2)):((1,4),(2,8))");
console.log(toText(layoutPicture(morton, { title: "Morton order" })));
assert(isBijective(morton));
show(
  "Three orders of a 4x4 matrix",
  "The same sixteen cells, numbered by three layouts. The third one nests its modes.",
  sideBySide(
    layoutPicture(makeLayout([4, 4]), { title: "column-major" }),
    layoutPicture(makeLayout([4, 4], "right"), { title: "row-major" }),
    layoutPicture(morton, { title: "Morton" }),
  ),
);

chapter("The algebra, checked against brute force");
/** Random layouts of up to 4 modes. */
let seed = 1;
const random = (n: number): number => {
  seed = (seed * 1103515245 + 12345) % 2 ** 31;
  return Math.floor((seed / 2 ** 31) * n);
};
const randomLayout = (): Layout => {
  const sizes = Array.from({ length: 1 + random(3) }, () => 1 + random(5));
  return makeLayout(
    sizes,
    sizes.map(() => random(10)),
  );
};
let answered = 0;
let refused = 0;
for (let round = 0; round < 20_000; round++) {
  const [a, b] = [randomLayout(), randomLayout()];
  if (!isAdmissible(a, b)) {
    refused++;
    continue;
  }
  const r = composition(a, b);
  for (let i = 0; i < size(b); i++) assert.equal(offsetAt(r, i), offsetAt(a, offsetAt(b, i)));
  answered++;
}
console.log(`composition: ${answered} random pairs answered, each value compared; ${refused} refused`);
const tile = parseLayout("(2,4):(4,1)");
const rest = complement(tile, 32);
console.log(`complement of ${tile} in 32: ${rest}; together ${logicalProduct(tile, 4)}`);
const inverse = rightInverse(rows);
assert(offsets(inverse).every((index, i) => offsetAt(rows, index) === i));
console.log(`right inverse of ${rows}: ${inverse}`);

chapter("A refusal says why");
const why = explain("composition", parseLayout("(6,2):(1,7)"), parseLayout("(3,2):(2,3)"));
console.log(formatExplanation(why));
assert.equal(why.refusal?.rule, "carry");
console.log(formatExplanation(explain("logicalDivide", parseLayout("(4,2,3):(2,1,8)"), parseLayout("4:2"))));

chapter("Tiling: a matrix product in 16x16 tiles");
const n = 64;
const matrix = makeLayout([n, n], "right");
const tiled = zippedDivide(matrix, [16, 16]);
console.log(`${matrix} by <16,16> = ${tiled}`);
const a = Float64Array.from({ length: n * n }, () => random(10));
const b = Float64Array.from({ length: n * n }, () => random(10));
const c = new Float64Array(n * n);
for (let block = 0; block < 16; block++) {
  const [cTile, cStart] = sliceAndOffset([[_, _], block], tiled);
  const [row, column] = [block % 4, Math.floor(block / 4)];
  for (let k = 0; k < 4; k++) {
    const [aTile, aStart] = sliceAndOffset(
      [
        [_, _],
        [row, k],
      ],
      tiled,
    );
    const [bTile, bStart] = sliceAndOffset(
      [
        [_, _],
        [k, column],
      ],
      tiled,
    );
    for (let i = 0; i < 16; i++)
      for (let j = 0; j < 16; j++) {
        let sum = 0;
        for (let p = 0; p < 16; p++)
          sum +=
            (a[Number(aStart) + offsetAt(aTile, [i, p])] as number) *
            (b[Number(bStart) + offsetAt(bTile, [p, j])] as number);
        const at = Number(cStart) + offsetAt(cTile, [i, j]);
        c[at] = (c[at] as number) + sum;
      }
  }
}
for (let i = 0; i < n; i++)
  for (let j = 0; j < n; j++) {
    let sum = 0;
    for (let p = 0; p < n; p++) sum += (a[i * n + p] as number) * (b[p * n + j] as number);
    assert.equal(c[i * n + j], sum);
  }
console.log(`${n}x${n} product over 16 blocks equals the plain triple loop`);
show(
  "Tiles of 4x4 in a row-major 8x12",
  "Each tile is one coordinate of the second mode of zippedDivide.",
  tilingPicture(makeLayout([8, 12], "right"), [4, 4]),
);

chapter("Threads and values");
const tv = parseLayout("((2,4),(2,2)):((8,1),(4,16))");
const perThread = composition(makeLayout([4, 8], "right"), tv);
const [mine, start] = sliceAndOffset([3, _], perThread);
console.log(`(thread, value) -> offset: ${perThread}; thread 3 holds ${offsets(mine).map((o) => o + Number(start))}`);
show(
  "Who holds what",
  "8 threads of 4 values over a 4x8 matrix: the thread-value layout ((2,4),(2,2)):((8,1),(4,16)).",
  threadValuePicture(tv, [4, 8]),
);

chapter("Swizzles against bank conflicts");
const banks = 8;
const worst = (layout: AnyLayout): number => {
  let max = 0;
  for (let column = 0; column < 8; column++) {
    const hits = new Map<number, number>();
    for (let row = 0; row < 8; row++) {
      const bank = offsetAt(layout, [row, column]) % banks;
      hits.set(bank, (hits.get(bank) ?? 0) + 1);
    }
    max = Math.max(max, ...hits.values());
  }
  return max;
};
const plain = makeLayout([8, 8], "right");
const swizzled = composition(swizzle(3, 0, 3), plain);
console.log(`${plain}: a column hits one bank ${worst(plain)} times; ${swizzled}: ${worst(swizzled)} time`);
assert.equal(worst(swizzled), 1);
console.log(`a column of it is plain again: ${sliceAndOffset([_, 5], swizzled)[0]}`);
console.log(`tiled to (16,64): ${tileToShape(swizzled, [16, 64])}`);
show(
  "A swizzle and 8 banks",
  "Colors are banks. Before: every column sits in one bank. After: every column spreads over all of them.",
  swizzlePicture(swizzled, { banks }),
);

chapter("Views share memory");
const numbers = arange(24).view(4, 6);
const corner = numbers.at(range(1, 3), range(null, null, 2));
const backwards = numbers.at(3, range(null, null, -1));
corner.assign(-1); // written through the view
console.log(String(numbers));
assert.equal(numbers.get(2, 4), -1);
assert.equal(numbers.version, 1);
assert(numbers.storage === corner.storage && numbers.storage === backwards.storage);
console.log(
  `corner ${corner.layout} from ${corner.storageOffset}, backwards ${backwards.layout} from ${backwards.storageOffset}`,
);
console.log(`no copy so far; ${numbers.T.layout} needs one to become a row: ${numbers.T.reshape(-1).layout}`);
show(
  "One storage, three views",
  "24 numbers in memory, and which of them each view sees, in its own order. The first element of each view is framed.",
  memoryPicture(
    {
      length: 24,
      views: [
        { layout: numbers.layout, name: "numbers" },
        { layout: corner.layout, offset: corner.storageOffset, name: "corner" },
        { layout: backwards.layout, offset: backwards.storageOffset, name: "backwards" },
      ],
    },
    { labels: "row-major", columns: 24 },
  ),
);
const nested = parseLayout("((3,2),(2,5,2)):((4,1),(2,13,100))");
show(
  "A slice of a nested layout",
  "Row 2 of ((3,2),(2,5,2)):((4,1),(2,13,100)): a slice starts where its fixed coordinates lead, and is a layout again.",
  slicePicture({ layout: nested }, [2, _]),
);

chapter("A tensor, partitioned among threads");
const values = tensor(Float32Array.from({ length: 32 }, (_unused, i) => i)).view(4, 8);
const threadValues = threadValuePartition(values, tv, 3);
console.log(`thread 3 of ${tv} holds ${threadValues.describe()}`);
console.log(String(threadValues));
assert.deepEqual(
  Array.from({ length: threadValues.size }, (_unused, i) => threadValues.get(i)),
  offsets(mine).map((offset) => offset + Number(start)),
);
show(
  "Thread 3 of eight",
  "A row-major 4x8 tensor seen through the thread-value layout; the cells of thread 3 stand out.",
  partitionPicture({ layout: values.layout }, tv, { highlight: 3 }),
);

chapter("A ragged copy");
console.log(raggedCopy());

chapter("Memory and files");
const before = memoryStatistics().live;
const result = scope(() => {
  let sum = tensor([0, 0]);
  for (let i = 0; i < 1000; i++) sum = sum.clone().assign(i);
  return sum;
});
console.log(`1000 temporaries later ${memoryStatistics().live - before} bytes more are in use, for ${result}`);
const file = encodeNpy(numbers.T);
assert.deepEqual(parseNpy(file).toArray(), numbers.T.toArray());
console.log(`a view written as .npy and read back: ${file.length} bytes, equal`);

chapter("A formula is a kernel");
const chain = elementwise("max(a * x + b, 0) * c - d");
const million = rand([1000, 1000], { generator: new Generator(1) });
const begun = performance.now();
const chained = chain({ x: million.T, a: 2, b: -1, c: 3, d: 1 });
console.log(`max(a*x+b, 0)*c - d over a transposed million: ${(performance.now() - begun).toFixed(1)} ms, first call`);
const [row, column] = [17, 423];
const element = Math.fround(Math.fround(2 * (million.get(column, row) as number)) - 1);
assert.equal(chained.get(row, column), Math.fround(Math.fround(Math.max(element, 0) * 3) - 1));
console.log(printKernel(chain.kernel({ x: million, a: 2, b: -1, c: 3, d: 1 })));
console.log(
  `kernels so far: ${kernelStatistics().programs}; threads: ${configuration().threads}; ${JSON.stringify(features())}`,
);

chapter("Tiled loops");
console.log(tiledLoops());

chapter("Ops");
const report = opsAtWork();
assert.match(report, /tones of the signal: 5 and 12/);
console.log(report);

chapter("Gradients");
const learned = gradientsAtWork();
assert.match(learned, /\[\[802,-400\],\[-400,200\]\]/);
console.log(learned);

chapter("Physics from a Lagrangian");
const swing = pendulum({ seconds: 1 });
console.log(swing.text);
console.log("1 of 3 s here; all with: npx tsx examples/pendulum.ts");
add("A double pendulum", "Accelerations by a Hessian and a Jacobian-vector product of one formula.", swing.svg);

chapter("Curve fitting");
const fit = curveFit();
console.log(fit.text);
add("A fitted curve", "Five numbers by L-BFGS, their standard errors from the Hessian.", fit.svg);

chapter("Reading digits");
const reading = await digits({ epochs: 4, atLeast: 0.85, folder: "out/tour" });
console.log(reading.text);
console.log("4 of 15 epochs here; all, and at least 95%, with: npx tsx examples/digits.ts");
add(
  "Learning to read digits",
  "The loss after each epoch, on the training and the validation digits.",
  reading.pictures.loss,
);
add("Who was taken for whom", "Held-out digits.", reading.pictures.confusion);

chapter("Writing, letter by letter");
const writing = characters({ steps: 60, gain: 0.4, folder: "out/tour" });
console.log(writing.text);
console.log("60 of 400 steps here; all with: npx tsx examples/characters.ts");
add(
  "Learning to write",
  "A transformer of two layers, and what knowing the frequencies of letters gives.",
  writing.svg,
);

chapter("Integer expressions, compiled");
const ap = new AffinePrimitives();
const affine = ap.create("i * 128 + 64");
let total = 0;
for (let i = 0; i < 128; i++) {
  ap["i"] = i;
  assert.equal(affine(), i * 128 + 64);
  total += affine();
}
console.log(`i * 128 + 64 over 0..127 sums to ${total}`);
const count = sym("n", { min: 4, divisibleBy: 4 });
console.log(
  `(4*n + i) % 4 with 0 <= i < 4 is ${parseExpr("(4*n + i) % 4", { symbols: { n: count, i: sym("i", { min: 0, max: 3 }) } })}`,
);
console.log(`symbolic sizes: ${makeLayout([count, 8])} by <4,2> = ${zippedDivide(makeLayout([count, 8]), [4, 2])}`);
console.log(`coalesce((n,4):(1,n)) = ${coalesce(parseLayout("(n,4):(1,n)"))}`);

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Stridewise: the tour</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
  svg { max-width: 100%; height: auto; }
</style>
<h1>Stridewise: the tour</h1>
${pictures.map(({ title, text, svg }) => `<h2>${title}</h2>\n<p>${text}</p>\n${svg}`).join("\n")}
</html>
`;
console.log(
  "\nReal models run too, after a download of their weights: examples/models (search by meaning, background removal, voice activity)",
);
mkdirSync("out", { recursive: true });
writeFileSync("out/tour.html", page);
console.log(`\n${pictures.length} pictures in out/tour.html; ${((performance.now() - started) / 1000).toFixed(1)} s`);
