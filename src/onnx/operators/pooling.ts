/**
 * Pooling: the maximum, the mean or a norm of windows or of whole planes, and the inverses of pooling. Windows come from `sliding-windows.ts`; divisors
 * depend on shapes only.
 */
import * as sw from "../../index.ts";
import { largestTap, windowMax, windowSum } from "../../ops/contract/window-sums.ts";
import { indicesIn } from "../../ops/contract/windows.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { explicitPads, perAxis, type SlidingWindows, slidingWindows } from "./sliding-windows.ts";

const windowsIn = (call: Call, x: sw.Tensor): SlidingWindows => {
  if (x.rank < 3) throw call.error(`the input must be [batch, channels, ...], got [${x.shape}]`);
  return slidingWindows(call, x.shape.slice(2), call.ints("kernel_shape"));
};

function maxPool(call: Call): sw.Tensor | readonly sw.Tensor[] {
  const x = call.tensor(0);
  const windows = windowsIn(call, x);
  const values = windowMax(x, windows, windows.counts);
  if (!call.wants(1)) return values;
  const within = indicesIn(x, largestTap(x, windows, values).to("int32"), windows, windows.counts).to("int64");
  const [batch, channels, ...sizes] = x.shape;
  const plane = sizes.reduce((product, size) => product * size, 1);
  const order = call.int("storage_order", 0);
  const planes = sw.arange(0, batch * channels, 1, { dtype: "int64" }).mul(plane);
  const first = planes.reshape([batch, channels, ...sizes.map(() => 1)]);
  return [values, sw.add(order === 0 ? within : columnMajor(within, sizes), first)];
}

/** Converts row-major indices in a plane to column-major ones. */
function columnMajor(index: sw.Tensor, sizes: readonly number[]): sw.Tensor {
  let rest = index;
  let result: sw.Tensor | null = null;
  for (let axis = sizes.length - 1; axis >= 0; axis--) {
    const stride = sizes.slice(0, axis).reduce((product, size) => product * size, 1);
    const part: sw.Tensor = sw.remainder(rest, sizes[axis]).mul(stride);
    result = result === null ? part : sw.add(result, part);
    rest = sw.floorDivide(rest, sizes[axis]);
  }
  return result as sw.Tensor;
}

/** The number of elements of each window that are in the input, or in its padding too; a number if it is the same for all windows. */
function elementsIn(
  call: Call,
  windows: SlidingWindows,
  sizes: readonly number[],
  withPads: boolean,
  dtype: sw.DType,
): sw.Tensor | number {
  const { kernel, stride, dilation, before, padAfter, counts } = windows;
  const along = counts.map((count, axis) => {
    call.count(count * kernel[axis], `the number of elements in windows of axis ${axis + 2}`);
    const [low, high] = withPads ? [-before[axis], sizes[axis] + padAfter[axis]] : [0, sizes[axis]];
    return Array.from({ length: count }, (_, i) => {
      const start = i * stride[axis] - before[axis];
      let inside = 0;
      for (let tap = 0; tap < kernel[axis]; tap++) {
        const at = start + tap * dilation[axis];
        if (at >= low && at < high) inside++;
      }
      return inside;
    });
  });
  if (along.every((list, axis) => list.every((each) => each === kernel[axis])))
    return kernel.reduce((product, size) => product * size, 1);
  const parts = along.map(
    (list, axis): sw.Tensor =>
      sw.tensor(list, { dtype }).reshape(counts.map((count, other) => (other === axis ? count : 1))),
  );
  return parts.reduce((a, b) => sw.mul(a, b));
}

function averagePool(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const windows = windowsIn(call, x);
  const withPads = call.int("count_include_pad", 0) !== 0;
  const total = windowSum(x, null, windows, windows.counts);
  return sw.div(total, elementsIn(call, windows, x.shape.slice(2), withPads, x.dtype));
}

/** The power p of a norm, and its inverse. */
function powers(call: Call): [power: (x: sw.Tensor) => sw.Tensor, root: (x: sw.Tensor) => sw.Tensor] {
  const p = call.int("p", 2);
  if (p < 1) throw call.error(`p must be at least 1, got ${p}`);
  if (p === 1) return [(x) => sw.abs(x), (x) => x];
  if (p === 2) return [(x) => sw.mul(x, x), (x) => sw.sqrt(x)];
  return [(x) => sw.pow(sw.abs(x), p), (x) => sw.pow(x, 1 / p)];
}

function normPool(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const windows = windowsIn(call, x);
  const [power, root] = powers(call);
  return root(windowSum(power(x), null, windows, windows.counts));
}

/** A reduction of all axes after the channels. */
const overPlanes =
  (reduce: (x: sw.Tensor, axes: number[], call: Call) => sw.Tensor) =>
  (call: Call): sw.Tensor => {
    const x = call.tensor(0);
    return reduce(
      x,
      Array.from({ length: x.rank - 2 }, (_, k) => k + 2),
      call,
    );
  };

function globalNormPool(x: sw.Tensor, axes: number[], call: Call): sw.Tensor {
  const [power, root] = powers(call);
  return root(sw.sum(power(x), axes, { keepdims: true }));
}

function maxUnpool(call: Call): sw.Tensor {
  const [x, indices] = [call.tensor(0), call.tensor(1)];
  const axes = x.rank - 2;
  if (`${x.shape}` !== `${indices.shape}`)
    throw call.error(`the indices must have the shape of the input, got [${indices.shape}] and [${x.shape}]`);
  const kernel = perAxis(call, "kernel_shape", axes, 1);
  const stride = perAxis(call, "strides", axes, 1);
  const [before, after] = explicitPads(call, axes);
  const inferred = x.shape.slice(2).map((size, k) => (size - 1) * stride[k] + kernel[k] - before[k] - after[k]);
  const whole = [x.shape[0], x.shape[1], ...inferred];
  const flat = sw.zeros([whole.reduce((product, size) => product * size, 1)], { dtype: x.dtype });
  const planes: sw.Tensor = sw.scatter(flat, 0, indices.reshape([-1]), x.reshape([-1])).reshape(whole);
  // Indices refer to the smallest output; other sizes add zeros at the ends, or remove elements there.
  const shape = call.optionalNumbers(2)?.slice(-axes) ?? inferred;
  if (`${shape}` === `${inferred}`) return planes;
  return sw.pad(planes, shape.flatMap((size, k) => [size - inferred[k], 0]).reverse());
}

/** Adds the columns of blocks up to an image. */
function columnsToImage(call: Call): sw.Tensor {
  const [x, image, block] = [call.tensor(0), call.numbers(1), call.numbers(2)];
  const axes = image.length;
  const stride = perAxis(call, "strides", axes, 1);
  const dilation = perAxis(call, "dilations", axes, 1);
  const [before, after] = explicitPads(call, axes);
  const padded = image.map((size, k) => size + before[k] + after[k]);
  const counts = padded.map((size, k) => Math.floor((size - dilation[k] * (block[k] - 1) - 1) / stride[k]) + 1);
  const taps = call.count(
    block.reduce((product, size) => product * size, 1),
    "the number of elements of a block",
  );
  const blocks = counts.reduce((product, size) => product * size, 1);
  call.count(taps * call.count(blocks, "the number of blocks"), "the number of elements of all blocks");
  if (x.rank !== 3 || x.shape[1] % taps !== 0 || x.shape[2] !== blocks)
    throw call.error(`the input must be [batch, channels * ${taps}, ${blocks}], got [${x.shape}]`);
  const [batch, channels] = [x.shape[0], x.shape[1] / taps];
  const offsets = (sizes: readonly number[], steps: readonly number[]): number[] =>
    sizes.reduce<number[]>(
      (list, size, axis) => {
        const step = steps[axis] * padded.slice(axis + 1).reduce((product, each) => product * each, 1);
        return list.flatMap((from) => Array.from({ length: size }, (_, k) => from + k * step));
      },
      [0],
    );
  const starts = offsets(counts, stride);
  const targets = offsets(block, dilation).flatMap((tap) => starts.map((start) => start + tap));
  const flat = sw.zeros([batch, channels, padded.reduce((product, size) => product * size, 1)], { dtype: x.dtype });
  const index = sw.tensor(targets, { dtype: "int64" });
  const sums: sw.Tensor = sw.indexAdd(flat, 2, index, x.reshape([batch, channels, taps * blocks]));
  return image.reduce<sw.Tensor>(
    (part, size, k) => part.narrow(k + 2, before[k], size),
    sums.reshape([batch, channels, ...padded]),
  );
}

export const pooling: OperatorTable = {
  MaxPool: maxPool,
  AveragePool: averagePool,
  LpPool: normPool,
  GlobalMaxPool: overPlanes((x, axes) => sw.amax(x, axes, { keepdims: true })),
  GlobalAveragePool: overPlanes((x, axes) => sw.mean(x, axes, { keepdims: true })),
  GlobalLpPool: overPlanes(globalNormPool),
  MaxUnpool: maxUnpool,
  Col2Im: columnsToImage,
};
