/**
 * Composition and the divides on tensors and layouts alike: a layout gives a layout, a tensor a tensor over the same engine.
 * Nothing is copied and nothing checked: where sizes do not divide, a tile reaches past the tensor, as in CuTe, and predicates
 * (`copyIf`) keep it inside.
 */
import { composition as composeLayouts } from "../../layout/algebra/composition.ts";
import * as divides from "../../layout/algebra/divide.ts";
import type { AnyLayout, Layout } from "../../layout/layout.ts";
import type { Swizzle } from "../../layout/swizzle.ts";
import type { Tiler } from "../../layout/tiler.ts";
import type { TwoModes } from "../../layout/types/layout-types.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Space } from "../space.ts";
import { heldView, Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";

/** A tensor under another layout of the same offsets. */
export function withLayout<D extends DType, P extends Space>(
  t: Tensor<Shape, D, P>,
  layout: AnyLayout,
): Tensor<Shape, D, P> {
  return heldView(t as Tensor, layout, t.start) as Tensor as Tensor<Shape, D, P>;
}

/** A tensor read through a tiler; a layout composed with one. */
export function composition<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  tiler: Tiler | AnyLayout | Swizzle,
): Tensor<Shape, D, P>;
export function composition(a: Layout, b: Tiler): Layout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle): AnyLayout;
export function composition(a: Tensor | AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle): Tensor | AnyLayout {
  return a instanceof Tensor ? withLayout(a, composeLayouts(a.layout, b)) : composeLayouts(a, b);
}

/** A divide of tensors and layouts: each gives its own kind. */
/** A divide of a layout, or of a tensor by its layout. */
export interface Divide<Divided extends Layout = Layout, S extends Shape = Shape> {
  <D extends DType, P extends Space>(tensor: Tensor<Shape, D, P>, tiler: Tiler): Tensor<S, D, P>;
  (layout: Layout, tiler: Tiler): Divided;
  (layout: AnyLayout, tiler: Tiler): AnyLayout;
}

/** A divide of layouts that takes tensors too. Its type promises nothing, so that it can stand for each of the divides below. */
const alsoOfTensors = (divide: (layout: AnyLayout, tiler: Tiler) => AnyLayout) =>
  ((of: Tensor | AnyLayout, tiler: Tiler) =>
    of instanceof Tensor ? withLayout(of, divide(of.layout, tiler)) : divide(of, tiler)) as Divide<never, never>;

/** Divided by a tiler, mode by mode if it is an array; modes past the tiler stay as they are. */
export const logicalDivide: Divide = /* @__PURE__ */ alsoOfTensors(divides.logicalDivide);
/** ((tiles),(rests)): coordinate (i, j) is element i of tile j. */
export const zippedDivide: Divide<TwoModes, [number, number]> = /* @__PURE__ */ alsoOfTensors(divides.zippedDivide);
/** ((tiles),rest,rest,...) */
export const tiledDivide: Divide = /* @__PURE__ */ alsoOfTensors(divides.tiledDivide);
/** (tile,tile,...,rest,rest,...) */
export const flatDivide: Divide = /* @__PURE__ */ alsoOfTensors(divides.flatDivide);
