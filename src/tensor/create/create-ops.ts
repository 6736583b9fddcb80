/**
 * The creation functions as ops, so that modes and tracing see new tensors.
 *
 * `zerosBeside` is an op so that inside `vmap` its result is batched as another tensor is.
 */
import { type Device, deviceOption, isDevice } from "../../storage/device.ts";
import type { DType } from "../../storage/dtype.ts";
import { toDevice } from "../convert/to-device.ts";
import { makerOp } from "../dispatch/tensor-op.ts";
import type { Tensor } from "../tensor.ts";
import * as create from "./create.ts";
import { fromData } from "./from-data.ts";
import { fromFunction as computed } from "./from-function.ts";
import * as random from "./random.ts";
import * as ranges from "./ranges.ts";

/** Computes the elements on the CPU, and copies them if the options name another device. */
const throughCpu = <F extends (...args: never[]) => Tensor>(fn: F): F =>
  ((...args: unknown[]) => {
    const at = args.findIndex(
      (arg) => typeof arg === "object" && arg !== null && "device" in arg && isDevice(arg.device),
    );
    if (at < 0) return fn(...(args as never[]));
    const { device, ...options } = args[at] as { readonly device: Device };
    const t = fn(...(args.with(at, options) as never[]));
    const copy = toDevice(t, device);
    if (copy !== t) t.dispose();
    return copy;
  }) as unknown as F;

export const tensor = /* @__PURE__ */ makerOp("tensor", fromData);
export const empty = /* @__PURE__ */ makerOp("empty", create.empty);
export const zeros = /* @__PURE__ */ makerOp("zeros", create.zeros);
export const ones = /* @__PURE__ */ makerOp("ones", create.ones);
export const full = /* @__PURE__ */ makerOp("full", create.full);
export const constant = /* @__PURE__ */ makerOp("constant", create.constant);
export const eye = /* @__PURE__ */ makerOp("eye", create.eye);
export const emptyLike = /* @__PURE__ */ makerOp("emptyLike", create.emptyLike, { linear: "none", batch: "same" });
export const fullLike = /* @__PURE__ */ makerOp("fullLike", create.fullLike, { linear: "none", batch: "same" });
export const arange = /* @__PURE__ */ makerOp("arange", /* @__PURE__ */ throughCpu(ranges.arange));
export const linspace = /* @__PURE__ */ makerOp("linspace", /* @__PURE__ */ throughCpu(ranges.linspace));
export const logspace = /* @__PURE__ */ makerOp("logspace", /* @__PURE__ */ throughCpu(ranges.logspace));
export const fromFunction = /* @__PURE__ */ makerOp("fromFunction", /* @__PURE__ */ throughCpu(computed));
export const rand = /* @__PURE__ */ makerOp("rand", /* @__PURE__ */ throughCpu(random.rand), { random: "values" });
export const randn = /* @__PURE__ */ makerOp("randn", /* @__PURE__ */ throughCpu(random.randn), { random: "values" });
export const randint = /* @__PURE__ */ makerOp("randint", /* @__PURE__ */ throughCpu(random.randint), {
  random: "values",
});
export const permutation = /* @__PURE__ */ makerOp("permutation", /* @__PURE__ */ throughCpu(random.permutation), {
  random: "values",
});
export const randLike = /* @__PURE__ */ makerOp("randLike", random.randLike, { linear: "none", random: "like" });
export const randnLike = /* @__PURE__ */ makerOp("randnLike", random.randnLike, { linear: "none", random: "like" });

/** Zeros of a shape and dtype, batched as another tensor is. They do not depend on the elements of the other. */
export const zerosBeside: (beside: Tensor, shape: readonly number[], dtype: DType) => Tensor = /* @__PURE__ */ makerOp(
  "zerosBeside",
  (beside: Tensor, shape: readonly number[], dtype: DType) =>
    create.zeros(shape, { dtype, device: deviceOption(beside.device) }),
  { linear: "none", batch: "zerosBeside" },
);
