/** Operators whose numbers are known when a program is made. */
import { expect, test } from "vitest";
import { noGrad, type Tensor, tensor } from "../../src/index.ts";
import { floats, load, model, node, port } from "../support/onnx-graphs.ts";

const x = tensor([0.25, 1, 3, 7.5]);
const values = x.toArray() as number[];

test.each([
  [2, []],
  [3, [1]],
  [0.5, []],
  [-1.5, [1]],
])("a power %d that is a constant is a number in the graph", (exponent, dims) => {
  const loaded = load(
    model({
      node: [node("Pow", ["x", "e"], ["y"])],
      input: [port("x", 1, [4])],
      initializer: [floats("e", dims, [exponent])],
      output: [port("y")],
    }),
  );
  const expected = values.map((each) => expect.closeTo(each ** exponent, 4));
  for (let k = 0; k < 3; k++) expect((loaded.run({ x }).y as Tensor).toArray()).toEqual(expected);
  const compiled = loaded.compiled();
  noGrad(() => [compiled(x), compiled(x)]);
  expect(String(compiled.graph())).toContain(`, ${exponent})`);
});

test("a power that is an input may differ in each call", () => {
  const loaded = load(
    model({ node: [node("Pow", ["x", "e"], ["y"])], input: [port("x"), port("e")], output: [port("y")] }),
  );
  for (const exponent of [2, 2, 2, 3, 3, 2])
    expect((loaded.run({ x, e: exponent }).y as Tensor).toArray()).toEqual(
      values.map((each) => expect.closeTo(each ** exponent, 3)),
    );
});
