/**
 * A block is a graph or the body of a function, prepared to run: each node with its operator, its attributes and the names that it reads. Preparing
 * sorts the nodes, and checks the rules that do not depend on values: that every name is defined, and only once, and that every operator is known.
 */
import { OnnxError } from "./error.ts";
import { maxNesting } from "./limits.ts";
import type { NarrowType } from "./narrow.ts";
import { NarrowValues } from "./narrow-values.ts";
import { inOrder } from "./node-order.ts";
import { definitionIn, domainOf, type OperatorDefinition, type OperatorTable } from "./operator.ts";
import type {
  AttributeProto,
  FunctionProto,
  GraphProto,
  NodeProto,
  OperatorSetIdProto,
  SparseTensorProto,
  TensorProto,
} from "./proto/types.ts";

/** A node that is ready to run. */
export interface Step {
  readonly node: NodeProto;
  /** A text that names the node in errors: `node "conv1" (Conv)`. */
  readonly title: string;
  readonly attributes: ReadonlyMap<string, AttributeProto>;
  /** The operator; or the body of a function of the model. */
  readonly definition: OperatorDefinition | null;
  readonly body: Block | null;
  /** The graphs in attributes. */
  readonly graphs: ReadonlyMap<GraphProto, Block>;
  /** The names of values of this block and of enclosing ones that the node or its graphs read. */
  readonly reads: readonly string[];
  /** For each input, its element type if that is narrower than the dtype of its tensor. */
  readonly narrowTypes: readonly (NarrowType | null)[];
  /** True if the node, or a node in its graphs or its body, draws random numbers. */
  readonly isRandom: boolean;
}

export interface Block {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly steps: readonly Step[];
  readonly initializers: ReadonlyMap<string, TensorProto | SparseTensorProto>;
  readonly versions: ReadonlyMap<string, number>;
  /** The names from enclosing blocks that it reads. */
  readonly captured: readonly string[];
  /** For each name, the index of the last step that reads it; the number of steps if it is an output. */
  readonly lastUse: ReadonlyMap<string, number>;
}

/** The input of preparing a model: facts about it, and lists that the preparation fills. */
export class Preparation {
  readonly #functions: ReadonlyMap<string, FunctionProto>;
  readonly #tables: Readonly<Record<string, OperatorTable>>;
  /** The functions that are being prepared, from the outermost. */
  readonly #open: string[] = [];
  #narrow = new NarrowValues();
  /** Operators without a definition, with the number of their nodes. */
  readonly unknown = new Map<string, number>();

  readonly #maxNodes: number;
  #nodes = 0;
  #depth = 0;

  constructor(functions: readonly FunctionProto[], tables: Readonly<Record<string, OperatorTable>>, maxNodes: number) {
    this.#maxNodes = maxNodes;
    this.#functions = new Map(functions.map((each) => [functionKey(each.domain, each.name, each.overload), each]));
    this.#tables = tables;
  }

  /** Prepares a graph. `outer` has the names that are visible around it. */
  graph(graph: GraphProto, versions: ReadonlyMap<string, number>, outer: ReadonlySet<string>, where: string): Block {
    this.#narrow.addGraph(graph);
    const sparse = graph.sparseInitializer.map((each) => [each.values?.name ?? "", each] as const);
    const initializers = new Map<string, TensorProto | SparseTensorProto>([
      ...graph.initializer.map((each) => [each.name, each] as const),
      ...sparse,
    ]);
    return this.#block(
      {
        name: graph.name,
        nodes: graph.node,
        inputs: graph.input.map(({ name }) => name),
        outputs: graph.output.map(({ name }) => name),
        initializers,
      },
      versions,
      outer,
      where,
    );
  }

  #block(
    source: {
      name: string;
      nodes: readonly NodeProto[];
      inputs: readonly string[];
      outputs: readonly string[];
      initializers: ReadonlyMap<string, TensorProto | SparseTensorProto>;
    },
    versions: ReadonlyMap<string, number>,
    outer: ReadonlySet<string>,
    where: string,
  ): Block {
    const { name, inputs, outputs, nodes, initializers } = source;
    this.#nodes += 1 + nodes.length;
    if (this.#nodes > this.#maxNodes)
      throw new OnnxError(
        `loadOnnx: the model has more than ${this.#maxNodes} nodes, with those of functions once for each call. Raise maxNodes if you trust it`,
      );
    if (++this.#depth > maxNesting)
      throw new OnnxError(`loadOnnx: the graphs and functions of the model are nested more than ${maxNesting} deep`);
    const own = new Set([...inputs, ...initializers.keys()]);
    const captured = new Set<string>();
    const read = (each: string, who: string): void => {
      if (own.has(each)) return;
      if (!outer.has(each))
        throw new OnnxError(`${where}: ${who} reads "${each}", which no input, initializer or node defines`);
      captured.add(each);
    };
    const steps = inOrder(nodes, (node, k) => `${where}: ${titleOf(node, k)}`).map((node, k) => {
      const title = titleOf(node, k);
      const step = this.#step(node, title, versions, () => new Set([...outer, ...own]), where);
      for (const each of step.reads) read(each, title);
      this.#narrow.addNode(node);
      for (const each of node.output) {
        if (each === "") continue;
        if (own.has(each)) throw new OnnxError(`${where}: ${title} defines "${each}", which is defined already`);
        own.add(each);
      }
      return step;
    });
    for (const each of outputs) read(each, "the list of outputs");
    const lastUse = new Map<string, number>();
    for (const [k, { reads }] of steps.entries()) for (const each of reads) lastUse.set(each, k);
    for (const each of outputs) lastUse.set(each, steps.length);
    this.#depth--;
    return { name, inputs, outputs, steps, initializers, versions, captured: [...captured], lastUse };
  }

  #step(
    node: NodeProto,
    title: string,
    versions: ReadonlyMap<string, number>,
    visible: () => ReadonlySet<string>,
    where: string,
  ): Step {
    const attributes = new Map(node.attribute.map((each) => [each.name, each]));
    const blocks = new Map<GraphProto, Block>();
    for (const { name, g, graphs } of node.attribute)
      for (const each of g === undefined ? graphs : [g, ...graphs])
        blocks.set(each, this.graph(each, versions, visible(), `${where}, graph ${name} of ${title}`));
    const inner = [...blocks.values()];
    const body = this.#bodyOf(node, attributes, title, where);
    const definition = body === null ? this.#definitionOf(node, versions, title, where) : null;
    const reads = [
      ...new Set([...node.input.filter((each) => each !== ""), ...inner.flatMap((each) => each.captured)]),
    ];
    const isRandom =
      definition?.isRandom === true || [...inner, body].some((block) => block?.steps.some((step) => step.isRandom));
    const narrowTypes = node.input.map((name) => this.#narrow.of(name));
    return { node, title, attributes, definition, body, graphs: blocks, reads, narrowTypes, isRandom };
  }

  /** Returns the operator of a node. Unknown ones are recorded, so that one error reports all of them. */
  #definitionOf(
    node: NodeProto,
    versions: ReadonlyMap<string, number>,
    title: string,
    where: string,
  ): OperatorDefinition | null {
    const domain = domainOf(node.domain);
    const definition = definitionIn(this.#tables[domain], node.opType);
    if (definition === undefined) {
      const name = domain === "" ? node.opType : `${domain}.${node.opType}`;
      this.unknown.set(name, (this.unknown.get(name) ?? 0) + 1);
      return null;
    }
    if (versionIn(versions, domain) === undefined)
      throw new OnnxError(
        `${where}: ${title} is of the domain "${domain}", whose version the model does not state (opset_import)`,
      );
    return definition;
  }

  /** Returns the body of a function of the model, with the attributes of this call; null if the node calls none. */
  #bodyOf(
    node: NodeProto,
    attributes: ReadonlyMap<string, AttributeProto>,
    title: string,
    where: string,
  ): Block | null {
    const key = functionKey(node.domain, node.opType, node.overload);
    const body = this.#functions.get(key);
    if (body === undefined) return null;
    if (this.#open.includes(key))
      throw new OnnxError(
        `${where}: ${title} calls the function ${node.opType} inside of itself. Functions may not recur`,
      );
    this.#open.push(key);
    const around = this.#narrow;
    this.#narrow = new NarrowValues();
    for (const [k, name] of body.input.entries()) this.#narrow.set(name, around.of(node.input[k] ?? ""));
    const passed = new Map([...body.attributeProto.map((each) => [each.name, each] as const), ...attributes]);
    const block = this.#block(
      {
        name: body.name,
        nodes: body.node.map((each) => withAttributes(each, passed)),
        inputs: body.input,
        outputs: body.output,
        initializers: new Map(),
      },
      versionsOf(body.opsetImport),
      new Set(),
      `${where}, function ${body.name} of ${title}`,
    );
    this.#open.pop();
    const results = body.output.map((name) => this.#narrow.of(name));
    this.#narrow = around;
    for (const [k, name] of node.output.entries()) around.declare(name, results[k] ?? null);
    return block;
  }
}

const functionKey = (domain: string, name: string, overload: string): string =>
  `${domainOf(domain)} ${name} ${overload}`;

/** The versions of the operators by domain. */
export const versionsOf = (imports: readonly OperatorSetIdProto[]): ReadonlyMap<string, number> =>
  new Map(imports.map(({ domain, version }) => [domainOf(domain), version]));

/** The version of the operators of a domain; undefined if the model does not state it. Files may omit com.microsoft, which has one version. */
export const versionIn = (versions: ReadonlyMap<string, number>, domain: string): number | undefined =>
  versions.get(domainOf(domain)) ?? (domain === "com.microsoft" ? 1 : undefined);

/** Names a node in errors. */
export function titleOf({ name, opType, output }: NodeProto, index: number): string {
  const label = name !== "" ? `"${name}"` : `${index}, which computes "${output.find((each) => each !== "") ?? ""}"`;
  return `node ${label} (${opType})`;
}

/** Returns a node of a function whose attributes refer to those of the call. An attribute that the call omits is omitted. */
function withAttributes(node: NodeProto, passed: ReadonlyMap<string, AttributeProto>): NodeProto {
  const attribute = node.attribute.flatMap((each) => {
    if (each.refAttrName !== "") {
      const value = passed.get(each.refAttrName);
      return value === undefined ? [] : [{ ...value, name: each.name }];
    }
    const inside = (graph: GraphProto): GraphProto => ({
      ...graph,
      node: graph.node.map((one) => withAttributes(one, passed)),
    });
    return [{ ...each, g: each.g === undefined ? undefined : inside(each.g), graphs: each.graphs.map(inside) }];
  });
  return { ...node, attribute };
}
