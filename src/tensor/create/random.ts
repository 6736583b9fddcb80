/**
 * Random tensors: rand, randn, randint, permutation. A draw takes one number of its generator and is then a pure function of
 * seed, number and element (`random-draw.ts`); elements count in the order of memory. Without a generator the default
 * one is used, which `manualSeed` restarts.
 */
import { StridewiseError } from "../../base/errors.ts";
import { writer } from "../../kernel/element.ts";
import { type DType, DTypeError, dtypes, isComplexDType, type TypedArray, type Value } from "../../storage/dtype.ts";
import { storageOf, type Tensor } from "../tensor.ts";
import {
  type CreateOptions,
  dtypeOr,
  empty,
  emptyLike,
  fresh,
  type LikeOptions,
  type ShapedOptions,
} from "./create.ts";
import { checkRange, defaultGenerator, type Generator } from "./generator.ts";
import {
  fillBigIntegers,
  fillIntegers,
  fillNormal,
  fillPermutation,
  fillUniform,
  type IntegerTarget,
  type RandomDraw,
} from "./random-draw.ts";

/** The options of random tensors. */
export interface RandomOptions {
  readonly generator?: Generator | undefined;
}

type Floats = Float32Array | Float64Array;

const nextDraw = (options: RandomOptions): RandomDraw => (options.generator ?? defaultGenerator()).nextDraw();

/** The elements of a new tensor, in the order of memory. */
function windowOf(t: Tensor, who: string): TypedArray {
  const storage = storageOf(t, who);
  const { array, parts } = dtypes[t.dtype];
  const window = storage.writable().array(array);
  const first = storage.byteOffset / window.BYTES_PER_ELEMENT;
  return window.subarray(first, first + t.size * parts);
}

/** Random bits of a float that is rounded later; 24 and 53 need no rounding. */
const significantBits: Readonly<Partial<Record<DType, number>>> = { float16: 11, bfloat16: 8 };

/** The draw that fills a tensor; null if there is nothing to fill. The meta device has no elements, and takes no number. */
function drawFor(t: Tensor, options: RandomOptions): RandomDraw | null {
  if (t.device.type === "meta") return null;
  const draw = nextDraw(options);
  return t.size === 0 ? null : draw;
}

/** Fills a new float or complex tensor, or frees it if that fails; float16 and bfloat16 are drawn as float32. */
function filled(...args: Parameters<typeof fillFresh>): Tensor {
  try {
    return fillFresh(...args);
  } catch (error) {
    args[0].dispose();
    throw error;
  }
}

function fillFresh(
  t: Tensor,
  options: RandomOptions,
  who: string,
  fill: (target: Floats, draw: RandomDraw, bits: number) => void,
): Tensor {
  const { category, parts } = dtypes[t.dtype];
  if (category !== "float" && category !== "complex")
    throw new DTypeError(
      `${who}: random floats need a float or complex dtype, got ${t.dtype}. For integers use randint(...)`,
    );
  const draw = drawFor(t, options);
  if (draw === null) return t;
  const bits = significantBits[t.dtype];
  const window = windowOf(t, who);
  if (bits === undefined) fill(window as Floats, draw, 24);
  else {
    const values = new Float32Array(t.size * parts);
    fill(values, draw, bits);
    const write = writer(t.dtype);
    for (let i = 0; i < values.length; i++) write(window, i, values[i] as Value);
  }
  return t;
}

function uniform(t: Tensor, options: RandomOptions, who: string): Tensor {
  return filled(t, options, who, (target, draw, bits) => fillUniform(target, draw, 0, target.length, bits));
}

/** A complex normal number has variance 1, half of it in each part. */
function normal(t: Tensor, options: RandomOptions, who: string): Tensor {
  return filled(t, options, who, (target, draw) => {
    fillNormal(target, draw);
    if (isComplexDType(t.dtype)) for (let i = 0; i < target.length; i++) target[i] = target[i] * Math.SQRT1_2;
  });
}

/** Numbers uniform in [0, 1). */
export function rand(shape: readonly number[], options: ShapedOptions & RandomOptions = {}): Tensor {
  return uniform(empty(shape, options, "rand"), options, "rand");
}

/** Numbers of the normal distribution with mean 0 and variance 1. */
export function randn(shape: readonly number[], options: ShapedOptions & RandomOptions = {}): Tensor {
  return normal(empty(shape, options, "randn"), options, "randn");
}

/** The same with the shape, dtype and order of another tensor. */
export function randLike(t: Tensor, options: LikeOptions & RandomOptions = {}): Tensor {
  return uniform(emptyLike(t, options, "randLike"), options, "randLike");
}

export function randnLike(t: Tensor, options: LikeOptions & RandomOptions = {}): Tensor {
  return normal(emptyLike(t, options, "randnLike"), options, "randnLike");
}

/** The integers a dtype holds exactly. */
const exactIntegers: Readonly<Partial<Record<DType, number>>> = {
  float16: 2 ** 11,
  bfloat16: 2 ** 8,
  float32: 2 ** 24,
};

function checkFits(low: bigint, high: bigint, dtype: DType): void {
  const { category, itemsize } = dtypes[dtype];
  const bits = BigInt(8 * itemsize);
  const unsigned = dtype.startsWith("u");
  const exact = BigInt(exactIntegers[dtype] ?? 2 ** 53);
  const min = category === "integer" ? (unsigned ? 0n : -(2n ** (bits - 1n))) : category === "float" ? -exact : 0n;
  const max =
    category === "integer"
      ? 2n ** (unsigned ? bits : bits - 1n) - 1n
      : category === "float"
        ? exact
        : category === "bool"
          ? 1n
          : -1n;
  if (low < min || high - 1n > max)
    throw new DTypeError(
      category === "complex"
        ? `randint: random integers need an integer, float or bool dtype, got ${dtype}`
        : `randint: from ${low} to ${high - 1n} is out of bounds for ${dtype}, which holds ${min} to ${max}. Choose a wider dtype: { dtype: "int64" }`,
    );
}

/** Integers low <= x < high. Default dtype: int32 for numbers, int64 for bigints. */
export function randint(
  low: number | bigint,
  high: number | bigint,
  shape: readonly number[],
  options: ShapedOptions & RandomOptions = {},
): Tensor {
  if (!Array.isArray(shape)) throw new StridewiseError("randint: needs low, high and a shape: randint(0, 9, [2])");
  const isExact = typeof low === "bigint" || typeof high === "bigint";
  const dtype = dtypeOr("randint", options, isExact ? "int64" : "int32");
  if (!isExact || [low, high].some((end) => typeof end !== "bigint" && !Number.isInteger(end)))
    checkRange("randint", low as number, high as number);
  const [from, to] = [BigInt(low), BigInt(high)];
  if (from >= to)
    throw new StridewiseError(
      `randint: low must be less than high, got low ${low} and high ${high} (high is exclusive)`,
    );
  checkFits(from, to, dtype);
  const t = fresh("randint", shape, dtype, options);
  const draw = drawFor(t, options);
  if (draw === null) return t;
  const window = windowOf(t, "randint");
  if (dtype === "int64" || dtype === "uint64") fillBigIntegers(window as BigInt64Array, draw, from, to);
  else if (significantBits[dtype] !== undefined) {
    const values = new Float64Array(t.size);
    fillIntegers(values, draw, Number(from), Number(to));
    const write = writer(dtype);
    for (let i = 0; i < values.length; i++) write(window, i, values[i] as Value);
  } else fillIntegers(window as IntegerTarget, draw, Number(from), Number(to));
  return t;
}

/** The integers from 0 to count - 1 in random order. Default dtype: int32. */
export function permutation(count: number, options: CreateOptions & RandomOptions = {}): Tensor {
  const dtype = dtypeOr("permutation", options, "int32");
  const t = fresh("permutation", [count], dtype, options);
  checkFits(0n, BigInt(Math.max(count, 1)), dtype);
  const draw = drawFor(t, options);
  if (draw === null) return t;
  const values = new Float64Array(count);
  fillPermutation(values, draw);
  const window = windowOf(t, "permutation");
  const write = writer(dtype);
  for (let i = 0; i < count; i++) write(window, i, values[i] as Value);
  return t;
}
