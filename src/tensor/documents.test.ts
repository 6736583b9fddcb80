/**
 * The documents that the tensor core implements, as tests: PyTorch's tensor core (storage sharing, the lifecycle of a storage,
 * versions), mlvm's strides (transpose, broadcast, constants, reshape) and mllm's pointer formula.
 */
import { _, arange, constant, ones, randn, range, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { type Allocator, getAllocator, setAllocator } from "../storage/allocator.ts";
import { DataPtr } from "../storage/data-ptr.ts";
import { cpu } from "../storage/device.ts";
import { memoryOf } from "../storage/memory.ts";

/** What `x.storage().size()` is in PyTorch: elements, not bytes. */
const storageSize = (t: Tensor): number => t.storage.nbytes / t.itemsize;

describe("PyTorch's tensor core", () => {
  test("example 1: a row shares the storage, and only the metadata differ", () => {
    const a = tensor([
      [1.0, 2.0],
      [3.0, 4.0],
    ]);
    expect(a.dataPtr()).toBe(a.storage.address);
    expect([a.size, storageSize(a)]).toEqual([4, 4]);
    const b = a.at(0);
    expect(b.dataPtr()).toBe(a.dataPtr());
    expect(b.storage).toBe(a.storage);
    expect([a.storageOffset, b.storageOffset]).toEqual([0, 0]);
    expect([a.stride, b.stride]).toEqual([[2, 1], [1]]);
  });

  test("example 2: transpose is a view", () => {
    const a = randn([3, 4]);
    const b = a.T;
    expect(b.storage).toBe(a.storage);
    expect([a.stride, b.stride]).toEqual([
      [4, 1],
      [1, 4],
    ]);
    b.set(0, 0, 999.0);
    expect(a.get(0, 0)).toBe(999.0);
  });

  test("example 3: a slice starts at an offset", () => {
    const a = arange(10n);
    const b = a.at(range(3, 8));
    expect(b.toArray()).toEqual([3, 4, 5, 6, 7]);
    expect([a.storageOffset, b.storageOffset]).toEqual([0, 3]);
    expect(b.dataPtr() - a.dataPtr()).toBe(24);
  });

  test("example 4: contiguous copies strided tensors", () => {
    const a = randn([3, 4]);
    const b = a.T;
    const c = b.contiguous();
    expect([a.isContiguous(), b.isContiguous(), c.isContiguous()]).toEqual([true, false, true]);
    expect(c.storage === b.storage).toBe(false);
    expect(c.toArray()).toEqual(b.toArray());
    expect(a.contiguous()).toBe(a);
  });

  test("creating a tensor: three floats are twelve bytes", () => {
    const t = tensor([1.0, 2.0, 3.0]);
    expect([t.storage.nbytes, t.shape, t.stride, t.storageOffset, t.dtype, t.device.type, t.size]).toEqual([
      12,
      [3],
      [1],
      0,
      "float32",
      "cpu",
      3,
    ]);
  });

  test("creating a view: a column steps by the row's length", () => {
    const base = zeros([4, 5]);
    const column = base.at(_, 0);
    expect([column.shape, column.stride, column.storageOffset]).toEqual([[4], [5], 0]);
    expect([column.storage === base.storage, column.storage.useCount]).toEqual([true, 2]);
  });

  test("in-place modification: a view shares the version", () => {
    const x = randn([3, 4]);
    const y = x.view([4, 3]);
    expect([x.version, y.version]).toEqual([0, 0]);
    x.fill_(1);
    expect([x.version, y.version]).toEqual([1, 1]);
    expect(x.detach().version).toBe(1);
    expect(x.data.version).toBe(0);
  });

  test("the lifecycle of a storage, with a user-defined allocator and deleter", () => {
    const freed: string[] = [];
    const own: Allocator = {
      device: cpu,
      allocate: (nbytes) =>
        new DataPtr({ memory: memoryOf(new ArrayBuffer(nbytes)), byteOffset: 0 }, `${nbytes} bytes`, (context) =>
          freed.push(context),
        ),
    };
    const usual = getAllocator("cpu");
    setAllocator("cpu", own);
    try {
      const a = tensor([1, 2, 3, 4]);
      const { storage } = a;
      expect([storage.allocator === own, storage.useCount]).toEqual([true, 1]);
      const b = a.view([2, 2]);
      expect(storage.useCount).toBe(2);
      a.dispose();
      expect([storage.useCount, freed]).toEqual([1, []]);
      expect(b.toArray()).toEqual([
        [1, 2],
        [3, 4],
      ]);
      b.dispose();
      expect([storage.useCount, freed]).toEqual([0, ["16 bytes"]]);
      a.dispose();
      b.dispose();
      expect(freed).toEqual(["16 bytes"]);
      expect(() => b.toArray()).toThrow("was disposed");
    } finally {
      setAllocator("cpu", usual);
    }
  });
});

describe("mlvm's strides", () => {
  const [a, b, c] = [2, 3, 4];

  test("transpose(1, 2, 0) re-uses the buffer: shape <b, c, a>, stride {c, 1, bc}", () => {
    const t = arange(a * b * c).view([a, b, c]);
    expect(t.stride).toEqual([b * c, c, 1]);
    const turned = t.transpose(1, 2, 0);
    expect([turned.shape, turned.stride, turned.storage === t.storage]).toEqual([[b, c, a], [c, 1, b * c], true]);
    expect(turned.get(2, 3, 1)).toBe(t.get(1, 2, 3));
  });

  test("broadcasting <a, 1> to <a, b> is stride {1, 0}; <1, b> to <a, b> is stride {0, 1}", () => {
    expect(arange(a).view([a, 1]).broadcastTo([a, b]).stride).toEqual([1, 0]);
    expect(arange(b).view([1, b]).broadcastTo([a, b]).stride).toEqual([0, 1]);
    expect(arange(a).view([a, 1]).broadcastTo([a, b]).toArray()).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ]);
  });

  test("zeros and ones can be one element broadcast: stride {0, 0}, and writes are refused", () => {
    for (const [t, value] of [
      [zeros([a, b], { constant: true }), 0],
      [ones([a, b], { constant: true }), 1],
      [constant(7, [a, b]), 7],
    ] as const) {
      expect([t.stride, t.storage.nbytes]).toEqual([[0, 0], 4]);
      expect(t.toArray()).toEqual([
        [value, value, value],
        [value, value, value],
      ]);
      expect(() => t.set(0, 0, 5)).toThrow("tensor (float32 [2, 3]) is a constant and not writable");
    }
  });

  test("reshaping stride {1, 0} to <ab> needs a copy: reshape makes one, view refuses", () => {
    const t = arange(a).view([a, 1]).expand([a, b]);
    const flat = t.reshape([a * b]);
    expect([flat.toArray(), flat.storage === t.storage]).toEqual([[0, 0, 0, 1, 1, 1], false]);
    expect(() => t.view([a * b])).toThrow("cannot be viewed as shape");
    expect(t.clone().toArray()).toEqual(t.toArray());
  });

  test("a scalar may be a tensor of shape <1>", () => {
    const scalar = tensor([5]);
    expect([scalar.rank, scalar.item(), zeros([2]).fill_(scalar).toArray()]).toEqual([1, 5, [5, 5]]);
  });

  test("value modes: a copy owns its buffer, an alias does not, a move leaves its source dead", () => {
    const t = tensor([1, 2]);
    const [copy, alias] = [t.cloneBy("copy"), t.cloneBy("alias")];
    t.set(0, 9);
    expect([copy.get(0), alias.get(0), copy.ownership, alias.ownership]).toEqual([1, 9, "owning", "view"]);
    const moved = t.cloneBy("move");
    expect(moved.toArray()).toEqual([9, 2]);
    expect(() => t.toArray()).toThrow("moved into another tensor");
  });
});

test("mllm's formula: ptr = storage + (offset + dot(indices, stride)) * itemsize", () => {
  for (const t of [
    zeros([3, 4, 5]),
    zeros([3, 4, 5], { dtype: "int8" }).permute(2, 0, 1),
    zeros([30], { dtype: "float64" }).slice(0, 3, null, 2).view([2, 7]),
    zeros([10]).slice(0, null, null, -1),
  ] as Tensor[])
    for (let trial = 0; trial < 20; trial++) {
      const index = t.shape.map((size, axis) => (trial * 7 + axis * 3) % size);
      const dot = index.reduce((sum, i, axis) => sum + i * (t.stride[axis] as number), 0);
      expect(t.dataPtr(index)).toBe(t.storage.address + (t.storageOffset + dot) * t.itemsize);
    }
});
