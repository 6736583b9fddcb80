/** Kernels of several threads, interpreted: results, races, divergent barriers and elements without a value. */
import { describe, expect, test } from "vitest";
import { type BlockKernel, blockKernels, blockModes } from "../../../test/support/block-kernels.ts";
import { runKernel } from "../../../test/support/run-kernel.ts";
import { parseKernel } from "../../kernel/ir/parse.ts";
import { printKernel } from "../../kernel/ir/print.ts";
import { formatFinding, verifyKernel } from "../../kernel/ir/verify.ts";
import type { TypedArray, Value } from "../../storage/dtype.ts";
import { memoryOf } from "../../storage/memory.ts";
import { checkRun, threadsBackend } from "./threads.ts";

const copies = ({ buffers }: Pick<BlockKernel, "buffers">): Record<string, TypedArray> =>
  Object.fromEntries(Object.entries(buffers).map(([name, array]) => [name, array.slice() as TypedArray]));

interface Run {
  readonly text: string;
  readonly buffers: Readonly<Record<string, TypedArray>>;
  readonly sizes?: Readonly<Record<string, number>>;
  readonly scalars?: Readonly<Record<string, Value>>;
}

/** The faults of a run over copies of the buffers. */
function faultsOf({ text, sizes = {}, scalars = {}, ...run }: Run): readonly string[] {
  const kernel = parseKernel(text);
  const buffers = copies(run);
  const faults = checkRun(kernel, {
    memories: kernel.buffers.map(({ name }) => memoryOf((buffers[name] as TypedArray).buffer)),
    addresses: kernel.buffers.map(() => 0),
    scalars: kernel.scalars.map(({ name }) => scalars[name] as Value),
    sizes: kernel.sizes.map(({ name }) => sizes[name] as number),
    modes: kernel.modes.map(({ name }) => [...(blockModes[name] as readonly number[])]),
    units: 1,
    unitSize: 1,
  });
  return faults.map((fault) => fault.text);
}

describe.each(Object.entries(blockKernels))("%s", (_, kernel) => {
  test("prints as it is written", () => {
    expect(printKernel(parseKernel(kernel.text))).toBe(kernel.text);
  });

  test("breaks no rule", () => {
    const errors = verifyKernel(parseKernel(kernel.text)).filter(({ level }) => level === "error");
    expect(errors.map(formatFinding)).toEqual([]);
  });

  test("computes its results", () => {
    const buffers = copies(kernel);
    runKernel(kernel.text, { buffers, sizes: kernel.sizes, modes: blockModes }, threadsBackend());
    for (const [name, values] of Object.entries(kernel.expected))
      expect([...(buffers[name] as TypedArray)]).toEqual(values);
  });

  test("has no race", () => {
    expect(faultsOf(kernel)).toEqual([]);
  });

  test("has a race, or loads elements without a value, without any one of its barriers", () => {
    const lines = kernel.text.split("\n");
    lines.forEach((line, i) => {
      if (line.trim() !== "barrier") return;
      const text = lines.filter((_, k) => k !== i).join("\n");
      expect(faultsOf({ ...kernel, text }), `without line ${i + 1}`).not.toEqual([]);
    });
  });
});

const block = (...lines: readonly string[]): string =>
  [
    "kernel k",
    "  buffer x: float32 read",
    "  buffer out: float32 readwrite",
    "{",
    "  parallel u in 0..2 {",
    "    allocate s: float32[8] in smem",
    "    threads t in 0..4 {",
    ...lines.map((line) => `      ${line}`),
    "    }",
    "  }",
    "}",
  ].join("\n");

const buffers = { x: Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7), out: new Float32Array(8) };

describe("the checker names", () => {
  test.each<[string, string, readonly string[]]>([
    [
      "a load and a store",
      block("s[t] = x[t]", "out[t + 4*u] = s[(t + 1)%4]"),
      [
        "race: s[1] is stored to by thread 1 of unit 0 (line 8: s[t] = x[t]) and loaded by thread 0 of unit 0 (line 9: out[t + 4*u] = s[(t + 1)%4]), without a barrier between them.",
      ],
    ],
    [
      "two stores in different rounds of a loop",
      block("serial i in 0..2 {", "s[t + i] = x[t]", "}"),
      [
        "race: s[1] is stored to by thread 0 of unit 0 (line 9: s[i + t] = x[t]) and stored to by thread 1 of unit 0 (line 9: s[i + t] = x[t]), without a barrier between them.",
      ],
    ],
    [
      "units that store to one element",
      block("out[t] = x[t]"),
      [
        "race: out[0] is stored to by thread 0 of unit 0 (line 8: out[t] = x[t]) and stored to by thread 0 of unit 1 (line 8: out[t] = x[t]), and units run in any order.",
      ],
    ],
    [
      "a store after loads of other threads",
      block("s[t] = x[t]", "barrier", "let v: float32 = s[0] + s[1]", "s[t] = v"),
      [
        "race: s[0] is loaded by thread 1 of unit 0 (line 10: let v: float32 = s[0] + s[1]) and stored to by thread 0 of unit 0 (line 11: s[t] = v), without a barrier between them.",
      ],
    ],
    [
      "elements without a value",
      block("allocate r: float32[2] in rmem", "r[0] = x[t]", "barrier", "out[t + 4*u] = r[1] + s[t + 4]"),
      [
        "uninitialized: r[1] is loaded by thread 0 of unit 0 (line 11: out[t + 4*u] = r[1] + s[t + 4]), and nothing has stored to it.",
        "uninitialized: s[4] is loaded by thread 0 of unit 0 (line 11: out[t + 4*u] = r[1] + s[t + 4]), and nothing has stored to it.",
      ],
    ],
  ])("%s", (_, text, faults) => {
    expect(faultsOf({ text, buffers })).toEqual(faults);
  });
});

test("one element may be loaded by all threads, and stored to by one and loaded by it", () => {
  const text = block(
    "let v: float32 = x[0]",
    "if int32[t] == int32(0) {",
    "s[0] = v",
    "s[1] = s[0] + v",
    "}",
    "barrier",
    "out[t + 4*u] = s[1]",
  );
  expect(faultsOf({ text, buffers })).toEqual([]);
});

test("threads that do not meet at a barrier are an error", () => {
  expect(() => faultsOf({ text: block("serial i in 0..t {", "barrier", "}"), buffers })).toThrow(
    "kernel k: the loop over i ends at 0 for thread 0, and 1 for thread 1, so that they do not meet at its barrier. Make it the same for all threads.",
  );
  expect(() => faultsOf({ text: block("if x[t] < float32(2) {", "barrier", "}"), buffers })).toThrow(
    "kernel k: the condition around a barrier is true for thread 0, and false for thread 2",
  );
});

test("the backend without threads refuses them", () => {
  expect(() => runKernel(block(), { buffers })).toThrow(
    "kernel k: has threads or conditions. Call lowerThreads first.",
  );
});
