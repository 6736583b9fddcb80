/**
 * Simplifies views. A view with the sizes, strides and start of its tensor, or of an earlier view of it, is replaced by that tensor or view (a
 * transpose of a transpose, a slice of everything, `detach`), and a reshape of a reshape by one reshape. The kernels of the views compute sizes and
 * strides, so no rule depends on the names of views.
 */
import { resultsOf } from "../../autograd/arguments.ts";
import { Storage } from "../../storage/storage.ts";
import { isDense, rowMajorStrides } from "../../tensor/contiguity.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { type Tensor, tensorOver } from "../../tensor/tensor.ts";
import { rebuildGraph } from "../edit/rebuild.ts";
import { type Argument, type Graph, mapValues, type Node, type TensorType, Value } from "../ir.ts";
import { isView } from "../lower/aliases.ts";
import { bytesOf, partOf } from "../lower/lower.ts";
import { firstIn } from "../trace/traced.ts";
import { inRegions } from "./in-regions.ts";
import type { Pass } from "./pass.ts";

/** Returns a tensor of a type without memory; null if the elements have gaps, because the value may be dense when it is computed. */
function tensorOfDense(type: TensorType): Tensor | null {
  const sizes = type.shape as readonly number[];
  const strides = (type.strides as readonly number[] | null) ?? rowMajorStrides(sizes);
  if (!isDense(sizes, strides)) return null;
  return tensorOver(Storage.inWorkspace(bytesOf(type), 0), type.dtype, firstIn(sizes, strides), sizes, strides);
}

/** Returns the views that a node creates of these tensors. */
function viewsOf({ op }: Node, args: readonly unknown[]): readonly Tensor[] {
  const [base, ...rest] = args;
  if (op.name === "asStrided") return [partOf(base as Tensor, rest as Argument[])];
  return resultsOf((op.kernelFor("cpu") as (...args: unknown[]) => unknown)(...args)) as Tensor[];
}

const keyOf = (t: Tensor): string => `${t.dtype} ${sizesOf(t)} ${flatStrides(t)} ${t.start}`;

function run(graph: Graph): Graph {
  const tensors = new Map<Value, Tensor | null>();
  /** The values by storage and geometry. */
  const valuesByGeometry = new Map<unknown, Map<string, Value>>();
  const tensorOf = (value: Value): Tensor | null => {
    let t = tensors.get(value);
    if (t !== undefined) return t;
    t = tensorOfDense(value.type);
    tensors.set(value, t);
    if (t !== null) valuesByGeometry.set(t.source, new Map([[keyOf(t), value]]));
    return t;
  };
  return rebuildGraph(graph, {
    node: (node, args, into) => {
      const [base] = args;
      if (!isView(node) || !(base instanceof Value) || tensorOf(base) === null) return null;
      const results = viewsOf(
        node,
        args.map((arg) => mapValues(arg, tensorOf)),
      );
      const values = results.map((t) => valuesByGeometry.get(t.source)?.get(keyOf(t)));
      if (values.every((value) => value !== undefined)) return values;
      // A reshape of a reshape is a reshape of the first tensor.
      const source = base.node?.op === node.op && node.op.name === "view" ? base.node.args[0] : base;
      const { results: copies } = into.add(
        node.op,
        [source, ...args.slice(1)],
        node.results.map(({ type }) => type),
      );
      for (const [k, value] of copies.entries()) {
        tensors.set(value, results[k]);
        valuesByGeometry.get(results[k].source)?.set(keyOf(results[k]), value);
      }
      return copies;
    },
  });
}

/** Simplifies chains of views. */
export const canonicalize: Pass = { name: "canonicalize", run: inRegions(run) };
