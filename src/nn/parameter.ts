/**
 * Parameters and buffers. A tensor is marked as a parameter (learned) or a buffer (saved with the weights, not learned); modules enumerate
 * the marked tensors in their fields. Marks are kept in a WeakMap, so marked tensors are ordinary tensors.
 * Layers create their parameters and buffers here, with PyTorch's initial values.
 */
import {
  type DType,
  empty,
  full,
  getDefaultDType,
  installPrintedTitle,
  noGrad,
  outsideScopes,
  StridewiseError,
  Tensor,
} from "../index.ts";
import { checkTensor } from "./check-input.ts";
import { uniform_ } from "./init.ts";
import { foreign } from "./print.ts";

/** The mark of a tensor; "scratch" is a buffer that state dicts omit. */
export type Mark = "parameter" | "buffer" | "scratch";

const marks: WeakMap<Tensor, Mark> = /* @__PURE__ */ new WeakMap();
/** Whether the title of printed parameters is installed. The first mark installs it, so printing without marks stays fast. */
const printing = { knowsMarks: false };

/** The mark of a tensor, if any. */
export const markOf = (t: Tensor): Mark | undefined => marks.get(t);

/** Marks a tensor. Parameters are printed as such. */
export function mark<T extends Tensor>(t: T, as: Mark): T {
  if (!printing.knowsMarks) {
    printing.knowsMarks = true;
    installPrintedTitle((each) => (markOf(each) === "parameter" ? "Parameter containing:\n" : ""));
  }
  marks.set(t, as);
  return t;
}

export interface ParameterOptions {
  /** Whether the parameter requires gradients. Default: true. */
  readonly requiresGrad?: boolean | undefined;
}

/** Marks a tensor as a parameter of the module that holds it, and makes it require gradients. A tensor with a history is detached. */
export function parameter<T extends Tensor>(t: T, { requiresGrad = true }: ParameterOptions = {}): T {
  if (!(t instanceof Tensor))
    throw new StridewiseError(
      `parameter: a parameter must be a tensor, got ${Array.isArray(t) ? "a list. Write parameter(tensor(list))" : foreign(t) || String(t)}`,
    );
  const leaf = (t.isLeaf ? t : t.detach()) as T;
  if (leaf.requiresGrad !== requiresGrad) leaf.requiresGrad_(requiresGrad);
  return mark(leaf, "parameter");
}

export interface BufferOptions {
  /** Whether state dicts contain it. Default: true. */
  readonly persistent?: boolean | undefined;
}

/** Marks a tensor as a buffer of the module that holds it: saved and converted with the weights, but not learned. */
export function buffer<T extends Tensor>(t: T, { persistent = true }: BufferOptions = {}): T {
  checkTensor("buffer", t);
  return mark(t, persistent ? "buffer" : "scratch");
}

/** Gives a tensor the mark and requiresGrad of the one that it replaces in a model. */
function replacing(original: Tensor, result: Tensor): Tensor {
  const as = markOf(original);
  if (result !== original && original.requiresGrad) result.requiresGrad_();
  return as === undefined ? result : mark(result, as);
}

/** The same tensor in a different dtype, or on a different device. It belongs to the model, so no scope disposes it. */
export const converted = (t: Tensor, target: DType | Tensor["device"]): Tensor =>
  replacing(
    t,
    outsideScopes(() => noGrad(() => (typeof target === "string" ? t.to(target) : t.to(target)))),
  );

/** A copy of a tensor, with its mark. */
export const copyTensor = (t: Tensor): Tensor =>
  replacing(
    t,
    noGrad(() => t.detach().clone()),
  );

export interface DTypeOption {
  /** The dtype of the parameters. Default: the default dtype. */
  readonly dtype?: DType | undefined;
}

/** A parameter with values uniform in [-bound, bound). */
export const uniformParameter = (shape: readonly number[], bound: number, dtype: DType = getDefaultDType()): Tensor =>
  parameter(uniform_(empty(shape, { dtype }), -bound, bound));

/** A parameter filled with a value. */
export const constantParameter = (shape: readonly number[], value: number, dtype: DType = getDefaultDType()): Tensor =>
  parameter(full(shape, value, { dtype }));

/** A buffer filled with a value. */
export const constantBuffer = (shape: readonly number[], value: number, dtype: DType = getDefaultDType()): Tensor =>
  buffer(full(shape, value, { dtype }));
