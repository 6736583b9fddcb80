/**
 * Views, copies and writes of whole tensors as ops: the functions of this folder with dispatch. The methods of Tensor and composite ops call
 * them, so that modes, autograd and vmap see every step.
 */
import { assignAt as assign, at as choose, pick as choosePlaces } from "../access/advanced-index.ts";
import * as cloning from "../clone.ts";
import * as partition from "../cute/partition.ts";
import * as tiling from "../cute/tensor-modes.ts";
import { type AsOp, tensorOp } from "../dispatch/tensor-op.ts";
import * as writing from "../in-place.ts";
import { rename as withNames } from "../names.ts";
import * as axes from "./views-axes.ts";
import * as dtypes from "./views-dtype.ts";
import * as parts from "./views-parts.ts";
import * as shapes from "./views-shape.ts";

export const permute = /* @__PURE__ */ tensorOp("permute", axes.permute);
export const transpose = /* @__PURE__ */ tensorOp("transpose", axes.transpose);
export const reversed = /* @__PURE__ */ tensorOp("T", axes.reversed);
export const matrixTranspose = /* @__PURE__ */ tensorOp("mT", axes.matrixTranspose);
export const movedim = /* @__PURE__ */ tensorOp("movedim", axes.movedim);
export const squeeze = /* @__PURE__ */ tensorOp("squeeze", axes.squeeze);
export const unsqueeze = /* @__PURE__ */ tensorOp("unsqueeze", axes.unsqueeze);
export const select = /* @__PURE__ */ tensorOp("select", parts.select);
export const narrow = /* @__PURE__ */ tensorOp("narrow", parts.narrow);
export const slice = /* @__PURE__ */ tensorOp("slice", parts.slice);
export const split = /* @__PURE__ */ tensorOp("split", parts.split);
export const chunk = /* @__PURE__ */ tensorOp("chunk", parts.chunk);
export const tensorSplit = /* @__PURE__ */ tensorOp("tensorSplit", parts.tensorSplit);
export const unbind = /* @__PURE__ */ tensorOp("unbind", parts.unbind);
export const diagonal = /* @__PURE__ */ tensorOp("diagonal", parts.diagonal);
export const unfold = /* @__PURE__ */ tensorOp("unfold", parts.unfold);
export const view = /* @__PURE__ */ tensorOp("view", shapes.view);
export const viewDType = /* @__PURE__ */ tensorOp("viewDType", dtypes.viewDType);
export const unflatten = /* @__PURE__ */ tensorOp("unflatten", shapes.unflatten);
export const expand = /* @__PURE__ */ tensorOp("expand", shapes.expand);
export const asStrided = /* @__PURE__ */ tensorOp("asStrided", shapes.asStrided);
export const viewAsReal = /* @__PURE__ */ tensorOp("viewAsReal", dtypes.viewAsReal);
export const viewAsComplex = /* @__PURE__ */ tensorOp("viewAsComplex", dtypes.viewAsComplex);
export const partView = /* @__PURE__ */ tensorOp("partView", dtypes.partView);
export const readonly = /* @__PURE__ */ tensorOp("readonly", writing.readonly);
export const rename = /* @__PURE__ */ tensorOp("rename", withNames);
export const at = /* @__PURE__ */ tensorOp("at", choose);
export const pick = /* @__PURE__ */ tensorOp("pick", choosePlaces);

/** An op of the layout algebra, which keeps static integers among its arguments. */
const layoutOp = <F extends Parameters<typeof tensorOp>[1]>(name: string, fn: F): AsOp<F> =>
  tensorOp(name, fn, undefined, (arg) => arg);

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

export const clone = /* @__PURE__ */ tensorOp("clone", cloning.clone);
export const detach = /* @__PURE__ */ tensorOp("detach", writing.detach);
export const contiguous = /* @__PURE__ */ tensorOp("contiguous", cloning.contiguous, (t, format = "contiguous") =>
  t.isContiguous(format) ? t : clone(t, format),
);
export const resident = /* @__PURE__ */ tensorOp("resident", cloning.resident, (t) =>
  cloning.isForeign(t) ? clone(t) : t,
);
export const to = /* @__PURE__ */ tensorOp("to", cloning.to, (t, dtype, copy = false) =>
  t.dtype === dtype && !copy ? t : clone(t, "preserve", dtype),
);
export const reshape = /* @__PURE__ */ tensorOp("reshape", cloning.reshape, (t, shape) =>
  view(shapes.tryView(t, "reshape", shape) === null ? clone(t, "contiguous") : t, shape),
);
export const flatten = /* @__PURE__ */ tensorOp("flatten", cloning.flatten, (t, start, end) =>
  cloning.keepFlatNames(reshape(t, shapes.flattenedShape(t, start, end)), t, start),
);

export const fill_ = /* @__PURE__ */ tensorOp("fill_", writing.fill_);
export const copy_ = /* @__PURE__ */ tensorOp("copy_", writing.copy_);
export const set_ = /* @__PURE__ */ tensorOp("set_", writing.set_);
export const resize_ = /* @__PURE__ */ tensorOp("resize_", writing.resize_);
export const takeAxes = /* @__PURE__ */ tensorOp("takeAxes_", writing.takeAxes);
export const assignAt = /* @__PURE__ */ tensorOp("assignAt_", assign);
