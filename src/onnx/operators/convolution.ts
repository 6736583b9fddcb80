/**
 * Convolutions over any number of axes, transposed convolutions, and causal ones with a state. They call the library's convolution of a batch,
 * which takes different padding at both ends of an axis.
 */
import * as sw from "../../index.ts";
import { convolution as convolutionOf, convolutionTransposed } from "../../ops/contract/convolution.ts";
import { computedAs } from "../../storage/dtype.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { autoPad, explicitPads, perAxis, slidingWindows, splitPads } from "./sliding-windows.ts";

/** Throws unless a weight fits an input, and returns the sizes of its windows. With `isMixed`, their dtypes may differ. */
export function kernelOf(
  call: Call,
  x: sw.Tensor,
  weight: sw.Tensor,
  groups: number,
  isMixed = false,
): readonly number[] {
  const kernel = weight.shape.slice(2);
  if (x.rank < 3 || weight.rank !== x.rank)
    throw call.error(`input and weight must have the same rank of at least 3, got [${x.shape}] and [${weight.shape}]`);
  if (weight.dtype !== x.dtype && !isMixed)
    throw call.error(`input and weight must have the same dtype, got ${x.dtype} and ${weight.dtype}`);
  const shape = call.ints("kernel_shape", kernel);
  if (`${shape}` !== `${kernel}`)
    throw call.error(`kernel_shape [${shape}] must be that of the weight, [${weight.shape}]`);
  if (groups < 1 || weight.shape[0] % groups !== 0 || x.shape[1] % groups !== 0)
    throw call.error(`group=${groups} must divide the channels of input [${x.shape}] and weight [${weight.shape}]`);
  return kernel;
}

/** Adds a bias with an element for each channel. */
export function withBias(call: Call, x: sw.Tensor, bias: sw.Tensor | null): sw.Tensor {
  if (bias === null) return x;
  if (bias.size !== x.shape[1])
    throw call.error(`the bias must have ${x.shape[1]} elements, one for each channel, got [${bias.shape}]`);
  return sw.add(x, bias.reshape([bias.size, ...x.shape.slice(2).map(() => 1)]));
}

/** A convolution with the attributes of a node, without bias. Integers stay integers. */
export function convolve(call: Call, x: sw.Tensor, weight: sw.Tensor): sw.Tensor {
  const groups = call.int("group", 1);
  const windows = slidingWindows(call, x.shape.slice(2), kernelOf(call, x, weight, groups));
  const dtype = computedAs(x.dtype);
  return convolutionOf(x.to(dtype), weight.to(dtype), windows, groups);
}

function transposed(call: Call): sw.Tensor {
  const [x, weight] = [call.tensor(0), call.tensor(1)];
  const groups = call.int("group", 1);
  const kernel = kernelOf(call, x, weight, groups);
  const axes = kernel.length;
  const stride = perAxis(call, "strides", axes, 1);
  const dilation = perAxis(call, "dilations", axes, 1);
  const outputPadding = perAxis(call, "output_padding", axes, 0, 0);
  const sizes = x.shape.slice(2);
  /** The sizes without padding at the beginning and the end. */
  const whole = sizes.map((size, k) => (size - 1) * stride[k] + outputPadding[k] + (kernel[k] - 1) * dilation[k] + 1);
  const mode = autoPad(call);
  const target =
    call.ints("output_shape", null)?.slice(-axes) ??
    (mode.startsWith("SAME") ? sizes.map((size, k) => size * stride[k]) : null);
  let more: readonly number[] = outputPadding;
  let [before, after] = mode === "VALID" ? [sizes.map(() => 0), sizes.map(() => 0)] : explicitPads(call, axes);
  if (target !== null) {
    if (target.length !== axes || target.some((size) => size < 1))
      throw call.error(`output_shape must be ${axes} positive integers, got [${target}]`);
    const total = whole.map((size, k) => size - target[k]);
    // Without an automatic mode, the odd element of the padding is at the beginning.
    [before, after] = splitPads(
      total.map((each) => Math.max(0, each)),
      mode === "SAME_UPPER" ? mode : "SAME_LOWER",
    );
    more = outputPadding.map((each, k) => each + Math.max(0, -total[k]));
  }
  const counts = whole.map((size, k) => size - before[k] - after[k] + more[k] - outputPadding[k]);
  if (counts.some((count) => count < 1))
    throw call.error(`the output would have the sizes [${counts}]. The padding [${before}, ${after}] is too large`);
  const dtype = computedAs(x.dtype);
  const windows = { kernel, stride, dilation, before, after };
  return withBias(
    call,
    convolutionTransposed(x.to(dtype), weight.to(dtype), windows, groups, more).to(x.dtype),
    call.optionalTensor(2),
  );
}

/** A convolution of each channel over the elements before, which a state keeps between calls. */
function causalWithState(call: Call): readonly sw.Tensor[] {
  const [x, weight] = [call.tensor(0), call.tensor(1)];
  if (x.rank !== 3 || weight.rank !== 3 || weight.shape[0] !== x.shape[1] || weight.shape[1] !== 1)
    throw call.error(
      `a weight [channels, 1, k] must fit an input [batch, channels, length], got [${weight.shape}] and [${x.shape}]`,
    );
  const [batch, channels] = x.shape;
  const kept = weight.shape[2] - 1;
  const past = call.optionalTensor(3) ?? sw.zeros([batch, channels, kept], { dtype: x.dtype });
  const extended: sw.Tensor = sw.cat([past, x], 2);
  const convolved = sw.conv1d(extended, weight, call.optionalTensor(2), { groups: channels });
  const activation = call.string("activation", "none");
  if (!["none", "silu", "swish"].includes(activation))
    throw call.error(`activation must be "none", "silu" or "swish", got "${activation}"`);
  const present: sw.Tensor = extended.narrow(2, extended.shape[2] - kept, kept);
  return [activation === "none" ? convolved : sw.silu(convolved), present];
}

export const convolution: OperatorTable = {
  Conv: (call) =>
    withBias(call, convolve(call, call.tensor(0), call.tensor(1)).to(call.tensor(0).dtype), call.optionalTensor(2)),
  ConvTranspose: transposed,
  CausalConvWithState: causalWithState,
};
