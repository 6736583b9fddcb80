/**
 * Matrix products equal a naive loop: random sizes (0, 1, past the edges of tiles), strides (0, negative, transposed,
 * gaps), batches and dtypes, in heap and user memory, with blocks so small that every algorithm is used. Floats are
 * small integers here, so that their sums are exact in any order and the bytes can be compared. LAW_CASES sets the
 * number of cases.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import { configure } from "../../src/backends/wasm/options.ts";
import { sharing, type Threads } from "../../src/backends/wasm/threads.ts";
import { type KernelBackend, kernelBackend, replaceBackend } from "../../src/kernel/backend.ts";
import { summing } from "../../src/kernel/contract/accumulator.ts";
import { reader, writer } from "../../src/kernel/element.ts";
import type { Kernel } from "../../src/kernel/ir/kernel.ts";
import { checkKernel } from "../../src/kernel/ir/verify.ts";
import type { Operand } from "../../src/kernel/operand.ts";
import { runMatmul, ways } from "../../src/kernel/program/lower-contract.ts";
import { packing } from "../../src/kernel/program/lower-packed.ts";
import { type Complex, type DType, dtypes, type Value } from "../../src/storage/dtype.ts";
import { requestedCases } from "../support/kernel-agreement.ts";
import {
  bytesOf,
  type Dice,
  describeOperand,
  dice,
  expectBytes,
  expectedBytes,
  positions,
  randomOperand,
  storageInHeap,
  storageOver,
} from "../support/operands.ts";

const cases = requestedCases ?? 400;
const types = (Object.keys(dtypes) as DType[]).filter((dtype) => dtype !== "bool");
const usual = { ways: { ...ways }, packing: { ...packing }, summing: { ...summing }, sharing: { ...sharing } };

beforeAll(() => {
  kernelBackend();
});

afterAll(() => {
  Object.assign(ways, usual.ways);
  Object.assign(packing, usual.packing);
  Object.assign(summing, usual.summing);
  Object.assign(sharing, usual.sharing);
  configure({ threads: "auto" });
});

interface Case {
  readonly out: Operand;
  readonly a: Operand;
  readonly b: Operand;
  readonly accumulates: boolean;
}

/** An operand in its own storage, filled with random elements. */
function operandOf(roll: Dice, dtype: DType, shape: number[], mayRepeat: boolean): Operand {
  const { itemsize, parts, array } = dtypes[dtype];
  const isPlain = roll(0, 1) === 0;
  const shaped = randomOperand(roll, storageOver(new ArrayBuffer(0)), dtype, shape, mayRepeat);
  const stride = isPlain ? shape.map((_, axis) => shape.slice(axis + 1).reduce((x, y) => x * y, 1)) : shaped.stride;
  const placed = isPlain ? { ...shaped, offset: roll(0, 3), stride } : shaped;
  const last = positions(placed).reduce((x, y) => Math.max(x, y), 0);
  const buffer = new ArrayBuffer(Math.ceil(((last + 2) * itemsize) / 16) * 16);
  const operand = { ...placed, storage: (roll(0, 5) === 0 ? storageOver : storageInHeap)(buffer, 0) };
  const window = operand.storage.writable().array(array);
  const write = writer(dtype);
  const first = operand.storage.byteOffset / (itemsize / parts) / parts;
  const isWide = dtypes[dtype].category === "integer";
  const number = (): number => (isWide ? roll(0, 2 ** 32 - 1) | 0 : roll(0, 6) - 3);
  for (let i = 0; i < buffer.byteLength / itemsize; i++)
    write(window, first + i, parts === 2 ? { re: number(), im: number() } : isWide ? BigInt(number()) : number());
  return operand;
}

function caseOf(roll: Dice): Case {
  const dtype = roll(0, 2) === 0 ? "float32" : (types[roll(0, types.length - 1)] as DType);
  const size = (): number => [roll(1, 4), roll(1, 9), roll(1, 30), roll(0, 12) === 0 ? 0 : 8][roll(0, 3)] as number;
  const [m, n, k] = [size(), size(), size()];
  const batch = Array.from({ length: Math.max(0, roll(0, 5) - 3) }, () => (roll(0, 20) === 0 ? 0 : roll(1, 4)));
  const of = (rows: number, columns: number, mayRepeat: boolean): Operand =>
    operandOf(roll, dtype, [...batch, rows, columns], mayRepeat);
  return { out: of(m, n, false), a: of(m, k, true), b: of(k, n, true), accumulates: roll(0, 2) === 0 };
}

/** The elements, integers as bigints. */
const elements = (operand: Operand): Value[] => {
  const { array, category } = dtypes[operand.dtype];
  const window = operand.storage.readable().array(array);
  return positions(operand).map((at) => {
    const value = reader(operand.dtype, "bigint")(window, at);
    return category === "integer" ? BigInt(value as number) : value;
  });
};

const isComplex = (value: Value): value is Complex => typeof value === "object";
const times = (x: Value, y: Value): Value => {
  if (isComplex(x) && isComplex(y)) return { re: x.re * y.re - x.im * y.im, im: x.re * y.im + x.im * y.re };
  return typeof x === "bigint" ? x * (y as bigint) : (x as number) * (y as number);
};
const plus = (x: Value, y: Value): Value => {
  if (isComplex(x) && isComplex(y)) return { re: x.re + y.re, im: x.im + y.im };
  return typeof x === "bigint" ? x + (y as bigint) : (x as number) + (y as number);
};

/** All elements of the output, by three loops. */
function expectedOf({ out, a, b, accumulates }: Case): Value[] {
  const [m, n] = out.shape.slice(-2) as [number, number];
  const k = a.shape.at(-1) as number;
  const [x, y, before] = [elements(a), elements(b), elements(out)];
  const { category } = dtypes[out.dtype];
  const zero: Value = category === "complex" ? { re: 0, im: 0 } : category === "integer" ? 0n : 0;
  return before.map((old, at) => {
    const [product, i, j] = [Math.floor(at / (m * n)), Math.floor(at / n) % m, at % n];
    let sum: Value = accumulates ? old : zero;
    for (let step = 0; step < k; step++)
      sum = plus(sum, times(x[(product * m + i) * k + step] as Value, y[(product * k + step) * n + j] as Value));
    return typeof sum === "bigint" ? wrapped(out.dtype, sum) : sum;
  });
}

const wrapped = (dtype: DType, value: bigint): bigint => {
  const bits = 8 * dtypes[dtype].itemsize;
  return dtype.startsWith("u") ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
};

/** Limits so small that a few elements use every algorithm. */
function cut(roll: Dice): void {
  const pick = <T>(...of: T[]): T => of[roll(0, of.length - 1)] as T;
  Object.assign(ways, {
    near: pick(0, 30, usual.ways.cached),
    wide: pick(0, 30, usual.ways.wide),
    large: pick(0, 100, usual.ways.large),
    long: pick(1, 64),
    along: pick(1, 16, 64),
    few: pick(6, 16),
    staged: pick(20, usual.ways.staged),
  });
  Object.assign(packing, {
    rows: pick(4, 8, 64),
    columns: pick(8, 16, 128),
    depth: pick(1, 5, 512),
    elements: pick(32, 200, 2 ** 20),
  });
  Object.assign(summing, { block: pick(1, 3, 512), chunk: pick(1, 7, 2 ** 18) });
}

const describeCase = ({ out, a, b, accumulates }: Case): string =>
  `${[out, a, b].map(describeOperand).join(", ")}${accumulates ? ", added" : ""}; ${JSON.stringify([ways, packing, summing])}`;

test(`a product is the sum over k, and nothing else is written (${cases} cases)`, () => {
  for (let number = 0; number < cases; number++) {
    const roll = dice(number * 31 + 5);
    const product = caseOf(roll);
    cut(roll);
    const expected = expectedBytes(product.out, expectedOf(product));
    runMatmul(product.out, product.a, product.b, product.accumulates);
    expectBytes(bytesOf(product.out), expected, `case ${number}: ${describeCase(product)}`);
  }
}, 3_600_000);

test("float32 sums over a long k are close to exact ones, by every algorithm", () => {
  for (const [m, n, k] of [
    [1, 300, 2000],
    [300, 1, 2000],
    [37, 41, 2000],
    [9, 9, 4001],
  ] as const) {
    const roll = dice(m + n);
    Object.assign(ways, usual.ways);
    Object.assign(packing, usual.packing);
    const of = (rows: number, columns: number): Operand => {
      const data = Float32Array.from({ length: rows * columns }, () => roll(-1000, 1000) / 1000);
      return {
        storage: storageInHeap(data.buffer),
        dtype: "float32",
        offset: 0,
        shape: [rows, columns],
        stride: [columns, 1],
      };
    };
    const product = { out: of(m, n), a: of(m, k), b: of(k, n), accumulates: false };
    const exact = expectedOf(product) as number[];
    for (const [near, large] of [
      [0, 0],
      [0, 1e9],
      [1e9, 1e9],
    ] as const) {
      Object.assign(ways, { near, wide: near, large });
      runMatmul(product.out, product.a, product.b);
      const worst = (elements(product.out) as number[]).reduce(
        (x, y, at) => Math.max(x, Math.abs(y - (exact[at] as number))),
        0,
      );
      // k products of size at most 1, each rounded, and sums of size about sqrt(k).
      expect(worst, `${m} x ${n} x ${k}, ${near}, ${large}`).toBeLessThan(k * 2 ** -24);
    }
  }
});

/** Elements that are not small integers, so that the order of sums is visible. */
function roughen(roll: Dice, operand: Operand): void {
  const { dtype, storage } = operand;
  const { array, category, parts } = dtypes[dtype];
  if (category === "integer") return;
  const window = storage.writable().array(array);
  const number = (): number => roll(0, 2e6) / 777 - 1300;
  for (const at of positions(operand))
    writer(dtype)(window, at, parts === 2 ? { re: number(), im: number() } : number() / 1000);
}

/** The bytes that a case leaves, run repeatedly over the same elements. */
function runner(product: Case): () => Uint8Array {
  const { out } = product;
  const before = elements(out);
  return () => {
    const window = out.storage.writable().array(dtypes[out.dtype].array);
    positions(out).forEach((at, i) => {
      writer(out.dtype)(window, at, before[i] as Value);
    });
    runMatmul(out, product.a, product.b, product.accumulates);
    return bytesOf(out);
  };
}

test("kernels follow the rules of the IR, and the reference computes the same as WebAssembly without relaxed SIMD", () => {
  configure({ relaxedSimd: false });
  const installed = kernelBackend();
  const seen = new Set<string>();
  const reference = Object.assign(Object.create(referenceBackend()) as KernelBackend, {
    compile: (kernel: Kernel) => {
      if (!seen.has(kernel.name)) checkKernel(kernel);
      seen.add(kernel.name);
      return referenceBackend().compile(kernel);
    },
  });
  for (let number = 0; number < Math.ceil(cases / 4); number++) {
    const roll = dice(number * 41 + 9);
    const product = caseOf(roll);
    cut(roll);
    // The reference reaches all memory; staged operands have other strides and may use another algorithm.
    if (![product.out, product.a, product.b].every(({ storage }) => installed.canAddress(storage.readable()))) continue;
    [product.a, product.b].forEach((operand) => {
      roughen(roll, operand);
    });
    const run = runner(product);
    const expected = run();
    replaceBackend(reference);
    try {
      expectBytes(run(), expected, `case ${number}: ${describeCase(product)}`);
    } finally {
      replaceBackend(installed);
    }
  }
  const waysTaken = ["direct", "packed", "thin", "dots", "pack"].filter((way) =>
    [...seen].some((name) => name.includes(way)),
  );
  expect(waysTaken).toHaveLength(5);
  configure({ relaxedSimd: "products" });
}, 3_600_000);

test("two threads compute the same bits as one", async () => {
  const installed = kernelBackend() as KernelBackend & { readonly threads: Threads };
  Object.assign(sharing, { elements: 0, worth: 0, start: 0 });
  configure({ threads: 2 });
  const pool = installed.threads.forModules();
  for (let tries = 0; pool !== null && pool.started() < 1 && tries < 1000; tries++)
    await new Promise((ready) => setTimeout(ready, 10));
  for (let number = 0; number < Math.ceil(cases / 4); number++) {
    const roll = dice(number * 57 + 3);
    const product = caseOf(roll);
    cut(roll);
    [product.a, product.b].forEach((operand) => {
      roughen(roll, operand);
    });
    const run = runner(product);
    configure({ threads: 1 });
    const alone = run();
    configure({ threads: 2 });
    expectBytes(run(), alone, `case ${number}: ${describeCase(product)}`);
  }
  const report = installed.threads.report();
  if (report !== null) expect(report.helped).toBeGreaterThan(cases / 40);
  await installed.threads.shutdown();
}, 3_600_000);
