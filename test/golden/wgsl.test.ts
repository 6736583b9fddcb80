/**
 * Kernels as WGSL, compared with the files in `wgsl/`. With a GPU for tests, each is compiled too.
 * After an intended change: `npx vitest run test/golden/wgsl.test.ts -u`, then read the difference.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { gpuPasses } from "../../src/backends/webgpu/backend.ts";
import type { WebGpuDevice } from "../../src/backends/webgpu/index.ts";
import { type BindingPattern, separateBindings } from "../../src/backends/webgpu/wgsl/buffers.ts";
import { emitWgsl } from "../../src/backends/webgpu/wgsl/emit.ts";
import type { Kernel } from "../../src/kernel/ir/kernel.ts";
import { parseKernel } from "../../src/kernel/ir/parse.ts";
import { call, cast, type Scalar } from "../../src/kernel/ir/scalar.ts";
import { lowerBy } from "../../src/kernel/lower/lower-kernel.ts";
import { buildMap } from "../../src/kernel/map/build.ts";
import { buildReduce } from "../../src/kernel/reduce/build.ts";
import { makeReduction } from "../../src/kernel/reduce/reductions.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { kernelTexts } from "../support/kernel-texts.ts";
import { hasWebGpu, openTestDevice } from "../support/webgpu.ts";

/** A kernel of one output, dense or over planes. */
function map(
  name: string,
  kind: "line" | "plane",
  [output, ...inputs]: readonly [DType, ...DType[]],
  body: (...values: readonly [Scalar, Scalar]) => Scalar,
  scalars: readonly DType[] = [],
): Kernel {
  const spec = {
    name,
    outputs: [output],
    inputs,
    scalars,
    body: (loads: readonly Scalar[], numbers: readonly Scalar[]) => [
      body(...([...loads, ...numbers] as unknown as [Scalar, Scalar])),
    ],
  };
  const classes = (4 ** (inputs.length + 1) - 1) / 3;
  return buildMap(spec, { kind, classes, second: kind === "plane" ? 1 : 0, isTransposing: false });
}

const add = (x: Scalar, y: Scalar): Scalar => call("add", x, y);

const kernels: Readonly<Record<string, Kernel>> = {
  "add-f32": map("f32_add", "line", ["float32", "float32", "float32"], add),
  "add-scalar-f32": map("f32_add", "line", ["float32", "float32"], add, ["float32"]),
  "add-rows": map("f32_add", "plane", ["float32", "float32", "float32"], add),
  "exp-f32": map("f32_exp", "line", ["float32", "float32"], (x) => call("exp", x)),
  "copy-u8": map("u8_copy", "line", ["uint8", "uint8"], (x) => x),
  "and-bool": map("bool_and", "line", ["bool", "bool", "bool"], (x, y) => call("and", x, y)),
  "add-f16": map("f16_add", "line", ["float16", "float16", "float16"], (x, y) =>
    cast("float16", add(cast("float32", x), cast("float32", y))),
  ),
  "mul-i64": map("i64_mul", "line", ["int64", "int64", "int64"], (x, y) => call("mul", x, y)),
  "mul-c64": map("c64_mul", "line", ["complex64", "complex64", "complex64"], (x, y) => call("mul", x, y)),
  "f32-from-f64": map("f32_from_f64", "line", ["float32", "float64"], (x) => cast("float32", x)),
  "floor-mod-f32": map("f32_floor_mod", "line", ["float32", "float32", "float32"], (x, y) => call("floorMod", x, y)),
  "sum-rows": buildReduce(makeReduction("sum", "sum", "float32").spec, 1),
  masked: parseKernel(kernelTexts["masked"] as string),
};

/** The first two buffers in one GPU buffer. */
const inPlace: BindingPattern = { bindings: [0, 0, 1], isWritten: [true, false] };

const codes: [name: string, code: string][] = Object.entries(kernels).map(([name, kernel]) => {
  const lowered = lowerBy(gpuPasses, kernel);
  return [name, emitWgsl(lowered, separateBindings(lowered.buffers), kernel.modes.length === 0 ? 0 : 16).code];
});
codes.push(["add-in-place", emitWgsl(kernels["add-f32"] as Kernel, inPlace, 0).code]);

test.each(codes)("%s", async (name, code) => {
  await expect(code).toMatchFileSnapshot(`wgsl/${name}.wgsl`);
});

test.runIf(hasWebGpu)("a device compiles them all without messages", async () => {
  const { gpuDevice } = gpu as WebGpuDevice;
  for (const [name, code] of codes) {
    const { messages } = await gpuDevice.createShaderModule({ label: name, code }).getCompilationInfo();
    expect(messages.map(({ lineNum, message }) => `${name}:${lineNum}: ${message}`)).toEqual([]);
  }
});

let gpu: WebGpuDevice | null = null;
beforeAll(async () => {
  gpu = hasWebGpu ? await openTestDevice() : null;
});
afterAll(() => gpu?.destroy());
