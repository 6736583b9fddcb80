/**
 * Kernels as text and as WebAssembly, compared with the files in `kernels/`.
 * After an intended change: `npx vitest run test/golden/kernels.test.ts -u`, then read the difference.
 */
import { expect, test } from "vitest";
import { kernelModule } from "../../src/backends/wasm/compile-kernel.ts";
import { printModule } from "../../src/backends/wasm/encoder/text.ts";
import { kernelBackend, replaceBackend } from "../../src/kernel/backend.ts";
import { copyElements, fillElements, fixedStorage } from "../../src/kernel/copy.ts";
import { moveScattered } from "../../src/kernel/gather.ts";
import type { Kernel } from "../../src/kernel/ir/kernel.ts";
import { parseKernel } from "../../src/kernel/ir/parse.ts";
import { printKernel } from "../../src/kernel/ir/print.ts";
import { call, cast, constantScalar, type Scalar } from "../../src/kernel/ir/scalar.ts";
import { buildMap } from "../../src/kernel/map/build.ts";
import type { MapSpec } from "../../src/kernel/map/spec.ts";
import type { Operand } from "../../src/kernel/operand.ts";
import { runReduce } from "../../src/kernel/program/lower-reduce.ts";
import { makeReduction } from "../../src/kernel/reduce/reductions.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { memoryOf } from "../../src/storage/memory.ts";
import { kernelTexts } from "../support/kernel-texts.ts";

type Body = (...values: readonly [Scalar, Scalar, Scalar]) => Scalar;

/** A kernel of one output; its steps in the innermost mode are spelled as in kernel names, output first: 0, 1, s. */
function map(
  name: string,
  nest: `${"line" | "plane"} ${string}`,
  [output, ...inputs]: readonly [DType, ...DType[]],
  body: Body,
  scalars: readonly DType[] = [],
): Kernel {
  const spec: MapSpec = {
    name,
    outputs: [output],
    inputs,
    scalars,
    body: (loads, parameters) => [body(...([...loads, ...parameters] as unknown as Parameters<Body>))],
  };
  const [kind, steps] = nest.split(" ") as ["line" | "plane", string];
  const classes = [...steps].reduce((sum, step, k) => sum + "01s".indexOf(step) * 4 ** k, 0);
  return buildMap(spec, { kind, classes, second: kind === "plane" ? 1 : 0, isTransposing: false });
}

/** The kernel that a function runs; nothing is computed. */
function kernelOf(run: () => void): Kernel {
  const kernels: Kernel[] = [];
  const installed = kernelBackend();
  const program = { run: () => {}, release: () => {} };
  replaceBackend(
    Object.assign(Object.create(installed), {
      canAddress: () => true,
      compile: (kernel: Kernel) => {
        kernels.push(kernel);
        return program;
      },
    }),
  );
  try {
    run();
  } finally {
    replaceBackend(installed);
  }
  expect(kernels).toHaveLength(1);
  return kernels[0] as Kernel;
}

const bytes = memoryOf(new ArrayBuffer(1024));
const storage = (byteOffset: number) => fixedStorage(bytes, byteOffset);
const line = (dtype: DType, byteOffset: number, step = 1): Operand => ({
  storage: storage(byteOffset),
  dtype,
  offset: 0,
  shape: [8],
  stride: [step],
});

const zero = constantScalar("float32", 0);
const kernels: Readonly<Record<string, () => Kernel>> = {
  "axpb-f32": () =>
    map("f32_axpb", "line 11", ["float32", "float32"], (x, a, b) => call("add", call("mul", a, x), b), [
      "float32",
      "float32",
    ]),
  "relu-chain-f32": () =>
    map(
      "f32_mul_add_relu",
      "line 111",
      ["float32", "float32", "float32"],
      (x, y, a) => call("max", call("add", call("mul", x, y), a), zero),
      ["float32"],
    ),
  "copy-i32": () => kernelOf(() => copyElements(line("int32", 0), line("int32", 512))),
  "copy-u8": () => kernelOf(() => copyElements(line("bool", 0), line("bool", 512))),
  "copy-strided": () => kernelOf(() => copyElements(line("float32", 0, 3), line("float32", 512))),
  "copy-transposed": () => map("i32_copy", "plane 1s", ["int32", "int32"], (x) => x),
  "fill-f32": () => kernelOf(() => fillElements(line("float32", 0), 1.5)),
  "add-rows": () => map("f32_add", "plane 111", ["float32", "float32", "float32"], (x, y) => call("add", x, y)),
  "add-columns": () => map("f32_add", "plane 110", ["float32", "float32", "float32"], (x, y) => call("add", x, y)),
  "exp-f32": () => map("f32_exp", "line 11", ["float32", "float32"], (x) => call("exp", x)),
  "tanh-f32": () => map("f32_tanh", "line 11", ["float32", "float32"], (x) => call("tanh", x)),
  "atan-f64": () => map("f64_atan", "line 11", ["float64", "float64"], (x) => call("atan", x)),
  "mul-i8": () => map("i8_mul", "line 111", ["int8", "int8", "int8"], (x, y) => call("mul", x, y)),
  "select-u64": () =>
    map("u64_below", "line 111", ["uint64", "uint64", "uint64"], (x, y, a) => call("select", call("lt", x, y), x, a), [
      "uint64",
    ]),
  "floor-div-i32": () =>
    map("i32_floor_div", "line 111", ["int32", "int32", "int32"], (x, y) => call("floorDiv", x, y)),
  "and-bool": () => map("bool_and", "line 111", ["bool", "bool", "bool"], (x, y) => call("and", x, y)),
  "add-f16": () =>
    map("f16_add", "line 111", ["float16", "float16", "float16"], (x, y) =>
      cast("float16", call("add", cast("float32", x), cast("float32", y))),
    ),
  "f32-from-bf16": () => map("f32_from_bf16", "line 11", ["float32", "bfloat16"], (x) => cast("float32", x)),
  "i32-from-f32": () => map("i32_from_f32", "line 11", ["int32", "float32"], (x) => cast("int32", x)),
  "mul-c64": () => map("c64_mul", "line 111", ["complex64", "complex64", "complex64"], (x, y) => call("mul", x, y)),
  "abs-c128": () => map("c128_abs", "line 11", ["float64", "complex128"], (x) => call("abs", x)),
  gather: () =>
    kernelOf(() =>
      moveScattered(
        { storage: storage(0), start: 0, outer: [3, 1], inner: [0, 1] },
        { storage: storage(512), start: 0, outer: [0, 2], inner: [0, 1] },
        "float32",
      ),
    ),
  "sum-rows": () =>
    kernelOf(() =>
      runReduce(
        makeReduction("sum", "sum", "float32"),
        [{ ...line("float32", 512), shape: [2] }],
        [{ ...line("float32", 0), shape: [2, 64], stride: [64, 1] }],
      ),
    ),
  masked: () => parseKernel(kernelTexts["masked"] as string),
};

test.each(Object.keys(kernels))("%s", async (name) => {
  const kernel = (kernels[name] as () => Kernel)();
  const { module } = kernelModule(kernel, { relaxedSimd: false, shared: false });
  await expect(`${printKernel(kernel)}\n\n${printModule(module)}`).toMatchFileSnapshot(`kernels/${name}.txt`);
});
