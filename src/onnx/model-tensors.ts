/** Finds the tensors of a model: initializers, and attributes of nodes, in graphs at any depth and in functions. */
import { titleOf } from "./block.ts";
import type {
  AttributeProto,
  GraphProto,
  ModelProto,
  NodeProto,
  SparseTensorProto,
  TensorProto,
} from "./proto/types.ts";

/** A tensor of a model. */
export interface ModelTensor {
  readonly tensor: TensorProto | SparseTensorProto;
  /** The name of an initializer; empty for an attribute. */
  readonly name: string;
  /** A text that says where it is: `the attribute value of node "a" (Constant)`. */
  readonly where: string;
}

/** The tensors of a model in the order of the file. */
export function* tensorsOfModel({ graph, functions }: ModelProto): Generator<ModelTensor> {
  if (graph !== undefined) yield* tensorsOfGraph(graph, "");
  for (const { name, node, attributeProto } of functions) {
    const suffix = ` in the function ${name}`;
    for (const attribute of attributeProto)
      yield* tensorsOfAttribute(attribute, `the default of ${attribute.name}${suffix}`);
    yield* tensorsOfNodes(node, suffix);
  }
}

function* tensorsOfGraph(graph: GraphProto, suffix: string): Generator<ModelTensor> {
  yield* tensorsOfNodes(graph.node, suffix);
  for (const tensor of graph.initializer) {
    const { name } = tensor;
    yield { tensor, name, where: `the initializer ${JSON.stringify(name)}${suffix}` };
  }
  for (const tensor of graph.sparseInitializer) {
    const name = tensor.values?.name ?? "";
    yield { tensor, name, where: `the sparse initializer ${JSON.stringify(name)}${suffix}` };
  }
}

function* tensorsOfNodes(nodes: readonly NodeProto[], suffix: string): Generator<ModelTensor> {
  for (const [k, node] of nodes.entries())
    for (const attribute of node.attribute)
      yield* tensorsOfAttribute(attribute, `the attribute ${attribute.name} of ${titleOf(node, k)}${suffix}`);
}

function* tensorsOfAttribute(attribute: AttributeProto, where: string): Generator<ModelTensor> {
  const { t, tensors, sparseTensor, sparseTensors, g, graphs } = attribute;
  for (const tensor of [t, ...tensors, sparseTensor, ...sparseTensors])
    if (tensor !== undefined) yield { tensor, name: "", where };
  for (const graph of [g, ...graphs]) if (graph !== undefined) yield* tensorsOfGraph(graph, ` in ${where}`);
}
