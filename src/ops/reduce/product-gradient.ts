/**
 * The gradient of a product: each element gets the product of all others, made of those before it and those behind it. Nothing is
 * divided, so zeros need no care, in gradients of gradients neither.
 */
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "../elementwise/map.ts";
import { permute, reshape, to } from "../views.ts";
import { conjugate } from "./recurrence.ts";
import { type GradientFormula, reducedCall } from "./reduced-call.ts";
import { cumprod } from "./scan.ts";
import { shift } from "./shift.ts";

const product: GradientFormula = /* @__PURE__ */ map("product(g, before, behind)", "g * before * behind");

export const prodGradient: GradientRule = (call) => {
  const { shape, dtype, reduced, count, elements } = reducedCall(call);
  const kept = [...shape.keys()].filter((axis) => !reduced.includes(axis));
  const order = [...kept, ...reduced];
  const sizes = order.map((axis) => shape[axis]);
  const rows = [...sizes.slice(0, kept.length), count];
  const last = kept.length;
  const x = call.save(call.args[0] as Tensor);
  return ([g]) => {
    const row = conjugate(reshape(permute(elements(x()), order), rows));
    const products = (isBackwards: boolean): Tensor => cumprod.operator.call([row, last, { isBackwards }]) as Tensor;
    const given = reshape(g, rows.with(-1, 1));
    const all = product(given, shift(products(false), last, 1, 1), shift(products(true), last, -1, 1));
    const back = order.map((_, axis) => order.indexOf(axis));
    return [to(permute(reshape(all, sizes), back), dtype)];
  };
};
