/**
 * Writing in place and the version counter, as PyTorch counts: one for each in-place operation on any tensor of the storage, none for
 * what only looks.
 */
import {
  _,
  arange,
  constant,
  dataPtr,
  fromBuffer,
  range,
  ShapeError,
  type Tensor,
  tensor,
  WriteError,
  zeros,
} from "stridewise";
import { describe, expect, test } from "vitest";

const inPlace: Readonly<Record<string, (t: Tensor) => unknown>> = {
  fill_: (t) => t.fill_(1),
  zero_: (t) => t.zero_(),
  copy_: (t) => t.copy_(tensor([1, 2, 3])),
  set: (t) => t.set(0, 0, 5),
  assign: (t) => t.at(0, _).assign(3),
  "assign arrays": (t) => t.at(0, _).assign([4, 5, 6]),
  "assign a tensor": (t) => t.at(_, range(1, null)).assign(tensor([4])),
  assignAt: (t) => t.assignAt([0, _], 7),
  "assignAt a mask": (t) => t.assignAt([tensor([true, false])], 7),
  transpose_: (t) => t.transpose_(0, 1),
  unsqueeze_: (t) => t.unsqueeze_(0),
  squeeze_: (t) => t.squeeze_(),
  asStrided_: (t) => t.asStrided_([3], [2]),
  resize_: (t) => t.resize_(3, 3),
  set_: (t) => t.set_(zeros([4])),
};

const looking: Readonly<Record<string, (t: Tensor) => unknown>> = {
  views: (t) => t.T.at(0).unsqueeze(0).expand(4, 2).clone(),
  "reading an element": (t) => t.get(1, 1),
  printing: (t) => String(t),
  "setting data": (t) => {
    t.data = zeros([2, 3]);
  },
  "writing through data": (t) => t.data.fill_(9),
  renaming: (t) => t.rename(["a", "b"]),
  converting: (t) => [t.toArray(), t.to("float64"), t.contiguous()],
};

describe("the version counter", () => {
  test.each(Object.entries(inPlace))("%s counts once, in the tensor, its views and detached tensors", (_name, run) => {
    const base = arange(6).view(2, 3);
    const [view, detached] = [base.at(0), base.detach()];
    run(base);
    expect([base.version, view.version, detached.version]).toEqual([1, 1, 1]);
  });

  test.each(Object.entries(looking))("%s does not count", (_name, run) => {
    const t = arange(6).view(2, 3);
    run(t);
    expect(t.version).toBe(0);
  });

  test("data counts for itself, and a write through a view counts in its base", () => {
    const t = zeros([3]);
    const { data } = t;
    data.fill_(1);
    expect([t.version, data.version, t.get(0)]).toEqual([0, 1, 1]);
    t.at(range(1, null)).fill_(2);
    expect(t.version).toBe(1);
  });
});

describe("axes in place", () => {
  test("the elements stay, the tensor turns, and it is still no view", () => {
    const t = arange(6).view(2, 3).clone();
    const address = t.dataPtr();
    expect(t.transpose_(0, 1)).toBe(t);
    expect([t.shape, t.stride, t.isView, t.ownership, dataPtr(t)]).toEqual([[3, 2], [1, 3], false, "owning", address]);
    expect(t.storage.useCount).toBe(1);
    expect(t.unsqueeze_(1).shape).toEqual([3, 1, 2]);
    expect(t.squeeze_().shape).toEqual([3, 2]);
    expect(t.asStrided_([2], [5]).toArray()).toEqual([0, 5]);
    t.dispose();
    expect(t.isDisposed).toBe(true);
  });

  test("names turn with their axes", () => {
    const t = zeros([2, 3], { names: ["row", "col"] });
    expect(t.transpose_("row", "col").names).toEqual(["col", "row"]);
  });
});

describe("a write is refused", () => {
  const shared = new Float32Array(4);
  const refused: Readonly<Record<string, readonly [() => unknown, RegExp]>> = {
    "to a const view": [() => fromBuffer(shared, { const: true }).fill_(1), /is a const view and not writable/],
    "to a view of a const view": [() => fromBuffer(shared, { const: true }).at(0).fill_(1), /const view/],
    "to a constant": [() => constant(1, [2, 2]).set(0, 0, 1), /is a constant and not writable/],
    "of several elements to one place": [
      () =>
        zeros([1])
          .expand(3)
          .copy_(tensor([1, 2, 3])),
      /more than one element/,
    ],
    "across itself": [
      () => arange(4).slice(0, 1).copy_(arange(3)) && overlapping(),
      /some elements of the input tensor/,
    ],
  };
  function overlapping(): Tensor {
    const t = arange(4);
    return t.slice(0, 1).copy_(t.slice(0, 0, 3));
  }
  test.each(Object.entries(refused))("%s", (_name, [run, text]) => {
    expect(run).toThrow(WriteError);
    expect(run).toThrow(text);
  });

  test("but filling places that are shared does no harm", () => {
    expect(zeros([1]).expand(3).fill_(2).toArray()).toEqual([2, 2, 2]);
  });

  test("when the names of the axes disagree", () => {
    const t = zeros([2, 3], { names: ["row", "col"] });
    expect(() => t.copy_(zeros([2, 3], { names: ["col", "row"] }))).toThrow(ShapeError);
    expect(t.copy_(zeros([3], { names: ["col"] })).names).toEqual(["row", "col"]);
  });
});

describe("set_ to a storage", () => {
  const wrong: readonly [name: string, offset: number, strides: number[], text: string][] = [
    ["a place before the start", 1, [-1], "takes elements -1 to 1, but memory starts at 0"],
    ["a fractional stride", 0, [0.5], "strides must be integers"],
    ["a stride too few", 0, [], "sizes and strides must have the same length, got 1 and 0"],
  ];
  test.each(wrong)("%s throws, and the tensor is unchanged", (_name, offset, strides, text) => {
    const t = arange(4);
    expect(() => t.set_(zeros([4]).storage, offset, [3], strides)).toThrow(text);
    expect([t.toArray(), t.version]).toEqual([[0, 1, 2, 3], 0]);
  });

  test("strides may be negative where all elements lie in the storage", () => {
    expect(zeros([1]).set_(arange(4).storage, 3, [2], [-2]).toArray()).toEqual([3, 1]);
  });

  test("an address that no element of the dtype can have is refused", () => {
    const odd = fromBuffer(new Float32Array(8).subarray(1)).storage;
    expect(() => zeros([1], { dtype: "float64" }).set_(odd, 0, [2])).toThrow(
      "set_: the storage starts at byte 4, which is not a multiple of the 8 bytes of float64",
    );
    expect(zeros([1]).set_(odd, 0, [2]).toArray()).toEqual([0, 0]);
  });

  test("the memory of a const view stays const", () => {
    const mine = Float32Array.of(1, 2);
    const t = zeros([2]).set_(fromBuffer(mine, { const: true }));
    expect(() => t.fill_(9)).toThrow(WriteError);
    expect([...mine]).toEqual([1, 2]);
  });
});

test("setting data keeps the tensor's own version counter, which the source does not share", () => {
  // As PyTorch does it: versions 1 and 1, then 2, while the source has 3.
  const a = zeros([2]);
  a.add_(1);
  const source = zeros([2]);
  for (let i = 0; i < 3; i++) source.add_(1);
  const before = a.version;
  a.data = source;
  expect([before, a.version, source.version]).toEqual([1, 1, 3]);
  a.add_(1);
  expect([a.version, source.version, source.toArray()]).toEqual([2, 3, [4, 4]]);
});
