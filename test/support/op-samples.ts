/**
 * Samples of ops: their arguments as text, the way a user writes them. The first sample of an op is its example in docs/ops.md; all of them
 * are run by `test/ops`. Elementwise ops make theirs from their signatures; everything else is listed here, by name.
 */
import * as stridewise from "../../src/index.ts";
import type { Operator } from "../../src/tensor/dispatch/operator.ts";

/** A function that is an op. */
export type Op = ((...args: unknown[]) => unknown) & { readonly operator: Operator };

const isOp = (value: unknown): value is Op =>
  typeof value === "function" && "operator" in value && typeof (value as Op).operator === "object";

/** All ops that the package exports, by the name under which it does: `linalg.inv`. */
export function exportedOps(): Map<string, Op> {
  const found = new Map<string, Op>();
  const add = (prefix: string, names: object): void => {
    for (const [name, value] of Object.entries(names)) {
      if (isOp(value)) found.set(prefix + name, value);
      else if (prefix === "" && (name === "linalg" || name === "fft")) add(`${name}.`, value as object);
    }
  };
  add("", stridewise);
  return found;
}

const floats = "tensor([-1.5, 0, 0.25, 2])";
const wholes = 'tensor([-5, 0, 3, 7], { dtype: "int32" })';
/** Where a function is defined, for those that are not everywhere. */
const domains: Readonly<Record<string, string>> = {
  log: "tensor([0.25, 1, 4])",
  log2: "tensor([0.25, 1, 4])",
  log10: "tensor([0.01, 1, 100])",
  log1p: "tensor([-0.5, 0, 3])",
  sqrt: "tensor([0, 0.25, 4])",
  rsqrt: "tensor([0.25, 1, 4])",
  acosh: "tensor([1, 1.5, 4])",
  asin: "tensor([-1, 0, 0.5])",
  acos: "tensor([-1, 0, 0.5])",
  atanh: "tensor([-0.5, 0, 0.9])",
  logit: "tensor([0.25, 0.5, 0.9])",
  bitwiseNot: wholes,
};
const wholeOps = ["bitwiseAnd", "bitwiseOr", "bitwiseXor"];

/** The samples of an elementwise op: one value for each tensor that its signature has. */
function elementwiseSamples(name: string): string[] {
  if (name in domains) return [domains[name] as string];
  if (wholeOps.includes(name)) return [`${wholes}, tensor([3, 3, 5, 5], { dtype: "int32" })`];
  return [floats];
}

/** Samples by name. */
const listed: Readonly<Record<string, readonly string[]>> = {
  // elementwise, of more than one
  ...Object.fromEntries(
    [
      "add",
      "sub",
      "rsub",
      "mul",
      "div",
      "floorDivide",
      "remainder",
      "fmod",
      "maximum",
      "minimum",
      "fmax",
      "fmin",
      "clampMin",
      "clampMax",
      "heaviside",
      "hypot",
      "ldexp",
      "copysign",
      "logaddexp",
      "logaddexp2",
      "atan2",
      "eq",
      "ne",
      "lt",
      "le",
      "gt",
      "ge",
      "logicalAnd",
      "logicalOr",
      "logicalXor",
      "isclose",
      "preluOf",
    ].map((name) => [name, [`${floats}, tensor([2, 3, 0.5, 2])`, `${floats}, tensor([[2], [3]])`]]),
  ),
  pow: [`${floats}, 2`, `tensor([1, 4, 9]), tensor([2, 0.5, -1])`],
  floatPower: ["tensor([1, 4, 9]), tensor([2, 0.5, -1])"],
  xlogy: ["tensor([0, 1, 2]), tensor([0, 1, 3])"],
  xlog1py: ["tensor([0, 1, 2]), tensor([0, 1, 3])"],
  clamp: [`${floats}, -1, 1`, `${floats}, null, tensor([0, 1, 0, 1])`],
  lerp: ["tensor([0, 1]), tensor([10, 11]), 0.25"],
  addcmul: ["tensor([1, 2]), tensor([3, 4]), tensor([5, 6]), { value: 2 }"],
  addcdiv: ["tensor([1, 2]), tensor([3, 4]), tensor([5, 6]), { value: 2 }"],
  threshold: [`${floats}, 0.1, 20`],
  round: ["tensor([-1.5, 0.5, 2.5, 3.14159])", "tensor([2.71828]), { decimals: 2 }"],
  nanToNum: ["tensor([NaN, Infinity, 1])"],
  bitwiseLeftShift: [`tensor([1, 3], { dtype: "int32" }), 2`],
  bitwiseRightShift: [`tensor([-8, 9], { dtype: "int32" }), 2`],
  where: [`tensor([true, false]), tensor([1, 2]), 0`],
  maskedFill: ["tensor([1, 2, 3]), tensor([true, false, true]), 0"],
  complex: ["tensor([1, 2]), tensor([3, -4])"],
  polar: ["tensor([1, 2]), tensor([0, 1.5])"],
  // reduce
  ...Object.fromEntries(
    "sum prod mean amax amin any all countNonzero logsumexp var variance std vectorNorm argmax argmin aminmax max min"
      .split(" ")
      .map((name) => [
        name,
        [
          "tensor([[1, 2, 0], [4, 5, 6]]), 1",
          "tensor([[1, 2, 0], [4, 5, 6]])",
          "tensor([[1, 2, 0], [4, 5, 6]]), 0, { keepdims: true }",
        ].slice(0, name === "aminmax" ? 2 : 3),
      ]),
  ),
  varMean: ["tensor([[1, 2, 0], [4, 5, 6]]), 1"],
  stdMean: ["tensor([[1, 2, 0], [4, 5, 6]]), 1"],
  nansum: ["tensor([1, NaN, 2])"],
  nanmean: ["tensor([1, NaN, 2])"],
  ...Object.fromEntries(
    "cumsum cumprod logcumsumexp cummax cummin".split(" ").map((name) => [name, ["tensor([[1, 3, 2], [4, 0, 6]]), 1"]]),
  ),
  // contract
  matmul: [
    "tensor([[1, 2], [3, 4]]), tensor([[5, 6], [7, 8]])",
    "ones([2, 3, 4]), tensor([1, 2, 3, 4])",
    "arange(0, 24).reshape(2, 1, 3, 4), arange(0, 40).reshape(5, 4, 2)",
  ],
  mm: ["tensor([[1, 2], [3, 4]]), tensor([[5, 6], [7, 8]])"],
  mv: ["tensor([[1, 2], [3, 4]]), tensor([5, 6])"],
  bmm: ["ones([2, 3, 4]), arange(0, 16).reshape(2, 4, 2)"],
  dot: ["tensor([1, 2, 3]), tensor([4, 5, 6])"],
  vdot: ["tensor([complex(1, 2)]), tensor([complex(3, 4)])"],
  inner: ["tensor([[1, 2], [3, 4]]), tensor([5, 6])"],
  outer: ["tensor([1, 2]), tensor([3, 4, 5])"],
  addmm: ["ones([2, 2]), tensor([[1, 2], [3, 4]]), tensor([[5, 6], [7, 8]]), { beta: 2 }"],
  addmv: ["ones([2]), tensor([[1, 2], [3, 4]]), tensor([5, 6])"],
  addr: ["ones([2, 3]), tensor([1, 2]), tensor([3, 4, 5])"],
  baddbmm: ["ones([2, 3, 2]), ones([2, 3, 4]), ones([2, 4, 2])"],
  addbmm: ["ones([3, 2]), ones([2, 3, 4]), ones([2, 4, 2])"],
  kron: ["tensor([[1, 2]]), tensor([[1], [10]])"],
  einsum: ['"ij,jk->ik", tensor([[1, 2], [3, 4]]), tensor([[5, 6], [7, 8]])', '"ii", tensor([[1, 2], [3, 4]])'],
  tensordot: ["ones([2, 3, 4]), ones([3, 4, 5])"],
  multiDot: ["[ones([2, 3]), ones([3, 4]), ones([4])]"],
  conv1d: ["arange(0, 5).reshape(1, 1, 5), tensor([[[1, 0, -1]]])"],
  conv2d: ["arange(0, 16).reshape(1, 1, 4, 4), ones([2, 1, 3, 3]), tensor([0, 100]), { padding: 1 }"],
  conv3d: ["ones([1, 1, 3, 3, 3]), ones([1, 1, 2, 2, 2])"],
  convTranspose1d: ["arange(0, 3).reshape(1, 1, 3), tensor([[[1, 1]]]), null, { stride: 2 }"],
  convTranspose2d: ["ones([1, 1, 2, 2]), ones([1, 1, 2, 2])"],
  convTranspose3d: ["ones([1, 1, 2, 2, 2]), ones([1, 1, 2, 2, 2])"],
  maxPool1d: ["tensor([[1, 3, 2, 5]]), 2"],
  maxPool2d: ["arange(0, 16).reshape(1, 4, 4), 2", "arange(0, 16).reshape(1, 4, 4), 2, { returnIndices: true }"],
  maxPool3d: ["ones([1, 2, 2, 2]), 2"],
  avgPool1d: ["tensor([[1, 3, 2, 5]]), 2"],
  avgPool2d: ["arange(0, 16).reshape(1, 4, 4), 2"],
  avgPool3d: ["ones([1, 2, 2, 2]), 2"],
  lpPool1d: ["tensor([[3, 4, 6, 8]]), 2, 2"],
  lpPool2d: ["arange(0, 16).reshape(1, 4, 4), 2, 2"],
  adaptiveAvgPool1d: ["tensor([[1, 3, 2, 5, 4]]), 2"],
  adaptiveAvgPool2d: ["arange(0, 16).reshape(1, 4, 4), [2, 1]"],
  adaptiveAvgPool3d: ["ones([1, 2, 2, 2]), 1"],
  adaptiveMaxPool1d: ["tensor([[1, 3, 2, 5, 4]]), 2"],
  adaptiveMaxPool2d: ["arange(0, 16).reshape(1, 4, 4), 2"],
  adaptiveMaxPool3d: ["ones([1, 2, 2, 2]), 1"],
  // fft
  ...Object.fromEntries(
    "fft ifft rfft ihfft fftn ifftn rfftn ihfftn fftshift ifftshift"
      .split(" ")
      .map((name) => [`fft.${name}`, ["tensor([1, 2, 4, 0])"]]),
  ),
  ...Object.fromEntries(
    "irfft hfft irfftn hfftn"
      .split(" ")
      .map((name) => [`fft.${name}`, ["tensor([complex(7, 0), complex(1, -2), complex(3, 0)])"]]),
  ),
  ...Object.fromEntries(
    "fft2 ifft2 rfft2 irfft2 hfft2 ihfft2".split(" ").map((name) => [`fft.${name}`, ["tensor([[1, 2], [3, 5]])"]]),
  ),
};

/** The samples of an op; none if nobody has written any. */
export function samplesOf(name: string, op: Op): readonly string[] {
  return listed[name] ?? (op.operator.family === "elementwise" ? elementwiseSamples(name) : []);
}

const makers = ["tensor", "ones", "zeros", "arange", "full", "eye", "linspace"];

/** Calls an op with arguments in the way a user writes them; `change` may put others in the place of the tensors made there. */
export function callSample(
  name: string,
  sample: string,
  change?: (t: stridewise.Tensor) => stridewise.Tensor,
): unknown {
  const names = Object.keys(stridewise).filter((one) => /^[A-Za-z]\w*$/.test(one) && one !== "var");
  const make = new Function(...names, `return ${name === "var" ? "variance" : name}(${sample});`);
  return make(
    ...names.map((one) => {
      const value = (stridewise as Record<string, unknown>)[one];
      if (change === undefined || !makers.includes(one)) return value;
      return (...args: unknown[]) => change((value as (...args: unknown[]) => stridewise.Tensor)(...args));
    }),
  );
}
