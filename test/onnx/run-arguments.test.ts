/** Wrong arguments of the methods of a model throw errors that name them. */
import { expect, test } from "vitest";
import { tensor } from "../../src/index.ts";
import { toOnnx } from "../../src/onnx/index.ts";
import { floats, load, model, node, port } from "../support/onnx-graphs.ts";

const sum = () =>
  load(
    model({
      node: [node("Neg", ["w"], ["n"]), node("Add", ["x", "n"], ["y"])],
      input: [port("x")],
      initializer: [floats("w", [2], [1, 2])],
      output: [port("y")],
    }),
  );

test.each([
  [undefined, "got nothing"],
  [null, "got null"],
  [[[1, 2]], "got [[1, 2]]"],
  [tensor([1, 2]), "got float32[2]"],
  [new Map([["x", [1, 2]]]), "got an object"],
])("run needs inputs by name (%#)", (inputs, got) => {
  expect(() => sum().run(inputs as never)).toThrow(
    `run: the inputs must be an object of values by name, ${got}. Write run({ name: value })`,
  );
});

test("unknown and wrong options throw an error", () => {
  const target = sum();
  const x = [1, 2];
  expect(() => target.run({ x }, { output: ["y"] } as never)).toThrow("run: there is no option output");
  expect(() => target.run({ x }, null as never)).toThrow("run: options must be an object, got null");
  expect(() => target.run({ x }, { outputs: "y" } as never)).toThrow('run: needs outputs: an array of names, got "y"');
  expect(() => target.profile({ x }, { runs: 2 } as never)).toThrow("profile: there is no option runs");
  expect(() => target.compiled({ shape: {} } as never)).toThrow("compiled: there is no option shape");
});

test("a model without inputs is compiled and exported", () => {
  const target = load(
    model({ node: [node("Neg", ["w"], ["y"])], initializer: [floats("w", [2], [1, 2])], output: [port("y")] }),
  );
  const compiled = target.compiled();
  for (let k = 0; k < 3; k++) expect(compiled().y.toArray()).toEqual([-1, -2]);
  expect(toOnnx(compiled).length).toBeGreaterThan(0);
});
