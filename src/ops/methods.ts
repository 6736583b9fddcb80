/**
 * Installs ops as methods of tensors. Every op in a list here becomes a method with its name; elementwise ops also get an in-place form
 * with the suffix `_`. Further methods are single ops of other files, and other names of methods. Every bundle contains all methods, so
 * these are the common ops; all others are functions only (docs/decisions/0014).
 */
import { StridewiseError } from "../base/errors.ts";
import type { Checked } from "../layout/types/faults.ts";
import { copy_ } from "../tensor/in-place.ts";
import { Tensor } from "../tensor/tensor.ts";
import type { RealOf } from "../tensor/types/shape-dtypes.ts";
import type { Broadcast } from "../tensor/types/types.ts";
import softmax from "./composite/softmax.ts";
import matmul from "./contract/matmul.ts";
import activation from "./elementwise/activation.ts";
import arithmetic, { type clamp } from "./elementwise/arithmetic.ts";
import choose, { type ConditionFault, where } from "./elementwise/choose.ts";
import comparison from "./elementwise/comparison.ts";
import functions from "./elementwise/functions.ts";
import type { OpFunction } from "./elementwise/map.ts";
import type { Methods } from "./method-types.ts";
import type { ElementwiseMethods } from "./method-types-elementwise.ts";
import type { InPlaceMethods } from "./method-types-in-place.ts";
import { tril, triu } from "./movement/diagonals.ts";
import gathering from "./movement/gather.ts";
import { maskedSelect } from "./movement/masked-select.ts";
import { nonzero } from "./movement/nonzero.ts";
import rearrange from "./movement/rearrange.ts";
import { repeatInterleave } from "./movement/repeat-interleave.ts";
import { scatterAdd_ } from "./movement/scatter.ts";
import { renameError } from "./op.ts";
import type { DTypeOf, ElementOperand, InPlaceForm, MethodOf, OutOption, ShapeIn, Together } from "./op-types.ts";
import { normal_, uniform_ } from "./random/in-place.ts";
import type { Axes } from "./reduce/axes.ts";
import reduce, { variance, vectorNorm } from "./reduce/reduce.ts";
import type { KeepOption, ReducedShape } from "./reduce/reduce-types.ts";
import scan from "./reduce/scan.ts";
import equal from "./routine/equal-ops.ts";
import { quantile } from "./routine/quantile-ops.ts";
import sorting from "./routine/sort-ops.ts";
import { diff } from "./routine/statistics-ops.ts";
import { unique } from "./routine/unique-ops.ts";
import { isOptions, readArguments, Signature } from "./signature.ts";

/** The ops that are methods of tensors. */
export interface OpMethods extends Methods, ElementwiseMethods, InPlaceMethods {
  /** Selects elements of this tensor where the condition is true, else of other. */
  where<X extends Tensor, C extends Tensor, B extends ElementOperand>(
    this: X,
    condition: Checked<C, ConditionFault<C, "where">>,
    other: B,
    options?: OutOption,
  ): Tensor<Broadcast<ShapeIn<C>, Together<X, B>>, DTypeOf<X, B>>;
  /** An alias of clamp. */
  readonly clip: MethodOf<typeof clamp>;
  /** An alias of clamp. In-place: writes to the tensor and returns it. */
  readonly clip_: InPlaceForm<typeof clamp>;
  /** Returns the vector norm of order p, by default the square root of the sum of squares, of all elements or over the given axes. */
  norm<X extends Tensor, const A extends Axes = undefined, const O extends NormOptions | undefined = undefined>(
    this: X,
    p?: number | "fro" | null,
    axis?: A,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], A, O>, RealOf<X["dtype"]>>;
}

type NormOptions = KeepOption;

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

/** Single ops of files whose other ops are functions only. */
const single: readonly OpFunction[] = [
  diff,
  maskedSelect,
  nonzero,
  normal_,
  quantile,
  repeatInterleave,
  scatterAdd_,
  tril,
  triu,
  uniform_,
  unique,
];

/** Returns all ops that are methods, by name. */
export const allOps = (): Map<string, Op> =>
  new Map([...elementwise, ...others, single].flat().map((op) => [op.operator.name, op as Op]));

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
  const { clamp, clamp_ } = Tensor.prototype as unknown as Readonly<Record<string, Method>>;
  define("clip", clamp);
  define("clip_", clamp_);
  define("norm", norm as Method);
  define("where", function (this: Tensor, condition: unknown, other: unknown, options: unknown) {
    return (where as unknown as Op)(condition, this, other, options);
  });
}

/** The function `norm` has norms of matrices, too, and the singular values that they need. */
function norm(this: Tensor, ...args: unknown[]): Tensor {
  const { p, axis, keepdims } = readArguments(normSignature, [this, ...args]).values;
  if (p === "nuc")
    throw new StridewiseError('norm: the method has vector norms only, got "nuc". Call the function: norm(x, "nuc")');
  try {
    return vectorNorm(this, axis as Axes, { keepdims: keepdims as boolean, ord: p === "fro" ? 2 : (p as number) });
  } catch (error) {
    throw renameError("norm", error);
  }
}
const normSignature = /* @__PURE__ */ new Signature("norm(x, p = 2, axis = null; keepdims = false)", false);

function methodOf(op: Op): Method {
  return function (this: Tensor, first?: unknown, second?: unknown, ...more: unknown[]) {
    if (more.length > 0) return op(this, first, second, ...more);
    if (second !== undefined) return op(this, first, second);
    return first === undefined ? op(this) : op(this, first);
  };
}
