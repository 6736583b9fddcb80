/**
 * The ops that tensors have as methods, and how they get there. Every op of a table here is a method of its own name; elementwise ones
 * also have a form with `_` behind the name, which writes its result to the tensor itself. What is a method is in every bundle, so
 * these are the ops of every day; all others are functions (docs/decisions/0014).
 */
import { copy_ } from "../tensor/in-place.ts";
import { Tensor } from "../tensor/tensor.ts";
import * as softmax from "./composite/softmax.ts";
import * as matmul from "./contract/matmul.ts";
import * as activation from "./elementwise/activation.ts";
import * as arithmetic from "./elementwise/arithmetic.ts";
import * as choose from "./elementwise/choose.ts";
import * as comparison from "./elementwise/comparison.ts";
import * as functions from "./elementwise/functions.ts";
import type { OpFunction } from "./elementwise/map.ts";
import type { Methods } from "./method-types.ts";
import type { ElementwiseMethods } from "./method-types-elementwise.ts";
import type { InPlaceMethods } from "./method-types-in-place.ts";
import * as gathering from "./movement/gather.ts";
import * as rearrange from "./movement/rearrange.ts";
import type { OpOperand, OutOption } from "./op-types.ts";
import { isOptions } from "./options.ts";
import * as reduce from "./reduce/reduce.ts";
import * as scan from "./reduce/scan.ts";
import * as equal from "./routine/equal-ops.ts";
import * as sorting from "./routine/sort-ops.ts";

/** The methods that ops are. */
export interface OpMethods extends Methods, ElementwiseMethods, InPlaceMethods {
  /** This tensor where the condition is true, else other. */
  where(condition: Tensor, other: OpOperand, options?: OutOption): Tensor;
}

declare module "../tensor/tensor.ts" {
  interface Tensor extends OpMethods {}
}

type Call = (...args: unknown[]) => unknown;
type Table = Readonly<Record<string, unknown>>;

const isOp = (value: unknown): value is OpFunction & Call => typeof value === "function" && "operator" in value;

/** Tables whose ops have in-place forms, too. */
const elementwise: readonly Table[] = [arithmetic, comparison, functions, activation, choose];

/** Tables of other ops. */
const others: readonly Table[] = [reduce, scan, matmul, softmax, gathering, rearrange, sorting, equal];

/** All ops by name, where each is found once. */
export function allOps(): Map<string, OpFunction & Call> {
  const found = new Map<string, OpFunction & Call>();
  for (const table of [...elementwise, ...others])
    for (const value of Object.values(table)) if (isOp(value)) found.set(value.operator.name, value);
  return found;
}

function define(name: string, value: Call): void {
  Object.defineProperty(Tensor.prototype, name, { value, configurable: true, writable: true, enumerable: false });
}

/** Calls an op with its first argument as `out`, too. */
function inPlace(op: Call, self: Tensor, args: unknown[]): unknown {
  const last = args[args.length - 1];
  const result = isOptions(last)
    ? op(self, ...args.slice(0, -1), { ...last, out: self })
    : op(self, ...args, { out: self });
  // A kernel of a user's own may know no `out`.
  return result === self ? self : copy_(self, result as Tensor);
}

const notMethods = new Set(["where", "complex", "polar"]);

/** Puts the ops on the class. Called once, by `../runtime.ts`. */
export function installOps(): void {
  for (const table of elementwise)
    for (const [name, op] of Object.entries(table)) {
      if (!isOp(op) || notMethods.has(name)) continue;
      define(name, methodOf(op));
      define(`${name}_`, function (this: Tensor, ...args: unknown[]) {
        return inPlace(op, this, args);
      });
    }
  for (const table of others) for (const [name, op] of Object.entries(table)) if (isOp(op)) define(name, methodOf(op));
  define("where", function (this: Tensor, condition: unknown, other: unknown, options: unknown) {
    return (choose.where as unknown as Call)(condition, this, other, options);
  } as Call);
}

function methodOf(op: Call): Call {
  return function (this: Tensor, first?: unknown, second?: unknown, ...more: unknown[]) {
    if (more.length > 0) return op(this, first, second, ...more);
    if (second !== undefined) return op(this, first, second);
    return first === undefined ? op(this) : op(this, first);
  };
}
