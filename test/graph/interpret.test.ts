/** The interpreter: training steps, arguments that share memory or have gaps, and errors. */
import { expect, test } from "vitest";
import {
  arange,
  bindSizes,
  compile,
  manualSeed,
  ones,
  onesLike,
  parseGraph,
  printGraph,
  randn,
  runGraph,
  scan,
  type Tensor,
  tensor,
  zeros,
} from "../../src/index.ts";
import { TransformerEncoderLayer } from "../../src/nn/index.ts";
import { Adam } from "../../src/optim/index.ts";
import { bitsOf, expectInterpreted, reparsed } from "../support/graph-laws.ts";

test("a training step of a transformer layer with dropout and Adam", () => {
  manualSeed(1);
  const model = new TransformerEncoderLayer(16, 2, { dimFeedforward: 32 });
  const optimizer = new Adam(model.parameters(), { lr: 0.01 });
  const step = (x: Tensor): Tensor => {
    optimizer.zeroGrad();
    const loss = (model.forward(x) as Tensor).square().mean() as Tensor;
    loss.backward();
    optimizer.step();
    return loss.detach() as Tensor;
  };
  const fast = compile(step);
  const x = randn([2, 5, 16]) as Tensor;
  for (let k = 0; k < 3; k++) fast(x);
  const graph = fast.graph();
  const parsed = reparsed(graph, "step");
  const results = [graph, parsed].map((each) => {
    manualSeed(5);
    return runGraph(each, [x]);
  });
  expect(results[1].outputs.map(bitsOf)).toEqual(results[0].outputs.map(bitsOf));
  expect(results[1].writes.map(bitsOf)).toEqual(results[0].writes.map(bitsOf));
  manualSeed(5);
  expect(fast(x).item()).toBe(results[0].outputs[0].item());
});

test("arguments with gaps that share memory", () => {
  const change = (x: Tensor, y: Tensor): Tensor[] => {
    const old = x.mul(1).add(y);
    const turned = x.T;
    x.select(0, 0).fill_(5);
    y.add_(1);
    const later = x.exp();
    x.select(0, 1).mul_(2);
    return [old, later, turned.add(0), x.clone()] as Tensor[];
  };
  const fast = compile(change);
  const make = (): Tensor[] => {
    const base = arange(24).reshape(4, 6).to("float32") as Tensor;
    return [base.slice(1, 0, 6, 2), base.slice(1, 1, 4)] as Tensor[];
  };
  for (let k = 0; k < 3; k++) {
    const [eager, compiled] = [make(), make()];
    const wanted = change(eager[0], eager[1]);
    expect(fast(compiled[0], compiled[1]).map(bitsOf)).toEqual(wanted.map(bitsOf));
    if (k > 0) expectInterpreted(reparsed(fast.graph(), "gaps"), make(), wanted, eager, "gaps");
  }
});

test("errors", () => {
  const graph = parseGraph(`graph main {
  symbol n: 1..8
  argument %0: f32[n, 2*n]
  captured %1: f32[2] "w"
  %2: f32[n, 2*n] = neg(%0)
  return %2
}`);
  const w = zeros([2]) as Tensor;
  const run =
    (shape: number[], captured: Record<string, Tensor> = { w }) =>
    () =>
      runGraph(graph, [zeros(shape) as Tensor], { captured });
  expect(run([2, 4])).not.toThrow();
  expect(run([2, 4], {})).toThrowErrorMatchingInlineSnapshot(
    `[GraphError: runGraph: the captured input "w" has no tensor. Parse the graph with constants, or pass captured: { w: tensor }]`,
  );
  expect(run([2, 5])).toThrowErrorMatchingInlineSnapshot(
    `[ShapeError: runGraph: argument 0 must have shape [n, 2*n] where n = 2, got [2, 5]]`,
  );
  expect(run([9, 18])).toThrowErrorMatchingInlineSnapshot(
    `[ShapeError: runGraph: n = 9 breaks its assumption 1 <= n <= 8.]`,
  );
  expect(run([2])).toThrowErrorMatchingInlineSnapshot(
    `[ShapeError: runGraph: argument 0 must have shape [n, 2*n], got [2]]`,
  );
  expect(run([2, 4], { w: zeros([3]) as Tensor })).toThrowErrorMatchingInlineSnapshot(
    `[ShapeError: runGraph: the captured input "w" must have shape [2], got [3]]`,
  );
  expect(run([2, 4], { w: w.to("int32") as Tensor })).toThrowErrorMatchingInlineSnapshot(
    `[ShapeError: runGraph: the captured input "w" must have dtype float32, got int32]`,
  );
  expect(() => runGraph(graph, [3 as never])).toThrowErrorMatchingInlineSnapshot(
    `[StridewiseError: runGraph: needs a list of tensors, one for each argument, got [3]]`,
  );
});

test("constants that depend on sizes are created for those of the call", () => {
  const sum = (x: Tensor): Tensor =>
    x
      .add(zeros([x.shape[0]]))
      .add(tensor([x.shape[0], 1]).sum())
      .mul(onesLike(x)) as Tensor;
  const fast = compile(sum);
  for (const n of [2, 2, 3, 5]) fast(ones([n]) as Tensor);
  for (const n of [2, 5, 7])
    expect(runGraph(fast.graph(), [ones([n]) as Tensor]).outputs[0].toArray()).toEqual(
      sum(ones([n]) as Tensor).toArray(),
    );
  expect(printGraph(fast.graph())).toMatchInlineSnapshot(`
    "graph sum {
      symbol n: 0..
      argument %0: f32[n]
      %1: f32[n] = zeros([n], undefined)
      %2: f32[n] = add(%0, %1)
      %3: f32[2] = tensor([n, 1], undefined)
      %4: f32[] = sum(%3)
      %5: f32[n] = add(%2, %4)
      %6: f32[n] = fullLike(%0, 1, undefined, "onesLike")
      %7: f32[n] = mul(%5, %6)
      return %7
    }"
  `);
  const data = compile((x: Tensor) => x.add(tensor(new Array(x.shape[0]).fill(1))));
  for (const n of [2, 2, 3]) data(zeros([n]) as Tensor);
  expect(() => runGraph(data.graph(), [zeros([3]) as Tensor])).toThrowErrorMatchingInlineSnapshot(
    `[ShapeError: runGraph: the constant input 1 must have shape [n] where n = 3, got [2]. It was created for other sizes: run the graph with those, or compile the function for these]`,
  );
});

test("symbols that do not follow from the inputs", () => {
  const graph = parseGraph(
    "graph main {\n  symbol a: 1..\n  argument %0: f32[4]\n  %1: f32[a] = slice(%0, 0, 0, a)\n  return %1\n}",
  );
  expect(() => runGraph(graph, [zeros([4]) as Tensor])).toThrowErrorMatchingInlineSnapshot(
    `[GraphError: runGraph: the symbol a of main cannot be computed from the sizes of its inputs. Bind them: bindSizes(graph, { a: 8 })]`,
  );
  expect(runGraph(bindSizes(graph, { a: 3 }), [zeros([4]) as Tensor]).outputs[0].shape).toEqual([3]);
});

test("a scan over no rows returns the carry and no outputs", () => {
  const sums = compile((xs: Tensor) =>
    scan((sum: Tensor, x: Tensor) => [sum.add(x), sum.mul(2)] as const, ones([3]) as Tensor, xs),
  );
  for (const n of [2, 2, 4]) sums(ones([n, 3]) as Tensor);
  const { outputs } = runGraph(sums.graph(), [zeros([0, 3]) as Tensor]);
  expect(outputs.map((t) => t.toArray())).toEqual([[1, 1, 1], []]);
  expect(outputs[1].shape).toEqual([0, 3]);
});
