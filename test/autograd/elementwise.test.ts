/**
 * Gradients of elementwise ops: those derived from formulas and those defined explicitly, against differences, against each other, and
 * at bends, ties and extremes against what PyTorch gives.
 */
import { describe, expect, test } from "vitest";
import { gradcheck, gradgradcheck } from "../../src/autograd/gradcheck.ts";
import { elementwise, grad, type Tensor, tensor } from "../../src/index.ts";
import { backwardFormula, type ExplicitGradients, forwardFormula } from "../../src/ops/formula/derive.ts";
import type { Formula } from "../../src/ops/formula/node.ts";
import { parseFormula } from "../../src/ops/formula/parse.ts";
import { callSample, exportedOps, type Op, samplesOf } from "../support/op-samples.ts";
import { extremes } from "../support/samples/elementwise.ts";

const isFloat = (t: Tensor): boolean => /float|complex/.test(t.dtype);

/** Ops whose gradient PyTorch does not have either, or has by the second argument alone. */
const without =
  "floorDivide heaviside nextafter airyAi besselJ0 besselJ1 besselY0 besselY1 sphericalBesselJ0 modifiedBesselI0 modifiedBesselI1 modifiedBesselK0 modifiedBesselK1 scaledModifiedBesselK0 scaledModifiedBesselK1 hermitePolynomialH hermitePolynomialHe laguerrePolynomialL legendrePolynomialP".split(
    " ",
  );
const hasNone = (name: string): boolean => without.includes(name) || /hebyshevPolynomial/.test(name);
const bySecond = /^(igammac?|gammaincc?|zeta)$/;

/** Samples of ops that are not defined, or not smooth, at those that they have. */
const domains: Readonly<Record<string, readonly string[]>> = {
  erfinv: ["tensor([-0.7, 0.1, 0.4])"],
  ndtri: ["tensor([0.1, 0.3, 0.7])"],
  entr: ["tensor([0.1, 1, 3])"],
  nanToNum: ["tensor([-1, 0.5])"],
  logit: ["tensor([0.2, 0.5, 0.8])", "tensor([0.2, 0.5, 0.9]), 0.3"],
  clamp: [
    "tensor([-1.5, 0, 2]), -1, 1",
    "tensor([-1.5, 0, 2]), tensor([-1, 1, -2]), tensor([1, 0.5, 0.7])",
    "tensor([-1.5, 0, 2]), null, tensor([1])",
  ],
  softplus: ["tensor([-1.5, 0, 2]), 2, 1"],
  gelu: ["tensor([-1.5, 0, 2])", 'tensor([-1.5, 0, 2]), { approximate: "tanh" }'],
  elu: ["tensor([-1.5, 0, 2]), 0.7"],
  celu: ["tensor([-1.5, 0, 2]), 0.7"],
  lerp: ["tensor([0, 1]), tensor([10, 11]), tensor([0.1, 0.7])", "tensor([0, 1]), tensor([10, 11]), 0.7"],
  polygamma: ["1, tensor([0.5, 2, -1.4])", "12, tensor([0.5, 2])", "13, tensor([0.5, 2])"],
  pow: ["2, 3, 0.5, -1, 1.5, 0, 1".split(", ").map((p) => `tensor([0.5, 2]), ${p}`), "3, tensor([0.5, 2])"].flat(),
  mul: ["tensor([[1, 2]]), tensor([[3], [4]])", "tensor([1, 2]), 3"],
  div: ["tensor([[1, 2]]), tensor([[3], [4]])", "3, tensor([1, 2])"],
  add: ["tensor([1, 2]), tensor([3]), { alpha: 3 }"],
};

const all = exportedOps();
/** Each op once, under its own name. */
const ops = [...all].filter(
  ([name, { operator }]) => operator.family === "elementwise" && (name === operator.name || !all.has(operator.name)),
);
const samples = (name: string, op: Op): readonly string[] =>
  domains[name] ?? samplesOf(name, op).filter((sample) => !sample.includes("Infinity") && !sample.includes("int32"));

/** The tensors that a sample makes, as float64, a little away from where they are, so that nothing is at a bend or tied. */
function inputsOf(name: string, sample: string): Tensor[] {
  const inputs: Tensor[] = [];
  callSample(name, sample, (t) => {
    const count = inputs.length;
    const isKept = t.dtype === "bool" || (count === 0 && bySecond.test(name));
    inputs.push(isKept ? t : (t.to("float64").add(0.07 * (count + 1)) as Tensor).requiresGrad_());
    return t;
  });
  return inputs;
}

/** The call of a sample as a function of the tensors in it. */
function calling(name: string, sample: string): (...inputs: Tensor[]) => unknown {
  const created: unknown[] = [];
  const args = callSample("((...args) => args)", sample, (t) => {
    created.push(t);
    return t;
  }) as unknown[];
  return (...inputs) =>
    (all.get(name) as Op)(...args.map((arg) => (created.includes(arg) ? inputs[created.indexOf(arg)] : arg)));
}

const resultsOf = (result: unknown): Tensor[] =>
  (typeof (result as Tensor).dtype === "string" ? [result as Tensor] : Object.values(result as object)).filter(isFloat);

describe("gradients of elementwise ops", () => {
  for (const [name, op] of ops)
    for (const sample of samples(name, op))
      test(`${name}(${sample})`, () => {
        const inputs = inputsOf(name, sample);
        const fn = calling(name, sample);
        const results = resultsOf(fn(...inputs));
        if (results.length === 0 || !inputs.some((t) => t.requiresGrad)) return;
        const [result] = results as [Tensor];
        if (hasNone(name)) {
          expect(() => result.backward(result.detach() as never)).toThrow("is not implemented");
          return;
        }
        expect(gradcheck(fn, inputs)).toBe(true);
        expect(gradgradcheck(fn, inputs, { atol: 1e-4 })).toBe(true);
      });

  test("by the order of an incomplete gamma function, or of zeta, are not implemented", () => {
    for (const name of ["igamma", "igammac", "zeta"]) {
      const x = tensor([2.5], { requiresGrad: true });
      const y = callSample(name, "tensor([2]), tensor([1])", () => x) as Tensor;
      expect(() => y.backward()).toThrow(`the derivative of ${name} with respect to x is not implemented`);
    }
  });
});

/** The gradient by the first tensor of a sample, with ones coming in. */
function slopes(name: string, sample: string, dtype?: "float32" | "float64", second = false): unknown[] {
  const inputs: Tensor[] = [];
  const y = callSample(name, sample, (t) => {
    const input = isFloat(t) ? (t.to(dtype ?? "float64").detach() as Tensor).requiresGrad_() : t;
    inputs.push(input);
    return input;
  }) as Tensor;
  return (grad(y.sum() as Tensor, inputs[second ? 1 : 0] as Tensor) as Tensor).toArray() as unknown[];
}

describe("at bends and ties", () => {
  const at = "tensor([-3, -1, 0, 1, 3])";
  test.each([
    ["abs", at, [-1, -1, 0, 1, 1]],
    ["relu", at, [0, 0, 0, 1, 1]],
    ["relu6", "tensor([0, 3, 6])", [0, 1, 0]],
    ["hardtanh", at, [0, 0, 1, 0, 0]],
    ["clamp", `${at}, -1, 1`, [0, 1, 1, 1, 0]],
    ["clamp", `${at}, 0`, [0, 0, 1, 1, 1]],
    ["clamp", `${at}, null, 0`, [1, 1, 1, 0, 0]],
    ["clampMin", `${at}, 1`, [0, 0, 0, 1, 1]],
    ["clampMax", `${at}, 1`, [1, 1, 1, 1, 0]],
    ["hardshrink", `${at}, 1`, [1, 0, 0, 0, 1]],
    ["softshrink", `${at}, 1`, [1, 0, 0, 0, 1]],
    ["threshold", `${at}, 1, 20`, [0, 0, 0, 0, 1]],
    ["leakyRelu", `${at}, 0.5`, [0.5, 0.5, 0.5, 1, 1]],
    ["elu", "tensor([0, 1]), 0.5", [0.5, 1]],
    ["celu", "tensor([0, 1]), 0.5", [1, 1]],
    ["hardsigmoid", "tensor([-3, 0, 3])", [0, 1 / 6, 0]],
    ["hardswish", "tensor([-4, -3, 0, 3, 4])", [0, 0, 0.5, 1, 1]],
    ["logSigmoid", "tensor([0])", [0.5]],
    ["sign", at, [0, 0, 0, 0, 0]],
    ["floor", at, [0, 0, 0, 0, 0]],
    ["pow", `${at}, 0`, [0, 0, 0, 0, 0]],
    ["pow", "tensor([0]), 1", [1]],
    ["xlogy", "tensor([0, 0, 0]), tensor([1, 0, -1])", [0, 0, 0]],
    ["copysign", "tensor([0, -0, 2]), tensor([-1, 1, -1])", [0, 0, -1]],
    ["logit", "tensor([0.1, 0.25, 0.5]), 0.25", [0, 16 / 3, 4]],
    ["maximum", "tensor([0, 1, 2]), tensor([1, 1, 1])", [0, 0.5, 1]],
    ["minimum", "tensor([0, 1, 2]), tensor([1, 1, 1])", [1, 0.5, 0]],
    ["fmax", "tensor([0, 1, NaN, 2]), tensor([1, 1, 1, NaN])", [0, 1, 0, 1]],
    ["fmin", "tensor([2, 1, NaN, 2]), tensor([1, 1, 1, NaN])", [0, 1, 0, 1]],
    ["clamp", "tensor([-2, -1, 0, 1.5]), tensor([-1, -1, 2, 0]), tensor([1, 1, 1, 1])", [0, 1, 0, 0]],
  ] as const)("%s(%s)", (name, sample, expected) => {
    slopes(name, sample).forEach((slope, k) => {
      expect(slope, `element ${k}`).toBeCloseTo(expected[k] as number, 12);
    });
  });

  test.each([
    ["fmax", "tensor([0, 1, NaN, 2]), tensor([1, 1, 1, NaN])", [1, 0, 1, 0]],
    ["logaddexp", "tensor([1, 2]), tensor([1, 2])", [0.5, 0.5]],
    ["pow", "tensor([0, 0, 2]), tensor([0, 2, 1])", [0, 0, 2 * Math.LN2]],
    ["clamp", "tensor([-2, -1, 0, 1.5]), tensor([-1, -1, 2, 0]), tensor([1, 1, 1, 1])", [1, 0, 0, 0]],
    ["copysign", "tensor([1, 2]), tensor([-1, 1])", [0, 0]],
  ] as const)("%s(%s), by the second", (name, sample, expected) => {
    slopes(name, sample, "float64", true).forEach((slope, k) => {
      expect(slope, `element ${k}`).toBeCloseTo(expected[k] as number, 12);
    });
  });
});

describe("at extremes", () => {
  const finite = extremes.replace("Infinity, -Infinity, NaN, ", "");
  for (const [name] of ops.filter(([name, op]) => samplesOf(name, op).includes(extremes) && !hasNone(name)))
    test(`${name} has a gradient that is a number where it is one itself`, () => {
      const y = callSample(name, finite) as Tensor;
      if (!isFloat(y)) return;
      const values = y.toArray() as number[];
      slopes(name, finite, "float32").forEach((slope, k) => {
        if (Number.isFinite(values[k])) expect(slope, `element ${k} of ${finite}`).not.toBeNaN();
      });
    });

  test("elements that are not selected do not matter, even if their gradient is infinite", () => {
    const x = tensor([-800, 0, 800], { dtype: "float64", requiresGrad: true });
    const y = elementwise("x > 0 ? x : exp(x) + (x < -700 ? 1 / (x + 800) : 0)", { x });
    const [first, , last] = (grad(y.sum() as Tensor, x) as Tensor).toArray() as number[];
    expect([first, last]).toEqual([Number.NEGATIVE_INFINITY, 1]);
    const z = elementwise("max(x, 0) + min(0.0, expm1(x))", { x });
    expect((grad(z.sum() as Tensor, x) as Tensor).toArray()).toEqual([0, 1, 1]);
  });
});

interface Derived {
  readonly formula: Formula;
  readonly explicit: ExplicitGradients;
  readonly values: Record<string, Tensor | number>;
  readonly moving: readonly string[];
  readonly y: Tensor;
}

/** The formula of a sample's call and its operands, or null if the op has none. */
function derivedOf(name: string, op: Op, sample: string): Derived | null {
  const inputs = inputsOf(name, sample).map((t) => t.detach() as Tensor);
  const { body } = op.operator;
  if (body === null) return null;
  let call: ReturnType<typeof body> | null = null;
  const y = calling(name, sample)(...inputs) as Tensor;
  if (!isFloat(y)) return null;
  const seen = op.operator as { body: typeof body; call: (args: readonly unknown[]) => unknown };
  const before = seen.call;
  try {
    seen.call = (args) => {
      call = body(args);
      return before.call(op.operator, args);
    };
    calling(name, sample)(...inputs.map((t) => (isFloat(t) ? t.requiresGrad_() : t)));
  } finally {
    Reflect.deleteProperty(seen, "call");
  }
  if (call === null) return null;
  const { formula, operands: passed, gradients } = call as ReturnType<typeof body>;
  const operands = passed.map((one) => (typeof one === "object" ? ((one as Tensor).detach() as Tensor) : one));
  const names = (formula as Formula).operands;
  return {
    formula: formula as Formula,
    explicit: gradients,
    values: Object.fromEntries(names.map((one, k) => [one, operands[k] as Tensor])),
    moving: names.filter((_, k) => typeof operands[k] === "object" && isFloat(operands[k] as Tensor)),
    y,
  };
}

/** What a derivative gives, all of its numbers in a row. */
function evaluated(
  derivative: ReturnType<typeof backwardFormula>,
  { values, formula, moving, y }: Derived,
  direction: "back" | "on",
): number[][] {
  if (derivative === null) return [];
  const { names } = derivative;
  const { text } = derivative.formula;
  const used: Record<string, Tensor | number> = {};
  const known: Record<string, Tensor | number> = { ...values, [names.result(0)]: y };
  for (const name of parseFormula(text).operands) if (name in known) used[name] = known[name] as Tensor;
  if (text.includes(names.gradient(0))) used[names.gradient(0)] = y.mul(0).add(0.7) as Tensor;
  for (const name of moving) {
    const tangent = names.tangent(formula.operands.indexOf(name));
    if (new RegExp(`\\b${tangent}\\b`).test(text)) used[tangent] = (values[name] as Tensor).mul(0).add(0.3) as Tensor;
  }
  const made = elementwise(text, used as never) as unknown as Record<string, Tensor>;
  const keys =
    direction === "on" ? [names.derivative(0)] : moving.map((name) => names.derivative(formula.operands.indexOf(name)));
  // Sums, in which broadcasting does not matter.
  return keys.map((key) => [
    Number(
      (made[key] as Tensor)
        .broadcastTo(y.shape as never)
        .sum()
        .item(),
    ),
  ]);
}

describe("formulas of derivatives", () => {
  for (const [name, op] of ops.filter(([name, { operator }]) => operator.body !== null && !hasNone(name)))
    for (const sample of samples(name, op))
      test(`${name}(${sample}): explicit and derived, backward and forward gradients agree`, () => {
        const derivation = derivedOf(name, op, sample);
        if (derivation === null || /complex/.test(derivation.y.dtype)) return;
        const { formula, moving, explicit } = derivation;
        const back = evaluated(backwardFormula(formula, moving, false, explicit), derivation, "back");
        const derived = evaluated(backwardFormula(formula, moving, false), derivation, "back");
        back.forEach(([value], k) => {
          expect(value, moving[k]).toBeCloseTo(derived[k]?.[0] as number, 8);
        });
        // With the same tangent everywhere: (g, J t) = (J' g, t).
        const total = back.reduce((sum, [value]) => sum + (value as number), 0);
        for (const use of [explicit, {}]) {
          const [on] = evaluated(forwardFormula(formula, moving, false, use), derivation, "on");
          expect(0.7 * (on?.[0] ?? 0)).toBeCloseTo(0.3 * total, 8);
        }
      });
});

describe("complex numbers", () => {
  const z = (): Tensor =>
    tensor(
      [
        [1, 2],
        [-0.5, 0.3],
        [-1, -1],
        [0.3, -0.2],
      ].map(([re, im]) => ({ re, im })) as never,
      { dtype: "complex128", requiresGrad: true },
    ) as Tensor;
  const call =
    (name: string, ...more: unknown[]) =>
    (...inputs: Tensor[]): unknown =>
      (all.get(name) as Op)(...inputs, ...more);

  const names =
    "exp exp2 expm1 log log2 log10 log1p sigmoid sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh sinc conj angle sqrt rsqrt reciprocal neg abs sgn square silu softsign tanhshrink".split(
      " ",
    );
  test.each(names)("%s", (name) => {
    expect(gradcheck(call(name), [z()])).toBe(true);
    expect(gradgradcheck(call(name), [z()], { atol: 1e-4 })).toBe(true);
  });

  test.each(["add", "sub", "mul", "div", "pow", "logaddexp", "floatPower"])("%s", (name) => {
    const other = z().detach().mul(0.5).add(0.7) as Tensor;
    expect(gradcheck(call(name), [z(), other.requiresGrad_()])).toBe(true);
    expect(gradgradcheck(call(name), [z(), other], { atol: 1e-4 })).toBe(true);
    // With a real one, whose gradient is real.
    const x = tensor([0.5, 2, 0.7, 1], { dtype: "float64", requiresGrad: true });
    expect(gradcheck(call(name), [z(), x])).toBe(true);
    expect(gradcheck(call(name), [x, z()])).toBe(true);
  });

  test("tangents and gradients are those of one linear map", () => {
    const dot = (a: Tensor, b: Tensor): number => Number(elementwise("real(a * conj(b))", { a, b }).sum().item());
    for (const name of names) {
      const body = (all.get(name) as Op).operator.body as (args: readonly unknown[]) => object;
      const x = z().detach() as Tensor;
      const { formula, gradients } = body([x]) as { formula: Formula; gradients: ExplicitGradients };
      const y = (call(name)(x) as Tensor).detach() as Tensor;
      const [g, t] = [y.mul(0.3).add(0.7), x.mul(0.2).sub(0.4)] as [Tensor, Tensor];
      const back = backwardFormula(formula, ["x"], true, gradients);
      const on = forwardFormula(formula, ["x"], true, gradients);
      if (back === null || on === null) throw new Error(`${name} has no derivative`);
      const run = ({ formula: { text }, names: { result, gradient, tangent } }: typeof back): Tensor => {
        const operands = { x, [result(0)]: y, [gradient(0)]: g, [tangent(0)]: t };
        const used = Object.entries(operands).filter(([key]) => parseFormula(text).operands.includes(key));
        return Object.values(elementwise(text, Object.fromEntries(used) as never))[0] as Tensor;
      };
      expect(dot(g, run(on)), name).toBeCloseTo(dot(run(back), t), 9);
    }
  });

  test("at 0, the length, the angle and the sign have a gradient of 0", () => {
    const zero = tensor([{ re: 0, im: 0 }] as never, { dtype: "complex128", requiresGrad: true }) as Tensor;
    for (const name of ["abs", "angle", "sgn"]) {
      const y = call(name)(zero) as Tensor;
      expect((grad(y, zero, { gradOutputs: y.detach().mul(0).add(1) as Tensor }) as Tensor).toArray()).toEqual([
        { re: 0, im: 0 },
      ]);
    }
  });
});

describe("dtypes and shapes", () => {
  test("a gradient has those of its argument", () => {
    const x = tensor([[1], [2]], { dtype: "float32", requiresGrad: true }) as Tensor;
    const w = tensor([3, 4, 5], { dtype: "float64", requiresGrad: true }) as Tensor;
    const n = tensor([1, 2, 3], { dtype: "int32" }) as Tensor;
    const h = tensor([2], { dtype: "float16", requiresGrad: true }) as Tensor;
    const y = x.mul(w).add(n.mul(h)).pow(2).sum() as Tensor;
    y.backward();
    expect([x, w, h].map((t) => [t.grad?.dtype, t.grad?.shape])).toEqual([
      ["float32", [2, 1]],
      ["float64", [3]],
      ["float16", [1]],
    ]);
  });

  test("of an integer in a logarithm, in the precision of the result", () => {
    const x = tensor([0.5], { dtype: "float64", requiresGrad: true }) as Tensor;
    const n = tensor([3], { dtype: "int32" }) as Tensor;
    for (const [name, expected] of [
      ["xlogy", Math.log(3)],
      ["xlog1py", Math.log(4)],
    ] as const) {
      const y = (all.get(name) as Op)(x, n) as Tensor;
      expect((grad(y, x) as Tensor).item()).toBeCloseTo(expected, 14);
    }
    const power = (all.get("pow") as Op)(n, x) as Tensor;
    expect((grad(power, x) as Tensor).item()).toBeCloseTo(Math.sqrt(3) * Math.log(3), 14);
  });

  test("of an empty tensor is empty", () => {
    const x = tensor([], { requiresGrad: true }) as Tensor;
    expect((grad(x.exp().sum() as Tensor, x) as Tensor).shape).toEqual([0]);
  });
});
