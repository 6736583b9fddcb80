/** Control flow: random graphs with If, Loop and Scan compute the same node by node and as compiled programs, and free their memory. */
import { describe, expect, test } from "vitest";
import { memoryStatistics, type Tensor, tensor } from "../../src/index.ts";
import { OnnxError, type OnnxModel, type OnnxValue } from "../../src/onnx/index.ts";
import { DataType } from "../../src/onnx/proto/types.ts";
import { type Random, seededRandom } from "../support/files.ts";
import { type DraftGraph, type DraftNode, floats, integers, load, model, node, port } from "../support/onnx-graphs.ts";

/** Makes a random graph over vectors of one length. Every value is a float32 vector. */
class RandomGraph {
  readonly #random: Random;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  #name(): string {
    return `v${this.#count++}`;
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)];
  }

  /** Nodes that compute a condition: known, or from elements. */
  #condition(visible: readonly string[], nodes: DraftNode[]): string {
    const [size, limit, result] = [this.#name(), this.#name(), this.#name()];
    if (this.#random(2) === 0) {
      nodes.push(node("Size", [this.#pick(visible)], [size]));
      nodes.push(node("Constant", [], [limit], { value: { tensor: integers("", [], [3 + this.#random(4)]) } }));
    } else {
      nodes.push(node("ReduceSum", [this.#pick(visible)], [size], { keepdims: 0 }));
      nodes.push(node("Constant", [], [limit], { value: { tensor: floats("", [], [0.1]) } }));
    }
    nodes.push(node("Greater", [size, limit], [result]));
    return result;
  }

  #branch(visible: readonly string[], depth: number): DraftGraph {
    const node: DraftNode[] = [];
    const names = this.nodes(visible, depth - 1, 1 + this.#random(3), node);
    return { name: "branch", node, output: [port(this.#pick(this.#random(3) === 0 ? visible : names))] };
  }

  #if(visible: readonly string[], depth: number, nodes: DraftNode[]): string {
    const condition = this.#condition(visible, nodes);
    const result = this.#name();
    nodes.push(
      node("If", [condition], [result], {
        then_branch: { graph: this.#branch(visible, depth) },
        else_branch: { graph: this.#branch(visible, depth) },
      }),
    );
    return result;
  }

  /** A loop with a trip count that is constant or computed, one carried value, and scan outputs that are summed. */
  #loop(visible: readonly string[], depth: number, nodes: DraftNode[]): string {
    const trips = this.#name();
    if (this.#random(2) === 0)
      nodes.push(node("Constant", [], [trips], { value: { tensor: integers("", [], [this.#random(5)]) } }));
    else {
      const [most, sum] = [this.#name(), this.#name()];
      nodes.push(node("Abs", [this.#pick(visible)], [most]), node("ReduceMax", [most], [sum], { keepdims: 0 }));
      nodes.push(node("Cast", [sum], [trips], { to: DataType.INT64 }));
    }
    const [index, goesOn, carried, next, final, scanned, summed] = Array.from({ length: 7 }, () => this.#name());
    const body: DraftNode[] = [];
    const inner = this.nodes([...visible, carried], depth - 1, 1 + this.#random(3), body);
    const condition = this.#random(3) === 0 ? this.#condition([...visible, carried, ...inner], body) : goesOn;
    body.push(node("Tanh", [this.#pick(inner)], [next]));
    const graph: DraftGraph = {
      name: "body",
      node: body,
      input: [port(index, DataType.INT64), port(goesOn, DataType.BOOL), port(carried)],
      output: [
        port(condition, DataType.BOOL),
        port(next),
        port(this.#pick([carried, next, ...inner, ...visible]), DataType.FLOAT, ["n"]),
      ],
    };
    const start = this.#name();
    nodes.push(
      node("Constant", [], [start], {
        value: { tensor: { dims: [], dataType: DataType.BOOL, int32Data: Int32Array.of(1) } },
      }),
    );
    nodes.push(node("Loop", [trips, start, this.#pick(visible)], [final, scanned], { body: { graph } }));
    const axes = this.#name();
    nodes.push(node("Constant", [], [axes], { value: { tensor: integers("", [2], [0, 1]) } }));
    nodes.push(node("ReduceSum", [scanned, axes], [summed], { keepdims: 0 }));
    const result = this.#name();
    nodes.push(node("Add", [final, summed], [result]));
    return result;
  }

  /** Adds nodes, and returns the names of their values. */
  nodes(visible: readonly string[], depth: number, count: number, nodes: DraftNode[]): readonly string[] {
    const names: string[] = [];
    for (let k = 0; k < count; k++) {
      const all = [...visible, ...names];
      const kind = this.#random(depth > 0 ? 6 : 4);
      if (kind === 4) names.push(this.#if(all, depth, nodes));
      else if (kind === 5) names.push(this.#loop(all, depth, nodes));
      else {
        const name = this.#name();
        const operator = this.#pick(["Add", "Mul", "Sub", "Tanh", "Neg", "Identity"]);
        const isBinary = ["Add", "Mul", "Sub"].includes(operator);
        nodes.push(node(operator, isBinary ? [this.#pick(all), this.#pick(all)] : [this.#pick(all)], [name]));
        names.push(name);
      }
    }
    return names;
  }
}

function randomModel(seed: number) {
  const graph = new RandomGraph(seededRandom(seed));
  const nodes: DraftNode[] = [];
  const names = graph.nodes(["x", "y", "c"], 3, 6, nodes);
  return model({
    name: "main",
    node: nodes,
    input: [port("x", DataType.FLOAT, ["n"]), port("y", DataType.FLOAT, ["n"])],
    initializer: [floats("c", [1], [0.5])],
    output: [port(names[names.length - 1]), port(names[2])],
  });
}

const elementsOf = (value: OnnxValue): unknown => [(value as Tensor).shape, (value as Tensor).toArray()];

/** Runs a model with vectors of length n: the elements of its outputs, which are disposed, or the error. */
function outputsOf(target: OnnxModel, n: number, seed: number): unknown {
  const random = seededRandom(seed);
  const vector = (): Tensor => tensor(Float32Array.from({ length: n }, () => random(1000) / 250 - 2));
  const [x, y] = [vector(), vector()];
  try {
    const outputs = target.run({ x, y });
    const result = Object.values(outputs).map(elementsOf);
    for (const each of Object.values(outputs)) (each as Tensor).dispose();
    return result;
  } catch (error) {
    // A scan output may change its shape, which is an error of the model.
    expect(error).toBeInstanceOf(OnnxError);
    return (error as OnnxError).message;
  } finally {
    x.dispose();
    y.dispose();
  }
}

const cases = Number(process.env.LAW_CASES ?? 8);

test("compiled runs equal eager ones at all sizes, and repeated runs free what they allocate", () => {
  for (let seed = 0; seed < cases; seed++) {
    const draft = randomModel(seed);
    const eager = load(draft, { compile: false });
    const compiled = load(draft);
    for (const [k, n] of [1, 4, 4, 4, 6, 1, 4, 6, 6, 4].entries())
      expect(outputsOf(compiled, n, k), `seed ${seed}, call ${k} with ${n} elements`).toEqual(outputsOf(eager, n, k));
    for (const target of [eager, compiled]) {
      const live = (): number => {
        outputsOf(target, 4, 3);
        return memoryStatistics().live;
      };
      live();
      const before = live();
      expect(live(), `seed ${seed}: live bytes`).toBe(before);
    }
    eager.dispose();
    compiled.dispose();
  }
}, 600_000);

describe("loops", () => {
  const counting = (m: string, condition: string) =>
    model({
      node: [
        node("Loop", [m, condition, "x"], ["last", "all"], {
          body: {
            graph: {
              node: [
                node("Add", ["state", "state"], ["next"]),
                node("Less", ["next", "limit"], ["goes on"]),
                node("Identity", ["state"], ["seen"]),
              ],
              input: [port("k", DataType.INT64), port("c", DataType.BOOL), port("state")],
              output: [port("goes on", DataType.BOOL), port("next"), port("seen", DataType.FLOAT, [])],
            },
          },
        }),
      ],
      input: [port("x", DataType.FLOAT, []), port("m", DataType.INT64, []), port("go", DataType.BOOL, [])],
      initializer: [floats("limit", [], [100])],
      output: [port("last"), port("all")],
    });

  test.each([
    ["a trip count", "m", "", 3, true, 8, [1, 2, 4]],
    ["a condition", "", "go", 0, true, 128, [1, 2, 4, 8, 16, 32, 64]],
    ["both", "m", "go", 2, true, 4, [1, 2]],
    ["a condition that is false", "m", "go", 2, false, 1, []],
    ["no trips", "m", "go", 0, true, 1, []],
  ])("with %s", (_, m, condition, trips, go, last, all) => {
    for (const compile of [false, true]) {
      const target = load(counting(m, condition), { compile });
      for (let k = 0; k < 4; k++) {
        const outputs = target.run({ x: 1, m: trips, go });
        expect((outputs.last as Tensor).item()).toBe(last);
        expect((outputs.all as Tensor).toArray()).toEqual(all);
      }
      target.dispose();
    }
  });

  test("that never end reach the limit of steps", () => {
    const target = load(counting("m", ""), { maxSteps: 5000 });
    expect(() => target.run({ x: 0, m: 2n ** 62n, go: true })).toThrow("limit of 5000 nodes and iterations");
  });
});

test("errors name the nodes from the outermost to the innermost", () => {
  const broken: DraftGraph = { node: [node("Add", ["x", "w"], ["sum"])], output: [port("sum")] };
  const target = load(
    model({
      node: [
        {
          ...node("If", ["c"], ["y"], { then_branch: { graph: broken }, else_branch: { graph: broken } }),
          name: "choose",
        },
      ],
      input: [port("x"), port("c", DataType.BOOL)],
      initializer: [floats("w", [2], [1, 2])],
      output: [port("y")],
    }),
  );
  for (let k = 0; k < 3; k++) {
    expect(() => target.run({ x: [1, 2, 3], c: [true] })).toThrow(OnnxError);
    expect(() => target.run({ x: [1, 2, 3], c: [true] })).toThrow(
      /^node "choose" \(If\).*node 0, which computes "sum" \(Add\) of float32\[3\], float32\[2\]/,
    );
    expect((target.run({ x: [1, 2], c: [true] }).y as Tensor).toArray()).toEqual([2, 4]);
  }
});

test("outputs that are inputs, constants or equal belong to the caller", () => {
  const target = load(
    model({
      node: [node("Identity", ["x"], ["same"]), node("Neg", ["x"], ["a"]), node("Identity", ["a"], ["b"])],
      input: [port("x")],
      initializer: [floats("w", [2], [1, 2])],
      output: [port("x"), port("same"), port("a"), port("b"), port("w")],
    }),
  );
  const x = tensor([1, 2]);
  for (let k = 0; k < 4; k++) {
    for (const value of Object.values(target.run({ x }))) {
      expect((value as Tensor).size).toBe(2);
      (value as Tensor).dispose();
    }
    expect(x.toArray()).toEqual([1, 2]);
  }
});
