/** Control flow: If, Loop, Scan. Their graphs see the values around the node; the runner decides how a graph runs. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import type { GraphProto, ValueInfoProto } from "../proto/types.ts";
import { dtypeOfElement } from "../value-type.ts";
import { describeOnnxValue, type OnnxValue } from "../values.ts";

type Tensor = sw.Tensor;

/** Runs a graph, and checks the number of values that it takes and returns. */
function runChecked(
  call: Call,
  graph: GraphProto,
  inputs: readonly OnnxValue[],
  outputs: number,
): readonly OnnxValue[] {
  if (graph.input.length !== inputs.length)
    throw call.error(`its graph takes ${graph.input.length} inputs, but the node passes ${inputs.length}`);
  if (graph.output.length < outputs)
    throw call.error(`its graph returns ${graph.output.length} values, but the node needs ${outputs}`);
  return call.runGraph(graph, inputs);
}

function runIf(call: Call): readonly OnnxValue[] {
  const graph = call.graph(call.number(0) === 0 ? "else_branch" : "then_branch");
  return runChecked(call, graph, [], call.outputCount);
}

/** The elements of a scan output, one for each iteration. */
class Collected {
  readonly #call: Call;
  readonly #declared: ValueInfoProto | undefined;
  readonly #items: Tensor[] = [];

  constructor(call: Call, declared: ValueInfoProto | undefined) {
    this.#call = call;
    this.#declared = declared;
  }

  /** Adds an element. One that is also carried to the next iteration, which may free it, is copied. */
  add(value: OnnxValue, carried: readonly OnnxValue[]): void {
    if (!(value instanceof sw.Tensor))
      throw this.#call.error(
        `the scan output "${this.#declared?.name}" must be a tensor, got ${describeOnnxValue(value)}`,
      );
    this.#items.push(carried.includes(value) ? value.clone() : value);
  }

  /** All elements along a new axis. Without any, the declared type determines dtype and sizes; a size that it does not have is 0. */
  finish(axis: number, isReversed: boolean): Tensor {
    const items = isReversed ? this.#items.reverse() : this.#items;
    const type = this.#declared?.type?.tensorType;
    const rank = items[0]?.ndim ?? type?.shape?.dim.length ?? 0;
    const at = this.#call.axis(axis, rank + 1);
    if (items.length > 0) return sw.stack(items, at) as Tensor;
    const sizes = type?.shape?.dim.map(({ dimValue }) => Math.max(0, dimValue ?? 0)) ?? [];
    return sw.zeros([...sizes.slice(0, at), 0, ...sizes.slice(at)], {
      dtype: dtypeOfElement[type?.elemType ?? 1] ?? "float32",
    });
  }
}

/** A scalar condition; `who` names it in errors. */
function isTrue(call: Call, value: OnnxValue, who: string): boolean {
  if (!(value instanceof sw.Tensor) || value.size !== 1)
    throw call.error(`${who} must be one boolean, got ${describeOnnxValue(value)}`);
  return Boolean(value.item());
}

/** A number or a condition for an input of a graph: a list of one element if the input is declared so, as some exporters do. */
const singleFor = (info: ValueInfoProto | undefined, value: Tensor): Tensor =>
  info?.type?.tensorType?.shape?.dim.length === 1 ? value.reshape([1]) : value;

function runLoop(call: Call): readonly OnnxValue[] {
  const body = call.graph("body");
  const trips = call.optionalNumber(0, Number.POSITIVE_INFINITY);
  const hasCondition = call.has(1);
  let goesOn = hasCondition ? isTrue(call, call.inputs[1], "the condition") : true;
  let carried: readonly OnnxValue[] = call.inputs.slice(2);
  const count = carried.length;
  const collected = body.output.slice(1 + count).map((each) => new Collected(call, each));
  for (let k = 0; k < trips && goesOn; k++) {
    const counter = singleFor(body.input[0], sw.tensor(k, { dtype: "int64" }));
    const condition = singleFor(body.input[1], sw.tensor(true));
    const results = runChecked(call, body, [counter, condition, ...carried], 1 + count);
    const next = results.slice(1, 1 + count);
    for (const [j, each] of collected.entries()) each.add(results[1 + count + j], next);
    // With a trip count and no condition, the condition that the body returns is ignored.
    if (hasCondition || trips === Number.POSITIVE_INFINITY)
      goesOn = isTrue(call, results[0], "the condition of the body");
    call.free([counter, condition, ...(k > 0 ? carried : [])], results.slice(1));
    if (!results.slice(1).includes(results[0])) call.free([results[0]], carried);
    carried = next;
  }
  return [...carried, ...collected.map((each) => each.finish(0, false))];
}

/** Scans `inputs` along axis 0 of each: the states after the last element, and the collected outputs. */
function scanAlong(
  call: Call,
  initial: readonly OnnxValue[],
  inputs: readonly Tensor[],
  length: number,
  isBackward: (input: number) => boolean,
): readonly [states: readonly OnnxValue[], collected: readonly Collected[]] {
  const body = call.graph("body");
  const count = initial.length;
  const collected = body.output.slice(count).map((each) => new Collected(call, each));
  let states = initial;
  for (let k = 0; k < length; k++) {
    const elements = inputs.map((x, j) => x.select(0, isBackward(j) ? length - 1 - k : k));
    const results = runChecked(call, body, [...states, ...elements], count);
    const next = results.slice(0, count);
    for (const [j, each] of collected.entries()) each.add(results[count + j], next);
    call.free([...elements, ...(k > 0 ? states : [])], results);
    states = next;
  }
  return [states, collected];
}

function runScan(call: Call): readonly OnnxValue[] {
  if (call.version < 9) return runBatchedScan(call);
  const count = call.int("num_scan_inputs");
  if (count < 1 || count > call.inputs.length)
    throw call.error(`num_scan_inputs is ${count}, but the node has ${call.inputs.length} inputs`);
  const first = call.inputs.length - count;
  const axes = call.ints("scan_input_axes", []);
  const inputs = call.tensors(first).map((x, k) => sw.movedim(x, call.axis(axes[k] ?? 0, x.ndim), 0) as Tensor);
  const lengths = inputs.map(({ shape }) => shape[0]);
  if (lengths.some((length) => length !== lengths[0]))
    throw call.error(`the scan inputs must have the same length, got ${lengths.join(", ")}`);
  const directions = call.ints("scan_input_directions", []);
  const [states, collected] = scanAlong(
    call,
    call.inputs.slice(0, first),
    inputs,
    lengths[0],
    (k) => directions[k] === 1,
  );
  const outputAxes = call.ints("scan_output_axes", []);
  const outputDirections = call.ints("scan_output_directions", []);
  return [...states, ...collected.map((each, k) => each.finish(outputAxes[k] ?? 0, outputDirections[k] === 1))];
}

/** Scan before version 9: input 0 has the lengths of the sequences of a batch; axis 0 of all others is the batch, axis 1 of scan inputs the time. */
function runBatchedScan(call: Call): readonly OnnxValue[] {
  const count = call.int("num_scan_inputs");
  const tensors = call.tensors(1);
  const first = tensors.length - count;
  const scanned = tensors.slice(first);
  if (count < 1 || first < 0 || scanned.some(({ ndim }) => ndim < 2))
    throw call.error("needs scan inputs with the axes batch and time");
  const [batch, length] = scanned[0].shape;
  const lengths = call.optionalNumbers(0) ?? new Array<number>(batch).fill(length);
  if (tensors.some(({ shape }) => shape[0] !== batch) || scanned.some(({ shape }) => shape[1] !== length))
    throw call.error("all inputs must have the same batch, and scan inputs the same length");
  if (lengths.length !== batch || lengths.some((each) => each < 0 || each > length))
    throw call.error(
      `the lengths of the sequences must be ${batch} numbers from 0 to ${length}, got ${lengths.join(", ")}`,
    );
  const directions = call.ints("directions", []);
  const samples = lengths.map((own, k) => {
    const parts = scanned.map((x) => x.select(0, k).narrow(0, 0, own));
    const initial = tensors.slice(0, first).map((t) => t.select(0, k));
    const [states, collected] = scanAlong(call, initial, parts, own, (j) => directions[j] === 1);
    const outputs = collected.map((each) => {
      const t = each.finish(0, false);
      return own === length
        ? t
        : (sw.concat([t, sw.zeros([length - own, ...t.shape.slice(1)], { dtype: t.dtype as sw.DType })], 0) as Tensor);
    });
    return [...(states as readonly Tensor[]), ...outputs];
  });
  if (samples.length === 0) throw call.error("the batch is empty");
  return samples[0].map(
    (_, k) =>
      sw.stack(
        samples.map((each) => each[k]),
        0,
      ) as Tensor,
  );
}

export const control: OperatorTable = {
  If: { run: runIf, isBranch: true },
  Loop: { run: runLoop, isLoop: true },
  Scan: { run: runScan, isLoop: true },
};
