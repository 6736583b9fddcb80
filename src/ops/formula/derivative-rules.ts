/**
 * Derivatives of the functions of formulas, one line each: the part of g that is propagated to each argument. Each rule is linear in g, so
 * it serves both directions, backward and forward.
 */

/** One formula for each argument, or null where the derivative is 0. */
type Rules = Readonly<Record<string, readonly (string | null)[]>>;

/**
 * The derivatives of functions. a, b, c are the arguments, y is the value, C( ) the conjugate. Subgradients at kinks are PyTorch's. Rules that
 * differ for complex numbers are below. Composite functions without a rule are derived from their body.
 */
export const rules: Rules = {
  add: ["g", "g"],
  sub: ["g", "-g"],
  mul: ["g * C(b)", "g * C(a)"],
  div: ["g / C(b)", "-g * C(a / b / b)"],
  truncRem: ["g", "-g * trunc(a / b)"],
  floorMod: ["g", "-g * floor(a / b)"],
  min: ["a == b ? g * 0.5 : a > b ? 0 : g", "a == b ? g * 0.5 : b > a ? 0 : g"],
  max: ["a == b ? g * 0.5 : a < b ? 0 : g", "a == b ? g * 0.5 : b < a ? 0 : g"],
  smaller: ["b < a ? 0 : g", "b < a ? g : 0"],
  larger: ["a < b ? 0 : g", "a < b ? g : 0"],
  pow: ["b == 0 ? 0 : g * C(b * a ** (b - 1))", "(a == 0) & (b >= 0) ? 0 : g * y * log(like(a, y))"],
  atan2: ["g * b / (a * a + b * b)", "-g * a / (a * a + b * b)"],
  copysign: ["a == 0 ? 0 : (a < 0) == (y < 0) ? g : -g", null],
  neg: ["-g"],
  abs: ["g * sign(a)"],
  sqrt: ["g / C(2 * y)"],
  exp: ["g * C(y)"],
  expNegative: ["g * y"],
  exp2: [`g * y * ${Math.LN2}`],
  expm1: ["g * (y + 1)"],
  log: ["g / C(a)"],
  log2: [`g / (a * ${Math.LN2})`],
  log10: [`g / (a * ${Math.LN10})`],
  log1p: ["g / (a + 1)"],
  sin: ["g * C(cos(a))"],
  cos: ["-g * C(sin(a))"],
  tan: ["g * C(1 + y * y)"],
  asin: ["g / sqrt(1 - a * a)"],
  acos: ["-g / sqrt(1 - a * a)"],
  atan: ["g / (1 + a * a)"],
  sinh: ["g * C(cosh(a))"],
  cosh: ["g * C(sinh(a))"],
  tanh: ["g * C(1 - y * y)"],
  asinh: ["g / sqrt(a * a + 1)"],
  acosh: ["g / sqrt((a - 1) * (a + 1))"],
  atanh: ["g / (1 - a * a)"],
  erf: [`g * ${2 / Math.sqrt(Math.PI)} * exp(-a * a)`],
  erfc: [`-g * ${2 / Math.sqrt(Math.PI)} * exp(-a * a)`],
  select: [null, "a ? g : 0", "a ? 0 : g"],
  sigmoid: ["g * C(y * (1 - y))"],
  silu: ["g * C(sigmoid(a) * (1 + a * (1 - sigmoid(a))))"],
  gelu: [`g * (ndtr(a) + a * ${1 / Math.sqrt(2 * Math.PI)} * exp(-0.5 * a * a))`],
  ndtr: [`g * ${1 / Math.sqrt(2 * Math.PI)} * exp(-0.5 * a * a)`],
  softplus: ["g * sigmoid(a)"],
  like: ["like(g, a)", null],
  .../* @__PURE__ */ flat(
    "truncDiv floorDiv floor ceil trunc round eq ne lt le gt ge and or xor not shiftLeft shiftRight dotHalves sign isnan isinf isfinite",
  ),
};

/** Functions whose derivative is 0. */
function flat(names: string): Rules {
  return Object.fromEntries(names.split(" ").map((fn) => [fn, []]));
}

/** Functions of complex numbers that are not holomorphic, backward and forward. */
export const complexRules: Readonly<Record<"backward" | "forward", Rules>> = {
  backward: {
    abs: ["a == 0 ? 0 : real(g) * (a / abs(a))"],
    real: ["real(g)"],
    imag: ["real(g) * 1i"],
    conj: ["conj(g)"],
    complex: ["real(g)", "imag(g)"],
    pow: ["b == 0 ? 0 : g * C(b * a ** (b - 1))", "(a == 0) & (real(b) >= 0) ? 0 : g * C(y * log(a))"],
  },
  forward: {
    abs: ["a == 0 ? 0 : real(g * conj(a)) / abs(a)"],
    real: ["real(g)"],
    imag: ["imag(g)"],
    conj: ["conj(g)"],
    complex: ["g", "g * 1i"],
    pow: ["b == 0 ? 0 : g * b * a ** (b - 1)", "(a == 0) & (real(b) >= 0) ? 0 : g * y * log(a)"],
  },
};

/**
 * The condition under which the derivative of an argument of a selecting function is not 0. Elsewhere the gradient is 0 whatever the slopes
 * below are. They may be infinite there, and 0 times infinity is not 0.
 */
export const choices: Rules = {
  select: [null, "a", "~a"],
  min: ["~(a > b)", "~(b > a)"],
  max: ["~(a < b)", "~(b < a)"],
  smaller: ["~(b < a)", "b < a"],
  larger: ["~(a < b)", "a < b"],
};
