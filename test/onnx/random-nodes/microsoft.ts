/** Cases of the domain com.microsoft. */
import { type CaseMaker, type Draw, shaped } from "./draw.ts";

const f = (d: Draw, shape: readonly number[]) => d.tensor("float32", shape, -1, 1);
const eps = (d: Draw) => d.some({ epsilon: { float: d.pick([1e-5, 1e-3, 0.1]) } });

const skip =
  (centers: boolean): CaseMaker =>
  (d) => {
    const [b, s, h] = [d.int(1, 3), d.int(1, 4), d.int(1, 6)];
    const vector = () => f(d, [h]);
    return {
      version: 17,
      attributes: eps(d),
      inputs: [
        f(d, [b, s, h]),
        f(
          d,
          d.pick([
            [b, s, h],
            [1, s, h],
            [s, h],
          ]),
        ),
        vector(),
        ...(centers ? [d.maybe(vector)] : []),
        d.maybe(vector),
      ],
      outputs: centers ? d.pick([1, 4]) : 1,
    };
  };

const matmul: CaseMaker = (d) => {
  const [m, k, n] = [d.int(1, 4), d.int(1, 5), d.int(1, 4)];
  const [transA, transB] = [d.int(0, 1), d.int(0, 1)];
  const batch = d.shape(0, 2).map((s) => s || 1);
  return {
    version: 17,
    attributes: { transA, transB, ...d.some({ alpha: { float: d.real(-2, 2) } }) },
    inputs: [f(d, [...batch, ...(transA ? [k, m] : [m, k])]), f(d, [...batch, ...(transB ? [n, k] : [k, n])])],
  };
};

export const microsoftCases: Readonly<Record<string, CaseMaker>> = {
  "com.microsoft.Gelu": (d) => ({ version: 17, inputs: [d.tensor("float32", d.shape())] }),
  "com.microsoft.QuickGelu": (d) => ({
    version: 17,
    attributes: d.some({ alpha: { float: d.real(0.5, 2) } }),
    inputs: [d.tensor("float32", d.shape())],
  }),
  "com.microsoft.FastGelu": (d) => {
    const shape = d.shape(1);
    return { version: 17, inputs: [d.tensor("float32", shape), d.maybe(() => f(d, shape.slice(-1)))] };
  },
  "com.microsoft.BiasGelu": (d) => {
    const shape = d.shape(1);
    return { version: 17, inputs: [d.tensor("float32", shape), f(d, shape.slice(-1))] };
  },
  "com.microsoft.SkipLayerNormalization": skip(true),
  "com.microsoft.SkipSimplifiedLayerNormalization": skip(false),
  SimplifiedLayerNormalization: (d) => {
    const shape = d.list(d.int(1, 4), () => d.int(1, 4));
    const axis = d.axis(shape.length);
    return { version: 17, attributes: { axis, ...eps(d) }, inputs: [f(d, shape), f(d, shape.slice(axis))] };
  },
  "com.microsoft.EmbedLayerNormalization": (d) => {
    const [b, s, h] = [d.int(1, 3), d.int(1, 4), d.int(1, 6)];
    const ids = () => d.tensor("int32", [b, s], 0, 4);
    const segments = d.chance(0.5);
    return {
      version: 17,
      attributes: eps(d),
      inputs: [
        ids(),
        segments ? d.tensor("int32", [b, s], 0, 1) : null,
        f(d, [5, h]),
        f(d, [6, h]),
        segments ? f(d, [2, h]) : null,
        f(d, [h]),
        f(d, [h]),
        d.maybe(() => d.tensor("int32", [b, s], 0, 1)),
      ],
      outputs: 2,
    };
  },
  "com.microsoft.FusedMatMul": matmul,
  "com.microsoft.TransposeMatMul": matmul,
  "com.microsoft.FusedGemm": (d) => {
    const [m, k, n] = [d.int(1, 4), d.int(1, 5), d.int(1, 4)];
    const [transA, transB] = [d.int(0, 1), d.int(0, 1)];
    const activation = d.pick(["Relu", "Sigmoid", "Tanh", "LeakyRelu"]);
    return {
      version: 17,
      attributes: {
        transA,
        transB,
        activation,
        ...(activation === "LeakyRelu" ? { activation_alpha: { float: 0.2 } } : {}),
        ...d.some({ alpha: { float: d.real(-2, 2) }, beta: { float: d.real(-2, 2) } }),
      },
      inputs: [
        f(d, transA ? [k, m] : [m, k]),
        f(d, transB ? [n, k] : [k, n]),
        d.maybe(() => f(d, d.pick([[n], [m, n], [1]]))),
      ],
    };
  },
  "com.microsoft.FusedConv": (d) => {
    const [c, o] = [d.int(1, 3), d.int(1, 3)];
    const activation = d.pick(["Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid"]);
    const parameters = { LeakyRelu: [0.1], Clip: [-0.5, 0.7], HardSigmoid: [0.3, 0.4] }[activation];
    const has4 = d.chance(0.3);
    return {
      version: 17,
      attributes: {
        activation,
        pads: [1, 1, 1, 1],
        kernel_shape: [3, 3],
        ...(parameters === undefined ? {} : { activation_params: { floats: parameters } }),
      },
      inputs: [f(d, [1, c, 4, 5]), f(d, [o, c, 3, 3]), d.maybe(() => f(d, [o])), has4 ? f(d, [1, o, 4, 5]) : null],
    };
  },
  "com.microsoft.Inverse": (d) => {
    const n = d.int(1, 4);
    const batch = d.shape(0, 1).map((s) => s || 1);
    const x = f(d, [...batch, n, n]);
    const eye = shaped(
      d.list(n * n, (k) => (k % (n + 1) === 0 ? 6 : 0)),
      "float32",
      [n, n],
    );
    return { version: 17, inputs: [x.add(eye) as typeof x] };
  },
  "com.microsoft.ExpandDims": (d) => {
    const shape = d.shape(0, 4);
    return { version: 17, inputs: [f(d, shape), shaped([d.axis(shape.length + 1)], "int32", [])], weights: [1] };
  },
  "com.microsoft.Unique": (d) => ({
    version: 17,
    inputs: [d.tensor("float32", [d.int(0, 8)], -2, 2).round() as never],
    outputs: 3,
  }),
  "com.microsoft.Trilu": (d) => ({
    version: 17,
    attributes: d.some({ upper: d.int(0, 1) }),
    inputs: [d.tensor(d.pick(["float32", "int64", "bool"]), d.shape(2)), d.maybe(() => d.longs([d.int(-6, 6)], []))],
  }),
  "com.microsoft.Range": (d) => {
    const dtype = d.pick(["float32", "float64", "int16", "int32", "int64"] as const);
    const one = (low: number, high: number) => d.tensor(dtype, [], low, high);
    return {
      version: 17,
      inputs: [one(-9, 9), one(-9, 9), d.maybe(() => one(1, 3).mul(d.pick([1, -1])) as never)],
      weights: d.pick([[], [0, 1, 2]]),
    };
  },
  "com.microsoft.Pad": (d) => {
    const shape = d.list(d.int(1, 4), () => d.int(2, 4));
    return {
      version: 17,
      attributes: d.some({ mode: d.pick(["constant", "reflect", "edge"]) }),
      inputs: [
        f(d, shape),
        d.longs(
          d.list(2 * shape.length, () => d.int(0, 1)),
          d.chance(0.5) ? [2 * shape.length] : [1, 2 * shape.length],
        ),
        d.maybe(() => f(d, [1])),
      ],
    };
  },
  "com.microsoft.Attention": (d) => {
    const [b, s, h, size] = [d.int(1, 2), d.int(1, 4), d.pick([1, 2]), d.pick([2, 4])];
    const width = d.pick([3, h * size]);
    const mask = d.pick(["none", "key", "matrix", "lengths"]);
    const causal = d.chance(0.3);
    return {
      version: 17,
      attributes: {
        num_heads: h,
        ...(causal ? { unidirectional: 1 } : {}),
        ...d.some({ scale: { float: d.real(0.2, 1) } }),
      },
      inputs: [
        f(d, [b, s, width]),
        f(d, [width, 3 * h * size]),
        d.maybe(() => f(d, [3 * h * size]), 0.8),
        mask === "none"
          ? null
          : mask === "key"
            ? d.tensor("int32", [b, s], 0, 1)
            : mask === "lengths"
              ? d.tensor("int32", [b], 1, s)
              : d.tensor("int32", [b, s, s], 0, 1),
      ],
    };
  },
  "com.microsoft.MultiHeadAttention": (d) => {
    const [b, s, k, h, size] = [d.int(1, 2), d.int(1, 4), d.int(1, 4), d.pick([1, 2]), d.pick([2, 4])];
    const width = h * size;
    const mask = d.pick(["none", "key", "lengths"]);
    return {
      version: 17,
      attributes: { num_heads: h, ...d.some({ scale: { float: d.real(0.2, 1) } }) },
      inputs: [
        f(d, [b, s, width]),
        f(d, [b, k, width]),
        f(d, [b, k, width]),
        d.maybe(() => f(d, [3 * width]), 0.4),
        mask === "none" ? null : mask === "key" ? d.tensor("int32", [b, k], 0, 1) : d.tensor("int32", [b], 1, k),
        d.maybe(() => f(d, [d.pick([1, b]), h, s, k]), 0.4),
      ],
    };
  },
  "com.microsoft.GroupQueryAttention": (d) => {
    const [b, s, groups, size] = [d.int(1, 2), d.int(1, 4), d.pick([1, 2]), 8];
    const h = groups * d.int(1, 2);
    const past = d.int(0, 3);
    const rotary = d.chance(0.4);
    const total = past + s;
    return {
      version: 17,
      attributes: {
        num_heads: h,
        kv_num_heads: groups,
        ...(rotary ? { do_rotary: 1 } : {}),
        ...d.some({
          scale: { float: d.real(0.2, 1) },
          softcap: { float: d.pick([0, 3]) },
          local_window_size: d.pick([-1, 2]),
        }),
      },
      inputs: [
        f(d, [b, s, h * size]),
        f(d, [b, s, groups * size]),
        f(d, [b, s, groups * size]),
        f(d, [b, groups, past, size]),
        f(d, [b, groups, past, size]),
        shaped(
          d.list(b, () => total - 1),
          "int32",
          [b],
        ),
        shaped([total], "int32", []),
        ...(rotary ? [f(d, [16, size / 2]), f(d, [16, size / 2])] : []),
      ],
      outputs: 3,
    };
  },
  "com.microsoft.RotaryEmbedding": (d) => {
    const [b, h, s, size] = [d.int(1, 2), d.int(1, 3), d.int(1, 4), d.pick([4, 8])];
    const byRow = d.chance(0.5);
    return {
      version: 17,
      attributes: d.some({ interleaved: d.int(0, 1) }),
      inputs: [
        d.chance(0.5) ? f(d, [b, s, h * size]) : f(d, [b, h, s, size]),
        byRow ? d.tensor("int64", [b, s], 0, 8) : d.longs([d.int(0, 3)]),
        f(d, [12, size / 2]),
        f(d, [12, size / 2]),
      ],
    };
  },
  "com.microsoft.QAttention": (d) => {
    const [b, s, h, size] = [d.int(1, 2), d.int(1, 4), d.pick([1, 2]), d.pick([2, 4])];
    const width = h * size;
    const tb = d.pick(["int8", "uint8"] as const);
    const scale = () => d.tensor("float32", [], 0.001, 0.01);
    return {
      version: 17,
      attributes: { num_heads: h, ...(d.chance(0.3) ? { unidirectional: 1 } : {}) },
      inputs: [
        d.tensor("uint8", [b, s, width], 0, 255),
        d.tensor(tb, [width, 3 * width], -128, 255),
        f(d, [3 * width]),
        scale(),
        scale(),
        d.maybe(() => d.tensor("int32", [b, s], 0, 1)),
        d.tensor("uint8", [], 0, 255),
        d.tensor(tb, [], -128, 255),
      ],
    };
  },
};
