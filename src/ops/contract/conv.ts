/**
 * Convolutions over one, two or three axes, and their transposes. A convolution is a matrix product: the weights by the windows of the
 * input, which are copied into columns a piece at a time, so that they stay in the cache. Its transpose is the product the other way
 * round, added to where the windows lie. Kernels of 3 x 3 have a way of their own (`winograd.ts`), and so have single channels
 * (`depthwise.ts`).
 */
import { ShapeError } from "../../base/errors.ts";
import { product } from "../../base/ints.ts";
import { copyElements } from "../../kernel/copy.ts";
import { runMatmul } from "../../kernel/launch/run-contract.ts";
import type { Operand } from "../../kernel/operand.ts";
import type { Int } from "../../layout/int.ts";
import { type DType, DTypeError, dtypes } from "../../storage/dtype.ts";
import { contiguous, to } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { flatStrides, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import { checkTensor, operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow, select } from "../../tensor/views/views-parts.ts";
import { asStrided, view } from "../../tensor/views/views-shape.ts";
import { add } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp, fresh, structuredOp } from "../op.ts";
import { mayEqual, shapeOf, show } from "../shape-rules.ts";
import { reshape, squeeze, unsqueeze } from "../views.ts";
import { fillDepthwise } from "./depthwise.ts";
import { padded, perAxis, positions, unpositions, type Windows, windowView } from "./windows.ts";
import { fillWinograd, isWinograd } from "./winograd.ts";

export interface ConvOptions {
  /** How far windows are apart: 1 unless given. */
  readonly stride?: number | readonly number[];
  /** Zeros before and after each axis, 0 unless given; "same" keeps the size, "valid" adds none. */
  readonly padding?: number | readonly number[] | "same" | "valid";
  /** How far the elements of a window are apart: 1 unless given. */
  readonly dilation?: number | readonly number[];
  /** Parts that the channels are divided into, each with filters of its own: 1 unless given. */
  readonly groups?: number;
}
export interface ConvTransposeOptions extends Omit<ConvOptions, "padding"> {
  /** How far windows reach over the edges: 0 unless given. */
  readonly padding?: number | readonly number[];
  /** Added to one side of the result: 0 unless given. */
  readonly outputPadding?: number | readonly number[];
}

/** Bytes of columns that are made at once. */
const pieceBytes = 2 ** 20;

/** A convolution of a batch, without bias. */
function convolution(name: string): (x: Tensor, weight: Tensor, windows: Windows, groups: number) => Tensor {
  const op = structuredOp<OpFunction, [x: Tensor, weight: Tensor, windows: Windows, groups: number]>(name, "contract", {
    infer(x, weight, windows, groups) {
      const [sizes, filters] = [shapeOf(x), shapeOf(weight)];
      const [batch, channels] = sizes as [Int, Int];
      const [outputs, inputs] = filters as [Int, Int];
      if (!mayEqual(channels, (inputs as number) * groups))
        throw new ShapeError(
          `${name}: Given groups=${groups}, weight of size ${show(filters)}, expected input${show(sizes)} to have ${(inputs as number) * groups} channels, but got ${channels} channels instead`,
        );
      if ((outputs as number) % groups !== 0 || groups < 1)
        throw new ShapeError(
          `${name}: expected weight's ${outputs} output channels to be divisible by groups=${groups}`,
        );
      const counts = windows.kernel.map((kernel, axis) => {
        const padding = (windows.before[axis] as number) + (windows.after[axis] as number);
        const size = sizes[axis + 2] as number;
        if (size + padding < (windows.dilation[axis] as number) * (kernel - 1) + 1)
          throw new ShapeError(
            `${name}: Calculated padded input size per channel: (${windows.kernel.map((_, k) => (sizes[k + 2] as number) + (windows.before[k] as number) + (windows.after[k] as number)).join(" x ")}). Kernel size: (${windows.kernel.join(" x ")}). Kernel size can't be greater than actual input size`,
          );
        return positions(size, kernel, windows.stride[axis] as number, windows.dilation[axis] as number, padding);
      });
      return { dtype: x.dtype, shape: [batch, outputs, ...counts] };
    },
    fill([out], x, weight, windows, groups) {
      fillConvolution(out as Tensor, x, contiguous(weight), windows, groups);
    },
  });
  return op as unknown as (x: Tensor, weight: Tensor, windows: Windows, groups: number) => Tensor;
}

function fillConvolution(out: Tensor, x: Tensor, weight: Tensor, windows: Windows, groups: number): void {
  const [batch, channels, ...counts] = sizesOf(out) as [number, number, ...number[]];
  if (out.size === 0) return;
  if (sizesOf(weight)[1] === 1 && fillDepthwise(out, x, weight, windows)) return;
  if (isWinograd(out, weight, windows, groups)) {
    fillWinograd(out, x, weight, windows);
    return;
  }
  const area = padded(x, windows.before, windows.after, 0);
  const view = windowView(area, windows, counts);
  const inner = (sizesOf(weight)[1] as number) * product(windows.kernel);
  const perGroup = channels / groups;
  const rest = product(counts.slice(1));
  const { itemsize } = dtypes[out.dtype];
  // Whole rows of positions, as many as the columns have room for.
  const rows = Math.max(
    1,
    Math.min(counts[0] as number, Math.floor(pieceBytes / Math.max(1, inner * rest * itemsize))),
  );
  const columns = fresh(out.dtype, [inner, rows * rest]);
  const filters = operandOf(weight, "conv");
  const places = operandOf(columns, "conv");
  const result = operandOf(out, "conv");
  const source = operandOf(view, "conv");
  const axes = counts.length;
  const [stepBatch, stepChannel, ...steps] = source.stride as [number, number, ...number[]];
  for (let n = 0; n < batch; n++)
    for (let group = 0; group < groups; group++)
      for (let row = 0; row < (counts[0] as number); row += rows) {
        const count = Math.min(rows, (counts[0] as number) - row);
        const positionsHere = [count, ...counts.slice(1)];
        const from: Operand = {
          ...source,
          offset:
            source.offset +
            n * stepBatch +
            group * (sizesOf(weight)[1] as number) * stepChannel +
            row * (steps[0] as number),
          shape: [sizesOf(weight)[1] as number, ...windows.kernel, ...positionsHere],
          stride: [stepChannel, ...steps.slice(axes), ...steps.slice(0, axes)],
        };
        const width = count * rest;
        copyElements(from, { ...places, shape: from.shape, stride: rowMajor(from.shape, width) });
        runMatmul(
          {
            ...result,
            offset:
              result.offset +
              n * (result.stride[0] as number) +
              group * perGroup * (result.stride[1] as number) +
              row * (result.stride[2] as number),
            shape: [perGroup, width],
            stride: [result.stride[1] as number, 1],
          },
          {
            ...filters,
            offset: filters.offset + group * perGroup * inner,
            shape: [perGroup, inner],
            stride: [inner, 1],
          },
          { ...places, shape: [inner, width], stride: [width, 1] },
        );
      }
}

/** Strides of a dense array of this shape whose last axes together have `width` elements. */
function rowMajor(shape: readonly number[], width: number): number[] {
  const strides: number[] = new Array(shape.length);
  for (let axis = shape.length - 1, step = 1; axis >= 0; axis--) {
    strides[axis] = step;
    step *= shape[axis] as number;
  }
  return width === 0 ? shape.map(() => 0) : strides;
}

/** The transpose of a convolution of a batch, without bias. */
function transposed(
  name: string,
): (x: Tensor, weight: Tensor, windows: Windows, groups: number, more: readonly number[]) => Tensor {
  type Arguments = [x: Tensor, weight: Tensor, windows: Windows, groups: number, more: readonly number[]];
  const op = structuredOp<OpFunction, Arguments>(name, "contract", {
    infer(x, weight, windows, groups, more) {
      const [sizes, filters] = [shapeOf(x), shapeOf(weight)];
      if (!mayEqual(sizes[1] as Int, filters[0] as Int))
        throw new ShapeError(
          `${name}: Given transposed=1, weight of size ${show(filters)}, expected input${show(sizes)} to have ${filters[0]} channels, but got ${sizes[1]} channels instead`,
        );
      const counts = windows.kernel.map((kernel, axis) => {
        const padding = (windows.before[axis] as number) + (windows.after[axis] as number) - (more[axis] as number);
        return unpositions(
          sizes[axis + 2] as Int,
          kernel,
          windows.stride[axis] as number,
          windows.dilation[axis] as number,
          padding,
        );
      });
      return { dtype: x.dtype, shape: [sizes[0] as Int, (filters[1] as number) * groups, ...counts] };
    },
    fill([out], x, weight, windows, groups) {
      fillTransposed(out as Tensor, contiguous(x), contiguous(weight), windows, groups);
    },
  });
  return op as never;
}

function fillTransposed(
  out: Tensor,
  x: Tensor,
  weight: Tensor,
  { kernel, stride, dilation, before, after }: Windows,
  groups: number,
): void {
  const [batch, channels, ...counts] = sizesOf(x) as [number, number, ...number[]];
  const perGroup = sizesOf(weight)[1] as number;
  const sizes = sizesOf(out);
  // With its borders, which are cut off at the end.
  const whole = fresh(out.dtype, [
    batch,
    perGroup * groups,
    ...sizes.slice(2).map((size, axis) => size + (before[axis] as number) + (after[axis] as number)),
  ]);
  fillUnchecked(whole, 0, "conv");
  const taps = product(kernel);
  const area = product(counts);
  const columns = fresh(out.dtype, [perGroup, taps, area]);
  const [inputs, filters, places] = [operandOf(x, "conv"), operandOf(weight, "conv"), operandOf(columns, "conv")];
  const perInput = channels / groups;
  const steps = flatStrides(whole);
  for (let n = 0; n < batch; n++)
    for (let group = 0; group < groups; group++) {
      runMatmul(
        { ...places, shape: [perGroup * taps, area], stride: [area, 1] },
        {
          ...filters,
          offset: filters.offset + group * perInput * perGroup * taps,
          shape: [perGroup * taps, perInput],
          stride: [1, perGroup * taps],
        },
        {
          ...inputs,
          offset: inputs.offset + (n * channels + group * perInput) * area,
          shape: [perInput, area],
          stride: [area, 1],
        },
      );
      for (let tap = 0; tap < taps; tap++) {
        let at = whole.start + n * (steps[0] as number) + group * perGroup * (steps[1] as number);
        for (let axis = kernel.length - 1, left = tap; axis >= 0; axis--) {
          at += (left % (kernel[axis] as number)) * (dilation[axis] as number) * (steps[axis + 2] as number);
          left = Math.floor(left / (kernel[axis] as number));
        }
        const target = asStrided(
          whole,
          [perGroup, ...counts],
          [steps[1] as number, ...counts.map((_, axis) => (steps[axis + 2] as number) * (stride[axis] as number))],
          at,
        );
        add(target, view(contiguous(select(columns, 1, tap)), [perGroup, ...counts]) as never, { out: target });
      }
    }
  let inside = whole;
  sizes.slice(2).forEach((size, axis) => {
    inside = narrow(inside, axis + 2, before[axis] as number, size);
  });
  copyAll(inside, out, "conv");
}

function checkConv(name: string, axes: number, x: Tensor, weight: Tensor, bias: Tensor | null | undefined): DType {
  checkTensor(name, x);
  checkTensor(name, weight);
  if (weight.rank !== axes + 2)
    throw new ShapeError(
      `${name}: expects a weight with ${axes + 2} axes (outputs, inputs per group, ${axes} of the kernel), got ${show(shapeOf(weight))}`,
    );
  if (x.rank !== axes + 2 && x.rank !== axes + 1)
    throw new ShapeError(
      `${name}: Expected ${axes + 1}D (unbatched) or ${axes + 2}D (batched) input to ${name}, but got input of size: ${show(shapeOf(x))}`,
    );
  for (const t of bias == null ? [weight] : [weight, bias])
    if (t.dtype !== x.dtype)
      throw new DTypeError(
        `${name}: Input type (${dtypes[x.dtype].torchName}) and ${t === weight ? "weight" : "bias"} type (${dtypes[t.dtype].torchName}) should be the same. Convert one: to('${x.dtype}')`,
      );
  return x.dtype;
}

/** Adds the bias of each channel, and takes the batch axis away again if there was none. */
function finished(
  name: string,
  result: Tensor,
  weight: Tensor,
  bias: Tensor | null | undefined,
  axes: number,
  isBatched: boolean,
): Tensor {
  const channels = sizeAt(result, 1);
  if (bias != null && (bias.rank !== 1 || bias.size !== channels))
    throw new ShapeError(
      `${name}: Given weight of size ${show(sizesOf(weight))}, expected bias to be 1-dimensional with ${channels} elements, but got bias of size ${show(sizesOf(bias))} instead`,
    );
  const whole =
    bias == null
      ? result
      : (add(result, reshape(bias, [bias.size, ...new Array<number>(axes).fill(1)]) as never) as Tensor);
  return isBatched ? whole : (squeeze(whole, 0) as Tensor);
}

const working = (dtype: DType): DType => (dtype === "float16" || dtype === "bfloat16" ? "float32" : dtype);

/** A convolution. */
export interface Conv extends OpFunction {
  (x: Tensor, weight: Tensor, bias?: Tensor | null, options?: ConvOptions): Tensor;
}

function conv(axes: number): Conv {
  const name = `conv${axes}d`;
  const core = convolution(name);
  return compositeOp(
    `${name}(x, weight, bias?); 3 stride padding dilation groups`,
    (x: Tensor, weight: Tensor, bias?: Tensor | null, options: ConvOptions = {}) => {
      const dtype = checkConv(name, axes, x, weight, bias);
      const { padding = 0, groups = 1 } = options;
      const stride = perAxis(name, "stride", options.stride ?? 1, axes, 1);
      const dilation = perAxis(name, "dilation", options.dilation ?? 1, axes, 1);
      const kernel = sizesOf(weight).slice(2);
      const around = paddingOf(name, padding, kernel, stride, dilation);
      const isBatched = x.rank === axes + 2;
      const batch = isBatched ? x : (unsqueeze(x, 0) as Tensor);
      const windows = { kernel, stride, dilation, ...around };
      const result = core(to(batch, working(dtype)), to(weight, working(dtype)), windows, groups);
      return finished(name, to(result, dtype), weight, bias, axes, isBatched);
    },
    "contract",
  );
}

function paddingOf(
  name: string,
  padding: ConvOptions["padding"],
  kernel: readonly number[],
  stride: readonly number[],
  dilation: readonly number[],
): { before: number[]; after: number[] } {
  if (padding === "valid") return { before: kernel.map(() => 0), after: kernel.map(() => 0) };
  if (padding === "same") {
    if (stride.some((step) => step !== 1))
      throw new ShapeError(
        `${name}: padding='same' is not supported for strided convolutions, got stride [${stride.join(", ")}]`,
      );
    const all = kernel.map((size, axis) => (dilation[axis] as number) * (size - 1));
    return { before: all.map((size) => size >> 1), after: all.map((size) => size - (size >> 1)) };
  }
  const each = perAxis(name, "padding", padding ?? 0, kernel.length);
  return { before: each, after: each };
}

/** A transposed convolution. */
export interface ConvTranspose extends OpFunction {
  (x: Tensor, weight: Tensor, bias?: Tensor | null, options?: ConvTransposeOptions): Tensor;
}

function convTranspose(axes: number): ConvTranspose {
  const name = `convTranspose${axes}d`;
  const core = transposed(name);
  return compositeOp(
    `${name}(x, weight, bias?); 3 stride padding outputPadding dilation groups`,
    (x: Tensor, weight: Tensor, bias?: Tensor | null, options: ConvTransposeOptions = {}) => {
      const dtype = checkConv(name, axes, x, weight, bias);
      const stride = perAxis(name, "stride", options.stride ?? 1, axes, 1);
      const dilation = perAxis(name, "dilation", options.dilation ?? 1, axes, 1);
      const padding = perAxis(name, "padding", options.padding ?? 0, axes);
      const more = perAxis(name, "outputPadding", options.outputPadding ?? 0, axes);
      const isBatched = x.rank === axes + 2;
      const batch = isBatched ? x : (unsqueeze(x, 0) as Tensor);
      const windows = { kernel: sizesOf(weight).slice(2), stride, dilation, before: padding, after: padding };
      const result = core(to(batch, working(dtype)), to(weight, working(dtype)), windows, options.groups ?? 1, more);
      return finished(name, to(result, dtype), weight, bias, axes, isBatched);
    },
    "contract",
  );
}

/** The convolution of signals [N, C, L] with filters [outputs, C / groups, k]. */
export const conv1d: Conv = /* @__PURE__ */ conv(1);
/** The convolution of images [N, C, H, W] with filters [outputs, C / groups, kh, kw]. */
export const conv2d: Conv = /* @__PURE__ */ conv(2);
/** The convolution of volumes [N, C, D, H, W] with filters [outputs, C / groups, kd, kh, kw]. */
export const conv3d: Conv = /* @__PURE__ */ conv(3);
/** The transpose of conv1d, with filters [C, outputs / groups, k]: every element adds a filter to the result. */
export const convTranspose1d: ConvTranspose = /* @__PURE__ */ convTranspose(1);
/** The transpose of conv2d, with filters [C, outputs / groups, kh, kw]. */
export const convTranspose2d: ConvTranspose = /* @__PURE__ */ convTranspose(2);
/** The transpose of conv3d, with filters [C, outputs / groups, kd, kh, kw]. */
export const convTranspose3d: ConvTranspose = /* @__PURE__ */ convTranspose(3);
