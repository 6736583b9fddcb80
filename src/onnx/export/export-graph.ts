/**
 * Exports a graph: each node by the rule of its op, formulas by their scalar values, and views by their geometry. One error reports all ops that ONNX
 * cannot express.
 */
import { type Graph, type Node, type Value, valuesIn } from "../../graph/ir.ts";
import { isView } from "../../graph/lower/aliases.ts";
import { unboundSymbols } from "../../graph/sizes.ts";
import { opName } from "../../graph/text/text.ts";
import { dtypes } from "../../storage/dtype.ts";
import { OnnxError } from "../error.ts";
import type { Draft, GraphProto, ValueInfoProto } from "../proto/types.ts";
import { exportFormula } from "./elementwise.ts";
import { GraphWriter, NotExported, type Operand } from "./graph-writer.ts";
import { infoOf } from "./port-info.ts";
import { RuleCall } from "./rule-call.ts";
import { rules } from "./rules/tables.ts";
import { exportView } from "./rules/views.ts";
import { SizeWriter, symbolSources } from "./size-nodes.ts";

/** Names for the inputs and outputs of an exported graph, in their order. */
export interface PortNames {
  readonly inputs?: readonly string[] | undefined;
  readonly outputs?: readonly string[] | undefined;
}

/** Returns a graph as a message of ONNX. */
export function exportGraph(who: string, graph: Graph, names: PortNames = {}): Draft<GraphProto> {
  checkExportable(who, graph, names);
  const exporter = new GraphExporter(graph, new GraphWriter());
  const inputs = exporter.addInputs(names.inputs);
  exporter.addNodes();
  const outputs = exporter.addOutputs(names.outputs);
  exporter.refuse(who);
  return {
    name: graph.name,
    node: exporter.writer.nodes,
    initializer: exporter.writer.initializers,
    input: inputs,
    output: outputs,
  };
}

function checkExportable(who: string, graph: Graph, names: PortNames): void {
  const [write] = graph.writes;
  if (write !== undefined)
    throw new OnnxError(
      `${who}: the function writes to ${graph.inputs.find(({ value }) => value === write.to)?.name ?? "a tensor"}, and nodes of ONNX cannot. Return the new value instead, or export the model in evaluation mode: model.eval()`,
    );
  const unbound = unboundSymbols(graph);
  if (unbound.length > 0)
    throw new OnnxError(
      `${who}: the graph has numbers that do not follow from the sizes of its inputs (${unbound.join(", ")}). Export it for fixed sizes`,
    );
  const counts = [graph.inputs.filter(({ kind }) => kind === "argument").length, graph.outputs.length];
  for (const [k, [what, list]] of Object.entries({ inputs: names.inputs, outputs: names.outputs }).entries())
    if (list !== undefined && list.length !== counts[k])
      throw new OnnxError(
        `${who}: the option ${what} has ${list.length} names, but the graph has ${counts[k]} ${what}`,
      );
}

/** The state that a graph and its regions share: the ops that ONNX cannot express, and the inputs that determine symbols. */
interface Shared {
  readonly refused: Map<string, { readonly reason: string; count: number }>;
  readonly sources: ReturnType<typeof symbolSources>;
  readonly inputOf: (value: Value) => Operand;
}

class GraphExporter {
  readonly writer: GraphWriter;
  readonly #graph: Graph;
  readonly #operands = new Map<Value, Operand>();
  readonly #sizes: SizeWriter;
  readonly #shared: Shared;

  constructor(graph: Graph, writer: GraphWriter, shared: Shared | null = null) {
    this.#graph = graph;
    this.writer = writer;
    this.#shared = shared ?? {
      refused: new Map(),
      sources: symbolSources(graph),
      inputOf: (value) => this.#operandOf(value),
    };
    const { sources, inputOf } = this.#shared;
    this.#sizes = new SizeWriter(writer, sources, inputOf);
  }

  /** Adds the inputs; captured tensors and constants become initializers, with the elements that they have now. */
  addInputs(names: readonly string[] | undefined): Draft<ValueInfoProto>[] {
    const infos: Draft<ValueInfoProto>[] = [];
    for (const { value, kind, name, tensor } of this.#graph.inputs) {
      if (kind !== "argument") {
        if (tensor === null)
          throw new OnnxError(
            `toOnnx: the ${kind} input ${name ?? ""} has no tensor. Parse the graph with its constants`,
          );
        this.#operands.set(value, this.writer.tensor(tensor, name ?? undefined));
        continue;
      }
      const k = infos.length;
      const own = this.writer.name(names?.[k] ?? name ?? `input${k}`);
      this.#operands.set(value, { name: own, dtype: value.type.dtype });
      infos.push(infoOf(own, value.type));
    }
    return infos;
  }

  /** Binds the inputs of a region to operands. */
  bindInputs(operands: readonly Operand[]): void {
    for (const [k, { value }] of this.#graph.inputs.entries()) this.#operands.set(value, operands[k]);
  }

  addNodes(): void {
    for (const node of this.#graph.nodes) {
      const results = this.#export(node);
      for (const [k, value] of node.results.entries()) this.#operands.set(value, results[k]);
    }
  }

  /** Adds the outputs. Each has its own node, so that an input or an output that is returned twice has two names. */
  addOutputs(names: readonly string[] | undefined): Draft<ValueInfoProto>[] {
    return this.#graph.outputs.map((value, k) => {
      const own = this.writer.name(names?.[k] ?? (this.#graph.outputs.length === 1 ? "output" : `output${k}`));
      this.writer.addNode("Identity", [this.#operandOf(value)], [{ name: own, dtype: value.type.dtype }]);
      return infoOf(own, value.type);
    });
  }

  /** The operands of the outputs. */
  get outputs(): readonly Operand[] {
    return this.#graph.outputs.map((value) => this.#operandOf(value));
  }

  /** Throws if there are ops that ONNX cannot express. */
  refuse(who: string): void {
    if (this.#shared.refused.size === 0) return;
    const list = [...this.#shared.refused].map(
      ([name, { reason, count }]) => `${name}${count > 1 ? ` (${count} times)` : ""} ${reason}`,
    );
    throw new OnnxError(`${who}: the graph has ops that cannot be exported: ${list.join("; ")}`);
  }

  #operandOf(value: Value): Operand {
    return this.#operands.get(value) as Operand;
  }

  #export(node: Node): readonly Operand[] {
    const call = new RuleCall(
      node,
      this.writer,
      this.#sizes,
      (value) => this.#operandOf(value),
      (graph, inputs, writer) => this.#inline(graph, inputs, writer),
    );
    try {
      for (const { type } of [...node.results, ...valuesIn(node.args)])
        if (dtypes[type.dtype].parts === 2)
          throw new NotExported(`uses ${type.dtype}, which ONNX operators do not take`);
      const result = ruleOf(node)(call);
      return Array.isArray(result) ? result : [result as Operand];
    } catch (error) {
      if (!(error instanceof NotExported)) throw error;
      const name = opName(node);
      const known = this.#shared.refused.get(name);
      if (known === undefined) this.#shared.refused.set(name, { reason: error.message, count: 1 });
      else known.count++;
      return node.results.map(({ type }) => this.writer.value(type.dtype));
    }
  }

  /** Writes the nodes of a region over operands to another writer, and returns the operands of its outputs. */
  #inline(graph: Graph, inputs: readonly Operand[], writer: GraphWriter): readonly Operand[] {
    const inner = new GraphExporter(graph, writer, this.#shared);
    inner.bindInputs(inputs);
    inner.addNodes();
    return inner.outputs;
  }
}

function ruleOf(node: Node): (call: RuleCall) => Operand | readonly Operand[] {
  const rule = rules[opName(node)] ?? rules[node.op.name];
  if (rule !== undefined) return rule;
  if (node.op.facts.random !== undefined) throw new NotExported("draws random numbers");
  if (isView(node)) return exportView;
  if (node.op.formula !== null) return exportFormula;
  throw new NotExported("has no ONNX operator");
}
