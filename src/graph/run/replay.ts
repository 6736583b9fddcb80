/**
 * Runs graphs by calling their ops one after another, over tensors instead of the inputs. The calls are dispatched as usual: autograd records them,
 * and a trace adds them to its graph. A value is never changed: ops in place work on copies.
 */
import { resultsOf } from "../../autograd/arguments.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { asStrided, clone, copy_ } from "../../tensor/views/view-ops.ts";
import { callScan, scanOp } from "../control/region-ops.ts";
import { type Argument, type Graph, GraphError, mapValues, type Node, Regions, type Value } from "../ir.ts";
import { callNode, type NodeMemory } from "./call-node.ts";

/** Returns the outputs of a graph without captured tensors, for tensors with the types of its inputs. */
export function replay(graph: Graph, inputs: readonly Tensor[]): Tensor[] {
  const tensors = new Map<Value, Tensor>(graph.inputs.map(({ value }, k) => [value, inputs[k]]));
  for (const node of graph.nodes) {
    const results = replayNode(node, tensors);
    for (const [k, value] of node.results.entries()) tensors.set(value, results[k]);
  }
  return graph.outputs.map((value) => tensors.get(value) as Tensor);
}

function replayNode(node: Node, tensors: ReadonlyMap<Value, Tensor>): readonly Tensor[] {
  const { op, args, results, regions } = node;
  const tensorOf = (value: Value): Tensor => tensors.get(value) as Tensor;
  const resolved = args.map((arg) => mapValues(arg, tensorOf));
  if (op === scanOp) {
    const [carry, xs, captured, reverse, saves] = resolved as [Tensor[], Tensor[], Tensor[], boolean, boolean];
    return callScan(regions[0], carry, xs, captured, reverse, saves);
  }
  if (regions.length > 0)
    return resultsOf(
      op.call([
        new Regions(
          regions,
          results.map(({ type }) => type),
        ),
        ...resolved,
      ]),
    );
  return callNode(node, resolved, tensorOf, memory);
}

const memory: NodeMemory = {
  part: partOf,
  copy: (t) => clone(t) as Tensor,
  assign: (to, from) => copy_(to, from),
};

/** Returns a part of a tensor, by its geometry relative to the first element. */
function partOf(t: Tensor, [sizes, strides, offset, dtype = t.dtype]: readonly Argument[]): Tensor {
  if (dtype !== t.dtype)
    throw new GraphError(
      `backward: the gradient of a region that views ${t.dtype} as ${String(dtype)} in place is not defined. Convert it with to(dtype)`,
    );
  return asStrided(t, sizes as number[], strides as number[], t.start + Number(offset)) as Tensor;
}
