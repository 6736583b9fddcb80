/**
 * Writes the nodes and the constants of one graph of a model. Every value has a name, which is unique in the model, and a dtype. Where ONNX Runtime
 * has no kernel for a dtype, the node is computed in a wider one.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { tensor } from "../../index.ts";
import { toRawArray } from "../../io/tensor-arrays.ts";
import type { DType } from "../../storage/dtype.ts";
import { outsideModes } from "../../tensor/dispatch/modes.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { contiguous } from "../../tensor/views/view-ops.ts";
import {
  type AttributeProto,
  AttributeType,
  type Draft,
  type GraphProto,
  type NodeProto,
  type TensorProto,
} from "../proto/types.ts";
import { encodeUtf8 } from "../proto/utf8.ts";
import { elementOfDType } from "../value-type.ts";
import { computedType } from "./kernel-types.ts";

/** A value of the written graph. */
export interface Operand {
  readonly name: string;
  readonly dtype: DType;
}

/** An attribute: an integer, a float as `{ float }`, a text, a list of integers, or a graph. */
export type Attribute =
  | number
  | { readonly float: number }
  | string
  | readonly number[]
  | { readonly graph: Draft<GraphProto> };
export type Attributes = Readonly<Record<string, Attribute>>;

/** Thrown by rules for calls that ONNX cannot express. The message completes "the op ...". */
export class NotExported extends Error {}

/** A number as a constant. */
export type Literal = number | bigint | boolean;

export class GraphWriter {
  readonly nodes: Draft<NodeProto>[] = [];
  readonly initializers: Draft<TensorProto>[] = [];
  readonly #outer: GraphWriter | null;
  readonly #constants = new Map<string, Operand>();
  readonly #names: Set<string>;
  readonly #count: { next: number };

  constructor(outer: GraphWriter | null = null) {
    this.#outer = outer;
    this.#names = outer === null ? new Set() : outer.#names;
    this.#count = outer === null ? { next: 0 } : outer.#count;
  }

  /** Returns a unique name for a value: the requested one, if it is free. */
  name(wanted: string): string {
    let name = wanted;
    for (let k = 1; this.#names.has(name); k++) name = `${wanted}_${k}`;
    this.#names.add(name);
    return name;
  }

  /** Adds a node with one output, and returns it. Its dtype is that of input `at`, unless `dtype` says otherwise. */
  op(type: string, inputs: readonly (Operand | null)[], attributes: Attributes = {}, dtype?: DType): Operand {
    return this.ops(type, inputs, attributes, [dtype ?? null])[0];
  }

  /** Adds a node with several outputs. A dtype of null is that of the operands. */
  ops(
    type: string,
    inputs: readonly (Operand | null)[],
    attributes: Attributes,
    outputs: readonly (DType | null)[],
  ): Operand[] {
    const own = inputs[type === "Where" ? 1 : 0]?.dtype ?? (outputs[0] as DType);
    const computed = computedType(type, own);
    if (computed === null) throw new NotExported(`has no ONNX operator for ${own}`);
    const operands = inputs.map((input) => (input?.dtype === own ? this.cast(input, computed) : input));
    const results = outputs.map((dtype) => (dtype === null || dtype === own ? computed : dtype));
    const values = results.map((dtype) => this.value(dtype));
    this.addNode(type, operands, values, attributes);
    return values.map((value, k) => this.cast(value, outputs[k] ?? own));
  }

  /** Adds a node as it is. */
  addNode(
    type: string,
    inputs: readonly (Operand | null)[],
    outputs: readonly Operand[],
    attributes: Attributes = {},
  ): void {
    this.nodes.push({
      name: `${type}_${this.#count.next++}`,
      opType: type,
      input: inputs.map((input) => input?.name ?? ""),
      output: outputs.map(({ name }) => name),
      attribute: Object.entries(attributes).map(([name, value]) => attributeOf(name, value)),
    });
  }

  /** Returns a new value, which a node is to define. */
  value(dtype: DType): Operand {
    return { name: this.name(`v${this.#names.size}`), dtype };
  }

  cast(operand: Operand, dtype: DType): Operand {
    if (operand.dtype === dtype) return operand;
    const value = this.value(dtype);
    this.addNode("Cast", [operand], [value], { to: elementOfDType(dtype) });
    return value;
  }

  /** Returns a 0-d constant. Equal constants are shared. */
  number(dtype: DType, value: Literal): Operand {
    const key = `${dtype} ${Object.is(value, -0) ? "-0" : value}`;
    return this.#constant(key, () => tensor(value as number, { dtype }));
  }

  /** Returns a list of integers as an int64 tensor with one axis. */
  list(values: readonly number[]): Operand {
    return this.#constant(`list ${values}`, () =>
      tensor(values as number[], { dtype: "int64" }).reshape([values.length]),
    );
  }

  /** Adds a tensor as a constant. */
  tensor(t: Tensor, wanted?: string): Operand {
    const name = this.name(wanted ?? `c${this.#names.size}`);
    // The bytes of a tensor move when the memory grows.
    const { dtype, shape, bytes } = toRawArray("toOnnx", contiguous(t) as Tensor);
    this.initializers.push({ name, dataType: elementOfDType(dtype), dims: shape, rawData: bytes.slice() });
    return { name, dtype: t.dtype };
  }

  #constant(key: string, make: () => Tensor): Operand {
    return this.#known(key) ?? getOrCompute(this.#constants, key, () => this.tensor(outsideModes(make)));
  }

  #known(key: string): Operand | undefined {
    return this.#constants.get(key) ?? (this.#outer === null ? undefined : this.#outer.#known(key));
  }
}

function attributeOf(name: string, value: Attribute): Draft<AttributeProto> {
  if (typeof value === "number") return { name, type: AttributeType.INT, i: value };
  if (typeof value === "string") return { name, type: AttributeType.STRING, s: encodeUtf8("toOnnx", value) };
  if ("float" in value) return { name, type: AttributeType.FLOAT, f: value.float };
  if ("graph" in value) return { name, type: AttributeType.GRAPH, g: value.graph };
  return { name, type: AttributeType.INTS, ints: value };
}
