/**
 * The graph that is exported. A compiled function is traced again, without gradients: at the sizes of its last call, or, if it has dimensions by `dim`,
 * at several sizes, whose common graph has a symbol for each dimension.
 */
import { setGradEnabled } from "../../autograd/scopes.ts";
import { ArgumentType, type InstanceData, traceCall } from "../../graph/compile/build-instance.ts";
import { type CompiledSource, findSource, sourceOf } from "../../graph/compile/source.ts";
import { Dim } from "../../graph/dims.ts";
import { Graph, type Input } from "../../graph/ir.ts";
import { mapLeaves } from "../../graph/leaves.ts";
import { foldConstants } from "../../graph/passes/fold-constants.ts";
import { graphPasses, runPasses } from "../../graph/passes/pipeline.ts";
import { isConcreteGraph } from "../../graph/sizes.ts";
import { symbolize } from "../../graph/symbols.ts";
import { skeletonOf } from "../../graph/trace/describe.ts";
import { scratch } from "../../graph/trace/traced.ts";
import { noGrad } from "../../index.ts";
import { toRawArray } from "../../io/tensor-arrays.ts";
import { dtypes } from "../../storage/dtype.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import { scope } from "../../tensor/scope.ts";
import { type Tensor, tensorOver } from "../../tensor/tensor.ts";
import { OnnxError } from "../error.ts";

/** A function of `compile`. */
export type CompiledFunction = (...args: never[]) => unknown;

type Source = CompiledSource & { readonly data: InstanceData };

/** Sizes of dimensions to trace at, as multiples: different for each of a few dimensions, and in no simple relation. */
const sampleSizes: readonly (readonly number[])[] = [
  [3, 5, 7, 4],
  [8, 2, 11, 6],
  [5, 9, 4, 13],
  [13, 7, 9, 10],
  [6, 12, 3, 7],
  [10, 4, 14, 5],
];

/** Returns the graph of a compiled function, after the passes of `compile`. With example arguments it is called first. */
export function graphOfFunction(who: string, compiled: CompiledFunction, args: readonly unknown[] | undefined): Graph {
  if (args !== undefined && findSource(compiled) !== undefined)
    // The first call of a compiled function is eager.
    for (let round = 0; round < 2; round++) scope(() => void noGrad(() => compiled(...(args as never[]))));
  const source = sourceOf(who, compiled);
  const types: ArgumentType[] = [];
  mapLeaves(source.data.args, (leaf) => {
    if (leaf instanceof ArgumentType) types.push(leaf);
  });
  const dims = new Map<string, Dim>();
  for (const shape of source.shapes ?? []) for (const size of shape) if (size instanceof Dim) dims.set(size.name, size);
  if (dims.size === 0)
    return runPasses(
      tracedAt(
        source,
        types.map(({ shape }) => shape),
      ),
      graphPasses,
    );
  return symbolicGraph(who, source, types, [...dims.values()]);
}

/** Returns a graph that can be exported: a concrete graph after the passes of `compile`, a symbolic one unchanged. */
export const graphOfGraph = (graph: Graph): Graph => (isConcreteGraph(graph) ? runPasses(graph, graphPasses) : graph);

/** Traces a function over tensors of some shapes, without memory. */
function tracedAt({ fn, data }: Source, shapes: readonly (readonly number[])[]): Graph {
  let graph = new Graph("");
  scope(() => {
    const tensors: Tensor[] = [];
    const args = mapLeaves(data.args, (leaf) => {
      if (!(leaf instanceof ArgumentType)) return leaf;
      const sizes = shapes[tensors.length];
      const bytes = sizes.reduce((product, size) => product * size, dtypes[leaf.dtype].itemsize);
      const t = tensorOver(scratch(bytes), leaf.dtype, 0, sizes, rowMajorStrides(sizes));
      tensors.push(t);
      return t;
    }) as unknown[];
    const { trace, outputs } = setGradEnabled(false, () =>
      traceCall({ fn, args, tensors, passed: tensors }, { live: data.live }),
    );
    graph = trace.graph;
    graph.outputs = graph.outputs.slice(0, outputs.length);
    return graph.inputs.flatMap(({ tensor }) => tensor ?? []);
  });
  return graph;
}

function symbolicGraph(who: string, source: Source, types: readonly ArgumentType[], dims: readonly Dim[]): Graph {
  const sizeOf = (dim: Dim, sample: readonly number[]): number => {
    const k = dims.indexOf(dim);
    const size = dim.multipleOf * (sample[k % sample.length] + 15 * Math.floor(k / sample.length));
    const low = Math.ceil(dim.min / dim.multipleOf) * dim.multipleOf;
    const high = Math.floor(dim.max / dim.multipleOf) * dim.multipleOf;
    return Math.min(low + size, high);
  };
  const traces = sampleSizes.map((sample) =>
    tracedAt(
      source,
      types.map(({ shape }, k) =>
        shape.map((size, axis) => {
          const declared = source.shapes?.[k]?.[axis];
          return declared instanceof Dim ? sizeOf(declared, sample) : size;
        }),
      ),
    ),
  );
  // Constants are not folded, because those that depend on sizes must be created when the model runs.
  const passes = graphPasses.filter((pass) => pass !== foldConstants);
  const graphs = traces.map((graph) => runPasses(graph, passes));
  const common = [graphs, traces].find((list) => list.every((graph) => skeletonOf(graph) === skeletonOf(list[0])));
  const names = dims.map(({ name }) => name).join(", ");
  if (common === undefined)
    throw new OnnxError(
      `${who}: the ops of the function change with ${names}, so they are not one graph. Compile it without the dimension, and export it for fixed sizes`,
    );
  const graph = symbolize(common, source.shapes);
  const first = common[0].inputs;
  for (const { kind, tensor, name } of graph.inputs) {
    if (kind !== "constant" || tensor === null) continue;
    const k = first.findIndex((input) => input.tensor === tensor);
    if (common.every(({ inputs }) => haveSameElements(first[k], inputs[k]))) continue;
    throw new OnnxError(
      `${who}: the constant ${name ?? ""} of the function changes with ${names}. Compute it from an argument, or export the function for fixed sizes`,
    );
  }
  return graph;
}

function haveSameElements(a: Input, b: Input): boolean {
  if (a.tensor === b.tensor) return true;
  const [x, y] = [a, b].map(({ tensor }) => toRawArray("toOnnx", tensor as Tensor));
  return String(x.shape) === String(y.shape) && x.bytes.every((byte, k) => byte === y.bytes[k]);
}
