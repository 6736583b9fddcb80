/**
 * Several tensors as one: along an axis that they have, along a new one, or as blocks on a diagonal.
 * The dtype is the common one of all. A tensor of shape [0] joins any others and adds nothing, as in PyTorch.
 */
import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import type { DType } from "../../storage/dtype.ts";
import { copyBytes } from "../../storage/memory.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { hasSizes, showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import { unifyNames } from "../../tensor/names.ts";
import { isFlatAndDense } from "../../tensor/operand.ts";
import { storageOf, type Tensor } from "../../tensor/tensor.ts";
import { narrow, select } from "../../tensor/views/views-parts.ts";
import { compositeOp, type Result, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { unsqueeze } from "../views.ts";
import { blockGradient, catGradient, stackGradient } from "./join-gradient.ts";
import type { Joins } from "./movement-types.ts";
import { atLeast, onTensors } from "./tensor-list.ts";

const commonDType = (tensors: readonly Tensor[]): DType =>
  tensors.map((t) => t.dtype).reduce((a, b) => promoteTypes(a, b));

const isNothing = (t: Tensor): boolean => t.rank === 1 && sizeAt(t, 0) === 0;

/** The dtype and shape of a join, and its axis. */
function joined(who: string, tensors: readonly Tensor[], axis: Axis): Result & { readonly at: number } {
  const scalar = tensors.findIndex((t) => t.rank === 0);
  if (scalar >= 0) throw new ShapeError(`${who}: tensor ${scalar} has no axes. Use stack([...]) for scalars`);
  const first = tensors.find((t) => !isNothing(t)) ?? tensors[0];
  const at = axisOf(who, first, axis);
  const shape = sizesOf(first);
  shape[at] = 0;
  tensors.forEach((t, k) => {
    if (isNothing(t)) return;
    if (t.rank !== first.rank)
      throw new ShapeError(`${who}: tensors must have the same number of axes, got ${first.rank} and ${t.rank}`);
    for (let d = 0; d < shape.length; d++)
      if (d !== at && sizeAt(t, d) !== shape[d])
        throw new ShapeError(
          `${who}: sizes must match except at axis ${at}: tensor ${k} has size ${sizeAt(t, d)} instead of ${shape[d]} at axis ${d}`,
        );
    shape[at] = shape[at] + sizeAt(t, at);
  });
  const parts = tensors.filter((t) => !isNothing(t));
  return { dtype: commonDType(tensors), shape, names: unifyNames(who, ...parts), at };
}

/**
 * Copies tensors one behind the other into the storage of a dense result, if all of them are dense, of its dtype, and join as a whole:
 * so many bytes at a time. False, and nothing is done, if not.
 */
function joinBytes(result: Tensor, tensors: readonly Tensor[], at: number): boolean {
  const isWhole = (t: Tensor): boolean => t.type === result.type && (t.size === 0 || isFlatAndDense(t));
  for (let d = 0; d < at; d++) if (sizeAt(result, d) !== 1) return false;
  if (tensors.length < 4 || !isFlatAndDense(result) || !tensors.every(isWhole)) return false;
  const { itemsize } = result;
  const target = result.storage;
  const memory = target.writable();
  let to = target.byteOffset + result.start * itemsize;
  for (const t of tensors) {
    if (t.size === 0) continue;
    const storage = storageOf(t, "cat");
    copyBytes(storage.readable(), storage.byteOffset + t.start * itemsize, memory, to, t.size * itemsize);
    to += t.size * itemsize;
  }
  return true;
}

type JoinArguments = readonly [tensors: readonly Tensor[], axis?: Axis, options?: OutOption];

/** The tensors one after the other along an axis that they have. */
export const cat: Joins<[axis?: Axis, options?: OutOption]> = /* @__PURE__ */ onTensors(
  /* @__PURE__ */ structuredOp("cat(tensors: any, axis)", "movement", {
    linear: "0",
    batch: "join 0",
    infer: (...[tensors, axis = 0]: JoinArguments) => joined("cat", tensors, axis),
    fill([result], ...[tensors, axis = 0]: JoinArguments) {
      const { at } = joined("cat", tensors, axis);
      if (joinBytes(result, tensors, at)) return;
      let start = 0;
      for (const t of tensors) {
        if (isNothing(t)) continue;
        const size = sizeAt(t, at);
        copyAll(t, narrow(result, at, start, size), "cat");
        start += size;
      }
    },
    gradient: catGradient,
  }),
);

/** The same as cat. */
export const concat: typeof cat = cat;

function stacked(tensors: readonly Tensor[], axis: Axis): Result & { readonly at: number } {
  const first = tensors[0];
  const shape = sizesOf(first);
  const at = axisOf("stack", first, axis, 1);
  tensors.forEach((t, k) => {
    if (!hasSizes(t, shape))
      throw new ShapeError(
        `stack: all tensors must have the same shape, got ${show(shape)} and ${showShape(t)} at index ${k}`,
      );
  });
  const names = unifyNames("stack", ...tensors)?.toSpliced(at, 0, null) ?? null;
  return { dtype: commonDType(tensors), shape: shape.toSpliced(at, 0, tensors.length), names, at };
}

/** Tensors of one shape along a new axis. */
export const stack: Joins<[axis?: Axis, options?: OutOption]> = /* @__PURE__ */ onTensors(
  /* @__PURE__ */ structuredOp("stack(tensors: any, axis)", "movement", {
    linear: "0",
    batch: "join 1",
    infer: (...[tensors, axis = 0]: JoinArguments) => stacked(tensors, axis),
    fill([result], ...[tensors, axis = 0]: JoinArguments) {
      const { at } = stacked(tensors, axis);
      if (joinBytes(result, tensors, at)) return;
      tensors.forEach((t, k) => {
        copyAll(t, select(result, at, k), "stack");
      });
    },
    gradient: stackGradient,
  }),
);

/** A join of tensors with at least so many axes. */
const joinOf = (who: string, rank: 1 | 2 | 3, axisFor: (first: Tensor) => number) =>
  onTensors(
    compositeOp<Joins<[options?: OutOption]>>(
      `${who}(tensors: any; out)`,
      (tensors: readonly Tensor[], options?: OutOption) => {
        const raised = tensors.map((t) => atLeast(t, rank));
        return cat(raised, axisFor(raised[0]), options);
      },
    ),
  );

/** The tensors side by side: along axis 1, or axis 0 if they have one only. */
export const hstack: Joins<[options?: OutOption]> = /* @__PURE__ */ joinOf("hstack", 1, (t) => (t.rank === 1 ? 0 : 1));
/** The tensors one below the other; one without rows is a row. */
export const vstack: Joins<[options?: OutOption]> = /* @__PURE__ */ joinOf("vstack", 2, () => 0);
/** The same as vstack. */
export const rowStack: typeof vstack = vstack;
/** The tensors one behind the other, along axis 2. */
export const dstack: Joins<[options?: OutOption]> = /* @__PURE__ */ joinOf("dstack", 3, () => 2);

/** The tensors side by side as columns; one with a single axis is one column. */
export const columnStack: Joins<[options?: OutOption]> = /* @__PURE__ */ onTensors(
  /* @__PURE__ */ compositeOp("columnStack(tensors: any; out)", (tensors: readonly Tensor[], options?: OutOption) => {
    const columns = tensors.map((t) => (t.rank < 2 ? unsqueeze(atLeast(t, 1), 1) : t));
    return hstack(columns, options);
  }),
);

/** Rows and columns of a block: a scalar and a list are one row. */
const blockShape = (t: Tensor): [rows: number, columns: number] => {
  if (t.rank > 2) throw new ShapeError(`blockDiag: tensors have at most 2 axes, got shape ${showShape(t)}`);
  const [rows, columns] = sizesOf(atLeast(t, 2)) as [number, number];
  return [rows, columns];
};

/** A matrix with the given matrices on its diagonal, one after the other, and 0 elsewhere. */
export const blockDiag: Joins<[]> = /* @__PURE__ */ onTensors(
  /* @__PURE__ */ structuredOp("blockDiag(tensors: any, ...)", "movement", {
    linear: "0",
    infer(tensors: readonly Tensor[]) {
      let [rows, columns] = [0, 0];
      for (const t of tensors) {
        const [m, n] = blockShape(t);
        rows += m;
        columns += n;
      }
      return { dtype: commonDType(tensors), shape: [rows, columns] };
    },
    fill([result], tensors: readonly Tensor[]) {
      fillUnchecked(result, 0, "blockDiag");
      let [row, column] = [0, 0];
      for (const t of tensors) {
        const [m, n] = blockShape(t);
        copyAll(atLeast(t, 2), narrow(narrow(result, 0, row, m), 1, column, n), "blockDiag");
        row += m;
        column += n;
      }
    },
    gradient: blockGradient,
  }),
);
