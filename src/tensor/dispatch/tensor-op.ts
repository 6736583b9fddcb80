/**
 * Functions of the tensor layer as ops, so that modes, autograd and tracing also intercept views, copies, writes and creation. Calls that
 * nothing intercepts go directly to the function.
 */
import { checkTensor } from "../operand.ts";
import { callBits, Tensor } from "../tensor.ts";
import type { OpFacts } from "./facts.ts";
import { keyShift } from "./keys.ts";
import { defineOperator, guarded, type Operator, seen } from "./operator.ts";
import { plainArgument } from "./static-arguments.ts";

type TensorFunction = (t: Tensor, ...args: never[]) => unknown;
type AnyFunction = (t: Tensor, ...args: unknown[]) => unknown;

/** A function with its operator. */
export type AsOp<F> = F & { readonly operator: Operator };

/** The operators defined by this file's functions, in order. */
const operators: Operator[] = [];

/** Creates an operator and adds it to the list. */
function namedOperator(name: string, facts?: OpFacts, makes = false): Operator {
  const operator = defineOperator(name, "movement", facts, makes);
  operators.push(operator);
  return operator;
}

/** Returns the operators defined by this file's functions that the program contains. */
export const tensorOperators = (): readonly Operator[] => operators;

/**
 * Turns a function on one tensor into an op. `composite` computes the same by other ops, and dispatch calls it instead of `fn`. Static
 * integers among the arguments become numbers, unless `argument` keeps them.
 */
export function tensorOp<F extends TensorFunction>(
  name: string,
  fn: F,
  composite?: F,
  argument: (arg: unknown) => unknown = plainArgument,
): AsOp<F> {
  const operator = namedOperator(name);
  if (composite !== undefined) operator.setUsual(composite as never, "composite");
  else {
    operator.setUsual(fn as never);
    operator.setKernel("meta", fn as never);
  }
  const plain = fn as unknown as AnyFunction;
  const call = (t: Tensor, first: unknown, second: unknown, third: unknown, d: unknown): unknown => {
    if (!(t instanceof Tensor)) return checkTensor(name, t);
    const a = typeof first === "object" ? argument(first) : first;
    const b = typeof second === "object" ? argument(second) : second;
    const c = typeof third === "object" ? argument(third) : third;
    let bits = callBits(t);
    if (a instanceof Tensor) bits |= callBits(a);
    if (b instanceof Tensor) bits |= callBits(b);
    if ((((bits >>> keyShift) & seen) | guarded) === 0 && operator.hasBuiltInKernel) return plain(t, a, b, c, d);
    const args = [t, a, b, c, d];
    while (args.length > 1 && args[args.length - 1] === undefined) args.pop();
    return operator.call(args);
  };
  return Object.assign(call as unknown as F, { operator });
}

/** Set by autograd. */
const autograd: { request?: (t: Tensor, who: string) => void } = {};

/** Sets the function that `{ requiresGrad: true }` calls on a new tensor. */
export function installGradientRequest(ask: (t: Tensor, who: string) => void): void {
  autograd.request = ask;
}

/** Turns a function that creates a tensor into an op. */
export function makerOp<F extends (...args: never[]) => unknown>(name: string, fn: F, facts?: OpFacts): AsOp<F> {
  const operator = namedOperator(name, facts, true);
  operator.setUsual(fn);
  operator.setKernel("meta", fn);
  const call = (...args: never[]): unknown => {
    for (let k = 0; k < args.length; k++) args[k] = plainArgument(args[k]) as never;
    const t = guarded === 0 && operator.hasBuiltInKernel ? fn(...args) : operator.call(args);
    for (let k = 0; k < args.length; k++) {
      const arg: unknown = args[k];
      if (typeof arg !== "object" || arg === null || arg instanceof Tensor) continue;
      if ((arg as { readonly requiresGrad?: unknown }).requiresGrad === true) autograd.request?.(t as Tensor, name);
    }
    return t;
  };
  return Object.assign(call as F, { operator });
}
