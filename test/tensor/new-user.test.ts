/** Mistakes and calls of a first day with the library: each call works, or the error says what to write instead. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, describe, expect, test } from "vitest";
import {
  arange,
  bernoulli,
  fromBuffer,
  gradOf,
  hvp,
  indexPut,
  normal,
  ones,
  rand,
  randint,
  type Tensor,
  tensor,
  valueAndGrad,
  vjp,
  zeros,
  zerosLike,
} from "../../src/index.ts";
import { encodeNpz, parseNpy, saveNpy } from "../../src/io/index.ts";
import { saveModule } from "../../src/module/index.ts";
import { init, Linear } from "../../src/nn/index.ts";
import { loadOnnx } from "../../src/onnx/index.ts";

const wrong = (value: unknown): never => value as never;
const folder = mkdtempSync(`${tmpdir()}/new-user-`);
afterAll(() => rmSync(folder, { recursive: true }));

describe("uint8 tensors are indices", () => {
  const pixels = tensor([2, 2, 0], { dtype: "uint8" });
  test("in at, pick, assignAt and indexPut, even if they have the size of the axis", () => {
    expect(arange(3).at(pixels).toArray()).toEqual([2, 2, 0]);
    expect(arange(5).at(pixels).toArray()).toEqual([2, 2, 0]);
    expect(arange(3).pick(pixels, 0).toArray()).toEqual([2, 2, 0]);
    expect(arange(3).at(tensor(1, { dtype: "uint8" })).shape).toEqual([]);
    const x = zeros([3]);
    x.assignAt([pixels], 7);
    expect(x.toArray()).toEqual([7, 0, 7]);
    expect(indexPut(zeros([3]), [pixels], tensor(7)).toArray()).toEqual([7, 0, 7]);
    expect(ones([2, 3], { requiresGrad: true }).at(tensor([1], { dtype: "uint8" })).shape).toEqual([1, 3]);
  });
});

const refused: readonly (readonly [call: () => unknown, message: RegExp])[] = [
  [() => tensor(wrong(new Set([1, 2]))), /^tensor: .*got an iterable\. Spread it: \[\.\.\.values\]/],
  [() => tensor([1, 2], wrong({ shape: [2, 1] })), /^tensor: there is no option shape.*Reshape the result/],
  [() => rand([2], wrong({ endpoint: false })), /^rand: there is no option endpoint/],
  [() => zeros([2], wrong({ generator: null })), /^zeros: there is no option generator/],
  [() => zeros([2], wrong({ base: 2 })), /^zeros: there is no option base/],
  [() => zerosLike(ones([2]), wrong({ constant: true })), /^zerosLike: there is no option constant/],
  [() => randint(10, wrong([3]), wrong(undefined)), /^randint: needs low, high and a shape/],
  [() => arange(5).at(wrong("1:3")), /A slice is written range\(start, stop, step\)/],
  [() => arange(5).std(null, wrong({ ddof: 0 })), /no option ddof; .* Did you mean correction\?/],
  [() => fromBuffer(wrong([1, 2])), /got \[1, 2\]\. Data of a different kind is copied by tensor/],
  [() => bernoulli(wrong([tensor(0.5)])), /^bernoulli: x must be a number or a tensor, got .*Create one/],
  [() => normal(wrong([tensor(0.5)]), 1), /^normal: mean must be a number or a tensor/],
  [() => gradOf((x: Tensor) => x.mul(2))(ones([2])), /^gradOf: .*got shape \[2\]\. Reduce it in the function/],
  [() => valueAndGrad((x: Tensor) => x.mul(2), ones([2])), /^valueAndGrad: .*Reduce it in the function/],
  [() => vjp((x: Tensor) => x.mul(2), ones([2])), /^vjp: .*Pass the vector/],
  [() => hvp((x: Tensor) => x.mul(2), ones([2]), ones([2])), /^hvp: .*Reduce it in the function/],
  [
    () => init.xavierUniform_(wrong(new Linear(2, 2))),
    /^xavierUniform_: needs a tensor, got Linear\. Pass a parameter of it: layer\.weight/,
  ],
  [() => init.zeros_(wrong([1, 2])), /^zeros_: the input must be a tensor, got a list/],
  [
    () => init.uniform_(ones([2]), wrong({ low: 1 })),
    /^uniform_: there is no option low; the options are a, b, generator/,
  ],
  [() => init.kaimingNormal_(ones([2, 2]), wrong({ fan: "fanIn" })), /^kaimingNormal_: there is no option fan/],
  [() => parseNpy(encodeNpz({ x: ones([2]) })), /It is an \.npz file: use loadNpz or parseNpz/],
];
test.each(refused.map(([call, message]) => [message.source, call, message] as const))("%s", (_, call, message) => {
  expect(call).toThrow(message);
});

test("a file in a folder that does not exist is not written, and a module creates its folder", async () => {
  await expect(saveNpy(`${folder}/none/a.npy`, ones([2]))).rejects.toThrow(
    /cannot be written: its folder does not exist\. Create it first/,
  );
  await saveModule(`${folder}/a/b`, { files: { "m.js": "export {};" } } as never);
  expect(readdirSync(`${folder}/a/b`)).toEqual(["m.js"]);
});

test("loadOnnx has the option maxKeptBytes", async () => {
  await expect(loadOnnx(new Uint8Array([0]), { maxKeptBytes: 0 })).rejects.toThrow(/^loadOnnx: the model/);
  await expect(loadOnnx(new Uint8Array([0]), { maxKeptBytes: -1 })).rejects.toThrow(/maxKeptBytes must be/);
});
