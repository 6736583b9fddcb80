/**
 * The call of an operator: the inputs and attributes of a node, checked as they are read. Every error names the input or attribute; the runner adds
 * the node.
 */
import { type DType, Tensor, type Value } from "../index.ts";
import { OnnxError } from "./error.ts";
import type { NarrowType } from "./narrow.ts";
import { type AttributeProto, AttributeType, type GraphProto, type NodeProto } from "./proto/types.ts";
import { describeOnnxValue, type OnnxValue, TextTensor, ValueSequence } from "./values.ts";

/** The part of the model that a call depends on. */
export interface CallContext {
  /** For each input, its element type if that is narrower than the dtype of its tensor. */
  readonly narrowTypes: readonly (NarrowType | null)[];
  /** The version of the operators of a domain. */
  versionOf(domain: string): number;
  /** Runs a graph in an attribute of the node, with these inputs; it can also read the values of the graph around the node. */
  runGraph(graph: GraphProto, inputs: readonly OnnxValue[]): readonly OnnxValue[];
  /** Disposes the tensors of values that a graph of this node computed, except those that are in `kept`. */
  free(values: readonly OnnxValue[], kept: readonly OnnxValue[]): void;
  /** Returns the value of a tensor in an attribute. */
  valueOf(attribute: AttributeProto): OnnxValue;
  /** True if the elements of input k are the same in every run of a program: they depend on shapes, constants and known inputs only. */
  isKnown(k: number): boolean;
  /** Computes a tensor with this number of bytes from the inputs with these indices, once for all runs if they are constants. */
  derive(sources: readonly number[], bytes: number, compute: () => Tensor): Tensor;
}

const utf8 = /* @__PURE__ */ new TextDecoder();

export class Call {
  readonly node: NodeProto;
  readonly inputs: readonly OnnxValue[];
  readonly #context: CallContext;
  readonly #attributes: ReadonlyMap<string, AttributeProto>;

  constructor(
    node: NodeProto,
    inputs: readonly OnnxValue[],
    attributes: ReadonlyMap<string, AttributeProto>,
    context: CallContext,
  ) {
    this.node = node;
    this.inputs = inputs;
    this.#attributes = attributes;
    this.#context = context;
  }

  /** The version of the operators of this node's domain that the model imports. */
  get version(): number {
    return this.#context.versionOf(this.node.domain);
  }

  /** The number of outputs that the node lists. */
  get outputCount(): number {
    return this.node.output.length;
  }

  /** True if the node lists output k under a name, so that it must be computed. */
  wants(k: number): boolean {
    return (this.node.output[k] ?? "") !== "";
  }

  /** True if input k is present. */
  has(k: number): boolean {
    return (this.inputs[k] ?? null) !== null;
  }

  /** Input k, a tensor. */
  tensor(k: number): Tensor {
    const value = this.inputs[k] ?? null;
    if (value instanceof Tensor) return value;
    throw this.error(
      value === null ? `input ${k} is missing` : `input ${k} must be a tensor, got ${describeOnnxValue(value)}`,
    );
  }

  /** Input k, a tensor; null if it is absent. */
  optionalTensor(k: number): Tensor | null {
    return this.has(k) ? this.tensor(k) : null;
  }

  /** All inputs from k on, which must be tensors. */
  tensors(from = 0): readonly Tensor[] {
    return this.inputs.slice(from).map((_, k) => this.tensor(from + k));
  }

  /** Input k, a tensor of strings. */
  text(k: number): TextTensor {
    const value = this.inputs[k] ?? null;
    if (value instanceof TextTensor) return value;
    throw this.error(`input ${k} must be a tensor of strings, got ${describeOnnxValue(value)}`);
  }

  /** Input k, a sequence. */
  sequence(k: number): ValueSequence {
    const value = this.inputs[k] ?? null;
    if (value instanceof ValueSequence) return value;
    throw this.error(`input ${k} must be a sequence, got ${describeOnnxValue(value)}`);
  }

  /** The elements of input k as numbers. The elements must be known: if they are computed, a compiled program ends before this node. */
  numbers(k: number): number[] {
    return numbersOf(this.tensor(k));
  }

  /** The elements of input k as numbers; null if it is absent. */
  optionalNumbers(k: number): number[] | null {
    return this.has(k) ? this.numbers(k) : null;
  }

  /** The one element of input k as a number. */
  number(k: number): number {
    const numbers = this.numbers(k);
    if (numbers.length !== 1) throw this.error(`input ${k} must have one element, got ${numbers.length}`);
    return numbers[0];
  }

  /** The one element of input k as a number; `otherwise` if it is absent. */
  optionalNumber<T extends number | null>(k: number, otherwise: T): number | T {
    return this.has(k) ? this.number(k) : otherwise;
  }

  /** The one element of input k if it is known when a program is made; null if it is computed, or if there are several. */
  knownNumber(k: number): number | null {
    const value = this.inputs[k];
    return value instanceof Tensor && value.size === 1 && this.#context.isKnown(k) ? this.number(k) : null;
  }

  /** The element type of input k if it is narrower than the dtype of its tensor, such as float8e5m2 or int4; otherwise null. */
  narrowType(k: number): NarrowType | null {
    return this.#context.narrowTypes[k] ?? null;
  }

  /** True if the node has an attribute. */
  hasAttribute(name: string): boolean {
    return this.#attributes.has(name);
  }

  int(name: string, otherwise?: number): number {
    const attribute = this.#find(name, AttributeType.INT, otherwise);
    return attribute === undefined ? (otherwise as number) : Number(attribute.i ?? 0);
  }

  float(name: string, otherwise?: number): number {
    const attribute = this.#find(name, AttributeType.FLOAT, otherwise);
    return attribute === undefined ? (otherwise as number) : (attribute.f ?? 0);
  }

  string(name: string, otherwise?: string): string {
    const attribute = this.#find(name, AttributeType.STRING, otherwise);
    return attribute === undefined ? (otherwise as string) : utf8.decode(attribute.s ?? new Uint8Array());
  }

  ints<T = number[]>(name: string, otherwise?: T): number[] | T {
    const attribute = this.#find(name, AttributeType.INTS, otherwise);
    return attribute === undefined ? (otherwise as T) : attribute.ints.map(Number);
  }

  floats<T = number[]>(name: string, otherwise?: T): number[] | T {
    const attribute = this.#find(name, AttributeType.FLOATS, otherwise);
    return attribute === undefined ? (otherwise as T) : [...attribute.floats];
  }

  strings<T = string[]>(name: string, otherwise?: T): string[] | T {
    const attribute = this.#find(name, AttributeType.STRINGS, otherwise);
    return attribute === undefined ? (otherwise as T) : attribute.strings.map((each) => utf8.decode(each));
  }

  /** The value of an attribute that is a tensor, or a sparse tensor. */
  value(name: string): OnnxValue {
    const isSparse = this.#attributes.get(name)?.type === AttributeType.SPARSE_TENSOR;
    const type = isSparse ? AttributeType.SPARSE_TENSOR : AttributeType.TENSOR;
    return this.#context.valueOf(this.#find(name, type, undefined) as AttributeProto);
  }

  graph(name: string): GraphProto {
    const attribute = this.#find(name, AttributeType.GRAPH, undefined);
    if (attribute?.g === undefined) throw this.error(`the attribute ${name} has no graph`);
    return attribute.g;
  }

  /** The attribute as it is in the model; undefined if the node has none of this name. */
  attribute(name: string): AttributeProto | undefined {
    return this.#attributes.get(name);
  }

  /**
   * Returns a tensor that is computed from the inputs with these indices. If they are constants of the model, it is computed once and kept, within the
   * limit of the model for such tensors. A node may have one.
   */
  derive(sources: readonly number[], bytes: number, compute: () => Tensor): Tensor {
    return this.#context.derive(sources, bytes, compute);
  }

  /** Runs a graph that is an attribute of this node. */
  runGraph(graph: GraphProto, inputs: readonly OnnxValue[]): readonly OnnxValue[] {
    return this.#context.runGraph(graph, inputs);
  }

  /** Disposes tensors that a graph of this node computed and that are no longer used: all tensors of `values` except those that are also in `kept`. */
  free(values: readonly OnnxValue[], kept: readonly OnnxValue[]): void {
    this.#context.free(values, kept);
  }

  /** Returns a call with other inputs and the same attributes, of the default-domain operator that this operator is defined by. */
  delegate(inputs: readonly OnnxValue[], version: number): Call {
    return new Call(this.node, inputs, this.#attributes, { ...this.#context, versionOf: () => version });
  }

  /** Returns `value`, a count of numbers that the operator computes one by one or keeps in lists; throws unless it is an integer from 0 to `most`. */
  count(value: number, what: string, most = maxNumbers): number {
    if (Number.isInteger(value) && value >= 0 && value <= most) return value;
    throw this.error(`${what} must be an integer from 0 to ${most}, got ${value}`);
  }

  /** Returns an axis in [0, rank). */
  axis(axis: number, rank: number): number {
    if (!Number.isInteger(axis) || axis < -rank || axis >= rank)
      throw this.error(`axis ${axis} is outside of [${-rank}, ${rank})`);
    return axis < 0 ? axis + rank : axis;
  }

  /** An error of this node. */
  error(message: string): OnnxError {
    return new OnnxError(message);
  }

  #find(name: string, type: number, otherwise: unknown): AttributeProto | undefined {
    const attribute = this.#attributes.get(name);
    if (attribute === undefined) {
      if (otherwise === undefined) throw this.error(`the attribute ${name} is missing`);
      return undefined;
    }
    // Old exporters omit the type.
    if (attribute.type !== type && attribute.type !== AttributeType.UNDEFINED)
      throw this.error(`the attribute ${name} must be of type ${typeName(type)}, got ${typeName(attribute.type)}`);
    return attribute;
  }
}

const typeName = (type: number): string =>
  Object.entries(AttributeType).find(([, each]) => each === type)?.[0] ?? `type ${type}`;

/** The largest number of elements that are read into a JavaScript array. */
const maxNumbers = 2 ** 26;

/** Returns the elements of a tensor in row-major order as numbers; integers past 2^53, such as ends of slices, are rounded. */
export function numbersOf(t: Tensor): number[] {
  if (t.size > maxNumbers)
    throw new OnnxError(
      `the elements of a tensor of shape [${t.shape}] are needed as numbers; the limit is 2^26 elements`,
    );
  const values = t.toArray({ bigint: t.dtype === "int64" || t.dtype === "uint64" }) as Value[];
  // Most are lists of sizes, which have one axis.
  return (t.ndim === 1 ? values : [values].flat(Infinity)).map(Number);
}

/** True for dtypes of integers. */
export const isIntegerType = (dtype: DType | null): boolean => /^u?int/.test(String(dtype));
