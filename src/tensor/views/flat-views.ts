/**
 * Views of short tensors, created without arrays, since user loops create many of them. The caller checks axes and indices, and carries names.
 */
import { isHeld, setMode, sizeAt, strideAt } from "../geometry.ts";
import { bareView, type Tensor } from "../tensor.ts";

/** True for tensors with at most five modes that do not hold a layout. */
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

/** The same modes over `size` elements from `start` on; the caller changes some of the modes. */
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
