/** The names and types of inputs and outputs. Symbolic sizes are named by their expressions. */
import type { TensorType } from "../../graph/ir.ts";
import type { Draft, ValueInfoProto } from "../proto/types.ts";
import { elementOfDType } from "../value-type.ts";
import { numberOfSize } from "./size-nodes.ts";

export function infoOf(name: string, { dtype, shape }: TensorType): Draft<ValueInfoProto> {
  const dim = shape.map((size) => {
    const number = numberOfSize(size);
    return number === null ? { dimParam: String(size) } : { dimValue: number };
  });
  return { name, type: { tensorType: { elemType: elementOfDType(dtype), shape: { dim } } } };
}
