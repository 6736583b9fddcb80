/** Random graphs of ONNX with named sizes, and with If, Loop and Scan, whose graphs read values around them. */
import { DataType, type Draft, type ModelProto } from "../../src/onnx/proto/types.ts";
import { constant, type DraftGraph, type DraftNode, integers, model, node, port } from "../support/onnx-graphs.ts";
import { type Draw, shaped } from "./random-nodes/draw.ts";

/** A size: a number, or a name. Equal texts are equal sizes. */
type Size = string;

/** A value: a float32 matrix unless said otherwise. */
interface Value {
  readonly name: string;
  readonly sizes: readonly Size[];
}

export interface RandomGraph {
  readonly model: Draft<ModelProto>;
  /** The sizes of the inputs, with names to replace. */
  readonly inputs: Readonly<Record<string, readonly Size[]>>;
}

const unary = ["Relu", "Tanh", "Sigmoid", "Neg", "Abs", "Exp", "Erf", "Softplus", "Softsign", "LeakyRelu", "Identity"];
const binary = ["Add", "Sub", "Mul", "Max", "Min"];
const reductions = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceLogSumExp"];

/** Writes nodes of one graph; values of enclosing graphs may be read too. */
class Writer {
  readonly nodes: DraftNode[] = [];
  readonly weights: NonNullable<DraftGraph["initializer"]>[number][] = [];
  readonly values: Value[];
  readonly draw: Draw;
  readonly #counter: { next: number };
  readonly #depth: number;

  constructor(draw: Draw, values: readonly Value[], counter: { next: number }, depth: number) {
    this.draw = draw;
    this.values = [...values];
    this.#counter = counter;
    this.#depth = depth;
  }

  name(): string {
    return `v${this.#counter.next++}`;
  }

  add(op: string, inputs: readonly string[], attributes: Parameters<typeof node>[3] = {}): string {
    const name = this.name();
    this.nodes.push(node(op, inputs, [name], attributes));
    return name;
  }

  longs(...values: number[]): string {
    const name = this.name();
    this.weights.push(integers(name, [values.length], values));
    return name;
  }

  floats(shape: readonly number[]): string {
    const name = this.name();
    this.weights.push(constant(name, this.draw.tensor("float32", shape, -1, 1)));
    return name;
  }

  keep(name: string, sizes: readonly Size[]): Value {
    const value = { name, sizes };
    this.values.push(value);
    return value;
  }

  /** Adds one or a few nodes with a new value. */
  step(): void {
    const { draw } = this;
    const x = draw.pick(this.values);
    const same = draw.pick(this.values.filter((each) => String(each.sizes) === String(x.sizes)));
    const axis = draw.int(0, 1);
    const steps: (() => void)[] = [
      () => this.keep(this.add(draw.pick(unary), [x.name]), x.sizes),
      () => this.keep(this.add(draw.pick(binary), [x.name, same.name]), x.sizes),
      () => this.keep(this.add("Add", [x.name, this.floats(draw.pick([[], [1], [1, 1]]))]), x.sizes),
      () => this.keep(this.add("Transpose", [x.name], { perm: [1, 0] }), x.sizes.toReversed()),
      () => this.keep(this.add("Softmax", [x.name], { axis: axis - 2 }), x.sizes),
      () => this.#reduce(x, axis),
      () => this.#concat(x, same, axis),
      () => this.#matmul(x),
      () => this.#where(x, same),
      () => this.#slice(x, axis),
      () => this.#through(x),
      () => this.#expand(x, axis),
      () => this.#gather(x),
      () => this.keep(this.add("CumSum", [x.name, this.longs(axis)]), x.sizes),
      () => this.#tile(x, axis),
      () => this.#nonZero(x),
      () => this.#split(x, axis),
      () => this.#dropout(x),
    ];
    if (this.#depth < 2)
      steps.push(
        () => this.#choice(x, same),
        () => this.#loop(x),
        () => this.#scan(x),
      );
    draw.pick(steps)();
  }

  #reduce(x: Value, axis: number): void {
    const op = this.draw.pick(reductions);
    const input = op === "ReduceSum" ? [x.name, this.longs(axis)] : [x.name];
    const reduced = this.add(op, input, op === "ReduceSum" ? {} : { axes: [axis] });
    this.keep(reduced, x.sizes.with(axis, "1"));
    this.keep(this.add("Sub", [x.name, reduced]), x.sizes);
  }

  #concat(x: Value, same: Value, axis: number): void {
    const size = x.sizes[axis];
    if (size.length < 12)
      this.keep(this.add("Concat", [x.name, same.name], { axis }), x.sizes.with(axis, `(${size}+${size})`));
  }

  #matmul(x: Value): void {
    const fits = this.values.filter(({ sizes }) => sizes[0] === x.sizes[1]);
    if (fits.length > 0) {
      const y = this.draw.pick(fits);
      const product = this.add("MatMul", [x.name, y.name]);
      this.keep(this.add("Tanh", [product]), [x.sizes[0], y.sizes[1]]);
    } else if (/^\d+$/.test(x.sizes[1])) {
      const columns = this.draw.int(1, 4);
      const product = this.add("Gemm", [x.name, this.floats([Number(x.sizes[1]), columns]), this.floats([columns])]);
      this.keep(product, [x.sizes[0], String(columns)]);
    }
  }

  #where(x: Value, same: Value): void {
    const condition = this.add(this.draw.pick(["Greater", "LessOrEqual"]), [x.name, this.floats([])]);
    this.keep(this.add("Where", [condition, x.name, same.name]), x.sizes);
  }

  #slice(x: Value, axis: number): void {
    const [start, end, step] = this.draw.pick([
      [0, -1, 1],
      [1, 1000, 1],
      [0, 1000, 2],
      [-1, -1000, -1],
    ]);
    const sizes = step === -1 ? x.sizes : x.sizes.with(axis, `${x.sizes[axis]}[${start}:${end}:${step}]`);
    if (sizes[axis].length < 24)
      this.keep(
        this.add("Slice", [x.name, this.longs(start), this.longs(end), this.longs(axis), this.longs(step)]),
        sizes,
      );
  }

  /** Reshapes to a vector and back, by sizes that nodes compute from the shape. */
  #through(x: Value): void {
    const shape = this.add("Shape", [x.name]);
    const flat = this.add("Reshape", [x.name, this.longs(-1)]);
    const moved = this.add(this.draw.pick(unary), [flat]);
    const rows = this.add("Gather", [shape, this.longs(0)]);
    const columns = this.add("Slice", [shape, this.longs(1), this.longs(2)]);
    const target = this.draw.chance(0.5)
      ? shape
      : this.add("Concat", [rows, this.draw.chance(0.5) ? columns : this.longs(-1)], { axis: 0 });
    // Zero elements have no -1.
    this.keep(
      this.add("Reshape", [moved, target === shape ? shape : this.add("Concat", [rows, columns], { axis: 0 })]),
      x.sizes,
    );
  }

  #expand(x: Value, axis: number): void {
    const reduced = this.add("ReduceMax", [x.name], { axes: [axis] });
    const shape = this.add("Shape", [x.name]);
    this.keep(this.add("Expand", [reduced, shape]), x.sizes);
  }

  #gather(x: Value): void {
    const best = this.add("ArgMax", [x.name], { axis: 1, keepdims: 1 });
    this.keep(this.add("GatherElements", [x.name, best], { axis: 1 }), x.sizes.with(1, "1"));
    this.keep(this.add("Gather", [x.name, this.longs(0, -1)], { axis: 0 }), x.sizes.with(0, "2"));
  }

  #tile(x: Value, axis: number): void {
    const size = x.sizes[axis];
    if (size.length < 12)
      this.keep(this.add("Tile", [x.name, this.longs(...[1, 1].with(axis, 2))]), x.sizes.with(axis, `(${size}*2)`));
  }

  /** Elements whose number depends on values, reduced to one. */
  #nonZero(x: Value): void {
    const positive = this.add("Relu", [x.name]);
    const mask = this.add("Cast", [positive], { to: DataType.BOOL });
    const picked = this.add("Compress", [x.name, this.add("Reshape", [mask, this.longs(-1)])]);
    const total = this.add("ReduceSum", [picked, this.longs(0)]);
    this.keep(this.add("Add", [x.name, total]), x.sizes);
    const indices = this.add("Cast", [this.add("NonZero", [mask])], { to: DataType.FLOAT });
    this.keep(this.add("Add", [x.name, this.add("ReduceSum", [indices], { keepdims: 0 })]), x.sizes);
  }

  #split(x: Value, axis: number): void {
    if (!/^(2|4|\(.*\*2\))$/.test(x.sizes[axis])) return;
    const [a, b] = [this.name(), this.name()];
    this.nodes.push(node("Split", [x.name], [a, b], { axis }));
    const half = { 2: "1", 4: "2" }[x.sizes[axis]] ?? x.sizes[axis].slice(1, -3);
    for (const each of [a, b]) this.keep(each, x.sizes.with(axis, half));
  }

  #dropout(x: Value): void {
    this.keep(this.add("Dropout", [x.name]), x.sizes);
  }

  /** A scalar of bool that depends on the elements of x, or on its sizes. */
  #condition(x: Value): string {
    if (this.draw.chance(0.3)) {
      const size = this.add("Size", [x.name]);
      const limit = this.name();
      this.weights.push(integers(limit, [], [7]));
      return this.add("Greater", [size, limit]);
    }
    const sum = this.add("ReduceSum", [x.name], { keepdims: 0 });
    return this.add("Greater", [sum, this.floats([])]);
  }

  /** A graph inside of this one. `inner` values are its inputs; `result` chooses its outputs. */
  inside(inner: readonly Value[]): Writer {
    const writer = new Writer(this.draw, [...this.values, ...inner], this.#counter, this.#depth + 1);
    for (let k = this.draw.int(1, 3); k > 0; k--) writer.step();
    return writer;
  }

  /** The last value of a writer with these sizes, or one that is added. */
  last(sizes: readonly Size[], otherwise: string): string {
    const found = this.values.findLast((each) => String(each.sizes) === String(sizes));
    return this.add("Mul", [found?.name ?? otherwise, this.floats([])]);
  }

  #choice(x: Value, same: Value): void {
    const condition = this.#condition(x);
    const branches = [x, same].map((value) => {
      const writer = this.inside([]);
      const result = writer.last(x.sizes, value.name);
      return writer.graph([], [port(result)]);
    });
    this.keep(
      this.add("If", [condition], { then_branch: { graph: branches[0] }, else_branch: { graph: branches[1] } }),
      x.sizes,
    );
  }

  #loop(x: Value): void {
    const { draw } = this;
    const [state, k, on] = [this.name(), this.name(), this.name()];
    const writer = this.inside([{ name: state, sizes: x.sizes }]);
    const next = writer.add("Tanh", [writer.last(x.sizes, state)]);
    const row = writer.add("ReduceMean", [next], { axes: [0] });
    const goes = draw.chance(0.5)
      ? writer.add("Identity", [on])
      : writer.add("Less", [writer.add("ReduceSum", [next], { keepdims: 0 }), writer.floats([])]);
    const body = writer.graph(
      [port(k, DataType.INT64, []), port(on, DataType.BOOL, []), port(state)],
      [port(goes, DataType.BOOL), port(next), port(row)],
    );
    const count = this.name();
    if (draw.chance(0.5)) this.weights.push(integers(count, [], [draw.int(0, 4)]));
    else
      this.nodes.push(
        node("Squeeze", [this.add("Slice", [this.add("Shape", [x.name]), this.longs(0), this.longs(1)])], [count]),
      );
    const [last, rows] = [this.name(), this.name()];
    // ONNX Runtime also reads the condition of the body if the node has none.
    const starts = this.name();
    this.weights.push(constant(starts, shaped([true], "bool", [])));
    this.nodes.push(node("Loop", [count, starts, x.name], [last, rows], { body: { graph: body } }));
    this.keep(last, x.sizes);
    this.keep(this.add("Add", [x.name, this.add("ReduceSum", [rows], { keepdims: 0 })]), x.sizes);
  }

  #scan(x: Value): void {
    const [state, row] = [this.name(), this.name()];
    const rowSizes = ["1", x.sizes[1]];
    const writer = new Writer(this.draw, this.values, this.#counter, this.#depth + 1);
    const matrix = writer.add("Unsqueeze", [row, writer.longs(0)]);
    writer.keep(matrix, rowSizes);
    writer.keep(state, rowSizes);
    for (let k = this.draw.int(1, 3); k > 0; k--) writer.step();
    const next = writer.add("Tanh", [writer.add("Add", [state, writer.last(rowSizes, matrix)])]);
    const out = writer.add("Squeeze", [writer.add("Mul", [next, matrix]), writer.longs(0)]);
    const body = writer.graph([port(state), port(row)], [port(next), port(out)]);
    const start = this.add("ReduceMin", [x.name], { axes: [0] });
    const [last, rows] = [this.name(), this.name()];
    const reverse = this.draw.int(0, 1);
    this.nodes.push(
      node("Scan", [start, x.name], [last, rows], {
        num_scan_inputs: 1,
        body: { graph: body },
        scan_input_directions: [reverse],
      }),
    );
    this.keep(last, rowSizes);
    this.keep(rows, x.sizes);
  }

  graph(inputs: DraftGraph["input"], outputs: DraftGraph["output"]): DraftGraph {
    return { name: "g", node: this.nodes, initializer: this.weights, input: inputs, output: outputs };
  }
}

/** A graph of about `count` steps over two matrices. */
export function randomGraph(draw: Draw, count: number): RandomGraph {
  const sizes = ["n", "m", "4", "2"];
  const inputs: Record<string, Size[]> = {
    x: [draw.pick(sizes), draw.pick(sizes)],
    y: [draw.pick(sizes), draw.pick(sizes)],
  };
  const values = Object.entries(inputs).map(([name, each]) => ({ name, sizes: each }));
  const writer = new Writer(draw, values, { next: 0 }, 0);
  for (let k = 0; k < count; k++) writer.step();
  const made = writer.values.slice(2);
  const outputs = draw.shuffled(made).slice(0, 4);
  const ports = Object.entries(inputs).map(([name, each]) =>
    port(
      name,
      DataType.FLOAT,
      each.map((size) => (/^\d+$/.test(size) ? Number(size) : size)),
    ),
  );
  const graph = writer.graph(
    ports,
    outputs.map(({ name }) => port(name)),
  );
  return { model: model(graph, { irVersion: 9, opsetImport: [{ domain: "", version: 17 }] }), inputs };
}

/** Inputs of a graph for sizes by name. */
export function feedsOf(draw: Draw, { inputs }: RandomGraph, sizes: Readonly<Record<string, number>>) {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, each]) => {
      const shape = each.map((size) => sizes[size] ?? Number(size));
      return [
        name,
        shaped(
          draw.list(shape[0] * shape[1], () => draw.real(-2, 2)),
          "float32",
          shape,
        ),
      ];
    }),
  );
}
