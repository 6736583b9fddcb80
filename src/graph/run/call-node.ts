/**
 * Calls the op of a node over tensors instead of its values. A value of a graph never changes, so an op that writes gets copies. The caller defines
 * parts and copies of tensors: the interpreter works on memory, a replay calls ops that autograd and traces see.
 */
import { isRecord, resultsOf } from "../../autograd/arguments.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Argument, Node, Value } from "../ir.ts";
import { mapTensors } from "../leaves.ts";
import { overwritten } from "../lower/aliases.ts";

/** The functions by which a caller creates parts and copies of tensors. */
export interface NodeMemory {
  /** Returns a part of a tensor by its geometry relative to the first element: sizes, strides, offset, and optionally a dtype. */
  part(t: Tensor, geometry: readonly Argument[]): Tensor;
  /** Returns a copy with the layout of the tensor. */
  copy(t: Tensor): Tensor;
  /** Copies elements to a tensor of the same shape. */
  assign(to: Tensor, from: Tensor, node: Node): void;
}

/** Returns the results of a node that is not control flow. `args` are its arguments over tensors, and `tensorOf` has the tensors of its values. */
export function callNode(
  node: Node,
  args: readonly unknown[],
  tensorOf: (value: Value) => Tensor,
  memory: NodeMemory,
): readonly Tensor[] {
  const { op } = node;
  const [base, ...rest] = args as [Tensor, ...unknown[]];
  if (op.name === "asStrided") return [memory.part(base, rest as Argument[])];
  if (op.name === "asStridedScatter") {
    const [source, ...geometry] = rest as [Tensor, ...Argument[]];
    const copy = memory.copy(base);
    memory.assign(memory.part(copy, geometry), source, node);
    return [copy];
  }
  const targets = overwritten(node)?.map(tensorOf) ?? null;
  if (targets === null) return resultsOf(op.call(args));
  const copies = targets.map(memory.copy);
  const swap = (t: Tensor): Tensor => copies[targets.indexOf(t)] ?? t;
  op.call(
    op.isInPlace
      ? [swap(base), ...rest]
      : args.map((arg) => (isRecord(arg) && "out" in arg ? { ...arg, out: mapTensors([arg["out"]], swap)[0] } : arg)),
  );
  return copies;
}
