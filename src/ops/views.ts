/**
 * Views and copies as ops: the functions of the tensor room behind the door of dispatch. Ops that are made of other ops use these, so
 * that whoever looks at calls (modes, gradients, tracing) sees every step.
 */
import * as cloning from "../tensor/clone.ts";
import { keyShift } from "../tensor/dispatch/keys.ts";
import { guarded, Operator } from "../tensor/dispatch/operator.ts";
import type { Tensor } from "../tensor/tensor.ts";
import * as axes from "../tensor/views/views-axes.ts";
import * as dtypes from "../tensor/views/views-dtype.ts";
import * as parts from "../tensor/views/views-parts.ts";
import * as shapes from "../tensor/views/views-shape.ts";

type ViewFunction = (t: Tensor, ...args: never[]) => unknown;

/** A function on one tensor as an op. */
function viewOp<F extends ViewFunction>(name: string, fn: F): F & { readonly operator: Operator } {
  const operator = new Operator(name, "movement");
  operator.setKernel("cpu", fn as never);
  operator.setKernel("meta", fn as never);
  const call = (t: Tensor, ...args: never[]): unknown =>
    ((t.bits >>> keyShift) | guarded) === 0 ? fn(t, ...args) : operator.call([t, ...args]);
  return Object.assign(call as F, { operator });
}

export const permute = /* @__PURE__ */ viewOp("permute", axes.permute);
export const transpose = /* @__PURE__ */ viewOp("transpose", axes.transpose);
export const matrixTranspose = /* @__PURE__ */ viewOp("mT", axes.matrixTranspose);
export const movedim = /* @__PURE__ */ viewOp("movedim", axes.movedim);
export const squeeze = /* @__PURE__ */ viewOp("squeeze", axes.squeeze);
export const unsqueeze = /* @__PURE__ */ viewOp("unsqueeze", axes.unsqueeze);
export const select = /* @__PURE__ */ viewOp("select", parts.select);
export const narrow = /* @__PURE__ */ viewOp("narrow", parts.narrow);
export const slice = /* @__PURE__ */ viewOp("slice", parts.slice);
export const split = /* @__PURE__ */ viewOp("split", parts.split);
export const chunk = /* @__PURE__ */ viewOp("chunk", parts.chunk);
export const tensorSplit = /* @__PURE__ */ viewOp("tensorSplit", parts.tensorSplit);
export const unbind = /* @__PURE__ */ viewOp("unbind", parts.unbind);
export const diagonal = /* @__PURE__ */ viewOp("diagonal", parts.diagonal);
export const unfold = /* @__PURE__ */ viewOp("unfold", parts.unfold);
export const view = /* @__PURE__ */ viewOp("view", shapes.view);
export const unflatten = /* @__PURE__ */ viewOp("unflatten", shapes.unflatten);
export const expand = /* @__PURE__ */ viewOp("expand", shapes.expand);
export const asStrided = /* @__PURE__ */ viewOp("asStrided", shapes.asStrided);
export const viewAsReal = /* @__PURE__ */ viewOp("viewAsReal", dtypes.viewAsReal);
export const viewAsComplex = /* @__PURE__ */ viewOp("viewAsComplex", dtypes.viewAsComplex);
export const reshape = /* @__PURE__ */ viewOp("reshape", cloning.reshape);
export const flatten = /* @__PURE__ */ viewOp("flatten", cloning.flatten);
export const clone = /* @__PURE__ */ viewOp("clone", cloning.clone);
export const contiguous = /* @__PURE__ */ viewOp("contiguous", cloning.contiguous);
export const to = /* @__PURE__ */ viewOp("to", cloning.to);
