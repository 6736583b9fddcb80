/** Comparisons, logic, operations on bits, and selection by a condition. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { TextTensor } from "../values.ts";
import { moved } from "./moved.ts";
import { binary, operandsOf } from "./operands.ts";

/** Strings are compared by numbers, one for each distinct string. */
function equal(call: Call): sw.Tensor {
  if (!(call.inputs[0] instanceof TextTensor)) return sw.eq(...operandsOf(call));
  const numbers = new Map<string, number>();
  const [a, b] = [call.text(0), call.text(1)].map(({ data, shape }) => {
    const ids = data.map((text) => {
      const id = numbers.get(text) ?? numbers.size;
      numbers.set(text, id);
      return id;
    });
    return sw.tensor(Int32Array.from(ids)).reshape(shape);
  });
  return sw.eq(a, b);
}

function shift(call: Call): sw.Tensor {
  const direction = call.string("direction");
  const [x, by] = [call.tensor(0), call.tensor(1)];
  if (direction === "LEFT") return sw.bitwiseLeftShift(x, by);
  if (direction === "RIGHT") return sw.bitwiseRightShift(x, by);
  throw call.error(`the attribute direction must be LEFT or RIGHT, got "${direction}"`);
}

export const comparison: OperatorTable = {
  Equal: equal,
  Greater: binary((a, b) => sw.gt(a, b)),
  GreaterOrEqual: binary((a, b) => sw.ge(a, b)),
  Less: binary((a, b) => sw.lt(a, b)),
  LessOrEqual: binary((a, b) => sw.le(a, b)),
  And: binary((a, b) => sw.logicalAnd(a, b)),
  Or: binary((a, b) => sw.logicalOr(a, b)),
  Xor: binary((a, b) => sw.logicalXor(a, b)),
  Not: (call) => sw.logicalNot(call.tensor(0)),
  BitwiseAnd: binary((a, b) => sw.bitwiseAnd(a, b)),
  BitwiseOr: binary((a, b) => sw.bitwiseOr(a, b)),
  BitwiseXor: binary((a, b) => sw.bitwiseXor(a, b)),
  BitwiseNot: (call) => sw.bitwiseNot(call.tensor(0)),
  BitShift: shift,
  Where: (call) => moved(call, [1, 2], ([a, b]) => sw.where(call.tensor(0), a, b)),
};
