/** One element: coordinates of every form, the index in column-major order, and the refusal of one index for several axes. */
import { arange, makeTensor, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { parseLayout } from "../../layout/notation.ts";
import { offsetAt } from "../../layout/queries.ts";
import { counting } from "../engines/computed-engines.ts";

const layouts = [
  "(2,3):(3,1)",
  "(2,3):(1,2)",
  "((2,2),3):((1,6),2)",
  "(4,(2,_2)):(1,(4,8))",
  "6:2",
  "Sw<1,0,2> o 0 o (_4,_4):(_1,_4)",
];

describe.each(layouts)("%s", (text) => {
  const layout = parseLayout(text);
  const t = makeTensor(counting(10), layout as never) as Tensor;

  test("getColMajor counts as the layout does, from both ends", () => {
    for (let i = 0; i < t.size; i++) {
      expect(t.getColMajor(i)).toBe(10 + offsetAt(layout, i));
      expect(t.getColMajor(i - t.size)).toBe(t.getColMajor(i));
    }
    for (const wrong of [t.size, -t.size - 1, 0.5, NaN, 1n, "1", undefined])
      expect(() => t.getColMajor(wrong as number)).toThrow(`getColMajor: index ${wrong} is out of range for ${t.size}`);
  });

  test("one index is an element of a vector only", () => {
    if (t.rank === 1) expect(t.get(3)).toBe(t.getColMajor(3));
    else expect(() => t.get(3)).toThrow(`get: 1 index for 2 axes; the shape is [${t.shape.join(", ")}]. `);
  });
});

test("one index for several axes writes nothing, and the error names both orders", () => {
  const x = arange(6).view(2, 3) as Tensor;
  expect(() => x.set(3, 9)).toThrow(
    "set: 1 index for 2 axes; the shape is [2, 3]. Pass one index per axis. For a flat index use view(-1).set(3, value) (row-major) or setColMajor(3, value) (column-major)",
  );
  expect([x.view(6).get(3), x.getColMajor(3), x.version]).toEqual([3, 4, 0]);
  x.setColMajor(3, 9);
  expect([x.toArray(), x.version]).toEqual([
    [
      [0, 1, 2],
      [3, 9, 5],
    ],
    1,
  ]);
  x.T.setColMajor(-1, tensor(7));
  expect(x.get(1, 2)).toBe(7);
});

test("setColMajor is a write that gradients see", () => {
  const x = zeros([2, 2], { requiresGrad: true });
  const y = x.mul(2);
  y.setColMajor(1, 5);
  y.sum().backward();
  expect([y.toArray(), x.grad?.toArray()]).toEqual([
    [
      [0, 0],
      [5, 0],
    ],
    [
      [2, 2],
      [0, 2],
    ],
  ]);
  expect(() => x.setColMajor(0, 1)).toThrow("a leaf tensor that requires grad is being used in an in-place operation");
});
