/** Rewriting keeps objects that no rule changes, keeps sharing, and replaces one statement by many. */
import { expect, test } from "vitest";
import { asExpr, sym } from "../../expr/expr.ts";
import type { Kernel, LoopStatement, Statement, StoreStatement } from "../ir/kernel.ts";
import {
  bitcast,
  type CallScalar,
  call,
  cast,
  constantScalar,
  loadScalar,
  namedScalar,
  type Scalar,
} from "../ir/scalar.ts";
import { rewriteKernel } from "./rewrite.ts";

const i = sym("i", { min: 0 });
const x = loadScalar("float32", "x", i);
const square = call("mul", x, x);
const one = constantScalar("float32", 1);
const masked = loadScalar("float32", "y", i, call("lt", x, one), one);
const sum = call("add", square, call("exp", square));
const store = (value: Scalar, mask?: Scalar): Statement =>
  mask ? { kind: "store", buffer: "out", index: i, value, mask } : { kind: "store", buffer: "out", index: i, value };

function kernelOf(...body: Statement[]): Kernel {
  const loop: LoopStatement = {
    kind: "loop",
    mode: "parallel",
    index: "i",
    from: asExpr(0),
    to: sym("n"),
    by: 1,
    body,
  };
  return { name: "k", buffers: [], scalars: [], sizes: [{ name: "n", min: 0, max: 9 }], modes: [], body: [loop] };
}
const bodyOf = (kernel: Kernel): readonly Statement[] => (kernel.body[0] as LoopStatement).body;

const every: Statement[] = [
  { kind: "index", name: "p", value: i },
  { kind: "walk", modes: "rest", position: i, offsets: ["q"] },
  { kind: "allocate", name: "s", dtype: "float32", length: 4, space: "smem" },
  { kind: "barrier" },
  { kind: "fetch", name: "f", value: cast("int32", x) },
  { kind: "let", name: "l", value: sum },
  { kind: "accumulator", name: "a", initial: one },
  { kind: "accumulate", into: "a", fn: "add", value: bitcast("float32", cast("int32", x)) },
  store(namedScalar("float32", "l")),
  store(masked, call("lt", x, one)),
];

test("a kernel that no rule changes is the same object", () => {
  const kernel = kernelOf(...every);
  expect(rewriteKernel(kernel, {})).toBe(kernel);
  expect(rewriteKernel(kernel, { scalar: (node) => node, statement: (statement) => [statement] })).toBe(kernel);
});

test("every value of every statement is visited once, operands first", () => {
  const order: Scalar[] = [];
  rewriteKernel(kernelOf(...every), {
    scalar: (_, original) => {
      order.push(original);
      return undefined;
    },
  });
  expect(new Set(order).size).toBe(order.length);
  for (const node of order) {
    const operands =
      node.kind === "call"
        ? node.args
        : node.kind === "cast"
          ? [node.of]
          : node.kind === "load" && node.mask
            ? [node.mask, node.otherwise as Scalar]
            : [];
    for (const operand of operands) expect(order.indexOf(operand)).toBeLessThan(order.indexOf(node));
  }
  const kinds = order.map((node) => (node.kind === "call" ? node.fn : node.kind));
  expect(kinds.sort()).toEqual(
    ["add", "cast", "cast", "cast", "constant", "exp", "load", "load", "lt", "lt", "mul", "named"].sort(),
  );
});

test("a shared value stays shared, and unchanged neighbors stay the same objects", () => {
  const kernel = kernelOf(store(sum), store(x));
  const result = rewriteKernel(kernel, {
    scalar: (node) => (node.kind === "call" && node.fn === "mul" ? call("add", ...node.args) : undefined),
  });
  const [first, second] = bodyOf(result) as [StoreStatement, StoreStatement];
  const outer = first.value as CallScalar;
  expect(outer.args[0]).toBe((outer.args[1] as CallScalar).args[0]);
  expect((outer.args[0] as CallScalar).args[0]).toBe(x);
  expect(second).toBe(bodyOf(kernel)[1]);
});

test("a rule sees the new operands and the old node", () => {
  const seen: [Scalar, Scalar][] = [];
  rewriteKernel(kernelOf(store(call("neg", square))), {
    scalar: (node, original) => {
      if (node.kind === "call" && node.fn === "neg") seen.push([node, original]);
      return node.kind === "load" ? one : undefined;
    },
  });
  expect(seen).toEqual([[call("neg", call("mul", one, one)), call("neg", square)]]);
});

test("one statement may become none or many, after its values were rewritten", () => {
  const kernel = kernelOf({ kind: "barrier" }, store(x));
  const result = rewriteKernel(kernel, {
    scalar: (node) => (node === x ? one : undefined),
    statement: (statement) =>
      statement.kind === "barrier" ? [] : statement.kind === "store" ? [statement, statement] : undefined,
  });
  expect(bodyOf(result)).toEqual([store(one), store(one)]);
});
