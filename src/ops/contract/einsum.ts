/**
 * Sums of products: einsum, tensordot and multiDot. Tensors are contracted two at a time, each pair as one batched matrix product, in
 * the order with the fewest multiplications (`contraction-order.ts`).
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { axesOf } from "../../tensor/axes.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { mul } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { sum } from "../reduce/reduce.ts";
import { show } from "../shape-rules.ts";
import { diagonal, expand, permute, reshape, unsqueeze } from "../views.ts";
import type { Einsum } from "./contract-types.ts";
import { contractionOrder } from "./contraction-order.ts";
import { matmul } from "./matmul.ts";

// The equations of einsum: "bij,bjk->bik". Letters name axes; `...` means axes without names, which are broadcast. The right side lists
// the axes of the result; without it, the result has the axes of `...` and the letters that occur once, in alphabetical order.

interface Equation {
  /** A name for each axis of each operand. */
  readonly inputs: readonly (readonly string[])[];
  readonly output: readonly string[];
}

const fail = (message: string): never => {
  throw new StridewiseError(`einsum: ${message}`);
};

/** Returns the names of the axes of one operand, or of the output if `rank` is null; `...` becomes a name for each remaining axis. */
function lettersOf(text: string, k: number, rank: number | null, unnamed: number): string[] {
  const [before, after, ...more] = text.split("...");
  if (more.length > 0 || /[^A-Za-z]/.test(before + (after ?? "")))
    fail(`invalid subscript in "${text}": axes are named by letters, and at most one "..."`);
  const letters = [...before];
  const rest = [...(after ?? "")];
  if (rank !== null) {
    const count = rank - letters.length - rest.length;
    if (after === undefined ? count !== 0 : count < 0)
      fail(`operand ${k} has ${rank} axes, but the equation has ${letters.length + rest.length} letters for them`);
    const names = listOf(Math.max(0, count), (i) => `.${count - i}`);
    return [...letters, ...names, ...rest];
  }
  const names = after === undefined ? [] : listOf(unnamed, (i) => `.${unnamed - i}`);
  return [...letters, ...names, ...rest];
}

/** Parses the equation for operands of these ranks. */
function parseEquation(text: string, ranks: readonly number[]): Equation {
  if (typeof text !== "string") fail(`the equation must be a string such as "ij,jk->ik", got ${describeValue(text)}`);
  const [left, right, ...more] = text.replaceAll(" ", "").split("->") as [string, string?, ...string[]];
  if (more.length > 0) fail(`found more than one "->" in "${text}"`);
  const parts = left.split(",");
  if (parts.length !== ranks.length) fail(`"${text}" has ${parts.length} operands, got ${ranks.length}`);
  const inputs = parts.map((part, k) => lettersOf(part, k, ranks[k], 0));
  const all = inputs.flat();
  const unnamed = Math.max(0, ...all.filter((name) => name.startsWith(".")).map((name) => Number(name.slice(1))));
  if (right === undefined) {
    const once = [...new Set(all)].filter(
      (name) => !name.startsWith(".") && all.indexOf(name) === all.lastIndexOf(name),
    );
    const names = listOf(unnamed, (i) => `.${unnamed - i}`);
    return { inputs, output: [...names, ...once.sort()] };
  }
  const output = lettersOf(right, -1, null, unnamed);
  for (const [k, letter] of output.entries()) {
    if (output.indexOf(letter) !== k) fail(`${letter} appears more than once in the output`);
    if (!all.includes(letter)) fail(`output subscript ${letter} does not appear in the equation for any input operand`);
  }
  return { inputs, output };
}

/** A tensor with a letter for each of its axes, all different. */
interface Lettered {
  readonly t: Tensor;
  readonly letters: readonly string[];
}

/** Takes diagonals for letters that occur twice in one tensor; throws if the two sizes differ, even if one is 1. */
function withoutRepeats(t: Tensor, letters: readonly string[], k: number): Lettered {
  for (let i = 0; i < letters.length; i++) {
    const j = letters.indexOf(letters[i], i + 1);
    if (j < 0) continue;
    const [first, second] = [sizeAt(t, i), sizeAt(t, j)];
    if (first !== second)
      throw new ShapeError(
        `einsum: subscript "${letters[i]}" is repeated for operand ${k} with the sizes ${first} and ${second}. Use two letters, or axes of one size`,
      );
    const rest = letters.filter((_, axis) => axis !== i && axis !== j);
    return withoutRepeats(diagonal(t, 0, i, j), [...rest, letters[i]], k);
  }
  return { t, letters };
}

/** Sums over the axes whose letters are not needed. */
function summed({ t, letters }: Lettered, needed: ReadonlySet<string>): Lettered {
  const axes = letters.flatMap((letter, axis) => (needed.has(letter) ? [] : [axis]));
  if (axes.length === 0) return { t, letters };
  return { t: sum(t, axes, { dtype: t.dtype }), letters: letters.filter((letter) => needed.has(letter)) };
}

/** Returns the tensor with its axes in this order; missing letters become axes of size 1. */
function arranged({ t, letters }: Lettered, order: readonly string[]): Tensor {
  const own = order.filter((letter) => letters.includes(letter));
  let result = permute(
    t,
    own.map((letter) => letters.indexOf(letter)),
  );
  order.forEach((letter, axis) => {
    if (!letters.includes(letter)) result = unsqueeze(result, axis);
  });
  return result;
}

/** Contracts two tensors over the letters that are no longer needed. */
function contractPair(a: Lettered, b: Lettered, needed: ReadonlySet<string>): Lettered {
  const x = summed(a, new Set([...needed, ...b.letters]));
  const y = summed(b, new Set([...needed, ...a.letters]));
  const both = x.letters.filter((letter) => y.letters.includes(letter));
  const batch = both.filter((letter) => needed.has(letter));
  const inner = both.filter((letter) => !needed.has(letter));
  const left = x.letters.filter((letter) => !y.letters.includes(letter));
  const right = y.letters.filter((letter) => !x.letters.includes(letter));
  const letters = [...batch, ...left, ...right];
  if (inner.length === 0) return { t: mul(arranged(x, letters), arranged(y, letters)), letters };
  const size = (letter: string): number => {
    const [own, other] = [x.letters.indexOf(letter), y.letters.indexOf(letter)];
    const [first, second] = [sizesOf(x.t)[own] ?? 1, sizesOf(y.t)[other] ?? 1];
    return first === 1 ? second : first;
  };
  const count = (list: readonly string[]): number => list.reduce((product, letter) => product * size(letter), 1);
  const matrix = (from: Lettered, order: readonly string[], shape: readonly number[]): Tensor =>
    reshape(expand(arranged(from, order), order.map(size)), shape);
  const sizes = batch.map(size);
  const product = matmul(
    matrix(x, [...batch, ...left, ...inner], [...sizes, count(left), count(inner)]),
    matrix(y, [...batch, ...inner, ...right], [...sizes, count(inner), count(right)]),
  );
  return { t: reshape(product, letters.map(size)), letters };
}

function evaluate({ inputs, output }: Equation, tensors: readonly Tensor[]): Tensor {
  let terms = tensors.map((t, k) => withoutRepeats(t, inputs[k], k));
  const sizes = sizesByLetter(inputs, tensors);
  checkResultBytes(
    "einsum",
    output.reduce((count, letter) => count * (sizes.get(letter) ?? 1), 1),
  );
  for (const [i, j] of contractionOrder(
    terms.map(({ letters }) => letters),
    output,
    sizes,
  )) {
    const rest = terms.filter((_, k) => k !== i && k !== j);
    const needed = new Set([...output, ...rest.flatMap(({ letters }) => letters)]);
    terms = [...rest, contractPair(terms[i], terms[j], needed)];
  }
  return arranged(summed(terms[0], new Set(output)), output);
}

/** Returns the size of each letter; throws if sizes do not broadcast. */
function sizesByLetter(inputs: Equation["inputs"], tensors: readonly Tensor[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  tensors.forEach((t, k) => {
    sizesOf(t).forEach((size, axis) => {
      const letter = inputs[k][axis];
      const known = sizes.get(letter) ?? 1;
      if (known !== size && known !== 1 && size !== 1)
        throw new ShapeError(
          `einsum: operand ${k} has size ${size} for "${letter}", which does not broadcast with ${known}: ${showShape(t)}`,
        );
      sizes.set(letter, known === 1 ? size : known);
    });
  });
  return sizes;
}

/** Evaluates an Einstein summation such as "bij,bjk->bik": letters that are missing on the right are summed over. */
export const einsum: Einsum = /* @__PURE__ */ compositeOp(
  "einsum(...)",
  (equation: string, ...operands: (Tensor | readonly Tensor[])[]) => {
    const tensors = operands.flat();
    for (const t of tensors) checkTensor("einsum", t);
    if (tensors.length === 0) throw new StridewiseError("einsum: expected at least one operand, got none");
    return evaluate(
      parseEquation(
        equation,
        tensors.map(({ rank }) => rank),
      ),
      tensors,
    );
  },
  "contract",
);

/** The type of tensordot. */
export interface Tensordot extends OpFunction {
  (x: Tensor, other: Tensor, axes?: number | readonly [readonly number[], readonly number[]]): Tensor;
}
/** Contracts x and other over axes: a number n contracts the last n axes of x with the first n of other; two lists contain the axes of each. */
export const tensordot: Tensordot = /* @__PURE__ */ compositeOp(
  "tensordot(x: Tensor, other: Tensor, ...)",
  (x: Tensor, other: Tensor, axes: number | readonly [readonly number[], readonly number[]] = 2) => {
    if (typeof axes !== "number" && !(Array.isArray(axes) && axes.length === 2 && axes.every(Array.isArray)))
      throw new StridewiseError(
        `tensordot: axes must be a number, or two lists of axes, [[0, 1], [1, 0]], got ${describeValue(axes)}`,
      );
    const lists = typeof axes === "number" ? lastAndFirst(x, other, axes) : axes;
    const [left, right] = [axesOf("tensordot", x, lists[0]), axesOf("tensordot", other, lists[1])];
    if (left.length !== right.length)
      throw new ShapeError(
        `tensordot: both lists of axes must have the same length, got ${show(left)} and ${show(right)}`,
      );
    const first = listOf(x.rank, (axis) => `a${axis}`);
    const second = listOf(other.rank, (axis) => `b${axis}`);
    left.forEach((i, k) => {
      const j = right[k];
      const [m, n] = [sizesOf(x)[i], sizesOf(other)[j]];
      if (m !== n)
        throw new ShapeError(`tensordot: contracted sizes must match, got ${m} at axis ${i} and ${n} at axis ${j}`);
      second[j] = first[i];
    });
    const output = [...first.filter((one) => !second.includes(one)), ...second.filter((one) => !first.includes(one))];
    return evaluate({ inputs: [first, second], output }, [x, other]);
  },
  "contract",
);

function lastAndFirst(x: Tensor, other: Tensor, count: number): [number[], number[]] {
  if (!Number.isInteger(count) || count < 0)
    throw new ShapeError(`tensordot: the number of axes must be at least 0, got ${count}`);
  if (count > Math.min(x.rank, other.rank))
    throw new ShapeError(
      `tensordot: cannot contract ${count} axes of ${showShape(x)} and ${showShape(other)}. Pass their number: tensordot(x, other, 1)`,
    );
  return [listOf(count, (k) => x.rank - count + k), listOf(count, (k) => k)];
}

/** The type of multiDot. */
export interface Chain extends OpFunction {
  (tensors: readonly Tensor[]): Tensor;
}
/** Multiplies a chain of matrices in the order with the fewest multiplications; the first and the last may be vectors. */
export const multiDot: Chain = /* @__PURE__ */ compositeOp(
  "multiDot(tensors: Tensor[], ...)",
  (tensors: readonly Tensor[]) => {
    if (tensors.length < 2) throw new StridewiseError(`multiDot: expected at least 2 tensors, got ${tensors.length}`);
    const letters = tensors.map((t, k) => {
      const rank = k === 0 || k === tensors.length - 1 ? [1, 2] : [2];
      if (!rank.includes(t.rank))
        throw new ShapeError(`multiDot: tensor ${k} must have ${rank.join(" or ")} axes, got ${t.rank}`);
      return t.rank === 2 ? [`i${k}`, `i${k + 1}`] : k === 0 ? ["i1"] : [`i${k}`];
    });
    tensors.slice(1).forEach((t, k) => {
      const before = tensors[k];
      const [columns, rows] = [sizesOf(before).at(-1), sizesOf(t)[0]];
      if (columns !== rows)
        throw new ShapeError(
          `multiDot: cannot multiply tensors ${k} and ${k + 1}, ${showShape(before)} by ${showShape(t)}: the inner sizes ${columns} and ${rows} must match`,
        );
    });
    const [first, last] = [letters[0], letters[letters.length - 1]];
    const output = [...(first.length === 2 ? ["i0"] : []), ...(last.length === 2 ? [last[1]] : [])];
    return evaluate({ inputs: letters, output }, tensors);
  },
  "contract",
);
