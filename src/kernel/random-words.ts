/**
 * Random numbers by kernels: the words of many blocks of Philox4x32-10 at once, the same as `tensor/create/philox.ts` computes one by one; pairs
 * of normal numbers from such words, by Box-Muller in float64, rounded to float32; and uniform numbers. The caller chooses the blocks.
 */
import { once } from "../base/lazy.ts";
import { cpuAllocator } from "../storage/allocator.ts";
import type { DType } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";
import { hasBackend, kernelBackend } from "./backend.ts";
import { fixedStorage } from "./copy.ts";
import { call, cast, constantScalar, type Scalar } from "./ir/scalar.ts";
import { MapKernel } from "./map/map.ts";
import type { Operand } from "./operand.ts";
import { runMap } from "./program/lower-map.ts";
import { withWorkspace } from "./program/run-program.ts";

const word = (value: number): Scalar => constantScalar("uint32", value);

/** The upper and the lower half of the product of a word with a constant. */
function product(x: Scalar, by: number): readonly [high: Scalar, low: Scalar] {
  const wide = call("mul", cast("uint64", x), constantScalar("uint64", by));
  return [cast("uint32", call("shiftRight", wide, constantScalar("uint64", 32))), cast("uint32", wide)];
}

/** The words of counter (first + number, counter1, counter2, counter3) under a key. */
function words([first, counter1, counter2, counter3, key0, key1]: readonly Scalar[], number: Scalar): Scalar[] {
  let x0 = call("add", first, cast("uint32", number));
  let [x1, x2, x3] = [counter1, counter2, counter3];
  let [k0, k1] = [key0, key1];
  for (let round = 0; round < 10; round++) {
    const [high0, low0] = product(x0, 0xd2511f53);
    const [high2, low2] = product(x2, 0xcd9e8d57);
    x0 = call("xor", call("xor", high2, x1), k0);
    x2 = call("xor", call("xor", high0, x3), k1);
    x1 = low2;
    x3 = low0;
    k0 = call("add", k0, word(0x9e3779b9));
    k1 = call("add", k1, word(0xbb67ae85));
  }
  return [x0, x1, x2, x3];
}

const philox = /* @__PURE__ */ once(
  () =>
    new MapKernel({
      name: "philox",
      outputs: ["uint32", "uint32", "uint32", "uint32"],
      inputs: [],
      scalars: ["uint32", "uint32", "uint32", "uint32", "uint32", "uint32"],
      body: (_, scalars, number) => words(scalars, number()),
    }),
);

const number = (value: number): Scalar => constantScalar("float64", value);
const times = (x: Scalar, by: number): Scalar => call("mul", x, number(by));

/** 1 + c1 x + c2 x^2 + ..., where each coefficient is the previous one divided by -k (k + 1), for k = from, from + 2, ... */
function series(x: Scalar, from: number, terms: number): Scalar {
  let sum = number(1);
  for (let k = from + 2 * (terms - 1); k >= from; k -= 2)
    sum = call("add", number(1), call("mul", times(x, -1 / (k * (k + 1))), sum));
  return sum;
}

/** Cosine and sine of an angle in quarter turns, from -2 to 2: those of its distance to the nearest quarter, then rotated. */
function turned(quarters: Scalar): readonly [cos: Scalar, sin: Scalar] {
  const whole = call("round", quarters);
  const angle = times(call("sub", quarters, whole), Math.PI / 2);
  const square = call("mul", angle, angle);
  const [cos, sin] = [series(square, 1, 8), call("mul", angle, series(square, 2, 7))];
  // For quarters from -2 to 2: -1, 0, 1, 0, -1 and 0, -1, 0, 1, 0.
  const size = call("abs", whole);
  const along = call("sub", number(1), size);
  const across = call("mul", whole, call("sub", number(2), size));
  const combined = (a: Scalar, b: Scalar): Scalar => call("add", call("mul", cos, a), call("mul", sin, b));
  return [combined(along, call("neg", across)), combined(across, along)];
}

const normals = /* @__PURE__ */ once(
  () =>
    new MapKernel({
      name: "box_muller",
      outputs: ["float32", "float32"],
      inputs: ["uint32", "int32"],
      scalars: [],
      body: ([first, second]) => {
        // In (0, 1], so that the logarithm exists.
        const u = times(call("add", cast("float64", first), number(1)), 2 ** -32);
        const radius = call("sqrt", times(call("log", u), -2));
        return turned(times(cast("float64", second), 2 ** -30)).map((side) =>
          cast("float32", call("mul", radius, side)),
        );
      },
    }),
);

const uniforms = /* @__PURE__ */ once(
  () =>
    new MapKernel({
      name: "uniform",
      outputs: ["float32"],
      inputs: ["uint32"],
      scalars: ["uint32", "float32"],
      body: ([x], [shift, unit]) => {
        const bits = call("shiftRight", x, shift);
        // At most 24 bits, and signed integers convert faster.
        return [call("mul", cast("float32", cast("int32", bits)), unit)];
      },
    }),
);

/** An operand of `count` elements, every `step`-th from `offset` on. */
const strided = (
  dtype: DType,
  memory: Memory,
  byteOffset: number,
  offset: number,
  step: number,
  count: number,
): Operand => ({
  storage: fixedStorage(memory, byteOffset),
  dtype,
  offset,
  shape: [count],
  stride: [step],
});

/**
 * True if and only if kernels generate words faster than a loop, as those of the reference backend do not, and may allocate meanwhile: a
 * caller may hold a typed array over the heap, which stays valid during growth only if the heap is shared.
 */
export const makesWords = (): boolean =>
  hasBackend() && kernelBackend().name === "wasm" && cpuAllocator().regions.heap?.shared === true;

/**
 * Calls `use` with the words of `blocks` counters, whose first word counts up from `counter[0]` and does not pass 2^32. They are in memory
 * during the call, followed by as many free bytes.
 */
export function withPhilox(
  blocks: number,
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
  use: (memory: Memory, byteOffset: number) => void,
): void {
  withWorkspace(32 * blocks, (memory, byteOffset) => {
    const outputs = [0, 1, 2, 3].map((lane) => strided("uint32", memory, byteOffset, lane, 4, blocks));
    const scalars = [...counter, ...key].map((value) => value >>> 0);
    runMap(philox(), outputs, scalars);
    use(memory, byteOffset);
  });
}

/** Writes two normal numbers for each two words. */
export function runNormals(memory: Memory, wordsAt: number, byteOffset: number, pairs: number): void {
  const operand = (dtype: DType, at: number, offset: number): Operand => strided(dtype, memory, at, offset, 2, pairs);
  runMap(normals(), [
    operand("float32", byteOffset, 0),
    operand("float32", byteOffset, 1),
    operand("uint32", wordsAt, 0),
    operand("int32", wordsAt, 1),
  ]);
}

/** Writes a number in [0, 1) for each word, from its upper `bits` bits, at most 24. */
export function runUniforms(memory: Memory, wordsAt: number, byteOffset: number, count: number, bits: number): void {
  const operands = [
    strided("float32", memory, byteOffset, 0, 1, count),
    strided("uint32", memory, wordsAt, 0, 1, count),
  ];
  runMap(uniforms(), operands, [32 - bits, 2 ** -bits]);
}
