/**
 * The compiler's results equal those of the program: random views are created at run time, and their shapes are written
 * as types that must equal those of the compiler. A view that throws at run time must not compile.
 */
import { _, ellipsis, empty, range, type Tensor } from "stridewise";
import { expect, test } from "vitest";
import { typeErrors } from "../support/type-errors.ts";

/** The same numbers each time: a small linear congruential generator. */
function randoms(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const draw = randoms(11);
const pick = <T>(list: readonly T[]): T => list[draw(list.length)] as T;
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_unused, i) => make(i));

/** An argument, and its source text. */
interface Written {
  readonly value: unknown;
  readonly code: string;
}
const plain = (value: unknown): Written => ({ value, code: JSON.stringify(value) });

const sizes = [0, 1, 1, 2, 3, 4, 5, 8, 12];
/** Mostly an axis that exists. */
const axis = (shape: readonly number[]): number => draw(2 * shape.length + 3) - shape.length - 1;
const order = (shape: readonly number[]): number[] => {
  const axes = shape.map((_unused, i) => i);
  for (let i = axes.length - 1; i > 0; i--) axes.push(...axes.splice(draw(i + 1), 1));
  return draw(8) === 0 ? times(draw(5), () => axis(shape)) : axes.map((a) => (draw(3) === 0 ? a - shape.length : a));
};
const count = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
/** Mostly a shape with the same number of elements. */
function regrouped(size: number): number[] {
  const factors: number[] = [];
  let rest = size;
  for (const factor of [2, 3, 2, 5])
    if (rest % factor === 0 && rest > 0 && draw(3) > 0) {
      factors.push(factor);
      rest /= factor;
    }
  factors.splice(draw(factors.length + 1), 0, rest);
  if (draw(3) === 0) factors[draw(factors.length)] = draw(4) === 0 ? 7 : -1;
  return factors;
}
/** Mostly an index that exists. */
const index = (size: number): number => draw(2 * size + 2) - size - 1;
const sizeAt = (shape: readonly number[], at: number): number => shape.at(at) ?? 0;

function item(size: number): Written {
  const kind = draw(5);
  if (kind < 2) return plain(index(Math.max(size, 2)));
  if (kind === 2) return { value: _, code: "_" };
  if (kind === 3) return plain(null);
  const [start, stop, step] = [index(size), index(size), 1 + draw(3)];
  return { value: range(start, stop, step), code: `range(${start}, ${stop}, ${step})` };
}

type Arguments = (shape: readonly number[]) => readonly Written[];
const methods: Readonly<Record<string, Arguments>> = {
  permute: (shape) => [plain(order(shape))],
  transpose: (shape) => [plain(axis(shape)), plain(axis(shape))],
  movedim: (shape) => (draw(2) === 0 ? [plain(axis(shape)), plain(axis(shape))] : moves(shape)),
  squeeze: (shape) => pick([[], [plain(axis(shape))], [plain([axis(shape), axis(shape)])]]),
  unsqueeze: (shape) => [plain(axis([...shape, 1]))],
  reshape: (shape) => regrouped(count(shape)).map(plain),
  view: (shape) => [plain(regrouped(count(shape)))],
  flatten: (shape) => pick([[], [plain(axis(shape))], [plain(axis(shape)), plain(axis(shape))]]),
  unflatten: (shape) => {
    const at = axis(shape);
    return [plain(at), plain(regrouped(sizeAt(shape, at)))];
  },
  expand: (shape) => [
    ...times(draw(3), () => plain(draw(9) === 0 ? -1 : pick(sizes))),
    ...shape.map((size) => plain(draw(4) === 0 ? -1 : size === 1 || draw(9) === 0 ? pick(sizes) : size)),
  ],
  select: (shape) => {
    const at = axis(shape);
    return [plain(at), plain(index(sizeAt(shape, at)))];
  },
  narrow: (shape) => {
    const at = axis(shape);
    return [plain(at), plain(index(sizeAt(shape, at))), plain(draw(sizeAt(shape, at) + 1))];
  },
  slice: (shape) => {
    const at = axis(shape);
    const bound = () => plain(draw(3) === 0 ? null : index(sizeAt(shape, at) + 1));
    return [plain(at), bound(), bound(), plain(1 + draw(3))];
  },
  diagonal: (shape) => [plain(0), plain(axis(shape)), plain(axis(shape))],
  unfold: (shape) => [plain(axis(shape)), plain(draw(5)), plain(1 + draw(3))],
  at: (shape) => {
    const items = times(draw(shape.length + 2), (i) => item(shape[i] ?? 1));
    if (draw(3) === 0) items.splice(draw(items.length + 1), 0, { value: ellipsis, code: "ellipsis" });
    return items;
  },
};

function moves(shape: readonly number[]): Written[] {
  const length = draw(shape.length + 1);
  return [plain(order(shape).slice(0, length)), plain(order(shape).slice(0, length))];
}

/** Cases that the types leave to run time: a -1 that could be any size, the parts of a scalar's one axis. */
function isLeftOpen(shape: readonly number[], method: string, code: string): boolean {
  const hasMissing = code.includes("-1") && ["reshape", "view", "unflatten"].includes(method);
  return (hasMissing && count(shape) === 0) || (method === "unflatten" && shape.length === 0);
}

function refusal(make: () => Tensor): Tensor | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    return undefined;
  }
}

test("600 random views have the same shape in types as at run time", { timeout: 60_000 }, async () => {
  const lines = [
    'import { _, ellipsis, range, zeros } from "stridewise";',
    'import type { Equal, Expect } from "../../../test/support/types.ts";',
  ];
  const refused: number[] = [];
  for (let i = 0; i < 600; i++) {
    const shape = times(draw(6), () => pick(sizes));
    const method = pick(Object.keys(methods));
    const cases = (methods[method] as Arguments)(shape);
    const code = cases.map((argument) => argument.code).join(", ");
    if (isLeftOpen(shape, method, code)) continue;
    const base = empty(shape) as unknown as Record<string, (...args: unknown[]) => Tensor>;
    const view = refusal(() => base[method]?.(...cases.map(({ value }) => value)) as Tensor);
    lines.push(`const v${i} = zeros([${shape}]).${method}(${code});`);
    if (view === undefined) refused.push(lines.length);
    else lines.push(`export type T${i} = Expect<Equal<(typeof v${i})["shape"], [${view.shape}]>>;`);
  }
  const errors = (await typeErrors(lines.join("\n"))).filter((error) => /^\d/.test(error));
  const wrong = errors.filter((error) => !refused.includes(Number.parseInt(error, 10)));
  expect(
    wrong.map(
      (error) => `${error}\n${lines.slice(Number.parseInt(error, 10) - 2, Number.parseInt(error, 10)).join("\n")}`,
    ),
  ).toEqual([]);
  const found = new Set(errors.map((error) => Number.parseInt(error, 10)));
  expect(refused.filter((line) => !found.has(line)).map((line) => lines[line - 1])).toEqual([]);
  expect(refused.length).toBeGreaterThan(100);
  expect(lines.length - refused.length).toBeGreaterThan(500);
});

test("order, sums, differences and quotients of literals are those of numbers", { timeout: 60_000 }, async () => {
  const pool = [
    0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 16, 19, 64, 99, 100, 101, 128, 999, 1000, 1024, 65536, 1048576, 2147483647,
  ];
  const lines = [
    'import type { AtMost, Divide, Min, Minus, Plus } from "../../../src/tensor/types/literal-sums.ts";',
    'import type { Equal, Expect } from "../../../test/support/types.ts";',
  ];
  const claim = (a: string, b: unknown): number =>
    lines.push(`export type C${lines.length} = Expect<Equal<${a}, ${b}>>;`);
  for (const [a, b] of times(300, () => [pick(pool), pick(pool)] as const)) {
    claim(`AtMost<${a}, ${b}>`, a <= b);
    claim(`Min<${a}, ${b}>`, Math.min(a, b));
    claim(`Plus<${a}, ${b}>`, a + b);
    if (b <= a) claim(`Minus<${a}, ${b}>`, a - b);
    claim(`Divide<${a}, ${b}>`, b === 0 ? "[number, number]" : `[${Math.floor(a / b)}, ${a % b}]`);
  }
  for (const unknown of ["Plus<number, 3>", "Plus<-1, 3>", "Minus<3, number>", "Min<2, number>"])
    claim(unknown, "number");
  claim("AtMost<number, 1>", "undefined");
  claim("Divide<number, 1>", "[number, number]");
  const errors = await typeErrors(lines.join("\n"));
  expect(errors.map((error) => `${error} ${lines[Number.parseInt(error, 10) - 1]}`)).toEqual([]);
});
