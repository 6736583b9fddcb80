/**
 * Joining tensors: along an existing axis, along a new one, or as blocks on a diagonal.
 * The dtype of the result is the common dtype. A tensor of shape [0] joins any others and adds nothing, as in PyTorch.
 */
import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import type { DType } from "../../storage/dtype.ts";
import { copyBytes } from "../../storage/memory.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { hasSizes, showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll } from "../../tensor/lowering.ts";
import { unifyNames } from "../../tensor/names.ts";
import { isFlatAndDense } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow, select } from "../../tensor/views/views-parts.ts";
import { wholeMemory } from "../../tensor/whole-memory.ts";
import { compositeOp, type Result, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import * as views from "../views.ts";
import type { Join, JoinOf, Stack } from "./join-types.ts";
import { atLeast, onTensors } from "./tensor-list.ts";

const commonDType = (tensors: readonly Tensor[]): DType =>
  tensors.map((t) => t.dtype).reduce((a, b) => promoteTypes(a, b));

const isNothing = (t: Tensor): boolean => t.rank === 1 && sizeAt(t, 0) === 0;

/** The dtype and shape of a join, and its axis as an index. */
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
 * Adds one step that copies the bytes of whole tensors one after the other, if all tensors and the result are dense and of the same dtype, and
 * no axis before the joined one has more than one element. Otherwise adds nothing and returns false.
 */
function lowerBytes(builder: ProgramBuilder, result: Tensor, tensors: readonly Tensor[], at: number): boolean {
  const isWhole = (t: Tensor): boolean => t.type === result.type && (t.size === 0 || isFlatAndDense(t));
  for (let d = 0; d < at; d++) if (sizeAt(result, d) !== 1) return false;
  if (tensors.length < 4 || !isFlatAndDense(result) || !tensors.every(isWhole)) return false;
  const parts = [result, ...tensors.filter(({ size }) => size > 0)];
  const buffers = parts.map((t) => ({ storage: wholeMemory(t, "cat"), start: t.start, itemsize: t.itemsize }));
  const slots = buffers.map(({ storage }) => builder.slotOf(storage));
  const shifts = buffers.map((buffer) => builder.shiftOf(buffer));
  const bytes = parts.map(({ size, itemsize }) => size * itemsize);
  builder.add({
    kind: "host",
    name: "copy bytes",
    run({ memories, addresses }) {
      let to = addresses[slots[0]] + shifts[0];
      for (let k = 1; k < slots.length; k++) {
        copyBytes(memories[slots[k]], addresses[slots[k]] + shifts[k], memories[slots[0]], to, bytes[k]);
        to += bytes[k];
      }
    },
    rule: { kind: "join", slots, shifts, bytes },
  });
  return true;
}

/** The gradient of a join: each tensor gets its part, which `partsFor` selects from the shapes of all tensors. */
const joining =
  (partsFor: (call: RecordedCall, shapes: readonly (readonly number[])[]) => (g: Tensor, k: number) => Tensor) =>
  (call: RecordedCall): ReturnType<GradientRule> => {
    const tensors = call.args[0] as readonly Tensor[];
    const needed = tensors.map((t) => call.needs(t));
    const [shapes, types] = [tensors.map(sizesOf), tensors.map((t) => t.dtype)];
    const part = partsFor(call, shapes);
    return ([g]) => [
      shapes.map((shape, k) => (needed[k] ? views.to(views.reshape(part(g, k), shape), types[k]) : null)),
    ];
  };

/** The exclusive prefix sums of sizes. */
function startsOf(sizes: readonly number[]): number[] {
  let total = 0;
  return sizes.map((size) => {
    total += size;
    return total - size;
  });
}

/** The axis of a recorded join. */
const axisIn = ({ args, results }: RecordedCall): number =>
  axisOf("join", results[0], (args[1] as Axis | undefined) ?? 0);

const catGradient: GradientRule = /* @__PURE__ */ joining((call, shapes) => {
  const axis = axisIn(call);
  const { rank } = call.results[0];
  // A tensor of shape [0] has no part.
  const sizes = shapes.map((shape) => (shape.length === rank ? shape[axis] : 0));
  const starts = startsOf(sizes);
  return (g, k) =>
    shapes[k].length === rank && sizes[k] !== 0
      ? views.narrow(g, axis, starts[k], sizes[k])
      : views.narrow(views.reshape(g, [-1]), 0, 0, 0);
});

const stackGradient: GradientRule = /* @__PURE__ */ joining((call) => {
  const axis = axisIn(call);
  return (g, k) => views.select(g, axis, k);
});

const blockGradient: GradientRule = /* @__PURE__ */ joining((_call, shapes) => {
  const blocks = shapes.map(([m = 1, n]) => (n === undefined ? [1, m] : [m, n]));
  const [rows, columns] = [startsOf(blocks.map(([m]) => m)), startsOf(blocks.map(([, n]) => n))];
  return (g, k) => {
    const [m, n] = blocks[k];
    return views.narrow(views.narrow(g, 0, rows[k], m), 1, columns[k], n);
  };
});

type JoinArguments = readonly [tensors: readonly Tensor[], axis?: Axis, options?: OutOption];

/** Concatenates tensors along an existing axis. */
export const cat: Join<"cat"> = /* @__PURE__ */ onTensors(
  /* @__PURE__ */ structuredOp("cat(tensors: any, axis)", "movement", {
    linear: "0",
    batch: "join 0",
    infer: (...[tensors, axis = 0]: JoinArguments) => joined("cat", tensors, axis),
    lower(builder, [result], ...[tensors, axis = 0]: JoinArguments) {
      const { at } = joined("cat", tensors, axis);
      if (lowerBytes(builder, result, tensors, at)) return;
      let start = 0;
      for (const t of tensors) {
        if (isNothing(t)) continue;
        const size = sizeAt(t, at);
        lowerCopyAll(builder, t, narrow(result, at, start, size), "cat");
        start += size;
      }
    },
    gradient: catGradient,
  }),
);

/** Concatenates tensors along an existing axis; an alias of cat. */
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

/** Stacks tensors of the same shape along a new axis. */
export const stack: Stack = /* @__PURE__ */ onTensors(
  /* @__PURE__ */ structuredOp("stack(tensors: any, axis)", "movement", {
    linear: "0",
    batch: "join 1",
    infer: (...[tensors, axis = 0]: JoinArguments) => stacked(tensors, axis),
    lower(builder, [result], ...[tensors, axis = 0]: JoinArguments) {
      const { at } = stacked(tensors, axis);
      if (lowerBytes(builder, result, tensors, at)) return;
      tensors.forEach((t, k) => {
        lowerCopyAll(builder, t, select(result, at, k), "stack");
      });
    },
    gradient: stackGradient,
  }),
);

/** A concatenation of tensors that are given at least `rank` axes first. */
const joinOf = (who: string, rank: 1 | 2 | 3, axisFor: (first: Tensor) => number) =>
  onTensors(
    compositeOp<JoinOf<[options?: OutOption]>>(
      `${who}(tensors: any; out)`,
      (tensors: readonly Tensor[], options?: OutOption) => {
        const raised = tensors.map((t) => atLeast(t, rank));
        return cat(raised, axisFor(raised[0]), options);
      },
    ),
  );

/** Stacks tensors horizontally: along axis 1, or along axis 0 if they have one axis. */
export const hstack: JoinOf<[options?: OutOption]> = /* @__PURE__ */ joinOf("hstack", 1, (t) => (t.rank === 1 ? 0 : 1));
/** Stacks tensors vertically, along axis 0; a one-dimensional tensor is a row. */
export const vstack: JoinOf<[options?: OutOption]> = /* @__PURE__ */ joinOf("vstack", 2, () => 0);
/** Stacks tensors vertically; an alias of vstack. */
export const rowStack: typeof vstack = vstack;
/** Stacks tensors depthwise, along axis 2. */
export const dstack: JoinOf<[options?: OutOption]> = /* @__PURE__ */ joinOf("dstack", 3, () => 2);

/** Stacks tensors as columns; a one-dimensional tensor is one column. */
export const columnStack: JoinOf<[options?: OutOption]> = /* @__PURE__ */ onTensors(
  /* @__PURE__ */ compositeOp("columnStack(tensors: any; out)", (tensors: readonly Tensor[], options?: OutOption) => {
    const columns = tensors.map((t) => (t.rank < 2 ? views.unsqueeze(atLeast(t, 1), 1) : t));
    return hstack(columns, options);
  }),
);

/** Rows and columns of a block: a tensor with fewer than two axes is one row. */
const blockShape = (t: Tensor): [rows: number, columns: number] => {
  if (t.rank > 2) throw new ShapeError(`blockDiag: tensors must have at most 2 axes, got shape ${showShape(t)}`);
  const [rows, columns] = sizesOf(atLeast(t, 2)) as [number, number];
  return [rows, columns];
};

/** Returns a block diagonal matrix of the given tensors. */
export const blockDiag: JoinOf<[]> = /* @__PURE__ */ onTensors(
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
    lower(builder, [result], tensors: readonly Tensor[]) {
      lowerFillAll(builder, result, 0, "blockDiag");
      let [row, column] = [0, 0];
      for (const t of tensors) {
        const [m, n] = blockShape(t);
        lowerCopyAll(builder, atLeast(t, 2), narrow(narrow(result, 0, row, m), 1, column, n), "blockDiag");
        row += m;
        column += n;
      }
    },
    gradient: blockGradient,
  }),
);
