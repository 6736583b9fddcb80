/** Parts of tensors of strings along an axis, and the reverse. */
import { OnnxError } from "./error.ts";
import { TextTensor } from "./values.ts";

const product = (sizes: readonly number[]): number => sizes.reduce((a, b) => a * b, 1);

/** The part [start, start + length) along an axis. */
export function partOfText({ shape, data }: TextTensor, axis: number, start: number, length: number): TextTensor {
  const inner = product(shape.slice(axis + 1));
  const outer = product(shape.slice(0, axis));
  const parts = Array.from({ length: outer }, (_, k) => {
    const from = (k * shape[axis] + start) * inner;
    return data.slice(from, from + length * inner);
  });
  return new TextTensor([...shape.slice(0, axis), length, ...shape.slice(axis + 1)], parts.flat());
}

/** The same strings with a shape of the same size. */
export const reshapedText = ({ data }: TextTensor, shape: readonly number[]): TextTensor => new TextTensor(shape, data);

/** Joins tensors of strings along an axis that all have. */
export function joinTexts(texts: readonly TextTensor[], axis: number): TextTensor {
  const [{ shape }] = texts;
  for (const each of texts)
    if (each.shape.length !== shape.length || each.shape.some((size, k) => k !== axis && size !== shape[k]))
      throw new OnnxError(
        `the tensors of strings must agree in all sizes but that of axis ${axis}, got [${shape}] and [${each.shape}]`,
      );
  const outer = product(shape.slice(0, axis));
  const rows = Array.from({ length: outer }, (_, k) =>
    texts.flatMap(({ data }) => data.slice((k * data.length) / outer, ((k + 1) * data.length) / outer)),
  );
  const sizes = [...shape];
  sizes[axis] = texts.reduce((sum, each) => sum + each.shape[axis], 0);
  return new TextTensor(sizes, rows.flat());
}
