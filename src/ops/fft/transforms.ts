/**
 * The three transforms that everything in this folder is composed of: complex to complex, real to half of a Hermitian result, and
 * back. Each works along one axis, truncates or zero-pads it to n values, and scales the result. All are linear: the gradient is the
 * transform with the opposite sign, padded or truncated to the size of the argument.
 */

import { StridewiseError } from "../../base/errors.ts";
import { product } from "../../base/ints.ts";
import type { Int } from "../../layout/int.ts";
import { deviceOption } from "../../storage/device.ts";
import { complexDType, type DType, realDType } from "../../storage/dtype.ts";
import { contiguous } from "../../tensor/clone.ts";
import { zeros } from "../../tensor/create/create-ops.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { add } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { fourier, halfToReal, realToHalf } from "../fft-core/fourier.ts";
import type { Floats, FourierLines } from "../fft-core/lines.ts";
import { cat } from "../movement/join.ts";
import { structuredOp } from "../op.ts";
import { elementsIn } from "../routine/dense-elements.ts";
import { shapeOf } from "../shape-rules.ts";
import { narrow, partView } from "../views.ts";

type Arguments = [x: Tensor, axis: number, n: number, inverse: boolean, scale: number];
/** A transform along an axis to n values; the result is multiplied by the scale. */
type Transform = (...args: Arguments) => Tensor;

/** The tensor truncated or zero-padded to `size` along an axis. */
function resized(t: Tensor, axis: number, size: number): Tensor {
  const shape = sizesOf(t);
  const current = shape[axis];
  if (current >= size) return current === size ? t : narrow(t, axis, 0, size);
  shape[axis] = size - current;
  return cat([t, zeros(shape, { dtype: t.dtype, device: deviceOption(t.device) })], axis);
}

function transform(
  name: string,
  resultDType: (dtype: DType) => DType,
  count: (n: number) => number,
  run: (source: Floats, target: Floats, lines: FourierLines, inverse: boolean, scale: number) => void,
  backward: (g: Tensor, axis: number, n: number, inverse: boolean, scale: number) => Tensor,
): Transform {
  const gradient: GradientRule = ({ args }) => {
    const [x, axis, n, inverse, scale] = args as Arguments;
    const size = sizesOf(x)[axis];
    return ([g]) => [resized(backward(g, axis, n, inverse, scale), axis, size)];
  };
  const op = structuredOp<OpFunction, Arguments>(`${name}(x: Tensor, ...)`, "routine", {
    linear: "0",
    batch: "along 1",
    infer(x, axis, n) {
      if (!Number.isInteger(n) || n < 1) throw new StridewiseError(`fft: n must be at least 1, got ${n}`);
      const shape: Int[] = [...shapeOf(x)];
      shape[axis] = count(n);
      return { dtype: resultDType(x.dtype), shape };
    },
    fill([out], source, axis, n, inverse, scale) {
      const x = contiguous(source);
      const sizes = sizesOf(x);
      const lines = {
        outer: product(sizes.slice(0, axis)),
        length: sizes[axis],
        n,
        inner: product(sizes.slice(axis + 1)),
      };
      if (out.size === 0) return;
      const target = elementsIn(out, name, true) as Floats;
      run(elementsIn(x, name) as Floats, target, lines, inverse, scale);
    },
    gradient,
  });
  return op as unknown as Transform;
}

/** Complex to complex. */
export const complexToComplex: Transform = /* @__PURE__ */ transform(
  "fftC2C",
  complexDType,
  (n) => n,
  fourier,
  (g, axis, n, inverse, scale) => complexToComplex(g, axis, n, !inverse, scale),
);
/** Real to the first half of a Hermitian result, conjugated if `inverse`. */
export const realToComplex: Transform = /* @__PURE__ */ transform(
  "fftR2C",
  complexDType,
  (n) => Math.floor(n / 2) + 1,
  realToHalf,
  (g, axis, n, inverse, scale) => partView(complexToComplex(g, axis, n, !inverse, scale), "real"),
);
/** The first half of Hermitian values, conjugated if `inverse`, to n real ones. */
export const complexToReal: Transform = /* @__PURE__ */ transform(
  "fftC2R",
  realDType,
  (n) => n,
  halfToReal,
  (g, axis, n, inverse, scale) => {
    const half = realToComplex(g, axis, n, inverse, scale);
    const size = sizesOf(half)[axis];
    if (n === size) return half;
    // Elements of the half that stand for two of the Hermitian whole count twice.
    const twice = narrow(half, axis, 1, n - size);
    const [first, last] = [narrow(half, axis, 0, 1), narrow(half, axis, 1 + n - size, 2 * size - n - 1)];
    return cat([first, add(twice, twice), last], axis);
  },
);
