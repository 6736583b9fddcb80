/**
 * A rule writes the nodes of a call of an op. A RuleCall is its input: the arguments of the call, the operands that its values have, the types of the
 * results, and the writers of nodes and sizes.
 */
import { type Argument, type Graph, type Node, type TensorType, Value } from "../../graph/ir.ts";
import { isPlainRecord, mapLeaves } from "../../graph/leaves.ts";
import { scratch } from "../../graph/trace/traced.ts";
import { type Int, isStaticInt, isSymbolic } from "../../layout/int.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import { type Tensor, tensorOver } from "../../tensor/tensor.ts";
import { type Attributes, type GraphWriter, type Literal, NotExported, type Operand } from "./graph-writer.ts";
import { numberOfSize, type SizeWriter } from "./size-nodes.ts";

export type Rule = (call: RuleCall) => Operand | readonly Operand[];

export class RuleCall {
  readonly node: Node;
  readonly writer: GraphWriter;
  readonly sizes: SizeWriter;
  readonly operand: (value: Value) => Operand;
  /** Writes the nodes of a region over operands, and returns its outputs. */
  readonly inline: (graph: Graph, inputs: readonly Operand[], writer: GraphWriter) => readonly Operand[];

  constructor(
    node: Node,
    writer: GraphWriter,
    sizes: SizeWriter,
    operand: (value: Value) => Operand,
    inline: RuleCall["inline"],
  ) {
    this.node = node;
    this.writer = writer;
    this.sizes = sizes;
    this.operand = operand;
    this.inline = inline;
  }

  /** The type of the first result. */
  get result(): TensorType {
    return this.node.results[0].type;
  }

  /** Argument k, or the option of that name; undefined if both are absent. */
  get(k: number, name: string): Argument {
    const { args } = this.node;
    const positional = k < 0 ? undefined : args[k];
    if (positional !== undefined && positional !== null && !isOptions(positional)) return positional;
    for (const arg of args) if (isOptions(arg) && arg[name] !== undefined && arg[name] !== null) return arg[name];
    return undefined;
  }

  option(name: string): Argument {
    return this.get(-1, name);
  }

  /** Argument k as a number. */
  number(k: number, name: string, fallback?: number): number {
    const value = this.get(k, name);
    if (value === undefined && fallback !== undefined) return fallback;
    return numberIn(value);
  }

  /** Argument k as a list of numbers; a single number is a list of one. Undefined if it is absent. */
  numbers(k: number, name: string): readonly number[] | undefined {
    const value = this.get(k, name);
    if (value === undefined) return undefined;
    return (Array.isArray(value) ? (value as readonly Argument[]) : [value]).map(numberIn);
  }

  /** Argument k as a value; undefined if it is absent. */
  value(k: number): Value | undefined {
    const arg = this.node.args[k];
    return arg instanceof Value ? arg : undefined;
  }

  type(k = 0): TensorType {
    return this.#valueAt(k).type;
  }

  rank(k = 0): number {
    return this.type(k).shape.length;
  }

  /** The operand of argument k, which must be a tensor. */
  input(k = 0, dtype?: DType): Operand {
    const operand = this.operand(this.#valueAt(k));
    return dtype === undefined ? operand : this.writer.cast(operand, dtype);
  }

  #valueAt(k: number): Value {
    const value = this.value(k);
    if (value === undefined) throw new NotExported(`needs a tensor as argument ${k + 1}`);
    return value;
  }

  /** The sizes of a type as numbers; throws if one of them is symbolic. */
  concrete(shape: readonly Int[]): readonly number[] {
    return shape.map((size) => {
      const number = numberOfSize(size);
      if (number === null) throw new NotExported("is not exported with symbolic sizes");
      return number;
    });
  }

  /** An axis as a number from 0 on. */
  axis(axis: number, rank = this.rank()): number {
    return axis < 0 ? axis + rank : axis;
  }

  /** The axes of a reduction; by default all. */
  axes(k = 1): readonly number[] {
    const axes = this.numbers(k, "axis") ?? this.numbers(-1, "axes") ?? this.numbers(-1, "dim");
    const rank = this.rank();
    return axes === undefined || axes.length === 0
      ? Array.from({ length: rank }, (_, axis) => axis)
      : axes.map((axis) => this.axis(axis));
  }

  /** Casts and reshapes an operand to the dtype and the shape of result k. */
  fit(operand: Operand, k = 0): Operand {
    const { dtype, shape } = this.node.results[k].type;
    return this.writer.cast(this.sizes.reshape(operand, shape), dtype);
  }

  /** Expands an operand, whose shape is the broadcast one of some shapes, to a shape. */
  expanded(operand: Operand, from: readonly (readonly Int[])[], shape: readonly Int[]): Operand {
    const reached = shape.every(
      (size, axis) =>
        from.some((each) => {
          const own = each[axis - shape.length + each.length];
          return own !== undefined && String(own) === String(size);
        }) ||
        (numberOfSize(size) === 1 && from.some((each) => each.length >= shape.length - axis)),
    );
    return reached ? operand : this.writer.op("Expand", [operand, this.sizes.list(shape)]);
  }

  op(type: string, inputs: readonly (Operand | null)[], attributes: Attributes = {}, dtype?: DType): Operand {
    return this.writer.op(type, inputs, attributes, dtype);
  }

  scalar(like: Operand, value: Literal): Operand {
    return this.writer.number(like.dtype, value);
  }

  /** The arguments with tensors without memory instead of values, for functions that read their dtypes and ranks. */
  scratchArguments(): { readonly args: readonly unknown[]; valueOf(t: Tensor): Value } {
    const values = new Map<Tensor, Value>();
    const tensors = new Map<Value, Tensor>();
    const args = this.node.args.map((arg) =>
      mapLeaves(arg, (leaf) => {
        if (isSymbolic(leaf)) throw new NotExported("has a number that depends on sizes");
        if (!(leaf instanceof Value)) return leaf;
        let t = tensors.get(leaf);
        if (t === undefined) {
          const { dtype, shape } = leaf.type;
          const ones = shape.map(() => 1);
          t = tensorOver(scratch(dtypes[dtype].itemsize), dtype, 0, ones, rowMajorStrides(ones));
          tensors.set(leaf, t);
          values.set(t, leaf);
        }
        return t;
      }),
    );
    return { args, valueOf: (t) => values.get(t) as Value };
  }
}

export const isOptions = (arg: unknown): arg is { readonly [name: string]: Argument } => isPlainRecord(arg);

function numberIn(value: Argument): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (isStaticInt(value)) return value.value;
  throw new NotExported(
    isSymbolic(value) ? "has a number that depends on sizes" : "has an argument that is not a number",
  );
}
