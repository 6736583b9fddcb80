/**
 * Operators that only move elements, over tensors and over texts. The strings of texts are moved by number: the operator runs over tensors with the
 * indices of the strings, and its results select from them.
 */
import * as sw from "../../index.ts";
import { type Call, numbersOf } from "../call.ts";
import { type OnnxValue, TextTensor } from "../values.ts";

/** Runs `move` over the inputs with these indices, which are all tensors or all texts. */
export function moved(call: Call, at: readonly number[], move: (inputs: readonly sw.Tensor[]) => sw.Tensor): OnnxValue {
  return movedAll(call, at, (inputs) => [move(inputs)])[0];
}

/** The same for an operator with several results. */
export function movedAll(
  call: Call,
  at: readonly number[],
  move: (inputs: readonly sw.Tensor[]) => readonly sw.Tensor[],
): readonly OnnxValue[] {
  if (!(call.inputs[at[0]] instanceof TextTensor)) return move(at.map((k) => call.tensor(k)));
  const texts = at.map((k) => call.text(k));
  const pool = texts.flatMap(({ data }) => data);
  let start = 0;
  const indices = texts.map(({ data, shape }) => {
    const each = sw.tensor(Int32Array.from(data, (_, k) => start + k)).reshape(shape);
    start += data.length;
    return each;
  });
  return move(indices).map(
    (t) =>
      new TextTensor(
        t.shape,
        numbersOf(t).map((k) => pool[k]),
      ),
  );
}
