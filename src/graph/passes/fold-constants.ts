/**
 * Constant folding: a node whose inputs are all constants is computed once, when the graph is compiled, if its results are small. Captured
 * tensors and live numbers are not constants. Random ops and writes are not folded. A constant that is computed inside of a region, from constants that
 * it captures, is captured too.
 */
import { resultsOf } from "../../autograd/arguments.ts";
import { StridewiseError } from "../../base/errors.ts";
import { outsideScopes } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { rebuildGraph } from "../edit/rebuild.ts";
import { type Argument, type Graph, type Input, mapValues, Node, Value } from "../ir.ts";
import { isView } from "../lower/aliases.ts";
import { bytesOf, partOf } from "../lower/lower.ts";
import { typeOf } from "../trace/traced.ts";
import { capturesOf, setCaptures } from "./in-regions.ts";
import { haveSameType, isPure } from "./node-facts.ts";
import type { Pass } from "./pass.ts";

/** The maximum bytes of a folded result. */
const maxBytes = 16384;

/** Returns the results of a node over tensors; null if it throws: then the call of the function throws. */
function compute({ op }: Node, args: readonly unknown[]): readonly Tensor[] | null {
  try {
    if (op.name === "asStrided") return [partOf(args[0] as Tensor, args.slice(1) as never[])];
    return resultsOf(op.call(args)) as Tensor[];
  } catch (error) {
    if (error instanceof StridewiseError) return null;
    throw error;
  }
}

/** Folds a graph. `known` are tensors of its inputs that are constants of an enclosing graph. */
function fold(graph: Graph, known: readonly (Tensor | undefined)[]): Graph {
  /** Tensors of constants: of inputs, of folded nodes, and of views of them. */
  const tensors = new Map<Value, Tensor>();
  let isStarted = false;
  return rebuildGraph(graph, {
    node: (node, args, into) => {
      if (!isStarted)
        for (const [k, { value, kind, tensor }] of into.inputs.entries()) {
          const t = kind === "constant" ? (tensor as Tensor) : known[k];
          if (t !== undefined) tensors.set(value, t);
        }
      isStarted = true;
      if (node.regions.length > 0) return foldRegions(node, args, into, tensors);
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
      // A view of a constant remains a view of it.
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

/** Adds a copy of a node whose regions are folded. Constants that they compute are captured. */
function foldRegions(
  node: Node,
  args: readonly Argument[],
  into: Graph,
  tensors: ReadonlyMap<Value, Tensor>,
): readonly Value[] | null {
  const before = capturesOf(node);
  if (before === null) return null;
  const copy = new Node(
    node.op,
    args,
    node.results.map(({ type }) => type),
  );
  const captured = capturesOf(copy) as readonly Value[];
  const regions = node.regions.map((region) => {
    const own = region.inputs.length - before.length;
    return fold(
      region,
      region.inputs.map((_, k) => (k < own ? undefined : tensors.get(captured[k - own]))),
    );
  });
  const folded = regions.map((region) => region.inputs.filter(({ kind }) => kind === "constant"));
  const constants = folded.flat();
  for (const [k, region] of regions.entries()) {
    const own = region.inputs.filter(({ kind }) => kind === "argument");
    const more = constants.map((input): Input => {
      const value = folded[k].includes(input) ? input.value : new Value(input.value.type);
      return { value, kind: "argument", name: null, tensor: null };
    });
    region.inputs = [...own, ...more];
  }
  copy.regions = regions;
  setCaptures(copy, [
    ...captured,
    ...constants.map(({ value, tensor }) => into.addInput(value.type, "constant", null, tensor)),
  ]);
  into.nodes.push(copy);
  return copy.results;
}

/** Constant folding. */
export const foldConstants: Pass = { name: "fold constants", run: (graph) => fold(graph, []) };
