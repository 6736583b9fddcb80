/**
 * The shapes of tensors with a given layout, as types: the sizes of the top-level modes, literals if they are known.
 */
import type { Int } from "../../layout/int.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import type { ShapeOf as LayoutShape, SizeOf } from "../../layout/types/layout-types.ts";
import type { AsShape, Shape } from "./types.ts";

/** The shape of `makeTensor` with a layout or a shape: [4, 8] for `Layout<[Static<4>, 8]>` and `[Static<4>, 8]`. */
export type TopSizes<T> = SizesOfShape<LayoutShape<T>>;
type SizesOfShape<S> = [IntTuple] extends [S]
  ? Shape
  : S extends readonly unknown[]
    ? number extends S["length"]
      ? Shape
      : AsShape<{ -readonly [I in keyof S]: SizeOf<S[I]> }>
    : [SizeOf<S>];

/**
 * The shape of one tile: the sizes of the tiler, if it has one for each mode of the tensor and the coordinate fixes each of
 * them; otherwise a shape of unknown rank.
 */
export type TileShape<S extends Shape, T, C> = [T, C] extends [
  infer Sizes extends readonly IntTuple[],
  infer Fixed extends readonly Int[],
]
  ? number extends S["length"] | Sizes["length"] | Fixed["length"]
    ? Shape
    : [S["length"], Fixed["length"]] extends [Sizes["length"], Sizes["length"]]
      ? TopSizes<Sizes>
      : Shape
  : Shape;
