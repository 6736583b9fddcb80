/**
 * Mistakes that returned a wrong number or ran for long throw named errors: misspelled options, arguments of the wrong
 * type, impossible results.
 */
import {
  einsum,
  gradcheck,
  hardtanh,
  hessian,
  jacobian,
  ones,
  parseExpr,
  StridewiseError,
  type Tensor,
  tensor,
  tile,
  tril,
  triu_,
  vmap,
} from "stridewise";
import { expect, test } from "vitest";

const x = tensor(
  [
    [1, 2],
    [3, 4],
  ],
  { dtype: "float64" },
) as Tensor;
const letters = Array.from("abcdefghijklmnopqrstuvwx");

test.each<[name: string, call: () => unknown, text: RegExp]>([
  [
    "vmap",
    () => vmap((a: Tensor) => a.sum(), { inDims: 1 } as never),
    /vmap: there is no option inDims; the options are inAxes/,
  ],
  ["vmap of a number", () => vmap((a: Tensor) => a.sum(), 1 as never), /vmap: options must be an object, got 1/],
  [
    "jacobian",
    () => jacobian((a) => a, x, { mod: "forward" } as never),
    /jacobian: there is no option mod.*Did you mean mode/,
  ],
  ["hessian", () => hessian((a) => a.sum() as Tensor, x, { vectorise: true } as never), /no option vectorise/],
  ["gradcheck", () => gradcheck((a) => a, x, { tol: 1 } as never), /gradcheck: there is no option tol/],
  ["tile of a text", () => tile(x, "2" as never), /sizes|size/],
  ["tile of a tensor", () => tile(x, tensor([2n, 2n]) as never), /sizes|size/],
  ["tril of NaN", () => tril(x, Number.NaN), /tril: diagonal must be an integer, got NaN/],
  ["tril of a fraction", () => tril(x, 1.5), /tril: diagonal must be an integer, got 1\.5/],
  [
    "triu_ of a tensor",
    () => triu_(x, x as never),
    /triu_: diagonal must be an integer, got tensor \(float64 \[2, 2\]\)/,
  ],
  [
    "hardtanh of unsigned",
    () => hardtanh(tensor([0, 40, 255], { dtype: "uint8" })),
    /nor negative for unsigned integers/,
  ],
  ["einsum", () => einsum(letters.join(","), ...letters.map(() => ones([4]))), /einsum: the result needs .* bytes/],
])("%s", (_, call, text) => {
  const begun = performance.now();
  expect(call).toThrow(StridewiseError);
  expect(call).toThrow(text);
  expect(performance.now() - begun).toBeLessThan(5000);
});

test("hardtanh of unsigned integers with limits that they hold", () => {
  expect(hardtanh(tensor([0, 40, 255], { dtype: "uint8" }), 1, 50).toArray()).toEqual([1, 40, 50]);
});

test("a hessian belongs to a graph only if its input does", () => {
  const square = (a: Tensor): Tensor => a.mul(a).sum() as Tensor;
  expect(hessian(square, x).requiresGrad).toBe(false);
  const leaf = tensor([1, 2], { requiresGrad: true }) as Tensor;
  expect(hessian((a) => a.mul(a).mul(a).sum() as Tensor, leaf).requiresGrad).toBe(true);
});

test("a sum of thousands of names has an end", { timeout: 60_000 }, () => {
  const text = Array.from({ length: 5000 }, (_, i) => `n${i}`).join("+");
  const begun = performance.now();
  expect(() => parseExpr(text)).toThrow(StridewiseError);
  expect(performance.now() - begun).toBeLessThan(30_000);
});
