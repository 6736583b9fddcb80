/**
 * The three transforms that everything in this folder is made of: complex to complex, real to the half of a Hermitian result, and
 * back. Each works along one axis, cuts or pads it to n values, and scales the result.
 */
import { StridewiseError } from "../../base/errors.ts";
import { product } from "../../base/ints.ts";
import type { Int } from "../../layout/int.ts";
import { complexDType, type DType, dtypes, realDType } from "../../storage/dtype.ts";
import { contiguous } from "../../tensor/clone.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { storageOf, type Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { fourier } from "../fft-core/fourier.ts";
import type { Floats, FourierLines } from "../fft-core/lines.ts";
import { halfToReal, realToHalf } from "../fft-core/real-fourier.ts";
import { structuredOp } from "../op.ts";
import { shapeOf } from "../shape-rules.ts";
import { complexGradient, halfGradient, realGradient, type Transform } from "./transforms-gradient.ts";

/** The elements of a row-major tensor in memory; the window holds until memory is asked for again. */
function elementsOf(t: Tensor): Floats {
  const storage = storageOf(t, "fft");
  const memory = storage.readable();
  const { array, itemsize, parts } = dtypes[t.dtype];
  const bytes = itemsize / parts;
  const start = (storage.byteOffset + t.start * itemsize) / bytes;
  return (memory.array(array) as Floats).subarray(start, start + t.size * parts);
}

function transform(
  name: string,
  made: (dtype: DType) => DType,
  count: (n: number) => number,
  run: (source: Floats, target: Floats, lines: FourierLines, turned: boolean, scale: number) => void,
  gradient: GradientRule,
): Transform {
  const op = structuredOp<OpFunction, [x: Tensor, axis: number, n: number, turned: boolean, scale: number]>(
    `${name}(x: Tensor, ...)`,
    "routine",
    {
      linear: "0",
      batch: "along 1",
      infer(x, axis, n) {
        if (!Number.isInteger(n) || n < 1) throw new StridewiseError(`fft: n must be at least 1, got ${n}`);
        const shape: Int[] = [...shapeOf(x)];
        shape[axis] = count(n);
        return { dtype: made(x.dtype), shape };
      },
      fill([out], given, axis, n, turned, scale) {
        const x = contiguous(given);
        const sizes = sizesOf(x);
        const lines = {
          outer: product(sizes.slice(0, axis)),
          given: sizes[axis],
          n,
          inner: product(sizes.slice(axis + 1)),
        };
        if (out.size === 0) return;
        storageOf(out, name).writable();
        run(elementsOf(x), elementsOf(out), lines, turned, scale);
      },
      gradient,
    },
  );
  return op as unknown as Transform;
}

/** Complex to complex; turned, the inverse. */
export const complexToComplex: Transform = /* @__PURE__ */ transform(
  "fftC2C",
  complexDType,
  (n) => n,
  fourier,
  complexGradient,
);
/** Real to the first half of a Hermitian result; turned, of its conjugate. */
export const realToComplex: Transform = /* @__PURE__ */ transform(
  "fftR2C",
  complexDType,
  (n) => Math.floor(n / 2) + 1,
  realToHalf,
  /* @__PURE__ */ realGradient(() => complexToComplex),
);
/** The first half of Hermitian values to n real ones; turned, of their conjugates. */
export const complexToReal: Transform = /* @__PURE__ */ transform(
  "fftC2R",
  realDType,
  (n) => n,
  halfToReal,
  /* @__PURE__ */ halfGradient(() => realToComplex),
);
