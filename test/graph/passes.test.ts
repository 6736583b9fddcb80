/** Passes over graphs: what each of them does, that callers cannot see it, and how one switches them off or adds another one. */
import { describe, expect, test } from "vitest";
import { holdsAll, rules } from "../../src/graph/passes/rules.ts";
import { checkGraph } from "../../src/graph/verify.ts";
import * as sw from "../../src/index.ts";
import { compile, type Graph, graphPasses, live, type Pass, type PassListener } from "../../src/index.ts";
import { type DType, dtypeNames, dtypes } from "../../src/storage/dtype.ts";

type Tensor = sw.Tensor;
type Fn = (...args: Tensor[]) => unknown;

/** Returns the names of the ops of the graph after all passes, and checks the graph after each of them. */
function opsOf(fn: Fn, ...args: Tensor[]): string[] {
  return graphOf(fn, ...args).nodes.map(({ op }) => op.name);
}

function graphOf(fn: Fn, ...args: Tensor[]): Graph {
  let last: Graph | null = null;
  const onPass: PassListener = (_name, graph) => {
    checkGraph(graph, "pass");
    last = graph;
  };
  const fast = compile(fn, { onPass });
  for (let k = 0; k < 2; k++) fast(...args);
  return last as unknown as Graph;
}

const x = (...shape: number[]): Tensor => sw.randn(shape) as Tensor;

describe("each pass", () => {
  test("canonicalize: views that are other views", () => {
    expect(opsOf((t) => t.T.T.exp(), x(2, 3))).toEqual(["exp"]);
    expect(opsOf((t) => t.detach().slice(0, 0, 2).exp(), x(2, 3))).toEqual(["exp"]);
    expect(opsOf((t) => t.reshape(6).reshape(3, 2).exp(), x(2, 3))).toEqual(["view", "exp"]);
    expect(opsOf((t) => [t.T.exp(), t.transpose(0, 1).sin()], x(2, 3))).toEqual(["T", "exp", "sin"]);
    expect(opsOf((t) => t.select(0, 1).exp(), x(2, 3))).toEqual(["select", "exp"]);
  });

  test("fold constants: computed once, but not live numbers and captured tensors", () => {
    const captured = x(3);
    const graph = graphOf((t) => t.mul(sw.tensor([1, 2, 3]).exp().sum()), x(2, 3));
    expect(graph.nodes.map(({ op }) => op.name)).toEqual(["mul"]);
    expect(graph.inputs.map(({ kind }) => kind)).toEqual(["argument", "constant"]);
    expect(opsOf((t) => t.mul(captured.exp()), x(2, 3))).toEqual(["exp", "mul"]);
    expect(opsOf((t) => t.mul(sw.tensor([2]).mul(live(() => 2))), x(2, 3))).toEqual(["mul", "mul"]);
    expect(opsOf((t) => t.add(sw.randn([3])), x(2, 3))).toEqual(["randn", "add"]);
  });

  test("merge equal calls: same op, arguments and options", () => {
    expect(opsOf((t) => t.exp().mul(t.exp()), x(3))).toEqual(["exp", "mul"]);
    expect(opsOf((t) => t.sum(0).add(t.sum(0, { keepdims: true })), x(3))).toEqual(["sum", "sum", "add"]);
    expect(opsOf((t) => t.add(0).mul(t.add(-0)).exp(), x(3))).toEqual(["add", "mul", "exp"]);
    expect(opsOf((t) => sw.randnLike(t).mul(sw.randnLike(t)), x(3))).toEqual(["randnLike", "randnLike", "mul"]);
  });

  test("remove dead code: but random ops stay", () => {
    expect(opsOf((t) => [t.exp().sum(), t.neg()][1], x(3))).toEqual(["neg"]);
    expect(opsOf((t) => [t.clone().add_(1), t.neg()][1], x(3))).toEqual(["neg"]);
    expect(opsOf((t) => [sw.randn([3]), t.neg()][1], x(3))).toEqual(["randn", "neg"]);
    const captured = x(3);
    expect(graphOf((t) => [captured.exp(), t.neg()][1], x(3)).inputs.length).toBe(1);
  });
});

describe("inside of regions", () => {
  /** The names of the ops in the regions of the only node with regions, and the captured tensors. */
  const regionsOf = (fn: Fn, ...args: Tensor[]): { ops: string[][]; inputs: number[]; outside: string[] } => {
    const graph = graphOf(fn, ...args);
    const [node] = graph.nodes.filter(({ regions }) => regions.length > 0);
    return {
      ops: node.regions.map(({ nodes }) => nodes.map(({ op }) => op.name)),
      inputs: node.regions.map(({ inputs }) => inputs.length),
      outside: graph.nodes.map(({ op }) => op.name),
    };
  };
  const positive = (t: Tensor): Tensor => t.sum().gt(0) as Tensor;

  test("each pass changes the branches and the bodies", () => {
    const branches = regionsOf(
      (t) =>
        sw.cond(
          positive(t),
          () => [t.exp().mul(t.exp()), t.sin()][0],
          () => t.T.T.mul(1).neg().neg().cos(),
        ),
      x(2, 3),
    );
    expect(branches.ops).toEqual([["exp", "mul"], ["cos"]]);
    const loop = regionsOf(
      (t) =>
        sw.whileLoop(
          (s: Tensor) => s.T.T.sum().lt(100) as Tensor,
          (s: Tensor) => s.add(s.mul(1).exp()).add(s.exp()) as Tensor,
          t,
        ),
      x(2, 3),
    );
    expect(loop.ops).toEqual([
      ["sum", "lt"],
      ["exp", "add", "add"],
    ]);
    const rows = regionsOf(
      (t) =>
        sw.scan(
          (c: Tensor, row: Tensor) => [c.mul(1).add(row) as Tensor, row.T.T] as const,
          sw.zeros([3]) as Tensor,
          t,
        )[0],
      x(2, 3),
    );
    expect(rows.ops).toEqual([["add"]]);
  });

  test("constants are folded, in nested regions too, and what is not used is not captured", () => {
    const fn: Fn = (t, other) => {
      const constant = sw.tensor([1, 2, 3]) as Tensor;
      const inner = (y: Tensor): Tensor =>
        sw.cond(
          positive(y),
          () => y.add(constant.exp().sum()),
          () => [y.mul(constant), other.exp().sin()][0] as Tensor,
        ) as Tensor;
      return sw.whileLoop(
        (s: Tensor) => s.sum().lt(500) as Tensor,
        (s: Tensor) => inner(s.abs().add(constant.sum()) as Tensor),
        t,
      );
    };
    const args = [x(2, 3), x(4)];
    const { ops, inputs, outside } = regionsOf(fn, ...args);
    expect(outside).toEqual(["whileLoop"]);
    expect(ops).toEqual([
      ["sum", "lt"],
      ["abs", "add", "sum", "gt", "cond"],
    ]);
    // The state, the constant, its sum and the sum of its exponentials; the other argument is not used.
    expect(inputs).toEqual([4, 4]);
    const fast = compile(fn);
    for (let k = 0; k < 3; k++) expect((fast(...args) as Tensor).toArray()).toEqual((fn(...args) as Tensor).toArray());
  });

  test("outputs that are arguments, each other or swapped state keep their meaning", () => {
    const fns: Fn[] = [
      (t) =>
        sw.cond(
          positive(t),
          () => [t.mul(1), t.clone(), t.T.T],
          () => [t, t.neg().neg(), t] as Tensor[],
        ),
      (t) =>
        sw.whileLoop(
          ([a, b]: Tensor[]) => a.sum().add(b.sum()).lt(90) as Tensor,
          ([a, b]: Tensor[]) => [b.mul(1).add(2) as Tensor, a.clone() as Tensor],
          [t.abs() as Tensor, t.abs().exp() as Tensor],
        ),
      (t) =>
        sw.scan(
          ([a, b]: Tensor[], row: Tensor) =>
            [[b.mul(1) as Tensor, a.add(row).mul(1) as Tensor] as Tensor[], [a.clone(), row.T]] as const,
          [t.at(0) as Tensor, t.at(0).exp() as Tensor],
          t,
        ),
    ];
    for (const fn of fns) {
      const fast = compile(fn, { onPass: (name, graph) => checkGraph(graph, name) });
      for (let k = 0; k < 4; k++) {
        const t = x(3, 3);
        const [got, want] = [fast(t), fn(t)].map((result) => (result as unknown[]).flat(2) as Tensor[]);
        expect(
          got.map((each) => each.toArray()),
          `${fn}`,
        ).toEqual(want.map((each) => each.toArray()));
      }
    }
  });
});

test("a traced graph is not changed, and explain counts its ops before and after", () => {
  const fast = compile((t: Tensor) => t.T.T.exp().mul(t.exp()));
  for (let k = 0; k < 2; k++) fast(x(2, 3));
  expect(fast.graph().nodes.map(({ op }) => op.name)).toEqual(["T", "T", "exp", "exp", "mul"]);
  expect(fast.explain()).toContain("5 ops, 1 task");
  expect(fast.explain()).toContain("2 ops after the passes");
});

describe("callers cannot see a pass", () => {
  test("outputs are tensors of their own", () => {
    const fns: Fn[] = [
      (t) => [t.exp(), t.exp()],
      (t) => [t.mul(1), t.clone()],
      (t) => [t.neg().neg(), t.neg()],
      (t) => {
        const y = t.clone() as Tensor;
        y.mul_(2);
        return [y, t.clone(), t.add(1)];
      },
      (t) => [sw.tensor([1, 2]), sw.tensor([1, 2]).neg(), t],
      (t) => {
        const c = sw.tensor([1, 2]) as Tensor;
        return [c, c.slice(0, 1, 2), c.exp(), t];
      },
    ];
    for (const fn of fns) {
      const fast = compile(fn);
      for (let round = 0; round < 4; round++) {
        const [a, b] = [sw.tensor([3, 4]), sw.tensor([3, 4])] as Tensor[];
        const [wanted, results] = [fn(a) as Tensor[], fast(b) as Tensor[]];
        for (let k = 0; k < wanted.length; k++) {
          wanted[k].add_(k + 1);
          results[k].add_(k + 1);
          expect(
            results.map((t) => t.toArray()),
            `${fn}, call ${round}`,
          ).toEqual(wanted.map((t) => t.toArray()));
        }
        expect(b.toArray()).toEqual(a.toArray());
      }
    }
  });

  test("a copy that is written to its own tensor", () => {
    const fns: ((t: Tensor) => Tensor)[] = [
      (t) => t.copy_(t.mT.clone() as Tensor) as Tensor,
      (t) => t.exp().copy_(t.exp().mT as Tensor) as Tensor,
    ];
    for (const fn of fns) {
      const fast = compile(fn);
      for (let k = 0; k < 3; k++) {
        const [a, b] = [0, 1].map(() => sw.arange(9).to("float32").reshape(3, 3) as Tensor);
        expect(fast(b).toArray()).toEqual(fn(a).toArray());
      }
    }
  });

  test("a copy that is kept while its tensor is written", () => {
    const fn = (t: Tensor): Tensor => {
      const before = t.clone() as Tensor;
      t.mul_(3);
      return before.add(t) as Tensor;
    };
    const fast = compile(fn);
    for (let k = 0; k < 3; k++) {
      const [a, b] = [sw.tensor([1, 2]), sw.tensor([1, 2])] as Tensor[];
      expect(fast(b).toArray()).toEqual(fn(a).toArray());
      expect(b.toArray()).toEqual(a.toArray());
    }
  });
});

describe("the option passes", () => {
  test("switches passes off and adds others", () => {
    const names: string[] = [];
    const sinToCos: Pass = {
      name: "sin to cos",
      run(graph) {
        for (const node of graph.nodes) {
          if (node.op.name !== "sin") continue;
          const cos = graph.nodes.find(({ op }) => op.name === "cos");
          if (cos === undefined) continue;
          graph.replaceUses(node.results[0], cos.results[0]);
          graph.remove(node);
          break;
        }
        return graph;
      },
    };
    const passes = [...graphPasses.filter(({ name }) => name !== "merge equal calls"), sinToCos];
    const fast = compile((t: Tensor) => t.cos().add(t.cos()).add(t.sin()), {
      passes,
      onPass: (name) => names.push(name),
    });
    for (let k = 0; k < 2; k++) fast(sw.tensor([0]) as Tensor);
    expect(fast(sw.tensor([0]) as Tensor).toArray()).toEqual([3]);
    expect(names).toEqual(["trace", "canonicalize", "fold constants", "simplify", "remove dead code", "sin to cos"]);
  });

  test("refuses what is not a pass, and passes that change the results", () => {
    expect(() => compile((t: Tensor) => t, { passes: ["fold"] as never })).toThrowErrorMatchingInlineSnapshot(
      `[StridewiseError: compile: pass 0 must be an object with a name and a function run, got "fold"]`,
    );
    expect(() => compile((t: Tensor) => t, { passes: "fold" as never })).toThrowErrorMatchingInlineSnapshot(
      `[StridewiseError: compile: passes must be a list of passes, got "fold". Filter graphPasses, or add to it]`,
    );
    const drop: Pass = { name: "drop", run: (graph) => Object.assign(graph, { outputs: [] }) };
    const fast = compile((t: Tensor) => t.exp(), { passes: [drop] });
    fast(x(2));
    expect(() => fast(x(2))).toThrowErrorMatchingInlineSnapshot(
      `[GraphError: compile: the pass "drop" changed the outputs of the graph (1, now 0, or other types). A pass must keep their number, order and types]`,
    );
  });
});

/** Special values of a dtype, and some others. */
function valuesOf(dtype: DType): Tensor {
  const { category, itemsize } = dtypes[dtype];
  const isUnsigned = dtype.startsWith("u");
  const floats = [
    0,
    -0,
    1,
    -1,
    0.1,
    -2.5,
    Infinity,
    -Infinity,
    NaN,
    5e-324,
    -1e-310,
    1e-40,
    6e-8,
    65504,
    3.4e38,
    1e308,
  ];
  const integers = isUnsigned ? [0, 1, 2, 255] : [0, 1, -1, 127, -128];
  if (category === "bool") return sw.tensor([true, false], { dtype }) as Tensor;
  if (category === "complex")
    return sw
      .complex(sw.tensor(floats, { dtype: "float64" }), sw.tensor(floats.slice().reverse(), { dtype: "float64" }))
      .to(dtype) as Tensor;
  if (category === "float") return sw.tensor(floats, { dtype: "float64" }).to(dtype) as Tensor;
  const wide = itemsize === 8 ? [2n ** (isUnsigned ? 64n : 63n) - 1n] : [];
  return sw.tensor([...integers.map(BigInt), ...wide], { dtype } as never) as Tensor;
}

/** The functions whose calls the rules remove. Each has a call that the rule of that name must remove for some dtype. */
const calls: readonly (readonly [string, (t: Tensor) => unknown])[] = [
  ["x * 1 = x", (t) => t.mul(1)],
  ["x * 1 = x", (t) => sw.mul(1 as never, t)],
  ["x * 1 = x", (t) => t.mul(sw.tensor(1, { dtype: t.dtype } as never))],
  ["x / 1 = x", (t) => t.div(1)],
  ["x + -0 = x, and x + 0 = x for integers", (t) => t.add(-0)],
  ["x + -0 = x, and x + 0 = x for integers", (t) => t.add(0)],
  ["x - 0 = x", (t) => t.sub(0)],
  ["x - 0 = x", (t) => t.sub(-0)],
  ["-(-x) = x", (t) => t.neg().neg()],
  ["not not x = x", (t) => sw.logicalNot(sw.logicalNot(t))],
  ["~~x = x", (t) => sw.bitwiseNot(sw.bitwiseNot(t))],
  ...[sw.abs, sw.relu, sw.floor, sw.ceil, sw.trunc, sw.round].map((op) => {
    const { name } = (op as unknown as { operator: { name: string } }).operator;
    return [`${name}(${name}(x)) = ${name}(x)`, (t: Tensor) => op(op(t) as Tensor)] as const;
  }),
  ...[sw.maximum, sw.minimum, sw.fmax, sw.fmin, sw.bitwiseAnd, sw.bitwiseOr, sw.logicalAnd, sw.logicalOr].map(
    (op) => ["f(x, x) = x", (t: Tensor) => op(t, t)] as const,
  ),
  ["where(c, x, x) = x", (t) => sw.where(t.eq(t), t, t)],
  ...dtypeNames.map(
    (dtype) => ["a cast to a wider dtype and back is x", (t: Tensor) => t.to(dtype).to(t.dtype)] as const,
  ),
  ["a copy has the elements of its tensor", (t) => t.clone()],
  ["a formula that passes its operands on", (t) => sw.elementwise("y = x", { x: t }).y],
];

describe("rules", () => {
  test("hold for every dtype and special value, bit for bit", () => {
    const applied = new Set<string>();
    for (const dtype of dtypeNames)
      for (const [name, fn] of calls) {
        const t = valuesOf(dtype);
        let wanted: Tensor;
        try {
          wanted = fn(t) as Tensor;
        } catch {
          continue;
        }
        // A part of a new tensor, so that the result of the rule is not the output itself.
        let count = 0;
        const fast = compile((each: Tensor) => sw.cat([fn(each) as Tensor]), {
          onPass: (pass, graph) => {
            if (pass === "trace") count = graph.nodes.length;
            else if (pass === "simplify" || pass === "remove dead code") {
              if (graph.nodes.length < count) applied.add(name);
            }
          },
        });
        for (let k = 0; k < 3; k++) {
          const result = fast(t);
          const where = `${name} for ${dtype}: ${fn}`;
          expect(result.dtype, where).toBe(wanted.dtype);
          const [a, b] = [result, wanted].map((each) =>
            [...(each.view("uint8" as never).toArray() as unknown as number[])].flat(9),
          );
          const isNaN = (wanted as Tensor).ne(wanted).toArray() as boolean[];
          const size = dtypes[wanted.dtype].itemsize;
          // The payload of NaN is not defined; that there is one is.
          a.forEach((byte, at) => {
            if (!isNaN[Math.floor(at / size)]) expect(byte, `${where}, byte ${at}`).toBe(b[at]);
          });
          expect((result.ne(result) as Tensor).toArray(), where).toEqual(isNaN);
        }
      }
    for (const { name } of rules) expect([...applied], name).toContain(name);
  });

  test("a dtype that holds all values of another one", () => {
    for (const wide of dtypeNames)
      for (const narrow of dtypeNames) {
        if ((dtypes[narrow].parts === 2) !== (dtypes[wide].parts === 2)) continue;
        const t = valuesOf(narrow);
        if (!holdsAll(wide, narrow)) continue;
        expect(`${t.to(wide).to(narrow)}`, `${narrow} in ${wide}`).toEqual(`${t}`);
      }
    expect(holdsAll("float32", "int32")).toBe(false);
    expect(holdsAll("float16", "bfloat16")).toBe(false);
    expect(holdsAll("int32", "uint32")).toBe(false);
    expect(holdsAll("int64", "uint32")).toBe(true);
  });
});
