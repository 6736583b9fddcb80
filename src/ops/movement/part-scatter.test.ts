/** Copies with a part replaced: results that are given may have any layout, and stay as they are if a call is refused. */
import { asStridedScatter, diagonalScatter, selectScatter, sliceScatter, type Tensor, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";

const x = (): Tensor =>
  tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]) as Tensor;
const calls: Readonly<Record<string, (src: Tensor, out?: Tensor) => Tensor>> = {
  asStridedScatter: (src, out) => asStridedScatter(x(), src, [2], [3], 1, { out }),
  selectScatter: (src, out) => selectScatter(x(), src, 1, 2, { out }),
  sliceScatter: (src, out) => sliceScatter(x(), src.unsqueeze(1), 1, 0, 1, 1, { out }),
  diagonalScatter: (src, out) => diagonalScatter(x(), src, 0, 0, 1, { out }),
};
const outputs: Readonly<Record<string, () => Tensor>> = {
  dense: () => zeros([2, 3]),
  transposed: () => zeros([3, 2]).T,
  "part of another": () => zeros([4, 2, 3]).at(2) as Tensor,
  backwards: () => zeros([2, 3]).slice(1, null, null, -1) as Tensor,
  float64: () => zeros([2, 3], { dtype: "float64" }) as Tensor,
};

test.each(Object.entries(calls))("%s gives the same into any result", (_name, call) => {
  const src = tensor([8, 9]) as Tensor;
  const expected = call(src).toArray();
  for (const [name, make] of Object.entries(outputs)) {
    const out = make();
    expect(call(src, out)).toBe(out);
    expect([name, out.toArray()]).toEqual([name, expected]);
  }
});

test.each(Object.entries(calls))("%s refuses a part of a different size, and changes nothing", (name, call) => {
  for (const make of Object.values(outputs)) {
    const out = make();
    expect(() => call(tensor([7, 8, 9]) as Tensor, out)).toThrow(`${name}: src must have shape`);
    expect(out.toArray()).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  }
});
