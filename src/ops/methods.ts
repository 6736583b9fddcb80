/**
 * Installs ops as methods of tensors. Every op in a list here becomes a method with its name; elementwise ops also get an in-place form
 * with the suffix `_`. Every bundle contains all methods, so these are the common ops; all others are functions only
 * (docs/decisions/0014).
 */
import { StridewiseError } from "../base/errors.ts";
import { copy_ } from "../tensor/in-place.ts";
import { Tensor } from "../tensor/tensor.ts";
import type { Broadcast } from "../tensor/types/types.ts";
import softmax from "./composite/softmax.ts";
import matmul from "./contract/matmul.ts";
import activation from "./elementwise/activation.ts";
import arithmetic from "./elementwise/arithmetic.ts";
import choose, { where } from "./elementwise/choose.ts";
import comparison from "./elementwise/comparison.ts";
import functions from "./elementwise/functions.ts";
import type { OpFunction } from "./elementwise/map.ts";
import type { Methods } from "./method-types.ts";
import type { ElementwiseMethods } from "./method-types-elementwise.ts";
import type { InPlaceMethods } from "./method-types-in-place.ts";
import gathering from "./movement/gather.ts";
import rearrange from "./movement/rearrange.ts";
import type { DTypeOf, OpOperand, OutOption, ShapeIn, Together } from "./op-types.ts";
import reduce, { variance } from "./reduce/reduce.ts";
import scan from "./reduce/scan.ts";
import equal from "./routine/equal-ops.ts";
import sorting from "./routine/sort-ops.ts";
import { isOptions } from "./signature.ts";

/** The ops that are methods of tensors. */
export interface OpMethods extends Methods, ElementwiseMethods, InPlaceMethods {
  /** Selects elements of this tensor where the condition is true, else of other. */
  where<X extends Tensor, C extends Tensor, B extends OpOperand>(
    this: X,
    condition: C,
    other: B,
    options?: OutOption,
  ): Tensor<Broadcast<ShapeIn<C>, Together<X, B>>, DTypeOf<X, B>, "none">;
}

declare module "../tensor/tensor.ts" {
  interface Tensor extends OpMethods {}
}

type Op = OpFunction & ((...args: unknown[]) => unknown);
type Method = (this: Tensor, ...args: unknown[]) => unknown;

/** Lists of ops with in-place forms. */
const elementwise: readonly (readonly OpFunction[])[] = [arithmetic, comparison, functions, activation, choose];

/** Lists of other ops. */
const others: readonly (readonly OpFunction[])[] = [
  reduce,
  scan,
  matmul,
  softmax,
  gathering,
  rearrange,
  sorting,
  equal,
];

/** Returns all ops of the lists, by name. */
export const allOps = (): Map<string, Op> =>
  new Map([...elementwise, ...others].flat().map((op) => [op.operator.name, op as Op]));

function define(name: string, value: Method): void {
  Object.defineProperty(Tensor.prototype, name, { value, configurable: true, writable: true, enumerable: false });
}

/** Returns an error of an op, reworded for its in-place form, which has no `out`. */
function inPlaceError(name: string, error: unknown): unknown {
  if (!(error instanceof StridewiseError) || !error.message.startsWith(`${name}: `)) return error;
  const { message, stack = "" } = error;
  error.message = message
    .replace(name, `${name}_`)
    .replace("out of shape", "x of shape")
    .replace(/Omit out$/, `Use ${name}(), which returns a new tensor`);
  error.stack = stack.replace(message, () => error.message);
  return error;
}

/** Calls an op with its first argument as `out`. */
function inPlace(op: Op, self: Tensor, args: unknown[]): unknown {
  const last = args[args.length - 1];
  let result: unknown;
  try {
    result = isOptions(last)
      ? op(self, ...args.slice(0, -1), { ...last, out: self })
      : op(self, ...args, { out: self });
  } catch (error) {
    throw inPlaceError(op.operator.name, error);
  }
  // A user-defined kernel may ignore `out`.
  return result === self ? self : copy_(self, result as Tensor);
}

const notMethods = new Set(["where", "complex", "polar"]);

/** Adds the ops to the class. Called once, by `../boot.ts`. */
export function installOps(): void {
  const isElementwise = new Set<OpFunction>(elementwise.flat());
  for (const [name, op] of allOps()) {
    if (notMethods.has(name)) continue;
    define(name, methodOf(op));
    if (isElementwise.has(op))
      define(`${name}_`, function (this: Tensor, ...args: unknown[]) {
        return inPlace(op, this, args);
      });
  }
  define("variance", methodOf(variance as unknown as Op));
  define("where", function (this: Tensor, condition: unknown, other: unknown, options: unknown) {
    return (where as unknown as Op)(condition, this, other, options);
  });
}

function methodOf(op: Op): Method {
  return function (this: Tensor, first?: unknown, second?: unknown, ...more: unknown[]) {
    if (more.length > 0) return op(this, first, second, ...more);
    if (second !== undefined) return op(this, first, second);
    return first === undefined ? op(this) : op(this, first);
  };
}
