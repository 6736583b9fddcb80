/**
 * Scans of random operands compared with plain loops over float64 and bigint, along and across, on all backends, with
 * the same bits from each of them and from one thread and two. Each scan of a dtype is tested on a thousandth of
 * LAW_CASES operands.
 */
import { afterEach, describe, expect, test } from "vitest";
import { openBackend } from "../../src/backends/open.ts";
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import { configure } from "../../src/backends/wasm/options.ts";
import { sharing, type Threads } from "../../src/backends/wasm/threads.ts";
import { type KernelBackend, replaceBackend } from "../../src/kernel/backend.ts";
import { checkKernel } from "../../src/kernel/ir/verify.ts";
import type { Operand } from "../../src/kernel/operand.ts";
import { lowerScan, scanning } from "../../src/kernel/program/lower-scan.ts";
import { execute } from "../../src/kernel/program/run-program.ts";
import { buildScan, buildScanAcross } from "../../src/kernel/scan/build.ts";
import { makeScan, type Scan, scannedDType } from "../../src/kernel/scan/scans.ts";
import { needsMemory } from "../../src/kernel/scan/spec.ts";
import { type DType, DTypeError, dtypeNames, dtypes, type Value } from "../../src/storage/dtype.ts";
import { describeOperand, dice, exact, storageInHeap, storageOver } from "../support/operands.ts";
import {
  type Allocate,
  asComplex,
  forgetBuffers,
  isNaNValue,
  isNear,
  randomInput,
  randomOutput,
  regionsOf,
} from "../support/reduced-regions.ts";

function runScan(scan: Scan, outputs: readonly Operand[], input: Operand): void {
  execute(outputs, [input], (builder) => lowerScan(builder, scan, outputs, input));
}

const cases = Math.max(6, Math.ceil(Number(process.env["LAW_CASES"] ?? 0) / 1000));
const scans: readonly Scan[] = ["cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"];

let opened: (KernelBackend & { readonly threads?: Threads }) | null = null;
const wasm = (): KernelBackend & { readonly threads?: Threads } => {
  opened ??= openBackend();
  return opened;
};

const before = { ...scanning };
afterEach(() => {
  Object.assign(scanning, before);
  replaceBackend(null);
  forgetBuffers();
});

const isDefined = (scan: Scan, dtype: DType): boolean => {
  try {
    scannedDType("law", scan, dtype);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(DTypeError);
    return false;
  }
};

/** The outputs for one row, each with the scale of its rounding error. */
function naive(scan: Scan, row: readonly Value[], dtype: DType): readonly (readonly [Value, number])[][] {
  const results: (readonly [Value, number])[] = [];
  if (scan === "cummax" || scan === "cummin") {
    const entries: (readonly [Value, number])[] = [];
    let at = 0;
    row.forEach((value, k) => {
      const best = row[at] as number;
      const isReplaced = scan === "cummax" ? (value as number) >= best : (value as number) <= best;
      if (isNaNValue(value) || (!isNaNValue(best) && isReplaced)) at = k;
      results.push([row[at] as Value, 0]);
      entries.push([BigInt(at), 0]);
    });
    return [results, entries];
  }
  if (dtypes[dtype].category === "float" || dtypes[dtype].category === "complex") {
    let [re, im, size, terms] = [scan === "cumprod" ? 1 : 0, 0, 0, 0];
    const isComplex = dtypes[dtype].category === "complex";
    for (const value of row.map(asComplex)) {
      if (scan === "cumprod") {
        // Real numbers have no imaginary part, not even 0 times an infinity.
        const isReal = dtypes[dtype].category === "float";
        [re, im] = [re * value.re - (isReal ? 0 : im * value.im), isReal ? 0 : re * value.im + im * value.re];
      } else if (scan === "cumsum") [re, im] = [re + value.re, im + value.im];
      else {
        const term = Math.exp(value.re);
        [re, im, terms] = [re + term * Math.cos(value.im), im + term * Math.sin(value.im), terms + term];
      }
      // The rounding error in float64 is relative to the sum of all terms.
      size += Math.hypot(value.re, value.im) * 2 ** -24;
      results.push([
        scan !== "logcumsumexp"
          ? { re, im }
          : isComplex
            ? { re: Math.log(Math.hypot(re, im)), im: Math.atan2(im, re) }
            : Math.log(re),
        // The plain loop rounds too: in float64 once per term, and complex terms may cancel each other.
        scan === "cumsum"
          ? size
          : scan === "logcumsumexp" && (dtype === "float64" || isComplex)
            ? ((results.length + 1) * terms) / Math.hypot(re, im)
            : Math.hypot(re, im),
      ]);
    }
    return [results];
  }
  let total = scan === "cumsum" ? 0n : 1n;
  for (const value of row) {
    total = scan === "cumsum" ? total + BigInt(value as bigint) : total * BigInt(value as bigint);
    results.push([dtype === "uint64" ? BigInt.asUintN(64, total) : BigInt.asIntN(64, total), 0]);
  }
  return [results];
}

/** Runs a scan on random operands and returns its outputs. */
function runCase(scan: Scan, dtype: DType, seed: number, allocate: Allocate): [Operand, Operand[]] {
  const roll = dice(seed);
  const rank = roll(1, 3);
  const sizes = rank === 1 ? [1, 2, 30, 2000] : [0, 1, 2, 3, 9, 17];
  const shape = Array.from({ length: rank }, () => sizes[roll(roll(0, 9) === 0 ? 0 : 1, sizes.length - 1)] as number);
  const isWild = scan === "cummax" || scan === "cummin";
  const input = randomInput(roll, dtype, shape, allocate, isWild);
  const types: DType[] = [scannedDType("law", scan, dtype)];
  if (isWild && seed % 4 !== 3) types.push("int64");
  const outputs = types.map((type) => randomOutput(roll, type, shape, allocate));
  runScan(scan, outputs, input);
  return [input, outputs];
}

function expectLaw(scan: Scan, input: Operand, outputs: readonly Operand[], what: string): void {
  const rows = regionsOf(input, input.shape.length - 1).map((row) => naive(scan, row, input.dtype));
  outputs.forEach((output, o) => {
    const values = exact(output);
    rows
      .flatMap((row) => row[o] as (readonly [Value, number])[])
      .forEach(([expected, size], k) => {
        const value = values[k] as Value;
        const isRight =
          typeof value === "bigint" || typeof value === "boolean"
            ? BigInt(value) === BigInt(expected as bigint)
            : isNear(value, expected, output.dtype, size, scan === "logcumsumexp" ? 4 : 1.01);
        if (!isRight) expect({ output: o, at: k, value }, `${what} ${describeOperand(input)}`).toEqual(expected);
      });
  });
}

describe.each(scans)("%s", (scan) => {
  test.each(dtypeNames.filter((dtype) => isDefined(scan, dtype)))("of %s equals a plain loop", (dtype) => {
    const results = [referenceBackend(), wasm()].map((backend) => {
      replaceBackend(backend);
      return [before.minAcross, 1, 1e9].map((minAcross) => {
        scanning.minAcross = minAcross;
        return Array.from({ length: cases }, (_, seed) => {
          const allocate = seed % 3 === 1 ? storageOver : storageInHeap;
          const [input, outputs] = runCase(scan, dtype, seed * 73 + dtype.length, allocate);
          expectLaw(scan, input, outputs, `case ${seed}, across from ${minAcross}:`);
          return outputs.map(exact);
        });
      });
    });
    if (scan !== "logcumsumexp") expect(results[1]).toEqual(results[0]);
  });
});

test("the kernels follow the rules of the IR", () => {
  for (const scan of scans)
    for (const dtype of (["bool", "float32", "complex64"] as const).filter((each) => isDefined(scan, each))) {
      const { spec } = makeScan("law", scan, dtype, [scannedDType("law", scan, dtype)]);
      for (const classes of [5, 10]) {
        if (!needsMemory(spec)) for (const together of [1, 4]) checkKernel(buildScan(spec, classes, together));
        checkKernel(buildScanAcross(spec, classes));
      }
    }
});

test("running sums of infinities and their logarithms follow the definition", () => {
  const inputs = [
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    1,
    900,
    Number.POSITIVE_INFINITY,
    2,
    Number.NaN,
    1,
  ];
  const buffer = Float64Array.from(inputs).buffer;
  const input: Operand = { storage: storageInHeap(buffer), dtype: "float64", offset: 0, shape: [8], stride: [1] };
  const out: Operand = { ...input, storage: storageInHeap(new ArrayBuffer(64)) };
  runScan("logcumsumexp", [out], input);
  const { POSITIVE_INFINITY: max, NEGATIVE_INFINITY: min, NaN: none } = Number;
  expect(exact(out)).toEqual([min, min, 1, 900, max, max, none, none]);
});

test("two threads compute the bits of one", async () => {
  const installed = { ...sharing };
  try {
    Object.assign(sharing, { elements: 0, worth: 0, start: 0 });
    configure({ threads: 2 });
    const pool = wasm().threads?.forModules() ?? null;
    for (let tries = 0; pool !== null && pool.started() < 1 && tries < 1000; tries++)
      await new Promise((ready) => setTimeout(ready, 10));
    replaceBackend(wasm());
    for (const scan of scans) {
      const results = [1, 2].map((threads) => {
        configure({ threads });
        return Array.from({ length: cases }, (_, seed) =>
          runCase(scan, "float32", seed * 17 + 3, storageInHeap)[1].map(exact),
        );
      });
      expect(results[1]).toEqual(results[0]);
    }
  } finally {
    Object.assign(sharing, installed);
    await wasm().threads?.shutdown();
    configure({ threads: "auto" });
  }
});
