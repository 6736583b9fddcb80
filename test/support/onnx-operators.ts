/** Runs one operator of ONNX on tensors, with attributes as plain values: for tests of operators without files. */

import { rand, Tensor } from "stridewise";
import { Call } from "../../src/onnx/call.ts";
import { definitionIn } from "../../src/onnx/operator.ts";
import { operatorTables } from "../../src/onnx/operators/tables.ts";
import { type AttributeProto, AttributeType, type NodeProto } from "../../src/onnx/proto/types.ts";
import type { OnnxValue } from "../../src/onnx/values.ts";

type Plain = number | string | readonly number[] | readonly string[];

interface RunOptions {
  readonly version?: number;
  /** The number of outputs that the node lists. */
  readonly outputs?: number;
}

const text = new TextEncoder();

/** A number that is not an integer makes an attribute of floats; integers do so if `floats` is true. */
function attributeOf(name: string, value: Plain, floats: boolean): AttributeProto {
  const base = {
    name,
    docString: "",
    refAttrName: "",
    floats: new Float32Array(),
    ints: [],
    strings: [],
    tensors: [],
    graphs: [],
  };
  const isFloat = floats || [value].flat().some((each) => typeof each === "number" && !Number.isInteger(each));
  const part =
    typeof value === "number"
      ? isFloat
        ? { type: AttributeType.FLOAT, f: value }
        : { type: AttributeType.INT, i: value }
      : typeof value === "string"
        ? { type: AttributeType.STRING, s: text.encode(value) }
        : value.some((each) => typeof each === "string")
          ? { type: AttributeType.STRINGS, strings: value.map((each) => text.encode(String(each))) }
          : isFloat
            ? { type: AttributeType.FLOATS, floats: Float32Array.from(value as number[]) }
            : { type: AttributeType.INTS, ints: value };
  return { ...base, ...part } as unknown as AttributeProto;
}

/** The attributes of floats whose values may be integers. */
const floatNames =
  /^(epsilon|momentum|scale|scales|softcap|clip|alpha|beta|bias|spatial_scale|activation_|cubic_coeff_a|extrapolation_value)/;

/** Returns all outputs of an operator of the default domain. */
export function runOperator(
  type: string,
  inputs: readonly (Tensor | null)[],
  attributes: Readonly<Record<string, Plain>> = {},
  { version = 24, outputs = 1 }: RunOptions = {},
): readonly Tensor[] {
  const output = Array.from({ length: outputs }, (_, k) => `y${k}`);
  const node = {
    opType: type,
    name: type,
    domain: "",
    overload: "",
    input: inputs.map((_, k) => `x${k}`),
    output,
    attribute: [],
  };
  const protos = new Map(
    Object.entries(attributes).map(([name, value]) => [name, attributeOf(name, value, floatNames.test(name))]),
  );
  const refuse = (): never => {
    throw new Error("no graphs");
  };
  const context = {
    versionOf: () => version,
    runGraph: refuse,
    valueOf: refuse,
    narrowTypes: [],
    free: () => {},
    isKnown: () => true,
    derive: refuse,
  };
  const call = new Call(node as unknown as NodeProto, inputs as readonly OnnxValue[], protos, context);
  const result = definitionIn(operatorTables[""], type)?.run(call);
  return (result instanceof Tensor ? [result] : result) as readonly Tensor[];
}

/** Random numbers in [-1, 1). */
export const random = (...shape: number[]): Tensor => rand(shape).mul(2).sub(1) as Tensor;

/** The largest difference of two tensors; infinity if their shapes differ. */
export function distance(a: Tensor, b: Tensor): number {
  if (`${a.shape}` !== `${b.shape}`) return Infinity;
  const [x, y] = [a, b].map((t) => (t.to("float64").reshape([-1]) as Tensor).toArray() as number[]) as [
    number[],
    number[],
  ];
  return x.reduce(
    (max, each, k) => (Object.is(each, y[k]) ? max : Math.max(max, Math.abs(each - (y[k] as number)))),
    0,
  );
}
