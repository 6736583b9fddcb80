/** The kernel of a spec: its text, and outputs that alias inputs. */
import { afterEach, describe, expect, test } from "vitest";
import { type KernelBackend, kernelBackend, replaceBackend } from "../kernel/backend.ts";
import { printKernel } from "../kernel/ir/print.ts";
import { call, type Scalar } from "../kernel/ir/scalar.ts";
import { buildMap } from "../kernel/map/build.ts";
import { MapKernel } from "../kernel/map/map.ts";
import type { MapSpec } from "../kernel/map/spec.ts";
import type { Operand } from "../kernel/operand.ts";
import { runMap } from "../kernel/program/lower-map.ts";
import { dtypes } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { referenceBackend } from "./reference/backend.ts";

const sumAndDifference: MapSpec = {
  name: "sum_difference",
  outputs: ["float32", "float32"],
  inputs: ["float32", "float32"],
  scalars: [],
  body: ([x, y]) => [call("add", x as Scalar, y as Scalar), call("sub", x as Scalar, y as Scalar)],
};

function operandOf(values: readonly number[]): Operand {
  const storage = Storage.allocate(values.length * dtypes.float32.itemsize);
  storage
    .writable()
    .array("f32")
    .set(values, storage.byteOffset / 4);
  return { storage, dtype: "float32", offset: 0, shape: [values.length], stride: [1] };
}

const valuesOf = ({ storage, shape }: Operand): number[] => {
  const at = storage.byteOffset / 4;
  return [
    ...storage
      .readable()
      .array("f32")
      .subarray(at, at + (shape[0] as number)),
  ];
};

describe("outputs that alias inputs", () => {
  let installed: KernelBackend | null = null;
  afterEach(() => {
    if (installed !== null) replaceBackend(installed);
  });

  test.each(["the installed backend", "the reference"])("read the old values, by %s", (which) => {
    installed = kernelBackend();
    if (which === "the reference") replaceBackend(referenceBackend());
    const [x, y] = [operandOf([1, 2, 3, 4, 5]), operandOf([10, 20, 30, 40, 50])];
    runMap(new MapKernel(sumAndDifference), [x, y, x, y]);
    expect([valuesOf(x), valuesOf(y)]).toEqual([
      [11, 22, 33, 44, 55],
      [-9, -18, -27, -36, -45],
    ]);
  });
});

test("all outputs are computed before the first is stored", () => {
  const text = printKernel(
    buildMap(sumAndDifference, { kind: "line", classes: 0b01010101, second: 0, isTransposing: false }),
  );
  expect(text).toContain(
    "let out1_value: float32 = x0[i] - x1[i]\n      out0[i] = x0[i] + x1[i]\n      out1[i] = out1_value",
  );
});

test("a mask that an output aliases is read before anything is stored", () => {
  const spec: MapSpec = {
    name: "halves",
    outputs: ["int32", "int32"],
    inputs: ["int32", "int32"],
    scalars: [],
    isMasked: true,
    body: ([x]) => [call("sub", x as Scalar, x as Scalar), x as Scalar],
  };
  const text = printKernel(buildMap(spec, { kind: "line", classes: 0b01010101, second: 0, isTransposing: false }));
  expect(text.indexOf("let out0_mask")).toBeGreaterThan(0);
  expect(text.indexOf("let out0_mask")).toBeLessThan(text.indexOf("out0[i] ="));
  expect(text).toContain("out1[i] = out1_value where out0_mask");
});
