/** Control flow: `cond` as If, `whileLoop` as Loop and `scan` as Scan. Regions read values of the enclosing graph by their names. */
import { type TensorType, type Value, valuesIn } from "../../../graph/ir.ts";
import type { Draft, GraphProto } from "../../proto/types.ts";
import { GraphWriter, type Operand } from "../graph-writer.ts";
import { infoOf } from "../port-info.ts";
import type { Rule, RuleCall } from "../rule-call.ts";

/** The message of a region. Each output has its own node, because it must be computed in the region. */
function graphOf(
  name: string,
  writer: GraphWriter,
  inputs: readonly (readonly [Operand, TensorType])[],
  outputs: readonly (readonly [Operand, TensorType])[],
): Draft<GraphProto> {
  const results = outputs.map(([operand, type]) => {
    const value = writer.value(operand.dtype);
    writer.addNode("Identity", [operand], [value]);
    return infoOf(value.name, type);
  });
  return {
    name,
    node: writer.nodes,
    initializer: writer.initializers,
    input: inputs.map(([operand, type]) => infoOf(operand.name, type)),
    output: results,
  };
}

const flag: TensorType = { dtype: "bool", shape: [], strides: null };
const counter: TensorType = { dtype: "int64", shape: [], strides: null };

const operandsOf = (call: RuleCall): readonly Operand[] => valuesIn(call.node.args).map((value) => call.operand(value));

const typesOf = (values: readonly Value[]): readonly TensorType[] => values.map(({ type }) => type);

const paired = (operands: readonly Operand[], types: readonly TensorType[]): (readonly [Operand, TensorType])[] =>
  operands.map((operand, k) => [operand, types[k]] as const);

const choice: Rule = (call) => {
  const { regions, results } = call.node;
  const [predicate, ...captured] = operandsOf(call);
  const types = typesOf(results);
  const [then, other] = regions.map((graph, k) => {
    const writer = new GraphWriter(call.writer);
    return graphOf(k === 0 ? "then" : "else", writer, [], paired(call.inline(graph, captured, writer), types));
  });
  const values = results.map(({ type }) => call.writer.value(type.dtype));
  call.writer.addNode("If", [call.writer.cast(predicate, "bool")], values, {
    then_branch: { graph: then },
    else_branch: { graph: other },
  });
  return values;
};

const loop: Rule = (call) => {
  const { regions, results } = call.node;
  const [condition, body] = regions;
  const all = operandsOf(call);
  const [initial, captured] = [all.slice(0, results.length), all.slice(results.length)];
  const types = typesOf(results);
  const [first] = call.inline(condition, all, call.writer);
  const writer = new GraphWriter(call.writer);
  const [round, before] = [writer.value("int64"), writer.value("bool")];
  const state = types.map(({ dtype }) => writer.value(dtype));
  const next = call.inline(body, [...state, ...captured], writer);
  const [test] = call.inline(condition, [...next, ...captured], writer);
  const graph = graphOf(
    "body",
    writer,
    [[round, counter], [before, flag], ...paired(state, types)],
    [[test, flag], ...paired(next, types)],
  );
  const values = results.map(({ type }) => call.writer.value(type.dtype));
  call.writer.addNode("Loop", [null, call.writer.cast(first, "bool"), ...initial], values, { body: { graph } });
  return values;
};

const scan: Rule = (call) => {
  const { regions, results, args } = call.node;
  const [step] = regions;
  const [carry, xs, captured] = args.slice(0, 3).map((list) => valuesIn([list]));
  const isReverse = args[3] === true;
  const operands = (list: readonly Value[]): Operand[] => list.map((value) => call.operand(value));
  const writer = new GraphWriter(call.writer);
  const inner = step.inputs.slice(0, carry.length + xs.length).map(({ value }) => value);
  const inputs = inner.map(({ type }) => writer.value(type.dtype));
  // The carry before each iteration is saved for a backward pass.
  const saved = args[4] === true ? carry.length : 0;
  const outputs = [...call.inline(step, [...inputs, ...operands(captured)], writer), ...inputs.slice(0, saved)];
  const outputTypes = typesOf([...step.outputs, ...inner.slice(0, saved)]);
  const graph = graphOf("step", writer, paired(inputs, typesOf(inner)), paired(outputs, outputTypes));
  const values = results.map(({ type }) => call.writer.value(type.dtype));
  const directions = (count: number): number[] => new Array<number>(count).fill(Number(isReverse));
  call.writer.addNode("Scan", [...operands(carry), ...operands(xs)], values, {
    body: { graph },
    num_scan_inputs: xs.length,
    ...(isReverse && {
      scan_input_directions: directions(xs.length),
      scan_output_directions: directions(results.length - carry.length),
    }),
  });
  return values;
};

/** A function of the state and each part of a tensor along an axis; returns the states, in the shape of the tensor. */
export function scanAlong(
  call: RuleCall,
  x: Operand,
  start: Operand,
  axis: number,
  step: (writer: GraphWriter, state: Operand, part: Operand) => Operand,
): Operand {
  const writer = new GraphWriter(call.writer);
  const [state, part] = [start, x].map(({ dtype }) => writer.value(dtype));
  const next = step(writer, state, part);
  const row = { dtype: x.dtype, shape: call.type().shape.filter((_, k) => k !== axis), strides: null };
  const graph = graphOf("step", writer, paired([state, part], [row, row]), paired([next, next], [row, row]));
  const [last, states] = [call.writer.value(x.dtype), call.writer.value(x.dtype)];
  call.writer.addNode("Scan", [start, x], [last, states], {
    body: { graph },
    num_scan_inputs: 1,
    scan_input_axes: [axis],
    scan_output_axes: [axis],
  });
  return states;
}

export const controls: Readonly<Record<string, Rule>> = { cond: choice, whileLoop: loop, scan };
