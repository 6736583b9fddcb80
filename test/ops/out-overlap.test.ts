/**
 * `out` over the bytes of inputs, tried on the samples of all ops: the result is what a new tensor would get, or the call throws a named
 * error and no byte has changed. Inputs and `out` lie in one block of bytes at random addresses and strides: as views of one tensor, or as
 * separate wraps of one ArrayBuffer.
 */
import { describe, expect, test } from "vitest";
import { StridewiseError } from "../../src/base/errors.ts";
import { arange, elementwise, fromBuffer, scope, sort, Tensor, tensor, zeros } from "../../src/index.ts";
import { argmax, bernoulli_, cumsum, maskedSelect, matmul } from "../../src/ops/index.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { expectClose, tensorsIn } from "../support/op-results.ts";
import {
  argumentsOf,
  distinctSamples,
  exportedOps,
  inPlaceForm,
  mapTensors,
  type Op,
  randomOps,
  withOut,
} from "../support/op-samples.ts";
import { dice } from "../support/operands.ts";

const blockBytes = 2048;

/** A block of bytes and tensors in it. */
interface Block {
  readonly bytes: () => Uint8Array;
  tensorAt(dtype: DType, shape: readonly number[], stride: readonly number[], byteOffset: number): Tensor;
}

/** One ArrayBuffer; every tensor is a wrap of its own. */
function wrapped(): Block {
  const { buffer } = new Uint8Array(blockBytes);
  return {
    bytes: () => new Uint8Array(buffer).slice(),
    tensorAt(dtype, shape, stride, byteOffset) {
      const { itemsize } = zeros([1], { dtype });
      return fromBuffer(buffer, { dtype, shape, stride, offset: byteOffset / itemsize }) as Tensor;
    },
  };
}

/** One tensor in the heap; every tensor is a view of it. */
function views(): Block {
  const all = zeros([blockBytes], { dtype: "uint8" }) as Tensor;
  return {
    bytes: () => all.toTypedArray() as Uint8Array,
    tensorAt(dtype, shape, stride, byteOffset) {
      const seen = all.view(dtype) as Tensor;
      return seen.asStrided(shape, stride, byteOffset / seen.itemsize) as Tensor;
    },
  };
}

/** Strides that keep elements apart: row-major over sizes with gaps, the axes in random order. */
function randomStrides(shape: readonly number[], random: (below: number) => number): number[] {
  const order = shape.map((_, axis) => axis).sort(() => random(3) - 1);
  const gaps = random(2);
  const strides = shape.map(() => 0);
  let step = 1;
  for (const axis of random(2) === 0 ? order : order.sort((a, b) => b - a)) {
    strides[axis] = step;
    step *= Math.max(1, shape[axis] as number) + (gaps === 0 ? 0 : random(3));
  }
  return strides;
}

type Random = (below: number) => number;
const roundUp = (bytes: number): number => Math.ceil(bytes / 16) * 16;

/** Bytes from the first element to the end of the last. */
const reach = (t: Tensor, stride: readonly number[]): number =>
  t.itemsize * (1 + t.shape.reduce((sum, size, axis) => sum + (size - 1) * (stride[axis] as number), 0));

/** Puts tensors into a block, one after another, and returns their offsets. */
function placer(
  block: Block,
  random: Random,
): { readonly put: (t: Tensor) => Tensor; readonly placed: [Tensor, number][] } {
  const placed: [Tensor, number][] = [];
  let next = 64;
  const put = (t: Tensor): Tensor => {
    if (t.size === 0) return t;
    const stride = randomStrides(t.shape, random);
    const here = block.tensorAt(t.dtype, t.shape, stride, next);
    placed.push([here, next]);
    next = roundUp(next + reach(t, stride));
    here.copy_(t);
    return here;
  };
  return { put, placed };
}

/** A tensor like another on the bytes of one that is placed: exactly, shifted, or with other strides. */
function over(t: Tensor, placed: readonly [Tensor, number][], block: Block, random: Random): Tensor {
  const [input, at] = placed[random(placed.length)] as [Tensor, number];
  const isAlike = `${t.shape}` === `${input.shape}` && t.itemsize === input.itemsize;
  const stride = isAlike && random(3) > 0 ? input.stride : randomStrides(t.shape, random);
  const shift = (random(5) - 2) * Math.max(16, t.itemsize) * random(2) + random(3) * t.itemsize;
  const start = Math.max(0, at + (random(3) === 0 ? 0 : shift));
  return block.tensorAt(t.dtype, t.shape, stride as number[], start - (start % t.itemsize));
}

const describing = (t: Tensor): string => `${t.dtype} [${t.shape}] [${t.stride}] + ${t.storageOffset}`;

const cases = [...exportedOps()].flatMap(([name, op]) =>
  randomOps.has(name) ? [] : distinctSamples(name, op).map((sample) => [name, sample, op] as const),
);
const fits = (value: unknown): boolean =>
  tensorsIn(value).every((t) => t.size * t.itemsize <= 256) && tensorsIn(value).length < 8;

/** Calls, and compares with what is wanted; or finds that nothing has changed. Returns whether the call succeeded. */
function attempt(text: string, block: Block, call: () => unknown, expected: unknown, results: () => unknown): boolean {
  const before = block.bytes();
  try {
    call();
  } catch (error) {
    const hasChanged = block.bytes().some((byte, k) => byte !== before[k]);
    if (hasChanged || !(error instanceof StridewiseError)) throw new Error(`${text}: ${hasChanged}`, { cause: error });
    return false;
  }
  try {
    expectClose(results(), expected);
  } catch (error) {
    throw new Error(text, { cause: error });
  }
  return true;
}

const kinds = { "views of one tensor": views, "wraps of one buffer": wrapped };

describe.each(Object.entries(kinds))("%s", (_, makeBlock) => {
  test("out over the bytes of inputs", { timeout: 120_000 }, () => {
    const random: Random = (
      (roll) => (below) =>
        roll(0, below - 1)
    )(dice(7));
    const [taken, faults]: [Set<Op>, string[]] = [new Set(), []];
    for (const [name, sample, op] of cases)
      for (let round = 0; round < 2; round++)
        scope(() => {
          const args = argumentsOf(sample);
          const expected = op(...args);
          if (!fits([args, expected]) || tensorsIn(args).length === 0 || tensorsIn(expected).length === 0) return;
          const block = makeBlock();
          const { put, placed } = placer(block, random);
          const operands = args.map((arg) => mapTensors(arg, put));
          if (placed.length === 0) return;
          const out = mapTensors(expected, (t) => over(t, placed, block, random));
          const text = `${name}(${sample}), out ${tensorsIn(out).map(describing)} over ${placed.map(([t]) => describing(t))}`;
          try {
            if (
              attempt(
                text,
                block,
                () => op(...withOut(operands, out)),
                expected,
                () => out,
              )
            )
              taken.add(op);
          } catch (error) {
            faults.push(`${(error as Error).message}\n${(error as Error).cause ?? ""}`.slice(0, 600));
          }
        });
    expect(faults).toEqual([]);
    // Most ops take `out`, and some placements are fine for each of them.
    expect(taken.size).toBeGreaterThan(250);
  });

  test("in-place ops whose operands share bytes with the written tensor", { timeout: 120_000 }, () => {
    const random: Random = (
      (roll) => (below) =>
        roll(0, below - 1)
    )(dice(8));
    const faults: string[] = [];
    let count = 0;
    for (const [name, sample, op] of cases)
      for (let round = 0; round < 2; round++)
        scope(() => {
          const args = argumentsOf(sample);
          const [first] = args;
          const method = inPlaceForm(name, op);
          if (method === null || !(first instanceof Tensor) || tensorsIn(args).length < 2 || !fits(args)) return;
          const block = makeBlock();
          const { put, placed } = placer(block, random);
          const target = put(first);
          // Operands of the same dtype lie over the tensor; indices and masks keep their values.
          const operands = args
            .slice(1)
            .map((arg) =>
              mapTensors(arg, (t) => (t.dtype === first.dtype ? over(t, placed.slice(0, 1), block, random) : put(t))),
            );
          let expected: Tensor;
          try {
            expected = method(
              target.clone(),
              operands.map((arg) => mapTensors(arg, (t) => t.clone() as Tensor)),
            ) as Tensor;
          } catch {
            // The op has no in-place form for these arguments.
            return;
          }
          const text = `${name}_(${sample}) ${[target, ...tensorsIn(operands)].map(describing)}`;
          try {
            if (
              attempt(
                text,
                block,
                () => method(target, operands),
                expected,
                () => target,
              )
            )
              count++;
          } catch (error) {
            faults.push(`${(error as Error).message}\n${(error as Error).cause ?? ""}`.slice(0, 600));
          }
        });
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(30);
  });
});

test("random numbers over their own parameters", () => {
  const mine = Float64Array.of(1, 0, 1, 0, 1);
  const [x, p] = [fromBuffer(mine.subarray(1)) as Tensor, fromBuffer(mine.subarray(0, 4)) as Tensor];
  expect(bernoulli_(x, p).toArray()).toEqual([1, 0, 1, 0]);
});

describe("errors", () => {
  const single = "refer to a single memory location";

  test("outputs that share bytes, whatever they are views or wraps of", () => {
    const x = tensor([3, 1, 2]);
    const { buffer } = new Float32Array(8);
    const values = fromBuffer(buffer, { dtype: "float32", shape: [3] }) as Tensor;
    const indices = fromBuffer(buffer, { dtype: "int32", shape: [3], offset: 2 }) as Tensor;
    expect(() => sort(x, { out: { values, indices } })).toThrow(
      "sort: unsupported operation: two outputs share memory",
    );
    const strided = fromBuffer(buffer, { dtype: "int32", shape: [3], stride: [2], offset: 2 }) as Tensor;
    expect(() => sort(x, { out: { values, indices: strided } })).toThrow("two outputs share memory");
    expect(() => elementwise("s = x; d = -x", { x }, { out: { s: values, d: values.view(3) } })).toThrow("two outputs");
    expect(new Float32Array(buffer)).toEqual(new Float32Array(8));
    // Interleaved outputs share nothing.
    const even = fromBuffer(buffer, { dtype: "float32", shape: [3], stride: [2] }) as Tensor;
    const odd = fromBuffer(buffer, { dtype: "int32", shape: [3], stride: [2], offset: 1 }) as Tensor;
    sort(x, { out: { values: even, indices: odd } });
    expect([even.toArray(), odd.toArray()]).toEqual([
      [1, 2, 3],
      [1, 2, 0],
    ]);
    elementwise("s = x; d = -x", { x }, { out: { s: even, d: even.asStrided([3], [2], 1) } });
    expect(Array.from(new Float32Array(buffer).subarray(0, 6))).toEqual([3, -3, 1, -1, 2, -2]);
  });

  test("an out of which several elements lie in one place", () => {
    const x = arange(6).reshape(2, 3) as Tensor;
    const windows = zeros([4]).asStrided([2, 3], [1, 1]) as Tensor;
    for (const out of [zeros([1, 3]).expand(2, 3) as Tensor, windows]) {
      expect(() => cumsum(x, 1, { out })).toThrow(`cumsum: unsupported operation: more than one element`);
      expect(() => x.add(1, { out })).toThrow("add: unsupported operation: more than one element");
    }
    const expanded = zeros([1, 3]).expand(2, 3) as Tensor;
    expect(() => expanded.copy_(x)).toThrow("copy_: unsupported operation: more than one element");
    expect(() => expanded.add_(x)).toThrow("add_: unsupported operation: more than one element");
    const mask = tensor([true, true, false]);
    const one = zeros([1]).expand(2) as Tensor;
    expect(() => maskedSelect(tensor([1, 2, 3]), mask, { out: one })).toThrow("more than one element");
  });

  test("maskedSelect with an out that shares bytes with an input", () => {
    const mine = Float32Array.of(1, 2, 3, 4);
    const x = fromBuffer(mine) as Tensor;
    const mask = tensor([true, false, true, false]);
    const out = fromBuffer(mine, { shape: [2], offset: 1 }) as Tensor;
    expect(() => maskedSelect(x, mask, { out })).toThrow("maskedSelect: unsupported operation");
    expect(Array.from(mine)).toEqual([1, 2, 3, 4]);
  });

  test("a dense out over a dense input, in another wrap of the same buffer", () => {
    const mine = Float32Array.from({ length: 12 }, (_, k) => k);
    const wrap = (offset: number): Tensor => fromBuffer(mine, { shape: [2, 2], offset }) as Tensor;
    expect(() => matmul(wrap(0), wrap(4), { out: wrap(2) })).toThrow(single);
    expect(() => matmul(wrap(0), wrap(4), { out: wrap(4) })).toThrow("out is also an input");
    expect(() => wrap(0).add_(wrap(1))).toThrow(single);
    expect(() => wrap(0).copy_(wrap(1))).toThrow(single);
    expect(Array.from(mine)).toEqual(Array.from({ length: 12 }, (_, k) => k));
    // Exactly the same elements are fine for elementwise ops.
    expect(wrap(0).add_(wrap(0)).toArray()).toEqual([
      [0, 2],
      [4, 6],
    ]);
  });

  test("an out for indices that is not int32 or int64", () => {
    for (const dtype of ["float32", "float64", "int8", "complex64"] as const) {
      const out = zeros([2], { dtype }) as Tensor;
      const refused = `argmax: out for indices must be int32 or int64, got ${dtype}`;
      expect(() => argmax(arange(4).reshape(2, 2), 1, { out })).toThrow(refused);
    }
  });
});
