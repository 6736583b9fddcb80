/** Models whose nodes are in any order. */
import { describe, expect, test } from "vitest";
import { type Tensor, tensor } from "../../src/index.ts";
import { type DraftNode, load, model, node, port } from "../support/onnx-graphs.ts";

/** y = |exp(x) * x| if the sum of x is positive, else -exp(x): the branches read values of the graph around them. */
const nodes: readonly DraftNode[] = [
  node("Exp", ["x"], ["e"]),
  node("Mul", ["e", "x"], ["p"]),
  node("ReduceSum", ["x"], ["sum"], { keepdims: 0 }),
  node("Sub", ["sum", "sum"], ["zero"]),
  node("Greater", ["sum", "zero"], ["c"]),
  node("If", ["c"], ["y"], {
    then_branch: { graph: { name: "then", node: [node("Abs", ["p"], ["a"])], output: [port("a")] } },
    else_branch: {
      graph: { name: "else", node: [node("Neg", ["n"], ["b"]), node("Identity", ["e"], ["n"])], output: [port("b")] },
    },
  }),
];

const run = (list: readonly DraftNode[], x: readonly number[]): unknown => {
  const loaded = load(model({ node: list, input: [port("x")], output: [port("y")] }));
  const { y } = loaded.run({ x: tensor(x as number[], { dtype: "float32" }) }) as { y: Tensor };
  loaded.dispose();
  return y.toArray();
};

describe("nodes may be in any order", () => {
  const orders = [
    [5, 4, 3, 2, 1, 0],
    [5, 0, 1, 2, 3, 4],
    [2, 5, 1, 4, 0, 3],
  ];
  test.each(orders)("%d %d %d %d %d %d", (...order) => {
    for (const x of [
      [1, 2],
      [-1, -2],
    ]) {
      const sign = x[0] > 0 ? x.map((each) => Math.fround(Math.exp(each)) * each) : x.map((each) => -Math.exp(each));
      const y = run(
        order.map((k) => nodes[k]),
        x,
      ) as number[];
      for (const [k, each] of y.entries()) expect(each).toBeCloseTo(sign[k], 5);
    }
  });

  test("except those that need their own output", () => {
    const cycle = [node("Add", ["x", "b"], ["a"]), node("Exp", ["a"], ["b"]), node("Neg", ["b"], ["y"])];
    expect(() => run(cycle, [1])).toThrow(/node 0, which computes "a" \(Add\) needs its own output/);
  });

  test("in chains of any length", () => {
    const chain = Array.from({ length: 30000 }, (_, k) =>
      node("Neg", [k === 0 ? "x" : `v${k}`], [k === 29999 ? "y" : `v${k + 1}`]),
    );
    expect(run(chain.reverse(), [3])).toEqual([3]);
  });
});
