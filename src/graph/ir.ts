/**
 * The graph IR: values in SSA form, each with a dtype, a shape and strides, and nodes that compute values from others.
 *
 * A node is a call of an op of the op table, with its arguments as they were passed; values replace tensors. A node never changes a
 * value: an in-place op is a node whose result is the tensor after the write. The writes that callers see are listed in `writes`.
 * Dimensions are numbers, or expressions over the dimensions of inputs.
 */

import type { Underscore } from "../layout/coord.ts";
import type { Int } from "../layout/int.ts";
import type { Generator } from "../tensor/create/generator.ts";
import type { Operator } from "../tensor/dispatch/operator.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { eachLeaf, mapLeaves } from "./leaves.ts";
import type { TensorType } from "./tensor-type.ts";
import { GraphError, printGraph } from "./text/text.ts";

export { isConcrete, type TensorType } from "./tensor-type.ts";
export { GraphError } from "./text/text.ts";

/** A tensor in a graph. */
export class Value {
  declare readonly type: TensorType;
  /** The node that computes it; null for an input. */
  node: Node | null = null;

  constructor(type: TensorType) {
    this.type = type;
  }
}

/** An argument of a node: a value, a constant of JavaScript, or a list or plain object of arguments. */
export type Argument =
  | Value
  | null
  | undefined
  | boolean
  | number
  | bigint
  | string
  | Int
  | Underscore
  | Generator
  | readonly Argument[]
  | { readonly [name: string]: Argument };

/** A call of an op. */
export class Node {
  declare readonly op: Operator;
  args: readonly Argument[];
  declare readonly results: readonly Value[];
  /**
   * Graphs that the op runs: the branches of `cond`, the condition and the body of `whileLoop`, the body of `scan`. They use no value of the
   * enclosing graph: captured values are arguments of the node and inputs of the regions.
   */
  regions: readonly Graph[];

  constructor(op: Operator, args: readonly Argument[], results: readonly TensorType[], regions: readonly Graph[] = []) {
    this.op = op;
    this.args = args;
    this.regions = regions;
    this.results = results.map((type) => {
      const value = new Value(type);
      value.node = this;
      return value;
    });
  }
}

/** The regions of a call, and the types of its results: the first argument of an op of control flow. */
export class Regions {
  readonly graphs: readonly Graph[];
  readonly types: readonly TensorType[];

  constructor(graphs: readonly Graph[], types: readonly TensorType[]) {
    this.graphs = graphs;
    this.types = types;
  }
}

/**
 * An input of a graph: an argument of the function, a tensor that the function captured, a constant, which never changes, or a live number,
 * which is computed before each call.
 */
export interface Input {
  readonly value: Value;
  readonly kind: "argument" | "captured" | "constant" | "live";
  /** The name in texts; null for a number. */
  readonly name: string | null;
  /** The tensor of an input that is not an argument. */
  readonly tensor: Tensor | null;
  /** The call that created a constant, so that a graph for several sizes can create it again. */
  readonly creation?: { readonly op: Operator; readonly args: readonly Argument[] } | undefined;
}

/** The new value of an input that the function writes to. */
export interface Write {
  readonly to: Value;
  readonly value: Value;
}

export class Graph {
  name: string;
  inputs: Input[];
  /** Ordered so that every value is computed before it is used. */
  nodes: Node[];
  outputs: Value[];
  writes: Write[];

  constructor(name: string) {
    this.name = name;
    this.inputs = [];
    this.nodes = [];
    this.outputs = [];
    this.writes = [];
  }

  /** Adds an input. */
  addInput(
    type: TensorType,
    kind: Input["kind"] = "argument",
    name: string | null = null,
    tensor: Tensor | null = null,
    creation?: Input["creation"],
  ): Value {
    const value = new Value(type);
    this.inputs.push({ value, kind, name, tensor, ...(creation && { creation }) });
    return value;
  }

  /** Appends a node. */
  add(op: Operator, args: readonly Argument[], results: readonly TensorType[], regions?: readonly Graph[]): Node {
    const node = new Node(op, args, results, regions);
    this.nodes.push(node);
    return node;
  }

  /** Inserts a node before another one. */
  insertBefore(at: Node, node: Node): void {
    this.nodes.splice(this.#indexOf(at), 0, node);
  }

  /** Inserts a node after another one. */
  insertAfter(at: Node, node: Node): void {
    this.nodes.splice(this.#indexOf(at) + 1, 0, node);
  }

  /** Removes a node, whose results must not be used. */
  remove(node: Node): void {
    const used = node.results.find((value) => this.usersOf(value).length > 0 || this.isResult(value));
    if (used !== undefined)
      throw new GraphError(`remove: a result of ${node.op.name} is used. Replace it first: replaceUses(value, by)`);
    this.nodes.splice(this.#indexOf(node), 1);
  }

  /** Returns the nodes that use a value, in their order. */
  usersOf(value: Value): Node[] {
    return this.nodes.filter(
      ({ args, regions }) => valuesIn(args).includes(value) || regions.some((graph) => graph.captures(value)),
    );
  }

  /** True if a region uses a value of an enclosing graph. */
  captures(value: Value): boolean {
    return this.isResult(value) || this.usersOf(value).length > 0;
  }

  /** True if a value is an output, or is written to an input. */
  isResult(value: Value): boolean {
    return this.outputs.includes(value) || this.writes.some((write) => write.value === value);
  }

  /** Replaces a value by another one wherever it is used. */
  replaceUses(value: Value, by: Value): void {
    for (const node of this.nodes) {
      node.args = node.args.map((arg) => replaced(arg, value, by));
      for (const region of node.regions) region.replaceUses(value, by);
    }
    this.outputs = this.outputs.map((output) => (output === value ? by : output));
    this.writes = this.writes.map((write) => (write.value === value ? { ...write, value: by } : write));
  }

  /** Returns the graph as text, which `parseGraph` reads. */
  toString(): string {
    return printGraph(this);
  }

  #indexOf(node: Node): number {
    const index = this.nodes.indexOf(node);
    if (index < 0) throw new GraphError(`graph: the node ${node.op.name} is not in ${this.name}`);
    return index;
  }
}

/** Returns the values among arguments, including those in lists and objects, in their order. */
export function valuesIn(args: readonly Argument[]): Value[] {
  const values: Value[] = [];
  eachLeaf(args, (leaf) => {
    if (leaf instanceof Value) values.push(leaf);
  });
  return values;
}

/** Returns an argument with values replaced by the results of `fn`. */
export const mapValues = <T>(arg: Argument, fn: (value: Value) => T): unknown =>
  mapLeaves(arg, (leaf) => (leaf instanceof Value ? fn(leaf) : leaf));

const replaced = (arg: Argument, value: Value, by: Value): Argument =>
  mapValues(arg, (each) => (each === value ? by : each)) as Argument;
