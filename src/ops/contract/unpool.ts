/**
 * The partial inverse of max pooling: maxima at their indices in a plane of zeros. The indices are those that max pooling returns with
 * `returnIndices`.
 */
import { ShapeError } from "../../base/errors.ts";
import { product } from "../../base/ints.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll, lowerReshape, scratchTensor } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { gather } from "../movement/gather.ts";
import { scatter_ } from "../movement/scatter.ts";
import { lowerOp, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { show } from "../shape-rules.ts";
import { reshape } from "../views.ts";
import type { OverWindows, WindowRank } from "./contract-types.ts";
import { perAxis } from "./windows.ts";

type PerAxis = number | readonly number[];

export interface UnpoolOptions extends OutOption {
  /** The distance between windows. Default: `kernelSize`. */
  readonly stride?: PerAxis | null | undefined;
  /** The number of elements by which windows extended over the edges. Default: 0. */
  readonly padding?: PerAxis | undefined;
  /** The sizes of the result, the last ones or all of them. The default is the smallest possible. */
  readonly outputSize?: readonly number[] | null | undefined;
}
/** The type of max unpooling. */
export type Unpool<N extends WindowRank = WindowRank> = OverWindows<
  [indices: Tensor, kernelSize: PerAxis, options?: UnpoolOptions],
  N
>;

/** The sizes with the axes of a plane merged into one. */
const flatPlane = (sizes: readonly number[], axes: number): number[] => [
  ...sizes.slice(0, -axes),
  product(sizes.slice(-axes)),
];

function unpool<N extends WindowRank>(axes: N): Unpool<N> {
  const name = `maxUnpool${axes}d`;
  return structuredOp<Unpool<N>, [x: Tensor, indices: Tensor, kernelSize: PerAxis, options?: UnpoolOptions]>(
    `${name}(x: Tensor, indices: Tensor, kernelSize: ints; stride, padding, outputSize)`,
    "movement",
    {
      linear: "0",
      batch: `folded ${axes + 1}`,
      infer(x, indices, kernelSize, options = {}) {
        const shape = sizesOf(x);
        if (x.rank !== axes + 1 && x.rank !== axes + 2)
          throw new ShapeError(`${name}: expected ${axes + 1} or ${axes + 2} axes, got shape ${show(shape)}`);
        if (showShape(indices) !== show(shape))
          throw new ShapeError(`${name}: indices must have the shape of x, ${show(shape)}, got ${showShape(indices)}`);
        return {
          dtype: x.dtype,
          shape: [...shape.slice(0, -axes), ...planeSizes(name, shape.slice(-axes), kernelSize, options)],
        };
      },
      lower(builder, [out], x, indices) {
        const [to, from] = [sizesOf(out), flatPlane(sizesOf(x), axes)];
        const plane = scratchTensor(builder, x.dtype, flatPlane(to, axes));
        lowerFillAll(builder, plane, 0, name);
        const [index, values] = [indices, x].map((t) => lowerReshape(builder, t, from, name));
        lowerOp(builder, scatter_, plane, -1, index, values);
        lowerCopyAll(builder, lowerReshape(builder, plane, to, name), out, name);
      },
      gradient(call) {
        const shape = sizesOf(call.args[0] as Tensor);
        const indices = call.save(call.args[1] as Tensor);
        return ([g]) => {
          const plane = reshape(g, flatPlane(sizesOf(g), axes));
          return [reshape(gather(plane, -1, reshape(indices(), flatPlane(shape, axes))), shape)];
        };
      },
    },
  );
}

/** The sizes of a plane with these numbers of windows. */
function planeSizes(name: string, counts: readonly number[], kernelSize: PerAxis, options: UnpoolOptions): number[] {
  const axes = counts.length;
  const kernel = perAxis(name, "kernelSize", kernelSize, axes, 1);
  const stride = perAxis(name, "stride", options.stride ?? kernel, axes, 1);
  const padding = perAxis(name, "padding", options.padding ?? 0, axes);
  const min = counts.map((count, k) => (count - 1) * stride[k] - 2 * padding[k] + kernel[k]);
  if (options.outputSize === undefined || options.outputSize === null) return min;
  const sizes = options.outputSize.slice(-axes);
  for (const [k, size] of sizes.entries())
    if (sizes.length !== axes || !(Math.abs(size - min[k]) < stride[k]))
      throw new ShapeError(
        `${name}: axis ${k} of outputSize ${show(sizes)} must be between ${min[k] - stride[k]} and ${min[k] + stride[k]}`,
      );
  return sizes;
}

/** Computes a partial inverse of maxPool1d: writes the elements of x at the indices that maxPool1d returned, and 0 elsewhere. */
export const maxUnpool1d: Unpool<1> = /* @__PURE__ */ unpool(1);
/** Computes a partial inverse of maxPool2d: writes the elements of x at the indices that maxPool2d returned, and 0 elsewhere. */
export const maxUnpool2d: Unpool<2> = /* @__PURE__ */ unpool(2);
/** Computes a partial inverse of maxPool3d: writes the elements of x at the indices that maxPool3d returned, and 0 elsewhere. */
export const maxUnpool3d: Unpool<3> = /* @__PURE__ */ unpool(3);
