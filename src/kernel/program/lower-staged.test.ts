/** Operands in memory that the backend does not reach: outputs that lie between each other keep what they got. */
import { expect, test } from "vitest";
import { memoryOf } from "../../storage/memory.ts";
import { fixedStorage } from "../copy.ts";
import { call, type Scalar } from "../ir/scalar.ts";
import { MapKernel } from "../map/map.ts";
import type { Operand } from "../operand.ts";
import { runMap } from "./lower-map.ts";

test("two outputs that take turns in one buffer of the user are both written", () => {
  const buffer = new ArrayBuffer(160);
  const values = new Float32Array(buffer).fill(-1);
  values.set([1, 2, 3, 4], 32);
  const every = (step: number, offset: number): Operand => ({
    storage: fixedStorage(memoryOf(buffer), 0),
    dtype: "float32",
    offset,
    shape: [4],
    stride: [step],
  });
  const twiceAndSquare = new MapKernel({
    name: "twice_square",
    outputs: ["float32", "float32"],
    inputs: ["float32"],
    scalars: [],
    body: ([x]) => [call("add", x as Scalar, x as Scalar), call("mul", x as Scalar, x as Scalar)],
  });
  runMap(twiceAndSquare, [every(3, 0), every(3, 1), every(1, 32)]);
  expect([...values.subarray(0, 12)]).toEqual([2, 1, -1, 4, 4, -1, 6, 9, -1, 8, 16, -1]);
});
