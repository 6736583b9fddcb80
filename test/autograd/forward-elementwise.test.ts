/**
 * Tangents of elementwise ops where functions have bends, poles and limits: they are the gradients, because both are the slope there. Of
 * complex numbers they equal those of two backward passes.
 */
import { expect, test } from "vitest";
import { twiceBack } from "../../src/autograd/forward-transposed.ts";
import { dualLevel, grad, makeDual, ones, Tensor, tensor, unpackDual } from "../../src/index.ts";
import { DTypeError } from "../../src/storage/dtype.ts";
import { toArray } from "../../src/tensor/convert/to-array.ts";
import { callSample, exportedOps, type Op, samplesOf } from "../support/op-samples.ts";

const extremes = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  2,
  3,
  -3,
  6,
  1e-30,
  -1e-30,
  1e30,
  -1e30,
  88,
  -88,
  710,
  -710,
  1 / 0,
  -1 / 0,
  NaN,
];
const generic = [0.3, -0.7, 1.2, -2.1];

/** All combinations of values for some operands. */
const grid = (values: readonly number[], count: number): number[][] =>
  count === 1
    ? [[...values]]
    : [values.flatMap((x) => values.map(() => x)), values.flatMap(() => values)].concat(
        Array.from({ length: count - 2 }, () => values.flatMap(() => values.map(() => 1.5))),
      );

interface Example {
  readonly name: string;
  /** The op as a function of its float operands. */
  readonly fn: (...operands: Tensor[]) => Tensor;
  readonly count: number;
}

/** The elementwise ops with the numbers of a sample for all arguments that are not floats. */
const examples = [...exportedOps()].flatMap(([name, op]): Example[] => {
  const [sample] = samplesOf(name, op);
  if ((op as Op & { operator?: { body: unknown } }).operator?.body == null || sample === undefined) return [];
  const args = callSample("Array.of", sample) as unknown[];
  const isOperand = (arg: unknown): boolean => arg instanceof Tensor && arg.dtype.startsWith("float");
  const count = args.filter(isOperand).length;
  if (args.some((arg) => arg instanceof Tensor && !isOperand(arg)) || count === 0) return [];
  const fn = (...operands: Tensor[]): Tensor => {
    const rest = [...operands];
    return op(...args.map((arg) => (isOperand(arg) ? rest.shift() : arg))) as Tensor;
  };
  return [{ name, fn, count }];
});

const numbersOf = (t: Tensor): number[] => toArray(t.detach()) as number[];
const isSame = (x: number, y: number): boolean => x === y || Object.is(x, y) || Math.abs(x - y) <= 1e-12 * Math.abs(y);

test.each(examples)("$name has the same slope both ways, at extremes too", ({ fn, count }) => {
  const points = grid(extremes, count).map((values) => tensor(values, { dtype: "float64" }) as Tensor);
  points.forEach((point, which) => {
    const along = (x: Tensor): Tensor => fn(...points.map((each, k) => (k === which ? x : each)));
    const direction = ones([point.size], { dtype: "float64" }) as Tensor;
    const { primal, tangent } = dualLevel(() => unpackDual(along(makeDual(point, direction))));
    if (!primal.dtype.startsWith("float")) return;
    const leaf = point.detach().requiresGrad_() as Tensor;
    const value = along(leaf);
    const back = value.requiresGrad ? numbersOf(grad(value, leaf, { gradOutputs: direction })) : [];
    const found = tangent === null ? [] : numbersOf(tangent);
    const different = found.flatMap((x, k) =>
      isSame(x, back[k] ?? 0) ? [] : [`${points.map((each) => numbersOf(each)[k])}: ${x}, and back ${back[k]}`],
    );
    expect(different).toEqual([]);
  });
});

test("tangents of complex numbers equal those of two backward passes", () => {
  const [seen, withoutGradient]: [string[], string[]] = [[], []];
  for (const { name, fn, count } of examples) {
    const points = grid(generic, count).map((values, which) =>
      (tensor(values.map((re, k) => ({ re, im: Math.cos(k + which) }))) as Tensor).to("complex128").requiresGrad_(),
    ) as Tensor[];
    const directions = points.map((t, which) => t.detach().mul({ re: 0.4, im: which + 1 } as never) as Tensor);
    let [isComputed, expected]: [boolean, Tensor | null] = [false, null];
    try {
      const value = fn(...points);
      isComputed = true;
      expected = twiceBack([value], points, directions, false)[0] ?? null;
    } catch (error) {
      if (!(error instanceof DTypeError)) throw error;
      if (isComputed) withoutGradient.push(name);
    }
    if (expected === null) continue;
    const { tangent } = dualLevel(() =>
      unpackDual(fn(...points.map((t, k) => makeDual(t.detach() as Tensor, directions[k] as Tensor)))),
    );
    seen.push(name);
    const size = Number(expected.abs().max().item());
    expect([
      name,
      Number(
        (tangent as Tensor)
          .sub(expected as never)
          .abs()
          .max()
          .item(),
      ) <=
        1e-12 * (1 + size),
    ]).toEqual([name, true]);
  }
  expect(seen.length).toBeGreaterThan(30);
  // PyTorch does not compute these of complex numbers.
  expect(withoutGradient).toEqual(["xlogy", "logit"]);
});
