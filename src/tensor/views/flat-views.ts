/**
 * The views of tensors that are all numbers and have at most five modes, made without a single array: they are what loops of a user
 * make most. Axes and indices are checked by the caller; names are carried by the caller; a tensor that holds its layout does
 * not come here.
 */
import { isHeld, setMode, sizeAt, strideAt } from "../geometry.ts";
import { bareView, type Tensor } from "../tensor.ts";

/** True for the tensors that these views are for. */
export const isShort = (t: Tensor): boolean => !isHeld(t) && t.rank <= 5;

/** Without one axis, at its element `index`. The size of that axis is not 0. */
export function withoutAxis(t: Tensor, axis: number, index: number): Tensor {
  const view = bareView(t, t.start + index * strideAt(t, axis), t.rank - 1, t.size / sizeAt(t, axis));
  view.s0 = axis > 0 ? t.s0 : t.s1;
  view.d0 = axis > 0 ? t.d0 : t.d1;
  view.s1 = axis > 1 ? t.s1 : t.s2;
  view.d1 = axis > 1 ? t.d1 : t.d2;
  view.s2 = axis > 2 ? t.s2 : t.s3;
  view.d2 = axis > 2 ? t.d2 : t.d3;
  view.s3 = axis > 3 ? t.s3 : t.s4;
  view.d3 = axis > 3 ? t.d3 : t.d4;
  return view;
}

/** The same modes over so many elements from `start` on; the caller changes some of the modes. */
function sameModes(t: Tensor, start: number, size: number): Tensor {
  const view = bareView(t, start, t.rank, size);
  view.s0 = t.s0;
  view.s1 = t.s1;
  view.s2 = t.s2;
  view.s3 = t.s3;
  view.s4 = t.s4;
  view.d0 = t.d0;
  view.d1 = t.d1;
  view.d2 = t.d2;
  view.d3 = t.d3;
  view.d4 = t.d4;
  return view;
}

/** One axis cut to `size` elements from its element `first` on, `step` apart. */
export function withAxisCut(t: Tensor, axis: number, first: number, size: number, step: number): Tensor {
  const old = sizeAt(t, axis);
  const stride = strideAt(t, axis);
  const view = sameModes(t, t.start + first * stride, old === size ? t.size : old === 0 ? 0 : (t.size / old) * size);
  // Plus 0, because 0 * -1 is -0.
  setMode(view, axis, size, stride * step + 0);
  return view;
}

/** Two axes exchanged. */
export function withAxesSwapped(t: Tensor, a: number, b: number): Tensor {
  const view = sameModes(t, t.start, t.size);
  if (a === b) return view;
  setMode(view, a, sizeAt(t, b), strideAt(t, b));
  setMode(view, b, sizeAt(t, a), strideAt(t, a));
  return view;
}

/** The axes in another order, or null where `order` is not one of plain numbers, each axis once. */
export function withAxesOrdered(t: Tensor, order: readonly unknown[]): Tensor | null {
  const { rank } = t;
  if (order.length !== rank) return null;
  let seen = 0;
  for (let i = 0; i < rank; i++) {
    const axis = axisIn(order[i], rank);
    if (axis < 0) return null;
    seen |= 1 << axis;
  }
  if (seen !== (1 << rank) - 1) return null;
  const view = bareView(t, t.start, rank, t.size);
  for (let i = 0; i < rank; i++) {
    const axis = axisIn(order[i], rank);
    setMode(view, i, sizeAt(t, axis), strideAt(t, axis));
  }
  return view;
}

/** The axis from 0 up, or -1 if it is none. */
function axisIn(axis: unknown, rank: number): number {
  if (typeof axis !== "number" || (axis | 0) !== axis || axis >= rank || axis < -rank) return -1;
  return axis < 0 ? axis + rank : axis;
}

/** Repeated by stride 0; null if the shape has more than five sizes or does not fit. */
export function withAxesRepeated(t: Tensor, shape: readonly number[]): Tensor | null {
  const rank = shape.length;
  const added = rank - t.rank;
  if (rank > 5 || added < 0) return null;
  let size = 1;
  for (let i = 0; i < rank; i++) {
    const asked = shape[i];
    const has = i < added ? 1 : sizeAt(t, i - added);
    if (asked === -1 && i >= added) size *= has;
    else if ((asked | 0) === asked && asked >= 0 && (has === 1 || has === asked)) size *= asked;
    else return null;
  }
  const view = bareView(t, t.start, rank, size);
  let compact = 1;
  for (let i = rank - 1; i >= 0; i--) {
    const has = i < added ? 1 : sizeAt(t, i - added);
    const asked = shape[i];
    const wanted = asked === -1 ? has : asked;
    // A new axis of size 1 has the stride of a compact one, except over a scalar; other new or repeated axes have stride 0.
    const stride = wanted !== has || t.rank === 0 ? 0 : i >= added ? strideAt(t, i - added) : compact;
    setMode(view, i, wanted, stride);
    compact = wanted * stride + 0;
  }
  return view;
}
