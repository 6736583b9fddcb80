/**
 * Composition and the divides on tensors and layouts alike: a layout gives a layout, a tensor a tensor over the same engine.
 * Nothing is copied and nothing checked: where sizes do not divide, a tile reaches past the tensor, as in CuTe, and predicates
 * (`copyIf`) keep it inside.
 */
import { composition as composeLayouts } from "../../layout/composition.ts";
import * as divides from "../../layout/divide.ts";
import type { AnyLayout, Layout } from "../../layout/layout.ts";
import type { Swizzle } from "../../layout/swizzle.ts";
import type { Tiler } from "../../layout/tiler.ts";
import type { TwoModes } from "../../layout/types.ts";
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

/** Divided by a tiler, mode by mode if it is an array; modes past the tiler stay as they are. */
export function logicalDivide<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  tiler: Tiler,
): Tensor<Shape, D, P>;
export function logicalDivide(layout: Layout, tiler: Tiler): Layout;
export function logicalDivide(layout: AnyLayout, tiler: Tiler): AnyLayout;
export function logicalDivide(of: Tensor | AnyLayout, tiler: Tiler): Tensor | AnyLayout {
  return of instanceof Tensor
    ? withLayout(of, divides.logicalDivide(of.layout, tiler))
    : divides.logicalDivide(of, tiler);
}

/** ((tiles),(rests)): coordinate (i, j) is element i of tile j. */
export function zippedDivide<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  tiler: Tiler,
): Tensor<[number, number], D, P>;
export function zippedDivide(layout: Layout, tiler: Tiler): TwoModes;
export function zippedDivide(layout: AnyLayout, tiler: Tiler): AnyLayout;
export function zippedDivide(of: Tensor | AnyLayout, tiler: Tiler): Tensor | AnyLayout {
  return of instanceof Tensor
    ? withLayout(of, divides.zippedDivide(of.layout, tiler))
    : divides.zippedDivide(of, tiler);
}

/** ((tiles),rest,rest,...) */
export function tiledDivide<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  tiler: Tiler,
): Tensor<Shape, D, P>;
export function tiledDivide(layout: Layout, tiler: Tiler): Layout;
export function tiledDivide(layout: AnyLayout, tiler: Tiler): AnyLayout;
export function tiledDivide(of: Tensor | AnyLayout, tiler: Tiler): Tensor | AnyLayout {
  return of instanceof Tensor ? withLayout(of, divides.tiledDivide(of.layout, tiler)) : divides.tiledDivide(of, tiler);
}

/** (tile,tile,...,rest,rest,...) */
export function flatDivide<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  tiler: Tiler,
): Tensor<Shape, D, P>;
export function flatDivide(layout: Layout, tiler: Tiler): Layout;
export function flatDivide(layout: AnyLayout, tiler: Tiler): AnyLayout;
export function flatDivide(of: Tensor | AnyLayout, tiler: Tiler): Tensor | AnyLayout {
  return of instanceof Tensor ? withLayout(of, divides.flatDivide(of.layout, tiler)) : divides.flatDivide(of, tiler);
}
