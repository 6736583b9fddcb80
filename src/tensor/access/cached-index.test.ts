/** Indexing by tensors again and again: the cached program reads and writes what the first call did. */
import { _, arange, range, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";

describe("repeated calls, whose programs are cached", () => {
  const index = (...values: number[]): Tensor => tensor(values, { dtype: "int32" }) as Tensor;

  test("read and write the same elements as the first call", () => {
    const x = arange(24).reshape(2, 3, 4) as Tensor;
    const i = index(2, -1, 0);
    for (let round = 0; round < 3; round++) {
      const value = (arange(24).reshape(2, 3, 4) as Tensor).add(round);
      expect(value.at(_, i, index(0, 1, -1)).toArray()).toEqual([
        [8 + round, 9 + round, 3 + round],
        [20 + round, 21 + round, 15 + round],
      ]);
      expect(value.pick([1, 0], 0).get(0, 0, 0)).toBe(12 + round);
      const [target, before] = [x.clone(), x.clone()];
      const { version } = target;
      target.assignAt([_, i], round);
      expect(target.version).toBe(version + 1);
      expect(target.at(_, 1).toArray()).toEqual(before.at(_, 1).toArray());
      expect(target.at(0, 2).toArray()).toEqual([round, round, round, round]);
    }
  });

  test("check the values of indices each time, and name the axis of the tensor", () => {
    const x = zeros([3, 4]) as Tensor;
    for (let round = 0; round < 2; round++) {
      x.at(_, index(0, 3));
      expect(() => x.at(_, index(0, 4))).toThrow("at: index 4 is out of range for axis 1 with size 4");
      expect(() => x.at(null, index(0, 3))).toThrow("at: index 3 is out of range for axis 0 with size 3");
      expect(() => x.assignAt([index(-4)], 1)).toThrow("assignAt: index -4 is out of range for axis 0 with size 3");
      x.assignAt([index(2)], 1);
    }
    expect(x.sum().item()).toBe(4);
  });

  test("copy what they read if it shares memory with the target", () => {
    for (let round = 0; round < 2; round++) {
      const x = arange(6) as Tensor;
      x.assignAt([index(5, 4, 3)], x.at(range(0, 3)));
      expect(x.toArray()).toEqual([0, 1, 2, 2, 1, 0]);
      x.assignAt([index(1, 2, 3)], x.at(range(0, 3)));
      expect(x.toArray()).toEqual([0, 0, 1, 2, 1, 0]);
    }
  });
});
