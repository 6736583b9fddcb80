/**
 * Types of the results of a node, from its op and its arguments: the op is planned over tensors without memory, as a trace plans it. Nothing is
 * computed, except by ops that create a tensor.
 */
import { resultsOf } from "../autograd/arguments.ts";
import { noGrad } from "../autograd/scopes.ts";
import { StridewiseError } from "../base/errors.ts";
import type { Storage } from "../storage/storage.ts";
import { defaultGenerator, Generator } from "../tensor/create/generator.ts";
import type { Operator } from "../tensor/dispatch/operator.ts";
import { flatStrides, sizesOf } from "../tensor/geometry.ts";
import { scope } from "../tensor/scope.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { exactTensor } from "./exact-tensors.ts";
import { type Argument, GraphError, Node, type TensorType, Value } from "./ir.ts";
import { eachLeaf, mapTensors } from "./leaves.ts";
import { isView, overwritten } from "./lower/aliases.ts";
import { partOf } from "./lower/lower.ts";
import { installPlans } from "./plans.ts";
import { concreteArgument, concreteType, type SymbolValues } from "./sizes.ts";
import { onMeta, scratch, typeOf } from "./trace/traced.ts";

/**
 * Returns the types of the results of a call, for values of the symbols in its arguments. Null for an op with regions, whose results are those of
 * the regions. Throws if the arguments do not fit.
 */
export function inferResults(node: Node, symbols: SymbolValues = {}): readonly TensorType[] | null {
  if (node.regions.length > 0) return null;
  installPlans();
  const tensors = new Map<Value, Tensor>();
  const tensorOf = (value: Value): Tensor => {
    let t = tensors.get(value);
    if (t === undefined) {
      t = exactTensor(concreteType(value.type, symbols), scratch);
      tensors.set(value, t);
    }
    return t;
  };
  const args = node.args.map((arg) => concreteArgument(arg, symbols, tensorOf));
  return keepGenerators(args, () => noGrad(() => scope(() => planNode(node, args, tensorOf).map(typeOf))));
}

function planNode(node: Node, args: readonly unknown[], tensorOf: (value: Value) => Tensor): readonly Tensor[] {
  const { op } = node;
  if (op.kernelFor("cpu") === null && op.kernelFor("composite") !== null)
    throw new GraphError(`${op.name} is composed of other ops, which graphs have instead`);
  const isOwn = hasOwnMemory(node.args[0]);
  if (op.name === "asStrided") return [checkedPart(args[0] as Tensor, args.slice(1) as Argument[], isOwn)];
  if (op.name === "asStridedScatter") {
    const [base, from, ...part] = args as [Tensor, Tensor, ...Argument[]];
    const target = checkedPart(base, part, isOwn);
    if (`${sizesOf(target)}` !== `${sizesOf(from)}`)
      throw new GraphError(
        `asStridedScatter: the part has shape [${sizesOf(target).join(", ")}], its new value [${sizesOf(from).join(", ")}]`,
      );
    return [base];
  }
  const old = overwritten(node);
  if (old !== null) {
    op.plan?.(args, scratch);
    return old.map(tensorOf);
  }
  if (isView(node)) return resultsOf((op.kernelFor("cpu") as (...args: readonly unknown[]) => unknown)(...args));
  if (op.makes) return resultsOf(op.call(args));
  const call = op.plan?.(args, scratch) ?? null;
  if (call !== null) return resultsOf(call.value ?? call.results[0]);
  const kernel = op.kernelFor("meta") ?? op.kernelFor("composite");
  if (kernel === null) throw new GraphError(`${op.name}: the shape of the result depends on elements`);
  return resultsOf((kernel as (...args: unknown[]) => unknown)(...mapTensors(args, onMeta)));
}

/** True for a value in newly allocated memory. Inputs and views are parts of larger memory, which strided views may reach. */
const hasOwnMemory = (arg: Argument): boolean =>
  arg instanceof Value && arg.node !== null && overwritten(arg.node) === null && !isView(arg.node);

/** A part of a tensor by its geometry. Throws if it is not inside of a tensor in its own memory. */
function checkedPart(t: Tensor, part: readonly Argument[], isOwn: boolean): Tensor {
  const view = partOf(t, part);
  if (!isOwn) return view;
  const [sizes, strides] = [sizesOf(view), flatStrides(view)];
  if (sizes.includes(0)) return view;
  const low = sizes.reduce((first, size, axis) => first + Math.min(0, (size - 1) * strides[axis]), view.start);
  const high = sizes.reduce((last, size, axis) => last + Math.max(0, (size - 1) * strides[axis]), view.start);
  const { nbytes } = t.source as Storage;
  if (low < 0 || (high + 1) * view.itemsize > nbytes)
    throw new GraphError(
      `asStrided: elements ${low} to ${high} are outside of the value, which has ${nbytes / view.itemsize}`,
    );
  return view;
}

/** Runs `fn`, and restores the generators among the arguments and the default one: planning draws nothing. */
function keepGenerators<T>(args: readonly unknown[], fn: () => T): T {
  const generators = new Set([defaultGenerator()]);
  eachLeaf(args, (leaf) => {
    if (leaf instanceof Generator) generators.add(leaf);
  });
  const states = [...generators].map((generator) => [generator, generator.getState()] as const);
  try {
    return fn();
  } finally {
    for (const [generator, state] of states) generator.setState(state);
  }
}

/** Returns the types of the results of a new node. Throws a GraphError that names the op. */
export function inferTypes(
  who: string,
  op: Operator,
  args: readonly Argument[],
  symbols: SymbolValues = {},
): readonly TensorType[] {
  try {
    return inferResults(new Node(op, args, []), symbols) ?? [];
  } catch (error) {
    // Arguments of a wrong type may cause errors of other classes.
    const { message } = error as Error;
    const result = new GraphError(
      `${who}: ${error instanceof StridewiseError ? message : `the arguments of ${op.name} do not fit (${message})`}`,
    );
    result.cause = error;
    throw result;
  }
}
