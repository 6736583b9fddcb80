/**
 * Constant folding: a node whose inputs are all constants is computed once, when the graph is compiled, if its results are small. Captured
 * tensors and live numbers are not constants. Random ops and writes are not folded.
 */
import { resultsOf } from "../../autograd/arguments.ts";
import { StridewiseError } from "../../base/errors.ts";
import { outsideScopes } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { rebuildGraph } from "../edit/rebuild.ts";
import { type Graph, mapValues, type Node, type Value } from "../ir.ts";
import { isView } from "../lower/aliases.ts";
import { bytesOf, partOf } from "../lower/lower.ts";
import { typeOf } from "../trace/traced.ts";
import { haveSameType, isPure } from "./node-facts.ts";
import type { Pass } from "./pass.ts";

/** The maximum bytes of a folded result. */
const maxBytes = 16384;

/** Returns the results of a node over tensors; null if it throws, which a call of the function does then. */
function compute({ op }: Node, args: readonly unknown[]): readonly Tensor[] | null {
  try {
    if (op.name === "asStrided") return [partOf(args[0] as Tensor, args.slice(1) as never[])];
    return resultsOf(op.call(args)) as Tensor[];
  } catch (error) {
    if (error instanceof StridewiseError) return null;
    throw error;
  }
}

function run(graph: Graph): Graph {
  /** Tensors of constants: of inputs, of folded nodes, and of views of them. */
  const tensors = new Map<Value, Tensor>();
  let isStarted = false;
  return rebuildGraph(graph, {
    node: (node, args, into) => {
      if (!isStarted)
        for (const { value, kind, tensor } of into.inputs)
          if (kind === "constant") tensors.set(value, tensor as Tensor);
      isStarted = true;
      const isSmall = node.results.every(({ type }) => bytesOf(type) <= maxBytes);
      if (tensors.size === 0 || !isPure(node) || node.op.makes || !(isSmall || isView(node))) return null;
      let isConstant = true;
      let count = 0;
      const tensorArgs = args.map((arg) =>
        mapValues(arg, (value) => {
          count++;
          const t = tensors.get(value);
          isConstant &&= t !== undefined;
          return t;
        }),
      );
      if (!isConstant || count === 0) return null;
      const results = outsideScopes(() => compute(node, tensorArgs));
      const isSame = results?.every((t, k) => haveSameType({ type: typeOf(t) }, node.results[k]));
      if (results == null || isSame !== true) return null;
      // A view of a constant stays a view of it.
      const values = isView(node)
        ? into.add(
            node.op,
            args,
            node.results.map(({ type }) => type),
          ).results
        : results.map((t) => into.addInput(typeOf(t), "constant", null, t));
      for (const [k, value] of values.entries()) tensors.set(value, results[k]);
      return values;
    },
  });
}

/** Constant folding. */
export const foldConstants: Pass = { name: "fold constants", run };
