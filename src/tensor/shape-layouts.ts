/**
 * The shapes of tensors with a given layout, as types: the sizes of the top-level modes, literals where the code shows them.
 */
import type { IntTuple } from "../layout/tuple.ts";
import type { ShapeOf as LayoutShape, SizeOf } from "../layout/types.ts";
import type { AsShape, Shape } from "./types.ts";

/** What `makeTensor` makes of a layout or of its shape: `Layout<[Static<4>, 8]>` and `[Static<4>, 8]` give [4, 8]. */
export type TopSizes<T> = SizesOfShape<LayoutShape<T>>;
type SizesOfShape<S> = [IntTuple] extends [S]
  ? Shape
  : S extends readonly unknown[]
    ? number extends S["length"]
      ? Shape
      : AsShape<{ -readonly [I in keyof S]: SizeOf<S[I]> }>
    : [SizeOf<S>];
