/** Each rule of the verifier, with graphs that break it; and the messages of the parser. */
import { describe, expect, test } from "vitest";
import {
  addOp,
  formatFault,
  Generator,
  Graph,
  type GraphType,
  graphRules,
  ones,
  operatorNamed,
  parseGraph,
  parseGraphs,
  printGraph,
  sym,
  type Tensor,
  tensor,
  verifyGraph,
} from "../../src/index.ts";
import { _, int } from "../../src/layout/index.ts";
import { definedOperators } from "../../src/tensor/dispatch/operator.ts";

const f32 = (...shape: GraphType["shape"]): GraphType => ({ dtype: "float32", shape, strides: null });

/** A graph x -> abs(x), changed. */
function changed(change: (graph: Graph) => void): Graph {
  const graph = new Graph("main");
  const x = graph.addInput(f32(4), "argument", "x");
  graph.outputs = [addOp(graph, "abs", [x]).results[0]];
  change(graph);
  return graph;
}

const neg = operatorNamed("neg");

/** Graphs that break a rule. */
const broken: Readonly<Record<string, readonly ((graph: Graph) => void)[]>> = {
  definitions: [
    (graph) => {
      graph.nodes = [];
    },
    (graph) => {
      graph.nodes = [...graph.nodes, ...graph.nodes];
    },
    (graph) => {
      graph.inputs = [];
    },
    (graph) => {
      graph.outputs[0].node = null;
    },
  ],
  types: [
    (graph) => void graph.addInput(f32(-1)),
    (graph) => void graph.addInput(f32(1.5)),
    (graph) => void graph.addInput(f32(sym("n", { max: -1 }))),
    (graph) => void graph.addInput({ ...f32(2, 2), strides: [1] }),
    (graph) => void graph.addInput({ ...f32(2), strides: [0.5] }),
  ],
  inputs: [
    (graph) => void graph.addInput(f32(2), "argument", null, ones([2]) as Tensor),
    (graph) => void graph.addInput(f32(2), "captured", "w", ones([3]) as Tensor),
    (graph) => void graph.addInput(f32(2), "live", "lr"),
  ],
  symbols: [
    (graph) => {
      graph.addInput(f32(sym("n", { min: 0 })));
      graph.addInput(f32(sym("n", { min: 1 })));
    },
  ],
  results: [
    (graph) => void graph.add(neg, [graph.inputs[0].value], [f32(5)]),
    (graph) => void graph.add(neg, [graph.inputs[0].value], [{ ...f32(4), dtype: "int32" }]),
    (graph) => void graph.add(neg, [graph.inputs[0].value], [f32(4), f32(4)]),
    (graph) => void graph.add(neg, [], [f32(4)]),
    (graph) => void graph.add(operatorNamed("matmul"), [graph.inputs[0].value, ones as never], [f32(4)]),
    (graph) => void graph.add(operatorNamed("asStrided"), [graph.outputs[0], [3], [2], 0], [f32(3)]),
  ],
  writes: [
    (graph) => void graph.writes.push({ to: graph.outputs[0], value: graph.outputs[0] }),
    (graph) => void graph.writes.push({ to: graph.addInput(f32(4), "constant", "c"), value: graph.outputs[0] }),
    (graph) => void graph.writes.push({ to: graph.addInput(f32(5)), value: graph.outputs[0] }),
    (graph) => {
      const write = { to: graph.inputs[0].value, value: graph.outputs[0] };
      graph.writes.push(write, write);
    },
  ],
  regions: [
    (graph) => {
      const region = new Graph("body");
      region.addInput(f32(4), "captured", "w");
      graph.add(neg, [graph.inputs[0].value], [f32(4)], [region]);
    },
    (graph) => {
      const region = new Graph("body");
      const x = region.addInput(f32(4));
      region.writes.push({ to: x, value: x });
      graph.add(neg, [graph.inputs[0].value], [f32(4)], [region]);
    },
  ],
};

test.each(graphRules.map((rule) => [rule.name, rule] as const))("the rule about %s", (name) => {
  expect(broken[name].length).toBeGreaterThan(0);
  const lines = broken[name].map((change) => {
    const faults = verifyGraph(changed(change));
    expect(faults.map(({ rule }) => rule)).toContain(name);
    return faults.map(formatFault).join("\n");
  });
  expect(lines.join("\n\n")).toMatchSnapshot();
});

test("a graph without faults", () => {
  expect(verifyGraph(changed(() => undefined))).toEqual([]);
});

test("all kinds of arguments are printed and parsed", () => {
  const graph = new Graph("a name");
  const n = sym("n", { min: 1, max: 256, divisibleBy: 8 });
  const m = sym("m");
  const k = sym("k", { max: 7 });
  const x = graph.addInput(
    { dtype: "bfloat16", shape: [n, m.mul(4).add(1), int(3)], strides: [1, n, n.mul(m)] },
    "argument",
    'x "1"\n',
  );
  graph.addInput(f32(), "live", null, tensor(1).to("float32") as Tensor);
  const generator = new Generator(2n ** 64n - 1n);
  generator.offset = 5;
  const args = [
    x,
    1,
    -1,
    0,
    -0,
    1.5,
    -1e-7,
    1e21,
    Number.MAX_VALUE,
    Number.MIN_VALUE,
    NaN,
    Infinity,
    -Infinity,
    12n,
    -(2n ** 70n),
    "text",
    "",
    'quote " backslash \\ line \n end \u2028 \ud800',
    true,
    false,
    null,
    undefined,
    _,
    int(8),
    int(-8),
    n,
    n.mul(4).sub(m),
    n.floorDiv(3).mod(5),
    n.min(m, 4),
    k.neg(),
    [],
    [[1, [x]], []],
    {},
    { a: { "b c": [x, undefined] }, in: 1 },
    generator,
    { generator },
    { re: 1, im: -0 },
  ];
  graph.add(neg, args, [f32(2), f32(3)]);
  graph.writes.push({ to: x, value: x });
  graph.outputs = [x, x];
  const text = printGraph(graph);
  expect(text).toMatchSnapshot();
  // These arguments fit no op. The verifier checks them only where all sizes are numbers.
  expect(verifyGraph(graph)).toEqual([]);
  const parsed = parseGraph(text);
  expect(printGraph(parsed)).toBe(text);
  const [node] = parsed.nodes;
  args.forEach((arg, i) => {
    const own = node.args[i];
    if (typeof arg !== "object" || arg === null) expect(own).toBe(arg);
    else
      expect(
        `${JSON.stringify(own, (_key, each) => (typeof each === "bigint" ? `${each}n` : each?.node === null ? "x" : each))}`,
      ).toBe(
        JSON.stringify(arg, (_key, each) => (typeof each === "bigint" ? `${each}n` : each?.node === null ? "x" : each)),
      );
  });
  expect(node.args[args.indexOf(generator)]).toBe((node.args.at(-2) as { generator: Generator }).generator);
  expect((node.args[args.indexOf(generator)] as Generator).getState()).toEqual(generator.getState());
});

test("functions, dates and ambiguous symbols have no text", () => {
  const withArgument = (arg: unknown): Graph => changed((graph) => void graph.add(neg, [arg as never], [f32(4)]));
  const n = sym("n");
  for (const [graph, message] of [
    [withArgument(() => 1), "an argument of neg has no text: a function"],
    [withArgument(new Date(0)), "an argument of neg has no text"],
    [withArgument(sym("NaN")), "a symbol is named NaN"],
    [withArgument([n, sym("n", { min: 3 })]), "two symbols are named n"],
  ] as const)
    expect(() => printGraph(graph)).toThrow(message);
});

test("one name is one operator", () => {
  const byName = new Map<string, Set<string>>();
  for (const operator of definedOperators()) {
    if (operator.kernelFor("composite") !== null && operator.plan === null) continue;
    const name = operator.facts.id ?? operator.name;
    // Formulas that ops share are defined where they are used.
    const key = operator.family === "elementwise" && operator.body !== null ? "formula" : "op";
    byName.set(name, (byName.get(name) ?? new Set()).add(key).add(`${[...(byName.get(name) ?? [])].length}`));
  }
  const several = [...byName].filter(([, kinds]) => kinds.size > 2).map(([name]) => name);
  expect(several).toEqual(["product", "squares", "byLength"]);
});

describe("errors of the parser", () => {
  const graph = (body: string): string => `graph main {\n  symbol n: 1..8\n  argument %0: f32[n, 4] "x"\n  ${body}\n}`;
  const texts: readonly string[] = [
    "",
    "graf main {",
    "graph main {",
    "graph main { return } graph",
    "graph main { symbol n: 1..x return }",
    "graph main { symbol n: 5..1 return }",
    "graph main { symbol n symbol n return }",
    "graph main { symbol 3 return }",
    "graph main { generator @0: seed x return }",
    "graph main { argument 0: f32[4] return }",
    "graph main { argument %0: float32[4] return }",
    "graph main { argument %0: f31[4] return }",
    "graph main { argument %0: f32[4 return }",
    "graph main { argument %0: f32[4]:[1, 2] return }",
    "graph main { argument %0: f32[m] return }",
    "graph main { argument %0: f32[99999999999999999999] return }",
    "graph main { argument %0: f32[2 +] return }",
    "graph main { argument %0: f32[4] argument %0: f32[4] return }",
    graph("return %1"),
    graph("return %0,"),
    graph("%1: f32[n, 4] = nge(%0)\n  return %1"),
    graph("%1: f32[n, 4] = neg(%2)\n  return %1"),
    graph("%1: f32[n, 4] = neg(%0\n  return %1"),
    graph("%1: f32[n, 4] neg(%0)\n  return %1"),
    graph("%1 = neg(%0)\n  return %1"),
    graph("%0: f32[n, 4] = neg(%0)\n  return %0"),
    graph('%1: f32[n, 4] = neg("text)\n  return %1'),
    graph('%1: f32[n, 4] = neg("\\x")\n  return %1'),
    graph("%1: f32[n, 4] = neg({a 1})\n  return %1"),
    graph("%1: f32[n, 4] = neg(@1)\n  return %1"),
    graph("%1: f32[n, 4] = neg(%0, n + k)\n  return %1"),
    graph("%1: f32[n, 4] = neg(%0, )\n  return %1"),
    graph(`%1: f32[n, 4] = neg(${"[".repeat(200)})\n  return %1`),
    graph("write %0 %0\n  return"),
    graph("write %1 = %0\n  return"),
    "graph main {\n  argument %0: f32[4]\n  %1: f32[5] = neg(%0)\n  %2: f32[4] = reshape(%0, [4])\n  return %1\n}",
    "graph main {\n  constant %0: f32[4]\n  write %0 = %0\n  return\n}",
  ];

  test("have a line, a column and a caret", () => {
    const messages = texts.map((text) => {
      try {
        parseGraph(text);
      } catch (error) {
        expect((error as Error).name, text).toBe("GraphError");
        return (error as Error).message;
      }
      return `no error: ${text}`;
    });
    expect(messages.join("\n\n")).toMatchSnapshot();
  });

  test("of constants", () => {
    const text = 'graph main {\n  captured %0: f32[4] "w"\n  constant %1: f32[2]\n  return %0\n}';
    const w = ones([4]) as Tensor;
    const parse = (constants: Record<string, Tensor>) => (): unknown => parseGraph(text, { constants });
    expect(parse({ w, "%1": ones([2]) as Tensor })).not.toThrow();
    expect(parse({ w })).toThrowErrorMatchingInlineSnapshot(
      `[GraphError: parseGraph: constants has no tensor for the constant input "%1". Pass it, or omit constants to read types only]`,
    );
    expect(parse({ w: ones([5]) as Tensor })).toThrowErrorMatchingInlineSnapshot(
      `[GraphError: parseGraph: the captured input "w" must be f32[4], got f32[5]]`,
    );
    expect(() => parseGraph(3 as never)).toThrowErrorMatchingInlineSnapshot(
      `[StridewiseError: parseGraph: needs the text of a graph, got 3]`,
    );
  });

  test("of several graphs", () => {
    const text = "graph a {\n  return\n}\n\ngraph b {\n  return\n}";
    const graphs = parseGraphs(text);
    expect([...graphs.keys()]).toEqual(["a", "b"]);
    expect([...graphs.values()].join("\n\n")).toBe(text);
    expect(() => parseGraphs(`${text}\n${text}`)).toThrow("there are two graphs named a");
  });
});
