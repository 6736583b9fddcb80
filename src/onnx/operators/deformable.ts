/**
 * Deformable convolutions: the elements of each window are at their usual positions plus offsets of the input, interpolated linearly. The elements are
 * gathered as columns, which are multiplied by the weight.
 */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { kernelOf, withBias } from "./convolution.ts";
import { slidingWindows } from "./sliding-windows.ts";

const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

/** Calls `use` for each list of indices below the sizes, in row-major order. */
function eachIndex(sizes: readonly number[], use: (index: readonly number[]) => void): void {
  const count = product(sizes);
  for (let flat = 0; flat < count; flat++) {
    let rest = flat;
    const index = sizes.map(() => 0);
    for (let axis = sizes.length - 1; axis >= 0; axis--) {
      index[axis] = rest % sizes[axis];
      rest = Math.floor(rest / sizes[axis]);
    }
    use(index);
  }
}

/**
 * Samples the planes of x [N, G, C, sizes...] linearly at points, which are given by one tensor [N, G, P] for each axis. Elements outside of a plane are
 * 0. Returns [N, G, C, P].
 */
export function sampleLinear(x: sw.Tensor, sizes: readonly number[], points: readonly sw.Tensor[]): sw.Tensor {
  const [batch, groups, channels] = x.shape;
  const count = points[0].shape[2];
  const planes: sw.Tensor = x.reshape([batch, groups, channels, product(sizes)]);
  let result: sw.Tensor | null = null;
  eachIndex(
    sizes.map(() => 2),
    (side) => {
      let index: sw.Tensor | null = null;
      let weight: sw.Tensor | null = null;
      for (const [axis, p] of points.entries()) {
        const at = sw.add(sw.floor(p), side[axis]);
        const size = sizes[axis];
        const own = sw.elementwise("(at >= 0) & (at < size) ? 1 - abs(p - at) : like(0, at)", { p, at, size });
        const clamped = sw.clamp(at, 0, size - 1).to("int64");
        index = index === null ? clamped : sw.add(sw.mul(index, size), clamped);
        weight = weight === null ? own : sw.mul(weight, own);
      }
      const indices = (index as sw.Tensor).unsqueeze(2).expand([batch, groups, channels, count]);
      const part = sw.mul(sw.gather(planes, 3, indices), (weight as sw.Tensor).unsqueeze(2));
      result = result === null ? part : sw.add(result, part);
    },
  );
  return result as unknown as sw.Tensor;
}

function deformableConvolution(call: Call): sw.Tensor {
  const [x, weight, offset] = [call.tensor(0), call.tensor(1), call.tensor(2)];
  const groups = call.int("group", 1);
  const offsetGroups = call.int("offset_group", 1);
  const sizes = x.shape.slice(2);
  const windows = slidingWindows(call, sizes, kernelOf(call, x, weight, groups));
  const { kernel, stride, dilation, before, counts } = windows;
  const [batch, channels] = x.shape;
  const [axes, taps, points] = [kernel.length, product(kernel), product(counts)];
  if (offsetGroups < 1 || channels % offsetGroups !== 0)
    throw call.error(`offset_group=${offsetGroups} must divide the ${channels} channels of the input`);
  if (offset.size !== batch * offsetGroups * taps * axes * points)
    throw call.error(`the offset must be [${[batch, offsetGroups * taps * axes, ...counts]}], got [${offset.shape}]`);
  const moved: sw.Tensor = offset.reshape([batch, offsetGroups, taps, axes, points]);
  const positions = kernel.map((_, axis) => {
    const base: number[] = [];
    eachIndex(kernel, (tap) => {
      eachIndex(counts, (at) => {
        base.push(at[axis] * stride[axis] - before[axis] + tap[axis] * dilation[axis]);
      });
    });
    const regular: sw.Tensor = sw.tensor(base, { dtype: x.dtype }).reshape([taps, points]);
    return sw.add(moved.select(3, axis), regular).reshape([batch, offsetGroups, taps * points]);
  });
  const perGroup = channels / offsetGroups;
  let columns = sampleLinear(x.reshape([batch, offsetGroups, perGroup, ...sizes]), sizes, positions);
  const mask = call.optionalTensor(4);
  if (mask !== null) columns = sw.mul(columns, mask.reshape([batch, offsetGroups, 1, taps * points]));
  const outputs = weight.shape[0];
  const rows = (channels / groups) * taps;
  const result = sw.matmul(
    weight.reshape([groups, outputs / groups, rows]),
    columns.reshape([batch, groups, rows, points]),
  );
  return withBias(call, result.reshape([batch, outputs, ...counts]), call.optionalTensor(3));
}

export const deformable: OperatorTable = { DeformConv: deformableConvolution };
