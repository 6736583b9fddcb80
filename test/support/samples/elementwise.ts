/**
 * Samples of elementwise ops, their arguments as text. Ops of one tensor that are defined everywhere need none: they
 * use `floats`.
 */
export const floats = "tensor([-1.5, 0, 0.25, 2])";
/** Edge cases: infinities, NaN, signed zeros, very large and very small numbers. */
export const extremes = "tensor([Infinity, -Infinity, NaN, 0, -0, 1e30, -1e30, 1e-30, 1e-40])";
const wholes = 'tensor([-5, 0, 3, 7], { dtype: "int32" })';
const special = "tensor([1, Infinity, -Infinity, NaN])";
/** The domains of functions that are not defined everywhere. */
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
  deg2rad: "tensor([-90, 0, 45, 180])",
  erfinv: "tensor([-0.5, 0, 0.9])",
  ndtri: "tensor([0.025, 0.5, 0.9])",
  isfinite: special,
  isinf: special,
  isnan: special,
  isneginf: special,
  isposinf: special,
};
const wholeOps = ["bitwiseAnd", "bitwiseOr", "bitwiseXor"];

/** The samples of an elementwise op of one tensor: one value for each tensor of its signature. */
export function elementwiseSamples(name: string): string[] {
  if (name in domains) return [domains[name] as string, ...(wholes === domains[name] ? [] : [extremes])];
  if (wholeOps.includes(name)) return [`${wholes}, tensor([3, 3, 5, 5], { dtype: "int32" })`];
  return [floats, extremes];
}

/** By name. */
export const elementwise: Readonly<Record<string, readonly string[]>> = {
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

      "heaviside",
      "hypot",
      "ldexp",
      "logaddexp",
      "logaddexp2",
      "atan2",
      "isclose",
      "preluOf",
    ].map((name) => [name, [`${floats}, tensor([2, 3, 0.5, 2])`, `${floats}, tensor([[2], [3]])`]]),
  ),
  ...Object.fromEntries(
    "eq ne lt le gt ge logicalAnd logicalOr logicalXor"
      .split(" ")
      .map((name) => [name, [`${floats}, tensor([2, 0, 0, 2])`, `${floats}, tensor([[2], [3]])`]]),
  ),
  copysign: [`${floats}, tensor([2, 3, -0.5, -2])`, `${floats}, tensor([[2], [3]])`],
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
  nanToNum: ["tensor([NaN, Infinity, 1]), 0, 100", "tensor([NaN, Infinity, 1])"],
  bitwiseLeftShift: [`tensor([1, 3], { dtype: "int32" }), 2`],
  bitwiseRightShift: [`tensor([-8, 9], { dtype: "int32" }), 2`],
  where: [`tensor([true, false]), tensor([1, 2]), 0`],
  maskedFill: ["tensor([1, 2, 3]), tensor([true, false, true]), 0"],
  complex: ["tensor([1, 2]), tensor([3, -4])"],
  polar: ["tensor([1, 2]), tensor([0, 1.5])"],
  ...Object.fromEntries(
    "gcd lcm"
      .split(" ")
      .map((name) => [name, ['tensor([12, -18, 7], { dtype: "int32" }), tensor([8, 12, 0], { dtype: "int32" })']]),
  ),
  ...Object.fromEntries(
    "igamma igammac gammainc gammaincc".split(" ").map((name) => [name, ["tensor([0.5, 2, 4]), tensor([1, 2, 3])"]]),
  ),
  ...Object.fromEntries(
    ["", "shifted"]
      .flatMap((prefix) =>
        ["T", "U", "V", "W"].map((kind) => `${prefix}${prefix === "" ? "c" : "C"}hebyshevPolynomial${kind}`),
      )
      .concat("hermitePolynomialH hermitePolynomialHe laguerrePolynomialL legendrePolynomialP".split(" "))
      .map((name) => [name, ["tensor([-0.5, 0.25, 0.75]), 3"]]),
  ),
  zeta: ["tensor([2, 4]), tensor([1, 2])"],
  clampMin: [`${floats}, 0`, `${floats}, tensor([[2], [3]])`],
  clampMax: [`${floats}, 1`, `${floats}, tensor([[2], [3]])`],
  angle: ["tensor([{ re: 0, im: 2 }, { re: 3, im: 0 }, { re: -1, im: 1 }])", floats, extremes],
  conj: ["tensor([{ re: 1, im: 2 }, { re: 3, im: 0 }])", floats, extremes],
  isreal: ["tensor([{ re: 1, im: 2 }, { re: 3, im: 0 }])", floats, extremes],
  nextafter: ["tensor([16777216, 16777216]), tensor([Infinity, 0])", "tensor([1, 2]), tensor([2, 1])"],
  mvlgamma: ["tensor([2, 3.5]), 2"],
  multigammaln: ["tensor([2, 3.5]), 2"],
  polygamma: ["1, tensor([0.5, 2])"],
  cbrt: ["tensor([-8, 0.5, 27])", 'tensor([8], { dtype: "int32" })'],
};
