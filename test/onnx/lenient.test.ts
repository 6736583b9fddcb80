/** Files that deviate from the standard in ways that ONNX Runtime accepts. */
import { expect, test } from "vitest";
import { type Tensor, tensor } from "../../src/index.ts";
import { inspectOnnx } from "../../src/onnx/index.ts";
import { DataType } from "../../src/onnx/proto/types.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";
import { load, model, node, port } from "../support/onnx-graphs.ts";

test("the version of com.microsoft may be omitted", async () => {
  const draft = model(
    {
      node: [node("FastGelu", ["x"], ["y"], {}, "com.microsoft")],
      input: [port("x")],
      output: [port("y")],
    },
    { opsetImport: [{ domain: "", version: 17 }] },
  );
  const loaded = load(draft);
  for (let k = 0; k < 3; k++)
    expect((loaded.run({ x: tensor([3, -30]) }).y as Tensor).toArray()).toEqual([expect.closeTo(2.9964, 3), -0]);
  expect([...(await inspectOnnx(writeModel(draft))).opsets]).toEqual([["", 17]]);
});

test("a size of -1 is not known", () => {
  const loaded = load(
    model({ node: [node("Neg", ["x"], ["y"])], input: [port("x", DataType.FLOAT, [-1, 2])], output: [port("y")] }),
  );
  expect(loaded.inputs[0].type.text).toBe("float32[?, 2]");
  expect((loaded.run({ x: [[1, 2]] }).y as Tensor).toArray()).toEqual([[-1, -2]]);
});

test("the counter and the condition of a loop may be lists of one element", () => {
  const body = {
    node: [
      node("Squeeze", ["i"], ["at"], { axes: [0] }),
      node("Gather", ["x", "at"], ["item"]),
      node("Squeeze", ["c"], ["go"], { axes: [0] }),
      node("Add", ["sum", "item"], ["next"]),
    ],
    input: [port("i", DataType.INT64, [1]), port("c", DataType.BOOL, [1]), port("sum")],
    output: [port("go", DataType.BOOL), port("next")],
  };
  const loaded = load(
    model(
      {
        node: [node("Size", ["x"], ["n"]), node("Loop", ["n", "", "start"], ["y"], { body: { graph: body } })],
        input: [port("x", DataType.FLOAT, ["n"]), port("start", DataType.FLOAT, [])],
        output: [port("y")],
      },
      { opsetImport: [{ domain: "", version: 11 }] },
    ),
  );
  for (let k = 0; k < 3; k++) expect((loaded.run({ x: [1, 2, 4], start: 10 }).y as Tensor).toArray()).toBe(17);
});
