/**
 * Views, copies and writes of whole tensors as ops: the functions of the tensor room behind the door of dispatch. The methods of Tensor
 * are these, and ops that are made of other ops use them, so that whoever looks at calls sees every step.
 */
import { assignAt as assign, at as choose, pick as choosePlaces } from "../access/advanced-index.ts";
import * as cloning from "../clone.ts";
import * as partition from "../cute/partition.ts";
import * as tiling from "../cute/tiling.ts";
import { type AsOp, tensorOp } from "../dispatch/tensor-op.ts";
import * as writing from "../in-place.ts";
import { rename as withNames } from "../names.ts";
import * as axes from "./views-axes.ts";
import * as dtypes from "./views-dtype.ts";
import * as parts from "./views-parts.ts";
import * as shapes from "./views-shape.ts";

export const permute = /* @__PURE__ */ tensorOp("permute", axes.permute, { passes: "permute", batch: "permute" });
export const transpose = /* @__PURE__ */ tensorOp("transpose", axes.transpose, {
  passes: "permute",
  batch: "moved 1 2",
});
export const reversed = /* @__PURE__ */ tensorOp("T", axes.reversed, { passes: "permute", batch: "T" });
export const matrixTranspose = /* @__PURE__ */ tensorOp("mT", axes.matrixTranspose, {
  passes: "permute",
  batch: "same 2",
});
export const movedim = /* @__PURE__ */ tensorOp("movedim", axes.movedim, { passes: "permute", batch: "moved 1 2" });
export const squeeze = /* @__PURE__ */ tensorOp("squeeze", axes.squeeze, { passes: "reshape", batch: "squeeze" });
export const unsqueeze = /* @__PURE__ */ tensorOp("unsqueeze", axes.unsqueeze, {
  passes: "reshape",
  batch: "unsqueeze",
});
export const select = /* @__PURE__ */ tensorOp("select", parts.select, { batch: "moved 1" });
export const narrow = /* @__PURE__ */ tensorOp("narrow", parts.narrow, { batch: "moved 1" });
export const slice = /* @__PURE__ */ tensorOp("slice", parts.slice, { batch: "moved 1" });
export const split = /* @__PURE__ */ tensorOp("split", parts.split, { passes: "split", batch: "moved 2=0" });
export const chunk = /* @__PURE__ */ tensorOp("chunk", parts.chunk, { passes: "split", batch: "moved 2=0" });
export const tensorSplit = /* @__PURE__ */ tensorOp("tensorSplit", parts.tensorSplit, {
  passes: "split",
  batch: "moved 2=0",
});
export const unbind = /* @__PURE__ */ tensorOp("unbind", parts.unbind, { passes: "unbind", batch: "moved 1=0" });
export const diagonal = /* @__PURE__ */ tensorOp("diagonal", parts.diagonal, { batch: "diagonal" });
export const unfold = /* @__PURE__ */ tensorOp("unfold", parts.unfold, { passes: "unfold", batch: "along 1" });
export const view = /* @__PURE__ */ tensorOp("view", shapes.view, { passes: "reshape", batch: "view" });
export const viewDType = /* @__PURE__ */ tensorOp("viewDType", dtypes.viewDType, { linear: "none", batch: "same 1" });
export const unflatten = /* @__PURE__ */ tensorOp("unflatten", shapes.unflatten, {
  passes: "reshape",
  batch: "moved 1",
});
export const expand = /* @__PURE__ */ tensorOp("expand", shapes.expand, { passes: "expand", batch: "expand" });
export const asStrided = /* @__PURE__ */ tensorOp("asStrided", shapes.asStrided, {
  passes: "asStrided",
  batch: "asStrided",
});
export const viewAsReal = /* @__PURE__ */ tensorOp("viewAsReal", dtypes.viewAsReal, {
  passes: "viewAsReal",
  batch: "same",
});
export const viewAsComplex = /* @__PURE__ */ tensorOp("viewAsComplex", dtypes.viewAsComplex, {
  passes: "viewAsComplex",
  batch: "same 1",
});
export const partView = /* @__PURE__ */ tensorOp("partView", dtypes.partView, { passes: "partView", batch: "same" });
export const rename = /* @__PURE__ */ tensorOp("rename", withNames, { passes: "reshape", batch: "rename" });
export const at = /* @__PURE__ */ tensorOp("at", choose, { linear: "0", passes: "at", batch: "at" });
export const pick = /* @__PURE__ */ tensorOp("pick", choosePlaces, { linear: "0", passes: "pick", batch: "pick" });

/** An op that passes its arguments on to the algebra of layouts, which keeps static integers. */
const layoutOp = <F extends Parameters<typeof tensorOp>[1]>(name: string, fn: F): AsOp<F> =>
  tensorOp(name, fn, { argument: (arg: unknown) => arg });

export const compose = /* @__PURE__ */ layoutOp("compose", tiling.composition);
export const logicalDivide = /* @__PURE__ */ layoutOp("logicalDivide", tiling.logicalDivide);
export const zippedDivide = /* @__PURE__ */ layoutOp("zippedDivide", tiling.zippedDivide);
export const tiledDivide = /* @__PURE__ */ layoutOp("tiledDivide", tiling.tiledDivide);
export const flatDivide = /* @__PURE__ */ layoutOp("flatDivide", tiling.flatDivide);
export const innerPartition = /* @__PURE__ */ layoutOp("innerPartition", partition.innerPartition);
export const outerPartition = /* @__PURE__ */ layoutOp("outerPartition", partition.outerPartition);
export const localTile = /* @__PURE__ */ layoutOp("localTile", partition.localTile);
export const localPartition = /* @__PURE__ */ layoutOp("localPartition", partition.localPartition);
export const threadValuePartition = /* @__PURE__ */ layoutOp("threadValuePartition", partition.threadValuePartition);

export const clone = /* @__PURE__ */ tensorOp("clone", cloning.clone, {
  linear: "0",
  passes: "clone",
  batch: "clone",
});
export const detach = /* @__PURE__ */ tensorOp("detach", writing.detach, {
  linear: "none",
  passes: "detach",
  batch: "same",
});
export const contiguous = /* @__PURE__ */ tensorOp("contiguous", cloning.contiguous, {
  composite: (t, format = "contiguous") => (t.isContiguous(format) ? t : clone(t, format)),
});
export const to = /* @__PURE__ */ tensorOp("to", cloning.to, {
  composite: (t, dtype, copy = false) => (t.dtype === dtype && !copy ? t : clone(t, "preserve", dtype)),
});
export const reshape = /* @__PURE__ */ tensorOp("reshape", cloning.reshape, {
  composite: (t, shape) => view(shapes.tryView(t, "reshape", shape) === null ? clone(t, "contiguous") : t, shape),
});
export const flatten = /* @__PURE__ */ tensorOp("flatten", cloning.flatten, {
  composite: (t, start, end) => cloning.keepFlatNames(reshape(t, shapes.flattenedShape(t, start, end)), t, start),
});

export const fill_ = /* @__PURE__ */ tensorOp("fill_", writing.fill_, {
  linear: "0,1",
  passes: "fill_",
  batch: "fill_",
});
export const copy_ = /* @__PURE__ */ tensorOp("copy_", writing.copy_, {
  linear: "0,1",
  passes: "copy_",
  batch: "copy_",
});
export const set_ = /* @__PURE__ */ tensorOp("set_", writing.set_, { batch: "refused" });
export const resize_ = /* @__PURE__ */ tensorOp("resize_", writing.resize_, { batch: "refused" });
export const takeAxes = /* @__PURE__ */ tensorOp("takeAxes_", writing.takeAxes, {
  linear: "0,1",
  passes: "takeAxes_",
  batch: "refused",
});
export const assignAt = /* @__PURE__ */ tensorOp("assignAt_", assign, {
  linear: "0,2",
  passes: "assignAt_",
  batch: "assignAt_",
});
