/**
 * Errors in units in the last place, at the roots and in the tails of functions, against values that mpmath 1.2 computed with 40 digits.
 */
import {
  digamma,
  elementwise,
  gelu,
  lgamma,
  logaddexp,
  logaddexp2,
  sigmoid,
  silu,
  type Tensor,
  tensor,
} from "stridewise";
import { expect, test } from "vitest";

type Dtype = "float32" | "float64";

/** The unit in the last place of a number; below the smallest normal number, the smallest number. */
function unitOf(value: number, dtype: Dtype): number {
  const [bits, min] = dtype === "float32" ? [24, -149] : [53, -1074];
  return 2 ** Math.max(Math.floor(Math.log2(Math.abs(value))) - bits + 1, min);
}

/** x, and the values of the function there: at x, and at x rounded to float32. */
const recorded: Record<string, readonly (readonly [x: number, inFloat64: number, inFloat32: number])[]> = {
  lgamma: [
    [1e-8, 18.42068073818021, 18.42068074425768],
    [0.3, 1.0957979948180756, 1.095797953064734],
    [0.49999, 0.5723845782717032, 0.5723846049374728],
    [0.75, 0.20328095143129538, 0.20328095143129538],
    [0.9999999, 5.772157468444193e-8, 6.880948101845375e-8],
    [1.0000001, -5.772155829918507e-8, -6.880945764253472e-8],
    [1.25, -0.09827183642181316, -0.09827183642181316],
    [1.4616321449683622, -0.12148629053584961, -0.12148629053584953],
    [1.75, -0.08440112102048555, -0.08440112102048555],
    [1.9999999, -4.2278430309861296e-8, -5.0399815637755424e-8],
    [2.0000001, 4.227843666532498e-8, 0.0],
    [2.5, 0.2846828704729192, 0.2846828704729192],
    [2.500001, 0.28468357362980506, 0.28468354105557075],
    [2.9, 0.6028696102493114, 0.6028696944110671],
    [3.5000001, 1.2009737126627398, 1.2009736023470743],
    [4.75, 2.8085714185757364, 2.8085714185757364],
    [6.49, 5.644641265381725, 5.644640855397803],
    [7.4999, 7.534169561723392, 7.534169297349389],
    [7.5, 7.534364236758733, 7.534364236758733],
    [9.1, 10.819252325110433, 10.819253146156985],
    [33.3, 82.60372358165495, 82.6037209186398],
  ],
  digamma: [
    [1e-8, -100000000.57721564, -100000001.18496275],
    [0.3, -3.502524222200133, -3.5025240762240175],
    [0.999, -0.5788618021086455, -0.5788617808997782],
    [1.25, -0.22745353337626542, -0.22745353337626542],
    [1.4616, -3.110625123034165e-5, -3.1158485748042e-5],
    [1.4616321, -4.3514636958769774e-8, -1.203605254910667e-8],
    [1.46163214496, -8.091961090816214e-12, -1.203605254910667e-8],
    [1.461632144968, -3.505395133995687e-13, -1.203605254910667e-8],
    [1.46163214498, 1.1261485419418417e-11, -1.203605254910667e-8],
    [1.4617, 6.56593922936765e-5, 6.562321904788146e-5],
    [1.75, 0.24747245354686118, 0.24747245354686118],
    [2.037145434, 0.44646604636448933, 0.44646600993909774],
    [2.112, 0.49259248637283853, 0.4925924794768965],
    [3.3, 1.0348224890596216, 1.0348224722033545],
    [5.5, 1.6110931485817512, 1.6110931485817512],
    [6.999, 1.8726307781540714, 1.8726307892846161],
    [7.0, 1.8727843350984672, 1.8727843350984672],
    [9.1, 2.1523242472040383, 2.152324291511238],
    [33.3, 3.490467238520243, 3.4904672152616945],
  ],
  sigmoid: [
    [-103.0, 1.8521167695179754e-45, 1.8521167695179754e-45],
    [-95.5, 3.348705675813844e-42, 3.348705675813844e-42],
    [-90.25, 6.381503448060791e-40, 6.381503448060791e-40],
    [-88.75, 2.859991425549872e-39, 2.859991425549872e-39],
    [-87.5, 9.982350930569248e-39, 9.982350930569248e-39],
    [-40.125, 3.749159471376913e-18, 3.749159471376913e-18],
    [-10.574, 2.557166713312254e-5, 2.5571657963830805e-5],
    [-0.5, 0.37754066879814546, 0.37754066879814546],
    [0.0, 0.5, 0.5],
    [3.25, 0.9626731126558705, 0.9626731126558705],
    [40.0, 1.0, 1.0],
  ],
  silu: [
    [-80.5, -8.812316508772791e-34, -8.812316508772791e-34],
    [-40.125, -1.5043502378899861e-16, -1.5043502378899861e-16],
    [-20.43, -2.7392527149753768e-8, -2.7392519199398486e-8],
    [-1.278, -0.2784645192542926, -0.27846451925400306],
    [0.5, 0.3112296656009273, 0.3112296656009273],
    [9.0, 8.998889448816124, 8.998889448816124],
  ],
  gelu: [
    [-13.75, -3.501404934464191e-42, -3.501404934464191e-42],
    [-12.775, -1.4445184752749696e-36, -1.444525514315784e-36],
    [-10.1, -2.789730566482162e-23, -2.78971982007658e-23],
    [-7.3, -1.050352205855039e-12, -1.0503507443276801e-12],
    [-5.05, -1.1155704129611948e-6, -1.1155693412272443e-6],
    [-2.891, -0.0055509819299408856, -0.005550981419474412],
    [-1.466, -0.10456119426760438, -0.10456119928687196],
    [-0.3, -0.1146265733433142, -0.11462657653421583],
    [0.7, 0.5306254434438489, 0.5306254318017016],
    [2.2, 2.1694124154703034, 2.1694124662124836],
    [9.0, 9.0, 9.0],
  ],
};

/** The largest errors, in float32 and in float64. */
const max: Record<string, readonly [(x: Tensor) => unknown, inFloat32: number, inFloat64: number]> = {
  lgamma: [lgamma, 0.51, 8],
  digamma: [digamma, 0.51, 5],
  sigmoid: [sigmoid, 2, 2],
  silu: [silu, 2.5, 2.5],
  gelu: [gelu, 4, 4],
};

test.each(Object.keys(max).flatMap((name) => [[name, "float32"] as const, [name, "float64"] as const]))(
  "%s of %s",
  (name, dtype) => {
    const [call, inFloat32, inFloat64] = max[name] as (typeof max)[string];
    const bound = dtype === "float32" ? inFloat32 : inFloat64;
    for (const [x, ...values] of recorded[name] as (typeof recorded)[string]) {
      const expected = values[dtype === "float32" ? 1 : 0] as number;
      const result = (call(tensor([x], { dtype }) as Tensor) as Tensor).to("float64").item() as number;
      expect(Math.abs(result - expected) / unitOf(expected, dtype), `at ${x}: ${result}, not ${expected}`).toBeLessThan(
        bound,
      );
    }
  },
);

/** Every 2^step-th float32 of each sign up to a bound, and all numbers around the limits between formulas. */
function floats(bound: number, step: number): Float32Array {
  const bits: number[] = [];
  const patternOf = (x: number): number => new Uint32Array(Float32Array.of(x).buffer)[0] as number;
  for (let pattern = 0; pattern < patternOf(bound); pattern += 2 ** step + 1) bits.push(pattern);
  for (const limit of [0, 2, 2.25, 12.9, 14.2])
    for (let k = 0; k < 64; k++) bits.push(Math.max(patternOf(limit) + k - 32, 0));
  return new Float32Array(Uint32Array.from([...bits, ...bits.map((pattern) => pattern + 2 ** 31)]).buffer);
}

test.each([
  ["gelu(x)", 4],
  ["ndtr(x)", 5],
] as const)("%s of float32 is within %d ulp of that of float64 everywhere", (formula, bound) => {
  const xs = floats(20, 15);
  const valuesIn = (dtype: Dtype): number[] =>
    (elementwise(formula, { x: tensor(xs).to(dtype) as Tensor }) as Tensor).to("float64").toArray() as number[];
  const wanted = valuesIn("float64");
  let worst = { error: 0, x: 0 };
  valuesIn("float32").forEach((value, i) => {
    const error = Math.abs(value - (wanted[i] as number)) / unitOf(wanted[i] as number, "float32");
    if (!(error <= worst.error)) worst = { error, x: xs[i] as number };
  });
  expect(worst.error, `at ${worst.x}`).toBeLessThan(bound);
  expect(worst.error).toBeGreaterThan(1);
});

test.each(["float32", "float64"] as const)("gelu and ndtr of %s at the ends", (dtype) => {
  const x = tensor([Infinity, -Infinity, NaN, -1e30, 1e30, -0], { dtype }) as Tensor;
  expect((gelu(x) as Tensor).toArray()).toEqual(
    [Infinity, NaN, NaN, -0, Math.fround(1e30), -0].map((v, k) => (k === 4 && dtype === "float64" ? 1e30 : v)),
  );
  expect((elementwise("ndtr(x)", { x }) as Tensor).toArray()).toEqual([1, 0, NaN, 0, 1, 0.5]);
});

test.each([sigmoid, silu, gelu])("infinities and NaN are unchanged", (call) => {
  const values = (call(tensor([Infinity, NaN, -0, 0]) as Tensor) as Tensor).toArray() as number[];
  expect(values.slice(0, 2)).toEqual([call === sigmoid ? 1 : Infinity, NaN]);
  expect(values.slice(2)).toEqual(call === sigmoid ? [0.5, 0.5] : [-0, 0]);
  expect((sigmoid(tensor([-Infinity]) as Tensor) as Tensor).toArray()).toEqual([0]);
});

// Values by mpmath with 40 digits; near 0 the result is the small difference of exponentials, so errors are relative to the operands.
test.each([
  [logaddexp, -1.14889794588089, -0.3807147368788719, 0.0003586511404561732],
  [logaddexp2, -0.6127574443817139, -1.5312831401824951, -0.0001224411007987797],
] as const)("errors of logaddexp and logaddexp2 near 0 are relative to the operands", (call, x, y, expected) => {
  const result = (call(tensor([x], { dtype: "float64" }), tensor([y], { dtype: "float64" }) as never) as Tensor).item();
  expect(Math.abs((result as number) - expected)).toBeLessThan(2 * unitOf(y, "float64"));
});

test("the gradients of tails are not lost", () => {
  const x = tensor([-95, -20]).requiresGrad_() as Tensor;
  (sigmoid(x) as Tensor).sum().backward();
  const [far, near] = (x.grad as Tensor).toArray() as number[];
  // By mpmath: exp(-95) and exp(-20) / (1 + exp(-20))^2.
  expect(Math.abs((far as number) - 5.5210822770285325e-42)).toBeLessThan(3 * 2 ** -149);
  expect(near).toBeCloseTo(2.061153613941849e-9, 15);
});
