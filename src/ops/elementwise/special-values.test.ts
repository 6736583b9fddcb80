/**
 * Special functions against values computed with 40 digits, over all the pieces that they are made of; their special values; what
 * dtypes, views, `out` and the meta device make of them.
 */
import { tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { type DType, DTypeError } from "../../storage/dtype.ts";
import { empty } from "../../tensor/create/create.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { transpose } from "../../tensor/views/views-axes.ts";
import * as methods from "./special.ts";
import * as functions from "./special-functions.ts";

type Call = (...args: unknown[]) => Tensor;
const ops = { ...methods, ...functions } as unknown as Readonly<Record<string, Call>>;
const call = (name: string, ...args: unknown[]): Tensor => (ops[name] as Call)(...args);
const valueOf = (t: Tensor): number => (t.toArray() as number[])[0] as number;

const ofOne: Readonly<Record<string, readonly (readonly [x: number, value: number])[]>> = {
  lgamma: [
    [1e-10, 23.025850929882736],
    [0.3, 1.0957979948180756],
    [1.0001, -5.771334222047127e-5],
    [1.75, -0.08440112102048555],
    [2.25, 0.1248717148923966],
    [7.5, 7.534364236758733],
    [123.4, 469.3360974421906],
    [-0.5, 1.2655121234846454],
    [-7.25, -7.54188344347575],
  ],
  digamma: [
    [1e-5, -100000.57719921567],
    [0.3, -3.502524222200133],
    [1.25, -0.22745353337626542],
    [7.5, 1.9467574842460869],
    [123.4, 4.8113737751162775],
    [-0.5, 0.03648997397857652],
    [-7.25, 5.189977214956288],
  ],
  erfinv: [
    [1e-9, 8.86226925452758e-10],
    [-0.3, -0.2724627147267543],
    [0.75, 0.8134198475976185],
    [0.999, 2.3267537655135246],
    [-0.9999999, -3.7665625816384707],
  ],
  ndtri: [
    [1e-300, -37.0470962993612],
    [1e-20, -9.262340089798407],
    [0.01, -2.326347874040841],
    [0.3, -0.5244005127080408],
    [0.75, 0.6744897501960817],
    [0.9999, 3.7190164854557084],
  ],
  erfcx: [
    [-5, 144009798674.66104],
    [-0.5, 1.952360489182557],
    [0.25, 0.7703465477309968],
    [3, 0.17900115118138996],
    [24.5, 0.023009011874778183],
    [25.5, 0.022108108052519827],
    [60, 0.009401854275176388],
  ],
  ndtr: [
    [-30, 4.906713927148187e-198],
    [-2, 0.02275013194817921],
    [0.5, 0.6914624612740131],
    [3, 0.9986501019683699],
  ],
  logNdtr: [
    [-60, -1805.0135606805673],
    [-1.5, -2.7059444008238898],
    [-0.5, -1.1759117615936185],
    [3, -0.0013508099647481938],
  ],
  i0: [
    [0.5, 1.0634833707413236],
    [-4, 11.30192195213633],
    [24, 2168619088.2413764],
    [26, 15388976705.66081],
    [100, 1.0737517071310738e42],
  ],
  i0e: [
    [0.5, 0.6450352704491501],
    [-4, 0.2070019212239867],
    [24, 0.08186828833403062],
    [26, 0.07862365204001373],
    [100, 0.03994437929909668],
  ],
  i1: [
    [0.5, 0.2578943053908963],
    [-4, -9.75946515370445],
    [24, 2122947893.2873137],
    [26, 15090072642.341644],
    [100, 1.0683693903381625e42],
  ],
  i1e: [
    [0.5, 0.1564208031848717],
    [-4, -0.17875083950243534],
    [24, 0.08014413927653474],
    [26, 0.07709652456966624],
    [100, 0.03974415302513025],
  ],
  modifiedBesselK0: [
    [0.001, 7.023688800562382],
    [0.5, 0.9244190712276659],
    [1.9, 0.1288459792760475],
    [2.1, 0.10078374088996693],
    [7, 0.0004247957418692318],
    [50, 3.4101677497894956e-23],
  ],
  modifiedBesselK1: [
    [0.001, 999.9962381560856],
    [0.5, 1.656441120003301],
    [1.9, 0.15966015303266762],
    [2.1, 0.12274641153350789],
    [7, 0.00045418248688489695],
    [50, 3.4441022267175555e-23],
  ],
  scaledModifiedBesselK0: [
    [0.5, 1.5241093857739094],
    [2.1, 0.8230171525316621],
    [50, 0.17680715585742934],
    [500, 0.056035915417234516],
  ],
  scaledModifiedBesselK1: [
    [0.5, 2.731009708211786],
    [2.1, 1.0023680527405792],
    [50, 0.17856655855881556],
    [500, 0.05609192337055557],
  ],
  besselJ0: [
    [0.5, 0.9384698072408129],
    [-3, -0.26005195490193345],
    [7.9, 0.19436184484127825],
    [8.1, 0.14751745404437766],
    [30, -0.08636798358104021],
    [1000, 0.024786686152420176],
  ],
  besselJ1: [
    [0.5, 0.2422684576748739],
    [-3, -0.3390589585259365],
    [7.9, 0.2191793999217512],
    [8.1, 0.24760776698159287],
    [30, -0.11875106261662294],
    [1000, 0.004728311907089524],
  ],
  besselY0: [
    [0.001, -4.471416611375923],
    [0.5, -0.44451873350670656],
    [3, 0.3768500100127904],
    [7.9, 0.20652094814437577],
    [8.1, 0.23809132870223482],
    [30, -0.11729573168666403],
    [1000, 0.0047159179776228135],
  ],
  besselY1: [
    [0.001, -636.6221672311394],
    [0.5, -1.471472392670243],
    [3, 0.3246744247918],
    [7.9, -0.18172107728057313],
    [8.1, -0.13314879595249593],
    [30, 0.08442557066174723],
    [1000, -0.024784331292351778],
  ],
  sphericalBesselJ0: [
    [0.5, 0.958851077208406],
    [-3, 0.04704000268662241],
    [30, -0.03293438746976206],
  ],
  airyAi: [
    [-20, -0.1764061270779847],
    [-4, -0.07026553294928951],
    [-3.5, -0.37553382314043193],
    [-1, 0.5355608832923521],
    [0.5, 0.23169360648083348],
    [1.9, 0.0405944200315295],
    [2.1, 0.029952602115866523],
    [10, 1.1047532552898686e-10],
  ],
  entr: [
    [0.25, 0.34657359027997264],
    [3, -3.295836866004329],
  ],
};
const ofTwo: Readonly<Record<string, readonly (readonly [a: number, b: number, value: number])[]>> = {
  igamma: [
    [0.5, 0.2, 0.4729107431344619],
    [3, 1, 0.08030139707139419],
    [3, 9, 0.9937678048936227],
    [50, 45, 0.24680203440017026],
    [0.001, 2.0, 0.999951023082169],
    [200000.0, 200100.0, 0.5887438451761302],
  ],
  igammac: [
    [0.5, 0.2, 0.5270892568655381],
    [0.01, 1e-5, 0.1036632017328028],
    [3, 1, 0.9196986029286058],
    [3, 40, 3.572865928700226e-15],
    [50, 45, 0.7531979655998298],
    [200000.0, 201000.0, 0.01277127170937222],
  ],
  zeta: [
    [1.5, 0.25, 10.213055360466601],
    [2, 1, 1.6449340668482264],
    [3.5, 12, 0.0008894529418800161],
    [20, 1.5, 0.00030073966816718435],
    [4, -2.5, 32.4579793698646],
    [3, -100.25, -62.01250410345885],
  ],
  polygamma: [
    [1, 0.3, 12.245364546107732],
    [1, -4.75, 19.549301390239464],
    [2, 7.5, -0.020305252536644666],
    [3, -0.25, 1555.7633125348507],
    [5, 100, 2.460599944011996e-9],
  ],
};

/** Relative to the value, or for functions that oscillate to their size. */
const near = (ours: number, exact: number, name: string): void => {
  const slack = /bessel[JY]|airy/.test(name) ? 2e-14 * Math.max(Math.abs(exact), 0.1) : 3e-13 * Math.abs(exact);
  expect(Math.abs(ours - exact), `${name}: ${ours}, exactly ${exact}`).toBeLessThanOrEqual(slack);
};

describe.each(Object.entries(ofOne))("%s", (name, rows) => {
  test("has the exact values in float64", () => {
    const ours = call(
      name,
      tensor(
        rows.map(([x]) => x),
        { dtype: "float64" },
      ),
    ).toArray() as number[];
    for (const [k, [, value]] of rows.entries()) near(ours[k] as number, value, name);
  });
  test("is computed in float64 and rounded once in float32", () => {
    const xs = rows.map(([x]) => Math.fround(x));
    const exact = call(name, tensor(xs, { dtype: "float64" })).toArray() as number[];
    expect(call(name, tensor(xs, { dtype: "float32" })).toArray()).toEqual(exact.map(Math.fround));
  });
  test("keeps floats, and makes the default float of integers and bools", () => {
    const kinds: readonly (readonly [DType, DType])[] = [
      ["float64", "float64"],
      ["float16", "float16"],
      ["bfloat16", "bfloat16"],
      ["int64", "float32"],
      ["uint8", "float32"],
      ["bool", "float32"],
    ];
    for (const [from, to] of kinds) {
      const x = from === "bool" ? tensor([true]) : tensor([1], { dtype: from });
      const result = call(name, x);
      expect(result.dtype, from).toBe(to);
      const slack = from === "bfloat16" ? 0.01 : 0.001;
      const wide = valueOf(call(name, tensor([1], { dtype: "float64" })));
      if (Number.isFinite(wide))
        expect(Math.abs(valueOf(result) - wide)).toBeLessThanOrEqual(slack * Math.abs(wide) + 1e-12);
      else expect(valueOf(result)).toBe(wide);
    }
  });
  test("gives NaN for NaN, and refuses complex numbers", () => {
    expect(valueOf(call(name, tensor([NaN])))).toBeNaN();
    expect(() => call(name, tensor([{ re: 1, im: 1 }]))).toThrow(DTypeError);
  });
});

describe.each(Object.entries(ofTwo))("%s", (name, rows) => {
  test("has the exact values in float64", () => {
    for (const [a, b, value] of rows) {
      const order = name === "polygamma" ? a : tensor([a], { dtype: "float64" });
      near(valueOf(call(name, order, tensor([b], { dtype: "float64" }))), value, `${name}(${a}, ${b})`);
    }
  });
});

const { POSITIVE_INFINITY: inf, NaN: nan } = Number;
test.each([
  ["lgamma", [0, -0, -1, -50, inf, -inf, 1, 2], [inf, inf, inf, inf, inf, inf, 0, 0]],
  ["lgamma", [-1e300, 1e306, 5e-324], [inf, inf, 744.4400719213812]],
  ["digamma", [0, -0, -1, -2, inf, -inf], [-inf, inf, nan, nan, inf, nan]],
  ["erfinv", [1, -1, 1.5, -2, 0, -0], [inf, -inf, nan, nan, 0, -0]],
  ["ndtri", [0, 1, 0.5, -0.1, 1.1], [-inf, inf, 0, nan, nan]],
  ["erfcx", [inf, -inf, -30, 0], [0, inf, inf, 1]],
  ["ndtr", [-inf, inf, 0], [0, 1, 0.5]],
  ["logNdtr", [inf, -inf], [0, -inf]],
  ["entr", [0, -1, inf], [0, -inf, -inf]],
  ["i0", [0, inf, -inf], [1, inf, inf]],
  ["i1", [0, -0, inf, -inf], [0, -0, inf, -inf]],
  ["i0e", [0, inf], [1, 0]],
  ["modifiedBesselK0", [0, -1, inf], [inf, nan, 0]],
  ["modifiedBesselK1", [0, -1, inf], [inf, nan, 0]],
  ["scaledModifiedBesselK1", [0, -1], [inf, nan]],
  ["besselJ0", [0], [1]],
  ["besselJ1", [0], [0]],
  ["besselY0", [0, -1], [-inf, nan]],
  ["besselY1", [0, -1], [-inf, nan]],
  ["sphericalBesselJ0", [0, inf], [1, 0]],
  ["airyAi", [inf, -inf], [nan, nan]],
])("%s has its special values at %j", (name, xs, values) => {
  const ours = call(name, tensor(xs, { dtype: "float64" })).toArray() as number[];
  expect(ours.map((value, k) => (Math.abs(value - (values[k] as number)) < 1e-12 ? values[k] : value))).toEqual(values);
});

test("igamma and igammac have their special values", () => {
  const rows: readonly (readonly [number, number, number])[] = [
    [-1, 1, nan],
    [1, -1, nan],
    [0, 0, nan],
    [inf, inf, nan],
    [0, 2, 1],
    [2, 0, 0],
    [inf, 2, 0],
    [2, inf, 1],
    [nan, 1, nan],
  ];
  for (const [a, x, lower] of rows) {
    expect(valueOf(call("igamma", tensor([a]), tensor([x])))).toBe(lower);
    expect(valueOf(call("igammac", tensor([a]), tensor([x])))).toBe(1 - lower);
  }
});

test("zeta and polygamma have their poles", () => {
  const zeta = (s: number, q: number): number => valueOf(call("zeta", tensor([s]), q));
  expect([zeta(1, 2), zeta(0.5, 2), zeta(2, 0), zeta(2, -3), zeta(2.5, -3.5)]).toEqual([inf, nan, inf, inf, nan]);
  expect(call("polygamma", 2, tensor([0, -1])).toArray()).toEqual([-inf, -inf]);
  expect(call("polygamma", 0, tensor([1])).toArray()).toEqual(call("digamma", tensor([1])).toArray());
});

test("polygamma takes the order first as a function, and last as a method's function does", () => {
  const x = tensor([0.5, 2]);
  expect(call("polygamma", x, 1).toArray()).toEqual(call("polygamma", 1, x).toArray());
  expect(() => call("polygamma", -1, x)).toThrow("n must be a non-negative integer, got -1");
});

test("mvlgamma is a sum of lgamma", () => {
  const x = tensor([2.5, 4], { dtype: "float64" });
  for (const p of [1, 3]) {
    const sums = [2.5, 4].map((value) => {
      const parts = Array.from({ length: p }, (_, j) =>
        valueOf(call("lgamma", tensor([value - j / 2], { dtype: "float64" }))),
      );
      return parts.reduce((a, b) => a + b, (p * (p - 1) * Math.log(Math.PI)) / 4);
    });
    const ours = call("mvlgamma", x, p).toArray() as number[];
    for (const [k, sum] of sums.entries()) expect(ours[k]).toBeCloseTo(sum, 12);
  }
  expect(call("mvlgamma", tensor([3], { dtype: "int64" }), 2).dtype).toBe("float32");
  expect(() => call("mvlgamma", x, 0)).toThrow("p must be a positive integer, got 0");
  expect(() => call("mvlgamma", x, 1e300)).toThrow("p must be at most 1048576, got 1e+300");
});

describe.each(["lgamma", "besselJ0", "igamma", "zeta", "chebyshevPolynomialT", "nextafter"])("%s", (name) => {
  const isBinary = !["lgamma", "besselJ0"].includes(name);
  const more = (dtype: DType): unknown[] => (isBinary ? [tensor([2, 3], { dtype })] : []);

  test("takes views", () => {
    const x = tensor([
      [1.5, 2.5],
      [3.5, 4.5],
    ]);
    const turned = call(name, transpose(x, 0, 1), ...more("float32"));
    const copied = call(
      name,
      tensor([
        [1.5, 3.5],
        [2.5, 4.5],
      ]),
      ...more("float32"),
    );
    expect(turned.toArray()).toEqual(copied.toArray());
  });
  test("writes to out, also to its own operand, and refuses one that does not fit", () => {
    const x = tensor([[1.5, 2.5]]);
    const expected = call(name, x, ...more("float32")).toArray();
    const out = tensor([[0, 0]]);
    expect(call(name, x, ...more("float32"), { out })).toBe(out);
    expect(out.toArray()).toEqual(expected);
    call(name, x, ...more("float32"), { out: x });
    expect(x.toArray()).toEqual(expected);
    expect(() => call(name, x, ...more("float32"), { out: tensor([0, 0, 0]) })).toThrow("cannot hold");
    expect(() => call(name, x, ...more("float32"), { out: tensor([[0, 0]], { dtype: "int32" }) })).toThrow(DTypeError);
  });
  test("gives shape and dtype on the meta device", () => {
    const x = empty([3, 1], { device: "meta", dtype: "float64" });
    const result = call(name, x, ...(isBinary ? [empty([2], { device: "meta", dtype: "float64" })] : []));
    expect([result.device.type, result.dtype, [...result.shape]]).toEqual([
      "meta",
      "float64",
      isBinary ? [3, 2] : [3, 1],
    ]);
  });
  test("takes tensors without elements and without axes", () => {
    const none = tensor([], { dtype: "float64" });
    expect([...call(name, none, ...(isBinary ? [none] : [])).shape]).toEqual([0]);
    const one = tensor(2.5, { dtype: "float64" });
    expect([...call(name, one, ...(isBinary ? [one] : [])).shape]).toEqual([]);
  });
});
