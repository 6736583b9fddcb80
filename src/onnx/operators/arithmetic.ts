/** Arithmetic of two or more tensors, with broadcasting. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { isIntegerType } from "../call.ts";
import type { OperatorTable } from "../operator.ts";

type Binary = (a: sw.Tensor, b: sw.Tensor) => sw.Tensor;

const binary = (fn: Binary) => (call: Call) => fn(call.tensor(0), call.tensor(1));
/** An operator of one or more tensors. */
const variadic = (fn: Binary) => (call: Call) => call.tensors().reduce((a, b) => fn(a, b));

export const arithmetic: OperatorTable = {
  Add: binary((a, b) => sw.add(a, b)),
  Sub: binary((a, b) => sw.sub(a, b)),
  Mul: binary((a, b) => sw.mul(a, b)),
  // Integers are divided toward zero.
  Div: binary((a, b) => (isIntegerType(a.dtype) ? sw.div(a, b, { roundingMode: "trunc" }) : sw.div(a, b))),
  Max: variadic((a, b) => sw.maximum(a, b)),
  Min: variadic((a, b) => sw.minimum(a, b)),
  Sum: variadic((a, b) => sw.add(a, b)),
  Mean: (call) =>
    sw.div(
      call.tensors().reduce((a, b) => sw.add(a, b)),
      call.inputs.length,
    ),
};
