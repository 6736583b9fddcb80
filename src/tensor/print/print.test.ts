/**
 * Text of real tensors: views, names, devices and engines reach the printer as they are, and nothing that is printed throws.
 */
import { inspect } from "node:util";
import { arange, printTensor, setPrintOptions, tensor, zeros } from "stridewise";
import { afterEach, expect, test } from "vitest";
import { DataPtr } from "../../storage/data-ptr.ts";
import { Storage } from "../../storage/storage.ts";
import { tensorOver } from "../tensor.ts";

afterEach(() => setPrintOptions({ profile: "default" }));

const texts: readonly [name: string, text: string, expected: string][] = [
  [
    "a matrix",
    `${tensor([
      [1, 2],
      [3, 4],
    ])}`,
    "tensor([[1., 2.],\n        [3., 4.]])",
  ],
  ["a transposed one", `${arange(6n).view([2, 3]).T}`, "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])"],
  ["a reversed one", `${arange(3n).slice(0, null, null, -1)}`, "tensor([2, 1, 0])"],
  ["a scalar", `${tensor(true)}`, "tensor(True)"],
  ["an empty one", `${zeros([0, 3])}`, "tensor([], size=(0, 3))"],
  ["names", `${zeros([1, 1], { names: ["a", null] })}`, "tensor([[0.]], names=('a', None))"],
  ["64-bit integers past 2^53", `${tensor([2n ** 62n])}`, "tensor([4611686018427387904])"],
  ["halves", `${tensor([0.1], { dtype: "float16" })}`, "tensor([0.1000], dtype=float16)"],
  ["changes for one text", tensor([0.123456]).toString({ precision: 2 }), "tensor([0.12])"],
];

test.each(texts)("%s", (_name, text, expected) => {
  expect(text).toBe(expected);
});

test("consoles show the values, including inside other things", () => {
  expect(inspect(tensor([1, 2]))).toBe("tensor([1., 2.])");
  expect(inspect({ t: tensor([1]) })).toBe("{ t: tensor([1.]) }");
});

test("a summary reads only the elements that it shows", () => {
  expect(`${arange(2000n)}`).toBe("tensor([   0,    1,    2,  ..., 1997, 1998, 1999])");
});

test("a disposed tensor is shown as such, and does not throw", () => {
  const t = zeros([2]);
  t.dispose();
  expect(inspect(t)).toBe("[tensor (float32 [2]), disposed by dispose()]");
  const moved = zeros([2]);
  moved.move();
  expect(inspect(moved)).toBe("[tensor (float32 [2]), moved into another tensor]");
});

test("a tensor without data says its device and size", () => {
  const meta = tensorOver(Storage.allocate(24, { device: { type: "meta", index: 0 } }), "float32", 0, [2, 3], [3, 1]);
  expect(`${meta}`).toBe("tensor(..., device='meta', size=(2, 3))");
});

test("printTensor prints as CuTe does, below the engine and the layout", () => {
  const t = arange(6, { dtype: "int32" }).asStrided([2, 3], [1, 2]);
  expect(printTensor(t).replace(/0x[0-9a-f]+/, "0x...")).toBe(
    "ptr[32b](0x...) o (2,3):(1,2):\n    0    2    4\n    1    3    5\n",
  );
});

test("a tensor on a different device shows the properties that can be read there", () => {
  const device = { type: "own", index: 1 };
  const over = (pointer: DataPtr) => tensorOver(Storage.wrap(pointer, 8), "float32", 0, [2], [1]);
  const data = Storage.fromBuffer(Float32Array.of(1, 2).buffer, 0, 8).data();
  expect(`${over(new DataPtr(data, null, null, device))}`).toBe("tensor([1., 2.], device='own:1')");
  expect(`${over(new DataPtr(null, null, null, device))}`).toBe("tensor(..., device='own:1', size=(2,))");
});
