/**
 * Which tensors belong to a model. A tensor is marked as a parameter (learned) or a buffer (kept with the weights, not learned); modules
 * find marked tensors in their fields. The mark is beside the tensor, so that marked tensors are tensors like all others.
 * Layers create their parameters and buffers here, with the initial values of PyTorch.
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

/** What a marked tensor is; "scratch" is a buffer that state dicts leave out. */
export type Mark = "parameter" | "buffer" | "scratch";

const marks: WeakMap<Tensor, Mark> = /* @__PURE__ */ new WeakMap();
/** Whether printing knows of marks. It does from the first one on: programs without marks print as fast as before. */
const printing = { knowsMarks: false };

/** What a tensor is marked as, if it is. */
export const markOf = (t: Tensor): Mark | undefined => marks.get(t);

/** Marks a tensor; a parameter is printed as one from then on. */
export function mark<T extends Tensor>(t: T, as: Mark): T {
  if (!printing.knowsMarks) {
    printing.knowsMarks = true;
    installPrintedTitle((each) => (markOf(each) === "parameter" ? "Parameter containing:\n" : ""));
  }
  marks.set(t, as);
  return t;
}

export interface ParameterOptions {
  /** Whether gradients are asked for: true unless given. */
  readonly requiresGrad?: boolean | undefined;
}

/** Marks a tensor as a parameter of the module that holds it, and asks for its gradients; of a result that has a history, its values. */
export function parameter<T extends Tensor>(t: T, { requiresGrad = true }: ParameterOptions = {}): T {
  if (!(t instanceof Tensor))
    throw new StridewiseError(
      `parameter: a parameter is a tensor, got ${Array.isArray(t) ? "a list. Write parameter(tensor(list))" : foreign(t) || String(t)}`,
    );
  const leaf = (t.isLeaf ? t : t.detach()) as T;
  if (leaf.requiresGrad !== requiresGrad) leaf.requiresGrad_(requiresGrad);
  return mark(leaf, "parameter");
}

export interface BufferOptions {
  /** Whether state dicts hold it: true unless given. */
  readonly persistent?: boolean | undefined;
}

/** Marks a tensor as a buffer of the module that holds it: saved with the weights and converted with them, not learned. */
export function buffer<T extends Tensor>(t: T, { persistent = true }: BufferOptions = {}): T {
  checkTensor("buffer", t);
  return mark(t, persistent ? "buffer" : "scratch");
}

/** A tensor in another's place in a model: with its mark and its wish for gradients. */
function instead(result: Tensor, of: Tensor): Tensor {
  const as = markOf(of);
  if (result !== of && of.requiresGrad) result.requiresGrad_();
  return as === undefined ? result : mark(result, as);
}

/** The same tensor in another dtype. It takes the place of one that lives as long as the model, so no scope ends it. */
export const converted = (t: Tensor, dtype: Tensor["dtype"]): Tensor =>
  instead(
    outsideScopes(() => noGrad(() => t.to(dtype))),
    t,
  );

/** The same values in memory of their own. */
export const copyTensor = (t: Tensor): Tensor =>
  instead(
    noGrad(() => t.detach().clone()),
    t,
  );

export interface DTypeOption {
  /** The dtype of the parameters: the default dtype unless given. */
  readonly dtype?: DType | undefined;
}

/** A parameter of numbers uniform in [-bound, bound). */
export const uniformParameter = (shape: readonly number[], bound: number, dtype: DType = getDefaultDType()): Tensor =>
  parameter(uniform_(empty(shape, { dtype }), -bound, bound));

/** A parameter of equal numbers. */
export const constantParameter = (shape: readonly number[], value: number, dtype: DType = getDefaultDType()): Tensor =>
  parameter(full(shape, value, { dtype }));

/** A buffer of equal numbers. */
export const constantBuffer = (shape: readonly number[], value: number, dtype: DType = getDefaultDType()): Tensor =>
  buffer(full(shape, value, { dtype }));
