/**
 * The values of a model: tensors, texts, sequences and maps. An absent input and an empty optional are null.
 * Everything but a tensor lives in JavaScript, so nodes that use it run one by one, outside of compiled programs.
 */
import { Tensor } from "../index.ts";

/** A tensor of strings. */
export class TextTensor {
  readonly shape: readonly number[];
  readonly data: readonly string[];

  constructor(shape: readonly number[], data: readonly string[]) {
    this.shape = shape;
    this.data = data;
  }
}

/** A sequence of values. */
export class ValueSequence {
  readonly items: readonly OnnxValue[];

  constructor(items: readonly OnnxValue[]) {
    this.items = items;
  }
}

/** A map from integers or strings to numbers or strings. */
export type ValueMap = ReadonlyMap<bigint | string, number | string | bigint>;

export type OnnxValue = Tensor | TextTensor | ValueSequence | ValueMap | null;

/** A value that `run` accepts for an input: a tensor, or numbers and texts, which become a tensor of the declared dtype. */
export type OnnxInput = OnnxValue | undefined | number | bigint | boolean | string | readonly unknown[];

/** The tensors in a value. */
export function tensorsIn(value: OnnxValue): readonly Tensor[] {
  if (value instanceof Tensor) return [value];
  return value instanceof ValueSequence ? value.items.flatMap(tensorsIn) : [];
}

/** A short text for errors: `float32[2, 3]`. */
export function describeOnnxValue(value: OnnxValue): string {
  if (value === null) return "nothing";
  if (value instanceof Tensor) return `${value.dtype}[${value.shape.join(", ")}]`;
  if (value instanceof TextTensor) return `string[${value.shape.join(", ")}]`;
  if (value instanceof ValueSequence) return `a sequence of ${value.items.length}`;
  return `a map of ${value.size}`;
}
