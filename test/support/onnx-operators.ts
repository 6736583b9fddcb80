/** Runs one operator of ONNX on tensors, with plain numbers as attributes, and measures distances of results. */
import { rand, type Tensor } from "stridewise";
import type { Attributes } from "./onnx-graphs.ts";
import { runOperator as run } from "./onnx-runs.ts";

type Plain = number | string | readonly number[] | readonly string[];

interface RunOptions {
  readonly version?: number;
  /** The number of outputs that the node lists. */
  readonly outputs?: number;
}

/** The attributes of floats whose values may be integers. */
const floatNames =
  /^(epsilon|momentum|scale|scales|softcap|clip|alpha|beta|bias|spatial_scale|activation_|cubic_coeff_a|extrapolation_value)/;

function attributesOf(attributes: Readonly<Record<string, Plain>>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      const isFloat = floatNames.test(name) && [value].flat().every((each) => typeof each === "number");
      if (!isFloat && ![value].flat().some((each) => typeof each === "number" && !Number.isInteger(each)))
        return [name, value];
      return [name, typeof value === "number" ? { float: value } : { floats: value as readonly number[] }];
    }),
  );
}

/** Returns all outputs of an operator of the default domain. */
export const runOperator = (
  type: string,
  inputs: readonly (Tensor | null)[],
  attributes: Readonly<Record<string, Plain>> = {},
  { version = 24, outputs = 1 }: RunOptions = {},
): readonly Tensor[] =>
  run(type, inputs, { version, outputs, attributes: attributesOf(attributes) }) as readonly Tensor[];

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
