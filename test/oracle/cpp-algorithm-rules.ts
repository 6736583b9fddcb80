/**
 * The rules that the documentation of the algorithms states in words, checked on small tensors by plain loops: the formula is
 * read from the record, never assumed. A formula that cannot be read fails.
 */
import { type Layout, makeLayout } from "../../src/layout/index.ts";
import { axpby, clear, copy, fill, forEach, gemm } from "../../src/tensor/algorithms/index.ts";
import { makeTensor } from "../../src/tensor/cute/make-tensor.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import { failed, passed, type Verdict } from "./judge.ts";

/** The indices of A, B and C, and whether there is a sum over k: from `C_vmn += sum_k A_vmk * B_vnk`. */
export interface GemmForm {
  readonly modes: readonly [a: string, b: string, c: string];
}

const sizes: Readonly<Record<string, number>> = { v: 2, m: 3, n: 4, k: 5 };

const modesByRanks: Readonly<Record<string, string>> = {
  "111": "v v v",
  "112": "m n mn",
  "222": "mk nk mn",
  "223": "vm vn vmn",
  "333": "vmk vnk vmn",
};

/** The form of a gemm by the ranks of A, B and C. */
export function gemmFormOf(a: number, b: number, c: number): GemmForm | undefined {
  const modes = modesByRanks[`${a}${b}${c}`];
  return modes === undefined ? undefined : { modes: modes.split(" ") as [string, string, string] };
}

/** C and the products, by loops over the letters; all elements are in the order of 1-D indices. */
export function productsOf(
  { modes }: GemmForm,
  shapes: readonly (readonly number[])[],
  [a, b, c]: readonly [readonly number[], readonly number[], readonly number[]],
): number[] {
  const extent = new Map<string, number>();
  modes.forEach((letters, which) => {
    [...letters].forEach((letter, mode) => {
      extent.set(letter, shapes[which]?.[mode] as number);
    });
  });
  const offsetOf = (letters: string, at: ReadonlyMap<string, number>): number =>
    [...letters].reduceRight((index, letter) => index * (extent.get(letter) as number) + (at.get(letter) as number), 0);
  const result = [...c];
  const letters = [...extent.keys()];
  const visit = (depth: number, at: Map<string, number>): void => {
    const letter = letters[depth];
    if (letter === undefined) {
      const to = offsetOf(modes[2], at);
      result[to] =
        (result[to] as number) + (a[offsetOf(modes[0], at)] as number) * (b[offsetOf(modes[1], at)] as number);
      return;
    }
    for (let i = 0; i < (extent.get(letter) as number); i++) visit(depth + 1, at.set(letter, i));
  };
  visit(0, new Map());
  return result;
}

const numbered = (count: number, f: (i: number) => number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => f(i));
const tensorOf = (values: Float64Array, layout: Layout): Tensor => makeTensor(values, layout) as Tensor;

function elementsOf(t: Tensor): number[] {
  const values: number[] = [];
  forEach(t, (value) => values.push(value as number));
  return values;
}

/** `GEMM (M,K) x (N,K) => (M,N)` with `C_mn += sum_k A_mk * B_nk`: our gemm gives the sums of the formula. */
function holdsGemm(text: string, formula: string): boolean {
  const words = /^GEMM \((.*)\) x \((.*)\) => \((.*)\)$/.exec(text);
  const read = /^C_(\w+) \+= (?:sum_k )?A_(\w+) \* B_(\w+)$/.exec(formula);
  if (words === null || read === null) return false;
  const lettersOf = (list: string): string => list.replaceAll(",", "").toLowerCase();
  const modes = [read[2], read[3], read[1]] as [string, string, string];
  if (words.slice(1).map(lettersOf).join() !== modes.join()) return false;
  const shapes = modes.map((letters) => [...letters].map((letter) => sizes[letter] as number));
  const tensors = shapes.map((shape, which) => {
    const count = shape.reduce((x, y) => x * y, 1);
    return tensorOf(
      numbered(count, (i) => 3 * i - 7 + which),
      makeLayout(shape, which === 1 ? "right" : "left") as Layout,
    );
  }) as [Tensor, Tensor, Tensor];
  const [a, b, c] = tensors;
  const expected = productsOf({ modes }, shapes, [elementsOf(a), elementsOf(b), elementsOf(c)]);
  gemm(a, b, c);
  return elementsOf(c).join() === expected.join();
}

const rules: Readonly<Record<string, (text: string, expected: string) => boolean>> = {
  GEMM: holdsGemm,
  COPY: (_text, expected) => {
    const source = tensorOf(
      numbered(12, (i) => i + 1),
      makeLayout([3, 4], "right") as Layout,
    );
    const destination = tensorOf(new Float64Array(12), makeLayout([6, 2], "left") as Layout);
    copy(source, destination);
    return expected.includes("dst(i)=src(i)") && elementsOf(destination).join() === elementsOf(source).join();
  },
  AXPBY: (_text, expected) => {
    const x = tensorOf(
      numbered(6, (i) => i + 1),
      makeLayout([2, 3], "right") as Layout,
    );
    const y = tensorOf(
      numbered(6, (i) => 10 * i),
      makeLayout(6) as Layout,
    );
    const expectedElements = elementsOf(x).map((value, i) => 3 * value + 2 * (elementsOf(y)[i] as number));
    axpby(3, x, 2, y);
    return expected === "y = alpha*x + beta*y" && elementsOf(y).join() === expectedElements.join();
  },
  FILL: (_text, expected) => {
    const t = tensorOf(new Float64Array(6), makeLayout([2, 3]) as Layout);
    fill(t, 9);
    return expected === "every element = scalar" && elementsOf(t).every((value) => value === 9);
  },
  CLEAR: (_text, expected) => {
    const t = tensorOf(
      numbered(6, (i) => i),
      makeLayout([2, 3]) as Layout,
    );
    clear(t);
    return expected === "every element = 0" && elementsOf(t).every((value) => value === 0);
  },
};

/** The verdict on a rule in words, by its first word. */
export function judgeRule(text: string, expected: string): Verdict {
  const rule = rules[text.split(" ", 1)[0] as string];
  return rule?.(text, expected) ? passed("by the property") : failed(expected, "an algorithm that does otherwise");
}
