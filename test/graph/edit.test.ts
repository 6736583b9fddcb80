/** Functions that build and change graphs, each checked by the verifier and the interpreter. */
import { describe, expect, test } from "vitest";
import {
  addOp,
  bindSizes,
  compile,
  copyGraph,
  Graph,
  type GraphType,
  type GraphValue,
  library,
  mapNodes,
  ones,
  parseGraph,
  printGraph,
  type RewriteRule,
  relu,
  rewrite,
  runGraph,
  sym,
  type Tensor,
  tensor,
  verifyGraph,
  visitGraph,
} from "../../src/index.ts";

const f32 = (...shape: GraphType["shape"]): GraphType => ({ dtype: "float32", shape, strides: null });
const n = sym("n", { min: 1, max: 64 });
const m = sym("m", { min: 1 });

/** A graph of one argument x, and what `build` returns for it. */
function graphOf(type: GraphType, build: (graph: Graph, x: GraphValue) => GraphValue): Graph {
  const graph = new Graph("main");
  graph.outputs = [build(graph, graph.addInput(type, "argument", "x"))];
  return graph;
}

const elements = (graph: Graph, ...inputs: unknown[]): unknown =>
  runGraph(graph, inputs as Tensor[]).outputs.map((t) => t.toArray());

describe("addOp", () => {
  test("returns a node with the types of its results", () => {
    const graph = graphOf(f32(2, 3), (g, x) => {
      const sum = addOp(g, "sum", [x, 1]).results[0];
      return addOp(g, relu, [addOp(g, "sub", [sum, 1]).results[0]]).results[0];
    });
    expect(verifyGraph(graph)).toEqual([]);
    expect(printGraph(graph)).toMatchInlineSnapshot(`
      "graph main {
        argument %0: f32[2, 3] "x"
        %1: f32[2] = sum(%0, 1)
        %2: f32[2] = sub(%1, 1)
        %3: f32[2] = relu(%2)
        return %3
      }"
    `);
    expect(
      elements(
        graph,
        tensor([
          [1, 2, 3],
          [-4, 0, 1],
        ]),
      ),
    ).toEqual([[5, 0]]);
  });

  test("fits symbolic sizes", () => {
    const graph = new Graph("main");
    const x = graph.addInput(f32(n, m));
    const y = graph.addInput(f32(m, 8));
    const type = (op: string, ...args: Parameters<typeof addOp>[2]): string =>
      addOp(graph, op, args)
        .results.map(
          (value) =>
            `${value.type.shape.join(" ")}${value.type.strides === null ? "" : ` by ${value.type.strides.join(" ")}`}`,
        )
        .join("; ");
    expect(type("matmul", x, y)).toBe("n 8");
    expect(type("cat", [x, x], 0)).toBe("2*n m");
    expect(type("cat", [x, x], 1)).toBe("n 2*m");
    expect(type("permute", x, [1, 0])).toBe("m n by 1 m");
    expect(type("view", x, [n.mul(m)])).toBe("m*n");
    expect(type("slice", x, 0, 0, n, 2)).toBe("ceil(n/2) m by 2*m 1");
    expect(type("maxAlong", x, 0)).toBe("m; m");
    expect(() => type("view", x, [n])).toThrow("addOp: view");
  });

  test("refuses composite and unknown ops", () => {
    const graph = new Graph("main");
    const x = graph.addInput(f32(4));
    expect(() => addOp(graph, "reshape", [x, [2, 2]])).toThrowErrorMatchingInlineSnapshot(
      `[GraphError: addOp: reshape is composed of other ops, which graphs have instead. Add those, or compile a function that calls it]`,
    );
    expect(() => addOp(graph, "rlu", [x])).toThrowErrorMatchingInlineSnapshot(
      `[GraphError: addOp: there is no op "rlu". Did you mean relu?]`,
    );
    expect(() => addOp(graph, 3 as never, [x])).toThrowErrorMatchingInlineSnapshot(
      `[StridewiseError: addOp: needs an op or its name, got 3]`,
    );
    expect(() => addOp(graph, "matmul", [x, 2])).toThrowErrorMatchingInlineSnapshot(
      `[GraphError: addOp: matmul: both tensors must have the same dtype, got float32 and undefined. Convert one: to("float32")]`,
    );
  });

  test("inserts before and after a node", () => {
    const graph = new Graph("main");
    const x = graph.addInput(f32(4));
    const last = addOp(graph, "neg", [x]);
    const first = addOp(graph, "abs", [x], { before: last });
    const middle = addOp(graph, "exp", [first.results[0]], { after: first });
    expect(graph.nodes).toEqual([first, middle, last]);
    expect(() => addOp(graph, "neg", [x], { before: addOp(new Graph("other"), "neg", [x]) })).toThrow("is not in main");
    graph.outputs = [middle.results[0]];
    graph.remove(last);
    expect(() => graph.remove(first)).toThrow("a result of abs is used");
    graph.replaceUses(first.results[0], x);
    graph.remove(first);
    expect(graph.nodes.map(({ op }) => op.name)).toEqual(["exp"]);
    expect(graph.usersOf(x)).toEqual([middle]);
  });
});

test("copies share no nodes; sizes are bound in copies", () => {
  const graph = graphOf(f32(n, 2), (g, x) => addOp(g, "view", [x, [n.mul(2)]]).results[0]);
  const copy = copyGraph(graph);
  expect(printGraph(copy)).toBe(printGraph(graph));
  expect(copy.nodes[0] === graph.nodes[0]).toBe(false);
  const bound = bindSizes(graph, { n: 3 });
  expect(printGraph(bound)).toMatchInlineSnapshot(`
    "graph main {
      argument %0: f32[3, 2] "x"
      %1: f32[6] = view(%0, [6])
      return %1
    }"
  `);
  expect(verifyGraph(bound)).toEqual([]);
  expect(elements(graph, ones([3, 2]))).toEqual([[1, 1, 1, 1, 1, 1]]);
  expect(() => runGraph(bound, [ones([4, 2]) as Tensor])).toThrowErrorMatchingInlineSnapshot(
    `[ShapeError: runGraph: argument x must have shape [3, 2], got [4, 2]]`,
  );
  expect(() => runGraph(graph, [ones([65, 2]) as Tensor])).toThrowErrorMatchingInlineSnapshot(
    `[ShapeError: runGraph: n = 65 breaks its assumption 1 <= n <= 64.]`,
  );
  expect(() => runGraph(graph, [])).toThrowErrorMatchingInlineSnapshot(
    `[GraphError: runGraph: main needs 1 tensor, got 0]`,
  );
});

test("mapNodes replaces nodes, and visitGraph sees all", () => {
  const graph = graphOf(f32(4), (g, x) => addOp(g, "exp", [addOp(g, "square", [x]).results[0]]).results[0]);
  const mapped = mapNodes(graph, (node, args, into) =>
    node.op.name === "square" ? addOp(into, "mul", [args[0], args[0]]).results : null,
  );
  const names: string[] = [];
  visitGraph(mapped, { node: ({ op }) => names.push(op.name) });
  expect(names).toEqual(["mul", "exp"]);
  expect(graph.nodes[0].op.name).toBe("square");
  const x = tensor([0, 1, 2, 3]);
  expect(elements(mapped, x)).toEqual(elements(graph, x));
  expect(() => mapNodes(graph, () => [])).toThrow("square has 1 results, but 0 values replace them");
});

describe("rewrite", () => {
  const rewritten = (graph: Graph, ...rules: RewriteRule[]): string[] => {
    const result = rewrite(graph, rules);
    expect(verifyGraph(result)).toEqual([]);
    return `${result}`
      .split("\n")
      .slice(2, -2)
      .map((line) => line.trim().replace(/^.*? = /, ""));
  };

  test("replaces what matches, with captures, constants and conditions", () => {
    const graph = graphOf(f32(4), (g, x) => {
      const scaled = addOp(g, "mul", [addOp(g, "mul", [x, 2]).results[0], 3]).results[0];
      return addOp(g, "add", [addOp(g, "mul", [scaled, 1]).results[0], scaled]).results[0];
    });
    const fold: RewriteRule = {
      match: "mul(mul(x, a), b)",
      when: ({ a, b }) => typeof a === "number" && typeof b === "number",
      replace: ({ x, a, b }, add) => add("mul", x, Number(a) * Number(b)),
    };
    expect(rewritten(graph, { match: "mul(x, 1)", replace: "x" })).toEqual(["mul(%0, 2)", "mul(%1, 3)", "add(%2, %2)"]);
    expect(
      rewritten(graph, { match: "mul(x, 1)", replace: "x" }, fold, { match: "add(x, x)", replace: "mul(x, 2)" }),
    ).toEqual(["mul(%0, 12)"]);
    expect(rewritten(graph, { match: "mul(x, 7)", replace: "x" })).toHaveLength(4);
    expect(rewritten(graph, { match: "mul(x, a)", when: () => false, replace: "x" })).toHaveLength(4);
  });

  test("matches lists and options, and keeps types", () => {
    const graph = graphOf(f32(4, 4), (g, x) => {
      const sum = addOp(g, "sum", [addOp(g, "permute", [x, [1, 0]]).results[0], 0, { keepdims: true }]).results[0];
      return addOp(g, "exp", [sum]).results[0];
    });
    expect(
      rewritten(graph, { match: "sum(permute(x, [1, 0]), 0, {keepdims: k})", replace: "sum(x, 1, {keepdims: k})" }),
    ).toEqual(
      // [4, 1] is not the shape [1, 4].
      ["permute(%0, [1, 0])", "sum(%1, 0, {keepdims: true})", "exp(%2)"],
    );
    expect(
      rewritten(graph, {
        match: "sum(permute(x, [1, 0]), 0, {keepdims: true})",
        replace: "permute(sum(x, 1, {keepdims: true}), [1, 0])",
      }),
    ).toEqual(["permute(%0, [1, 0])", "sum(%1, 0, {keepdims: true})", "exp(%2)"]);
    expect(rewritten(graph, { match: "exp(x)", replace: 'elementwise("exp(x)", {x: x})' })).toHaveLength(3);
  });

  test("outputs that were new memory stay new memory", () => {
    const graph = graphOf(f32(4), (g, x) => addOp(g, "mul", [x, 1]).results[0]);
    expect(rewritten(graph, { match: "mul(x, 1)", replace: "x" })).toEqual(["clone(%0)"]);
  });

  test("errors", () => {
    const graph = graphOf(f32(4), (g, x) => addOp(g, "add", [x, 1]).results[0]);
    const attempt = (rule: RewriteRule) => () => rewrite(graph, [rule]);
    expect(attempt({ match: "add(x, y)", replace: "add(y, z)" })).toThrowErrorMatchingInlineSnapshot(
      `[GraphError: rewrite: add(x, y) does not capture z, which its replacement add(y, z) uses. The captures are x, y]`,
    );
    expect(attempt({ match: "add(x, 1)", replace: "add(x, 1)" })).toThrowErrorMatchingInlineSnapshot(
      `[GraphError: rewrite: the rules have no end, the last one was add(x, 1). Add a condition to it: { when: ... }]`,
    );
    expect(attempt({ match: "add(x, 1", replace: "x" })).toThrowErrorMatchingInlineSnapshot(`
      [GraphError: rewrite: line 1, column 9: expected "," or ")", found the end.
        add(x, 1
                ^]
    `);
    expect(attempt({ match: "add(x, 1)", replace: "ad(x)" })).toThrowErrorMatchingInlineSnapshot(
      `[GraphError: rewrite: there is no op "ad". Did you mean add?]`,
    );
    expect(attempt({ match: "add(x, 1)", replace: (() => 3) as never })).toThrowErrorMatchingInlineSnapshot(
      `[StridewiseError: rewrite: needs a value of the graph from the rule add(x, 1), got 3]`,
    );
  });
});

test("regions: printed, parsed, verified, mapped and run", () => {
  using mine = library("mine");
  const choose = mine.define<(flag: boolean, yes: () => Tensor[], no: () => Tensor[]) => Tensor>("choose");
  mine.register(
    choose,
    "composite",
    ((flag: boolean, yes: () => Tensor[], no: () => Tensor[]) => (flag ? yes() : no())[0]) as never,
  );
  const text = `graph main {
  symbol n: 1..64
  argument %0: f32[n] "x"
  %1: f32[n] = add(%0, 1)
  %2: f32[n] = mine.choose(true) {
    graph yes {
      %3: f32[n] = mul(%1, %0)
      return %3
    }
    graph no {
      return %0
    }
  }
  return %2
}`;
  const graph = parseGraph(text);
  expect(printGraph(graph)).toBe(text);
  expect(printGraph(copyGraph(graph))).toBe(text);
  expect(elements(graph, tensor([1, 2]))).toEqual([[2, 6]]);
  const [x, sum] = [graph.inputs[0].value, graph.nodes[0].results[0]];
  expect(graph.usersOf(sum)).toEqual([graph.nodes[1]]);
  const names: string[] = [];
  visitGraph(graph, { node: ({ op }) => names.push(op.name), graph: ({ name }) => names.push(name) });
  expect(names).toEqual(["main", "add", "mine.choose", "yes", "mul", "no"]);
  graph.replaceUses(sum, x);
  graph.remove(graph.nodes[0]);
  expect(elements(graph, tensor([1, 2]))).toEqual([[1, 4]]);
});

test("a compiled function is edited and run", () => {
  const fast = compile((x: Tensor) => x.mul(2).add(1).relu());
  for (const size of [3, 3, 4]) fast(ones([size]) as Tensor);
  const graph = rewrite(fast.graph(), [
    { match: "add(mul(x, a), b)", replace: 'elementwise("a * x + b", {a: a, x: x, b: b})' },
  ]);
  expect(printGraph(graph)).toMatchInlineSnapshot(`
    "graph main {
      symbol n: 0..
      argument %0: f32[n]
      %1: f32[n] = elementwise("a * x + b", {a: 2, x: %0, b: 1})
      %2: f32[n] = relu(%1)
      return %2
    }"
  `);
  expect(elements(graph, tensor([-1, 0, 1]))).toEqual([[0, 1, 3]]);
});
