/**
 * The product of blocks, the step that all blocked algorithms are built on: C += A B and C -= A B by the library's product kernels, or by
 * plain loops where a launch would cost more than the work. Complex products are four real ones.
 */
import type { Operand } from "../../kernel/operand.ts";
import { lowerMatmul } from "../../kernel/program/lower-contract.ts";
import { execute } from "../../kernel/program/run-program.ts";
import { type Block, clear, copyBlock, elementsOf, turned, withBlocks } from "./block.ts";
import { addDots, addRows } from "./rows.ts";

/** The number of multiplications below which plain loops are faster than a launch. */
const launchWork = 4000;

/** One of the four planes' products: the first elements of its factors and its sum, and the sign. */
interface PlaneProduct {
  readonly c: number;
  readonly a: number;
  readonly b: number;
  readonly sign: 1 | -1;
}

/** C += sign * A B. C is complex if a factor is, and shares no element with them. */
export function addProduct(c: Block, a: Block, b: Block, sign: 1 | -1 = 1): void {
  const work = c.rows * c.cols * a.cols;
  if (work === 0) return;
  if (c.column !== 1 && c.row === 1) {
    // Kernels write rows faster than columns.
    addProduct(turned(c, false), turned(b, false), turned(a, false), sign);
    return;
  }
  const products = planesOf(c, a, b, sign);
  if (work < launchWork) for (const product of products) loops(c, a, b, product);
  else if (products.every((product) => product.sign === 1)) launch(c, a, b, products, true);
  else {
    const of = a.rows <= b.cols ? a : b;
    withBlocks([[of.rows, of.cols, of.im >= 0]], (negated) => {
      copyBlock({ ...negated, isConjugate: of.isConjugate }, of, -1);
      launch(c, a, b, products, true, negated, of);
    });
  }
}

/** C = A B. */
export function setProduct(c: Block, a: Block, b: Block): void {
  if (c.column !== 1 && c.row === 1) setProduct(turned(c, false), turned(b, false), turned(a, false));
  else if (c.rows * c.cols * a.cols >= launchWork && a.im < 0 && b.im < 0 && c.im < 0)
    launch(c, a, b, planesOf(c, a, b, 1), false);
  else {
    clear(c);
    addProduct(c, a, b);
  }
}

function planesOf(c: Block, a: Block, b: Block, sign: 1 | -1): PlaneProduct[] {
  const flip = (isFlipped: boolean): 1 | -1 => (isFlipped ? -sign : sign) as 1 | -1;
  const planes: PlaneProduct[] = [{ c: c.re, a: a.re, b: b.re, sign }];
  if (a.im >= 0 && b.im >= 0) planes.push({ c: c.re, a: a.im, b: b.im, sign: flip(a.isConjugate === b.isConjugate) });
  if (a.im >= 0) planes.push({ c: c.im, a: a.im, b: b.re, sign: flip(a.isConjugate !== c.isConjugate) });
  if (b.im >= 0) planes.push({ c: c.im, a: a.re, b: b.im, sign: flip(b.isConjugate !== c.isConjugate) });
  return planes;
}

/** Launches the products, added to C if `accumulates`; `negated` is -1 times the planes of the factor `of`, for products with sign -1. */
function launch(
  c: Block,
  a: Block,
  b: Block,
  products: readonly PlaneProduct[],
  accumulates: boolean,
  negated?: Block,
  of?: Block,
): void {
  const operand = (block: Block, offset: number): Operand => ({
    storage: block.storage,
    dtype: "float64",
    offset,
    shape: [block.rows, block.cols],
    stride: [block.row, block.column],
  });
  const factor = (block: Block, at: number, sign: number): Operand =>
    sign === -1 && block === of
      ? operand(negated as Block, at === block.re ? negated!.re : negated!.im)
      : operand(block, at);
  execute([c], [a, b], (builder) => {
    for (const { c: to, a: left, b: right, sign } of products)
      lowerMatmul(builder, operand(c, to), factor(a, left, sign), factor(b, right, sign), accumulates);
  });
}

function loops(c: Block, a: Block, b: Block, { c: cAt, a: aAt, b: bAt, sign }: PlaneProduct): void {
  const all = elementsOf(c);
  const { rows, cols } = c;
  const depth = a.cols;
  for (let i = 0; i < rows; i++) {
    const from = aAt + i * a.row;
    const to = cAt + i * c.row;
    if (b.column === 1 && c.column === 1) addRows(all, to, all, from, a.column, all, bAt, b.row, depth, cols, sign);
    else if (b.row === 1 && a.column === 1)
      addDots(all, to, c.column, all, bAt, b.column, all, from, cols, depth, sign);
    else
      for (let k = 0; k < depth; k++) {
        const f = sign * all[from + k * a.column]!;
        for (let j = 0; j < cols; j++) all[to + j * c.column]! += f * all[bAt + k * b.row + j * b.column]!;
      }
  }
}
