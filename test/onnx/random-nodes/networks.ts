/** Cases of the operators of networks: products, convolutions, pooling, normalization, resampling, recurrence. */
import type { Attributes } from "../../support/onnx-graphs.ts";
import { type CaseMaker, type Draw, floatTypes, shaped } from "./draw.ts";

const since = (d: Draw, from: number) =>
  d.pick([7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23].filter((v) => v >= from));
const wide = ["float32", "float32", "float64", "float16"] as const;

/** Attributes of windows over axes, and sizes that they fit. */
export function windows(
  d: Draw,
  axes: number,
  { pool = false, ceil = false, dilated = true }: { pool?: boolean; ceil?: boolean; dilated?: boolean } = {},
) {
  const kernel = d.list(axes, () => d.int(1, 3));
  const strides = d.list(axes, () => d.int(1, 3));
  const dilations = d.list(axes, () => (dilated ? d.int(1, 2) : 1));
  const sizes = kernel.map((k, a) => dilations[a] * (k - 1) + 1 + d.int(0, 5));
  const limit = (k: number) => (pool ? Math.max(0, kernel[k % axes] - 1) : 2);
  // ONNX Runtime pads too little for SAME with dilated windows of pooling.
  const isDilated = pool && dilations.some((each) => each > 1);
  const auto = d.chance(0.3)
    ? d.pick(isDilated ? ["VALID", "NOTSET"] : ["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"])
    : null;
  const attributes: Attributes = {
    ...(auto === null ? {} : { auto_pad: auto }),
    ...d.some({ strides, ...(dilated ? { dilations } : {}) }),
    ...(auto === null && d.chance(0.6) ? { pads: d.list(2 * axes, (k) => d.int(0, limit(k))) } : {}),
    ...(ceil && d.chance(0.4) ? { ceil_mode: 1 } : {}),
  };
  return { kernel, sizes, attributes };
}

const pool =
  (
    types: readonly ("float32" | "float64" | "float16" | "int8" | "uint8")[],
    more: (d: Draw, version: number) => Attributes,
    { dilatedSince = 99, ceilSince = 99 } = {},
  ): CaseMaker =>
  (d) => {
    const version = since(d, 7);
    const { kernel, sizes, attributes } = windows(d, d.int(1, 3), {
      pool: true,
      ceil: version >= ceilSince,
      dilated: version >= dilatedSince,
    });
    return {
      version,
      attributes: { ...attributes, kernel_shape: kernel, ...more(d, version) },
      inputs: [
        d.tensor(version < 12 && types.length > 3 ? "float32" : d.pick(types), [d.int(1, 2), d.int(1, 3), ...sizes]),
      ],
    };
  };

const norm = (d: Draw) => d.list(d.int(2, 5), () => d.int(1, 4));
const eps = (d: Draw) => d.some({ epsilon: { float: d.pick([1e-5, 1e-3, 0.1]) } });

const softmax: CaseMaker = (d) => {
  const version = since(d, 7);
  const shape = d.shape(1);
  return {
    version,
    attributes: d.some({ axis: version < 11 ? d.int(0, shape.length - 1) : d.axis(shape.length) }),
    inputs: [d.tensor(d.pick(["float32", "float64"]), shape, -9, 9)],
  };
};

/** Two operands of a matrix product. */
export function factors(d: Draw): readonly [number[], number[]] {
  const [m, k, n] = [d.size(), d.int(1, 5), d.size()];
  const batch = d.shape(0, 2);
  const [a, b] = [d.broadcastable(batch), d.chance(0.5) ? batch : d.broadcastable(batch)];
  const left = d.chance(0.12) ? [k] : [...a, m, k];
  const right = d.chance(0.12) ? [k] : [...b, k, n];
  return [left, right];
}

const recurrent =
  (type: "LSTM" | "GRU" | "RNN"): CaseMaker =>
  (d) => {
    const version = since(d, 7);
    const gates = { LSTM: 4, GRU: 3, RNN: 1 }[type];
    const [length, batch, inputs, hidden] = [d.int(1, 4), d.int(1, 3), d.int(1, 4), d.int(1, 4)];
    const direction = d.pick(["forward", "reverse", "bidirectional"]);
    const ways = direction === "bidirectional" ? 2 : 1;
    const layout = version >= 14 && d.chance(0.0) ? 1 : 0;
    const f = (shape: number[]) => d.tensor("float32", shape, -1, 1);
    const names = [
      "Relu",
      "Tanh",
      "Sigmoid",
      "Affine",
      "LeakyRelu",
      "ThresholdedRelu",
      "ScaledTanh",
      "HardSigmoid",
      "Elu",
      "Softsign",
      "Softplus",
    ];
    const each = { LSTM: 3, GRU: 2, RNN: 1 }[type];
    const plain = names.filter(
      (name) => !["Affine", "ScaledTanh", "Elu", "ThresholdedRelu", "LeakyRelu", "HardSigmoid"].includes(name),
    );
    // ONNX Runtime clips neither what peepholes add nor the input of the last activation of an LSTM.
    const activations = d.list(each * ways, () => d.pick(plain));
    return {
      version,
      attributes: {
        hidden_size: hidden,
        ...(direction === "forward" && d.chance(0.5) ? {} : { direction }),
        ...(layout === 0 ? {} : { layout }),
        ...d.some({ activations, ...(type === "LSTM" ? {} : { clip: { float: d.real(0.2, 3) } }) }),
        ...(type === "GRU" ? d.some({ linear_before_reset: d.int(0, 1) }) : {}),
        ...(type === "LSTM" ? d.some({ input_forget: d.int(0, 1) }) : {}),
      },
      inputs: [
        f([length, batch, inputs]),
        f([ways, gates * hidden, inputs]),
        f([ways, gates * hidden, hidden]),
        d.maybe(() => f([ways, 2 * gates * hidden])),
        d.maybe(() => d.tensor("int32", [batch], 1, length)),
        d.maybe(() => f([ways, batch, hidden])),
        ...(type === "LSTM" ? [d.maybe(() => f([ways, batch, hidden])), d.maybe(() => f([ways, 3 * hidden]))] : []),
      ],
      outputs: type === "LSTM" ? 3 : 2,
    };
  };

export const networkCases: Readonly<Record<string, CaseMaker>> = {
  MatMul: (d) => {
    const [a, b] = factors(d);
    const dtype = d.pick([...floatTypes, "int32", "int64", "uint32"] as const);
    return { version: since(d, 9), inputs: [d.tensor(dtype, a, 0, 4), d.tensor(dtype, b, 0, 4)] };
  },
  Gemm: (d) => {
    const version = since(d, 7);
    const [m, k, n] = [d.int(1, 5), d.int(1, 5), d.int(1, 5)];
    const [transA, transB] = [d.int(0, 1), d.int(0, 1)];
    const dtype = d.pick(wide);
    const c = d.pick([[m, n], [1, n], [m, 1], [n], [], [1]]);
    return {
      version,
      attributes: {
        ...d.some({ alpha: { float: d.real(-2, 2) }, beta: { float: d.pick([0, 0.5, 2]) } }),
        transA,
        transB,
      },
      inputs: [
        d.tensor(dtype, transA ? [k, m] : [m, k]),
        d.tensor(dtype, transB ? [n, k] : [k, n]),
        version < 11 ? d.tensor(dtype, c) : d.maybe(() => d.tensor(dtype, c)),
      ],
    };
  },
  Einsum: (d) => {
    const sizes: Record<string, number> = { i: d.int(1, 3), j: d.int(1, 4), k: d.int(1, 3), b: d.int(1, 3) };
    const equation = d.pick([
      "ij,jk->ik",
      "ij->ji",
      "bij,bjk->bik",
      "ij,ij->",
      "i,j->ij",
      "...ij,...jk->...ik",
      "ii->i",
      "ij,jk",
      "bij->b",
      "...i->i",
      "bij, bkj -> bik",
      "ij,kj->ki",
      "...ij->...ji",
    ]);
    const dtype = d.pick(["float32", "float64", "int32", "int64"] as const);
    const terms = equation.replaceAll(" ", "").split("->")[0].split(",");
    return {
      version: since(d, 12),
      attributes: { equation },
      inputs: terms.map((term) =>
        d.tensor(dtype, [
          ...(term.startsWith("...") ? [2, 3] : []),
          ...[...term.replace("...", "")].map((c) => sizes[c]),
        ]),
      ),
    };
  },
  Det: (d) => {
    const n = d.int(1, 4);
    return { version: since(d, 11), inputs: [d.tensor("float32", [...d.shape(0, 2), n, n])] };
  },
  Conv: (d) => {
    const group = d.int(1, 3);
    const [channels, filters] = [group * d.int(1, 3), group * d.int(1, 3)];
    const { kernel, sizes, attributes } = windows(d, d.int(1, 3));
    const dtype = d.pick(["float32", "float32", "float32", "float64", "float16"] as const);
    return {
      version: since(d, 7),
      attributes: {
        ...attributes,
        ...(group > 1 || d.chance(0.3) ? { group } : {}),
        ...d.some({ kernel_shape: kernel }),
      },
      inputs: [
        d.tensor(dtype, [d.chance(0.05) ? 0 : d.int(1, 2), channels, ...sizes]),
        d.tensor(dtype, [filters, channels / group, ...kernel]),
        d.maybe(() => d.tensor(dtype, [filters])),
      ],
    };
  },
  ConvTranspose: (d) => {
    const group = d.int(1, 2);
    const [channels, filters] = [group * d.int(1, 2), d.int(1, 3)];
    const axes = d.int(1, 2);
    const { kernel, sizes, attributes } = windows(d, axes, { pool: true });
    const strides = (attributes as { strides?: number[] }).strides ?? d.list(axes, () => 1);
    const dilations = (attributes as { dilations?: number[] }).dilations ?? d.list(axes, () => 1);
    const more: Attributes = {
      ...(d.chance(0.3) ? { output_padding: strides.map((s, a) => d.int(0, Math.max(s, dilations[a]) - 1)) } : {}),
      ...(d.chance(0.3) && !("pads" in attributes)
        ? {
            output_shape: sizes.map((s, a) =>
              Math.max(1, (s - 1) * strides[a] + dilations[a] * (kernel[a] - 1) + 1 - d.int(0, 2)),
            ),
          }
        : {}),
    };
    return {
      version: since(d, 7),
      attributes: { ...attributes, ...more, ...(group > 1 ? { group } : {}) },
      inputs: [
        d.tensor("float32", [d.int(1, 2), channels, ...sizes]),
        d.tensor("float32", [channels, filters, ...kernel]),
        d.maybe(() => d.tensor("float32", [filters * group])),
      ],
    };
  },
  MaxPool: (d) => {
    const made = pool(["float32", "float64", "float16", "int8", "uint8"], () => ({}), {
      dilatedSince: 10,
      ceilSince: 10,
    })(d);
    const outputs = made.version >= 8 && (made.inputs[0] as { dtype: string }).dtype !== "float16" ? d.int(1, 2) : 1;
    return {
      ...made,
      outputs,
      attributes: { ...made.attributes, ...(outputs === 2 ? d.some({ storage_order: d.int(0, 1) }) : {}) },
    };
  },
  AveragePool: pool(["float32", "float32", "float16"], (d) => d.some({ count_include_pad: d.int(0, 1) }), {
    dilatedSince: 19,
    ceilSince: 10,
  }),
  LpPool: pool(["float32"], (d) => d.some({ p: d.int(1, 3) }), { dilatedSince: 18, ceilSince: 18 }),
  GlobalMaxPool: (d) => ({
    version: since(d, 7),
    inputs: [
      d.tensor(
        d.pick(wide),
        d.list(d.int(3, 5), () => d.int(1, 4)),
      ),
    ],
  }),
  GlobalAveragePool: (d) => ({
    version: since(d, 7),
    inputs: [
      d.tensor(
        d.pick(wide),
        d.list(d.int(3, 5), () => d.int(1, 4)),
      ),
    ],
  }),
  GlobalLpPool: (d) => ({
    version: since(d, 7),
    attributes: d.some({ p: d.int(1, 3) }),
    inputs: [
      d.tensor(
        "float32",
        d.list(d.int(3, 5), () => d.int(1, 4)),
      ),
    ],
  }),
  BatchNormalization: (d) => {
    const version = since(d, 7);
    const shape = d.chance(0.1) ? [d.int(1, 3), d.int(1, 3)] : norm(d);
    const dtype = d.pick(["float32", "float64", "float16"] as const);
    const c = [shape[1]];
    return {
      version,
      attributes: { ...eps(d), ...(version >= 14 && d.chance(0.2) ? { training_mode: 0 } : {}) },
      inputs: [
        d.tensor(dtype, shape),
        d.tensor(dtype, c),
        d.tensor(dtype, c),
        d.tensor(dtype, c),
        d.tensor(dtype, c, 0.1, 2),
      ],
    };
  },
  InstanceNormalization: (d) => {
    const shape = d.list(d.int(3, 5), () => d.int(2, 4));
    return {
      version: since(d, 7),
      attributes: eps(d),
      inputs: [d.tensor("float32", shape), d.tensor("float32", [shape[1]]), d.tensor("float32", [shape[1]])],
    };
  },
  LayerNormalization: (d) => {
    const shape = d.list(d.int(1, 5), () => d.int(1, 4));
    const axis = d.axis(shape.length);
    const rest = shape.slice(axis);
    const dtype = d.pick(["float32", "float64", "float16"] as const);
    return {
      version: since(d, 17),
      attributes: { axis, ...eps(d) },
      inputs: [d.tensor(dtype, shape), d.tensor(dtype, rest), d.maybe(() => d.tensor(dtype, rest))],
      outputs: dtype === "float16" ? 1 : d.int(1, 3),
      weights: [],
    };
  },
  RMSNormalization: (d) => {
    const shape = d.list(d.int(1, 5), () => d.int(1, 4));
    const axis = d.axis(shape.length);
    return {
      version: 23,
      attributes: { axis, ...eps(d) },
      inputs: [d.tensor("float32", shape), d.tensor("float32", shape.slice(axis))],
    };
  },
  GroupNormalization: (d) => {
    const version = d.pick([18, 20, 21, 22]);
    const groups = d.int(1, 3);
    const shape = [d.int(1, 2), groups * d.int(1, 3), ...d.list(d.int(1, 3), () => d.int(1, 4))];
    const count = version >= 21 ? shape[1] : groups;
    return {
      version,
      attributes: { num_groups: groups, ...eps(d) },
      inputs: [d.tensor("float32", shape), d.tensor("float32", [count]), d.tensor("float32", [count])],
    };
  },
  LRN: (d) => ({
    version: since(d, 7),
    attributes: {
      size: d.pick([1, 3, 5]),
      ...d.some({
        alpha: { float: d.real(0.001, 1) },
        beta: { float: d.real(0.2, 1) },
        bias: { float: d.real(0.5, 2) },
      }),
    },
    inputs: [
      d.tensor(
        "float32",
        d.list(4, () => d.int(1, 5)),
      ),
    ],
  }),
  MeanVarianceNormalization: (d) => {
    const shape = d.list(4, () => d.int(2, 4));
    return {
      version: since(d, 9),
      attributes: d.some({ axes: d.axes(4, d.int(1, 4)) }),
      inputs: [d.tensor("float32", shape)],
    };
  },
  LpNormalization: (d) => {
    const shape = d.shape(1);
    return {
      version: since(d, 7),
      attributes: d.some({ axis: d.axis(shape.length), p: d.int(1, 2) }),
      inputs: [d.tensor(d.pick(["float32", "float64"]), shape)],
    };
  },
  Softmax: softmax,
  LogSoftmax: softmax,
  Resize: (d) => {
    const version = d.pick([10, 11, 13, 18, 19]);
    const mode = d.pick(version === 10 ? ["nearest", "linear"] : ["nearest", "linear", "cubic"]);
    const isCubic = mode === "cubic";
    const shape = isCubic
      ? [d.int(1, 2), d.int(1, 2), d.int(1, 6), d.int(1, 6)]
      : mode === "linear"
        ? d.pick([
            [1, 2, 4, 5],
            [3, 4],
            [1, 1, 3, 4, 3],
            [2, 1, 5, 2],
          ])
        : d.list(d.int(1, 4), () => d.int(1, 5));
    const isOuter = (k: number) => shape.length >= 4 && mode !== "nearest" && k < 2;
    const scales = shape.map((size, k) =>
      isOuter(k) ? 1 : d.chance(0.2) ? 1 : Math.max(1.1 / size, d.pick([0.5, 0.6, 1.5, 2, 3, 2.6, 0.8])),
    );
    // ONNX Runtime rounds the sizes of crops differently, and aligns corners by whole sizes, unlike the reference.
    const point = d.pick([
      "half_pixel",
      "pytorch_half_pixel",
      "align_corners",
      "asymmetric",
      ...(version >= 19 ? ["half_pixel_symmetric"] : []),
      ...(version < 13 && mode === "nearest" ? ["tf_half_pixel_for_nn"] : []),
      "tf_crop_and_resize",
    ]);
    const isCrop = point === "tf_crop_and_resize";
    const byScale = version === 10 || (d.chance(0.5) && !isCrop && point !== "align_corners");
    const sizes = shape.map((size, k) => (isOuter(k) ? size : d.int(1, 8)));
    const x = d.tensor(d.pick(["float32", "float32", "uint8", "int8"]), shape, 0, 100);
    const floats = (list: number[]) => shaped(list, "float32", [list.length]);
    if (version === 10) return { version, attributes: { mode }, inputs: [x, floats(scales)], weights: [1] };
    const roi = isCrop
      ? floats([
          ...shape.map((_, k) => (isOuter(k) ? 0 : d.real(0, 0.4))),
          ...shape.map((_, k) => (isOuter(k) ? 1 : d.real(0.6, 1.2))),
        ])
      : null;
    return {
      version,
      attributes: {
        mode,
        coordinate_transformation_mode: point,
        ...(mode === "nearest"
          ? d.some({ nearest_mode: d.pick(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]) })
          : {}),
        ...(isCubic ? d.some({ cubic_coeff_a: { float: d.pick([-0.5, -0.75]) }, exclude_outside: d.int(0, 1) }) : {}),
        ...(isCrop ? d.some({ extrapolation_value: { float: 7 } }) : {}),
        ...(version >= 18 && mode !== "nearest" && !isCrop ? d.some({ antialias: d.int(0, 1) }) : {}),
      },
      inputs: [x, roi, byScale ? floats(scales) : null, ...(byScale ? [] : [d.longs(sizes)])],
      weights: [1, 2, 3],
      slack: x.dtype === "float32" ? 1e-3 : 1,
    };
  },
  Upsample: (d) => {
    const mode = d.pick(["nearest", "linear"]);
    const shape = d.list(4, () => d.int(1, 4));
    const scales = shape.map((_, k) => (k < 2 ? 1 : d.pick([1, 2, 3, 1.5])));
    const x = d.tensor("float32", shape);
    return d.chance(0.5)
      ? { version: d.pick([7, 8]), attributes: { mode, scales: { floats: scales } }, inputs: [x] }
      : { version: 9, attributes: { mode }, inputs: [x, shaped(scales, "float32", [4])] };
  },
  GridSample: (d) => {
    const version = d.pick([16, 20, 22]);
    const axes = version >= 20 ? d.int(2, 3) : 2;
    const sizes = d.list(axes, () => d.int(1, 5));
    const n = d.int(1, 2);
    const modes =
      version >= 20
        ? axes === 3
          ? ["linear", "nearest"]
          : ["linear", "nearest", "cubic"]
        : ["bilinear", "nearest", "bicubic"];
    return {
      version,
      attributes: d.some({
        mode: d.pick(modes),
        padding_mode: d.pick(["zeros", "border", "reflection"]),
        align_corners: d.int(0, 1),
      }),
      inputs: [
        d.tensor("float32", [n, d.int(1, 2), ...sizes]),
        d.tensor("float32", [n, ...d.list(axes, () => d.int(1, 4)), axes], -1.4, 1.4),
      ],
    };
  },
  AffineGrid: (d) => {
    const axes = d.int(2, 3);
    const n = d.int(1, 2);
    return {
      version: 20,
      attributes: d.some({ align_corners: d.int(0, 1) }),
      inputs: [d.tensor("float32", [n, axes, axes + 1]), d.longs([n, d.int(1, 3), ...d.list(axes, () => d.int(2, 4))])],
    };
  },
  RoiAlign: (d) => {
    const version = d.pick([10, 16, 22]);
    const rois = d.int(0, 3);
    const n = d.int(1, 2);
    const boxes = d
      .list(rois, () => {
        const [x, y] = [d.real(0, 4), d.real(0, 4)];
        return [x, y, x + d.real(0.5, 5), y + d.real(0.5, 5)];
      })
      .flat();
    return {
      version,
      attributes: {
        ...d.some({
          mode: d.pick(["avg", "max"]),
          output_height: d.int(1, 3),
          output_width: d.int(1, 3),
          sampling_ratio: d.int(0, 3),
          spatial_scale: { float: d.pick([0.5, 1, 2]) },
        }),
        ...(version >= 16
          ? d.some({ coordinate_transformation_mode: d.pick(["half_pixel", "output_half_pixel"]) })
          : {}),
      },
      inputs: [
        d.tensor("float32", [n, d.int(1, 2), d.int(2, 6), d.int(2, 6)]),
        shaped(boxes, "float32", [rois, 4]),
        d.tensor("int64", [rois], 0, n - 1),
      ],
    };
  },
  NonMaxSuppression: (d) => {
    const [n, boxes, classes] = [d.int(1, 2), d.int(1, 6), d.int(1, 3)];
    const scalar = (dtype: "int64" | "float32", value: number) =>
      d.maybe(
        () => (dtype === "int64" ? d.longs([value], d.pick([[], [1]])) : shaped([value], dtype, d.pick([[], [1]]))),
        0.8,
      );
    const list = d
      .list(n * boxes, () => {
        const [x, y] = [d.real(0, 4), d.real(0, 4)];
        return [y, x, y + d.real(0.5, 3), x + d.real(0.5, 3)];
      })
      .flat();
    return {
      version: since(d, 10),
      attributes: d.some({ center_point_box: d.int(0, 1) }),
      inputs: [
        shaped(list, "float32", [n, boxes, 4]),
        d.tensor("float32", [n, classes, boxes], 0, 1),
        scalar("int64", d.int(0, 4)),
        scalar("float32", d.real(0, 1)),
        scalar("float32", d.real(0, 0.6)),
      ],
    };
  },
  LSTM: recurrent("LSTM"),
  GRU: recurrent("GRU"),
  RNN: recurrent("RNN"),
  MaxUnpool: (d) => {
    const [n, c, h, w] = [d.int(1, 2), d.int(1, 2), d.int(1, 3), d.int(1, 3)];
    const count = n * c * h * w;
    const total = n * c * 4 * h * w;
    return {
      version: since(d, 9),
      attributes: { kernel_shape: [2, 2], strides: [2, 2] },
      inputs: [
        d.tensor("float32", [n, c, h, w]),
        shaped(d.shuffled(d.list(total, (k) => BigInt(k))).slice(0, count), "int64", [n, c, h, w]),
      ],
    };
  },
  Col2Im: (d) => {
    const { kernel, sizes, attributes } = windows(d, 2, { pool: true });
    const { pads = [0, 0, 0, 0], strides = [1, 1], dilations = [1, 1] } = attributes as Record<string, number[]>;
    const blocks = sizes.reduce(
      (p, s, a) => p * (Math.floor((s + pads[a] + pads[a + 2] - dilations[a] * (kernel[a] - 1) - 1) / strides[a]) + 1),
      1,
    );
    const { auto_pad, ...rest } = attributes;
    return {
      version: since(d, 18),
      attributes: rest,
      inputs: [
        d.tensor("float32", [d.int(1, 2), d.int(1, 2) * kernel[0] * kernel[1], blocks]),
        d.longs(sizes),
        d.longs(kernel),
      ],
    };
  },
  DFT: (d) => {
    const version = d.pick([17, 18, 20, 21]);
    const shape = [...d.list(d.int(2, 3), () => d.int(1, 6)), 1];
    const isComplex = d.chance(0.5);
    const onesided = isComplex ? 0 : d.int(0, 1);
    const inverse = isComplex ? d.int(0, 1) : 0;
    shape[shape.length - 1] = isComplex ? 2 : 1;
    const axis = d.int(version >= 20 ? -shape.length : 1, shape.length - 2);
    const fixed = axis === -1 ? -2 : axis;
    const x = d.tensor(d.pick(["float32", "float64"]), shape);
    const length = d.maybe(() => d.longs([d.int(1, 7)], []), 0.3);
    if (version < 20)
      return { version, attributes: { onesided, inverse, axis: Math.max(1, fixed) }, inputs: [x, length] };
    return { version, attributes: { onesided, inverse }, inputs: [x, length, d.longs([fixed], [])] };
  },
  STFT: (d) => {
    const length = d.int(3, 6);
    const x = d.tensor("float32", [d.int(1, 2), d.int(8, 15), 1]);
    return {
      version: since(d, 17),
      attributes: d.some({ onesided: d.int(0, 1) }),
      inputs: [x, d.longs([d.int(1, 4)], []), d.maybe(() => d.tensor("float32", [length])), d.longs([length], [])],
    };
  },
  HannWindow: (d) => ({
    version: since(d, 17),
    attributes: d.some({ periodic: d.int(0, 1) }),
    inputs: [d.longs([d.int(2, 9)], [])],
  }),
  HammingWindow: (d) => ({
    version: since(d, 17),
    attributes: d.some({ periodic: d.int(0, 1) }),
    inputs: [d.longs([d.int(2, 9)], [])],
  }),
  BlackmanWindow: (d) => ({
    version: since(d, 17),
    attributes: d.some({ periodic: d.int(0, 1) }),
    inputs: [d.longs([d.int(2, 9)], [])],
  }),
  MelWeightMatrix: (d) => {
    const one = (v: number) => d.longs([v], []);
    return {
      version: since(d, 17),
      inputs: [
        one(d.int(2, 6)),
        one(d.pick([16, 32])),
        one(8000),
        shaped([d.real(0, 100)], "float32", []),
        shaped([d.real(3000, 4000)], "float32", []),
      ],
    };
  },
  SoftmaxCrossEntropyLoss: (d) => loss(d, 2),
  NegativeLogLikelihoodLoss: (d) => loss(d, 1),
  Dropout: (d) => {
    const version = since(d, 7);
    return { version, inputs: [d.tensor("float32", d.shape())], outputs: version < 12 ? 1 : d.int(1, 2) };
  },
  StringNormalizer: (d) => ({
    version: 10,
    attributes: d.some({
      case_change_action: d.pick(["LOWER", "UPPER", "NONE"]),
      is_case_sensitive: d.int(0, 1),
      stopwords: ["a", "B"],
    }),
    inputs: [d.texts([d.int(1, 5)], ["a", "B", "b", "Monday", "x y"])],
  }),
  Attention: (d) => {
    const [b, h, q, k, size, v] = [
      d.int(1, 2),
      d.pick([2, 4]),
      d.int(1, 4),
      d.int(1, 4),
      d.pick([2, 4]),
      d.pick([2, 4]),
    ];
    const groups = d.pick([1, 2, h]);
    const is4 = d.chance(0.5);
    const f = (s: number[]) => d.tensor("float32", s, -1, 1);
    const make = (heads: number, length: number, each: number) =>
      is4 ? f([b, heads, length, each]) : f([b, length, heads * each]);
    const causal = d.chance(0.3);
    return {
      version: d.pick([23, 24]),
      attributes: {
        ...(is4 ? {} : { q_num_heads: h, kv_num_heads: groups }),
        ...d.some({ scale: { float: d.real(0.2, 1) }, softcap: { float: d.pick([0, 2]) } }),
        ...(causal ? { is_causal: 1 } : {}),
      },
      inputs: [
        make(h, q, size),
        make(groups, k, size),
        make(groups, k, v),
        d.maybe(() =>
          d.chance(0.5)
            ? f(
                d.pick([
                  [q, k],
                  [b, 1, q, k],
                  [b, h, q, k],
                ]),
              )
            : d.tensor(
                "bool",
                d.pick([
                  [q, k],
                  [1, h, q, k],
                ]),
              ),
        ),
      ],
    };
  },
  RotaryEmbedding: (d) => {
    const [b, h, s, size] = [d.int(1, 2), d.int(1, 3), d.int(1, 4), d.pick([4, 8])];
    const part = d.chance(0.3) ? size / 2 : 0;
    const half = (part || size) / 2;
    const f = (shape: number[]) => d.tensor("float32", shape, -1, 1);
    const by = d.chance(0.5);
    const is4 = d.chance(0.5);
    return {
      version: 23,
      attributes: {
        ...d.some({ interleaved: d.int(0, 1) }),
        ...(part ? { rotary_embedding_dim: part } : {}),
        ...(is4 && !part ? {} : { num_heads: h }),
      },
      inputs: [
        is4 ? f([b, h, s, size]) : f([b, s, h * size]),
        f(by ? [9, half] : [b, s, half]),
        f(by ? [9, half] : [b, s, half]),
        by ? d.tensor("int64", [b, s], 0, 8) : null,
      ],
    };
  },
};

function loss(d: Draw, outputs: number) {
  const classes = d.int(1, 4);
  const shape = [d.int(1, 3), classes, ...d.list(d.int(0, 2), () => d.int(1, 3))];
  const ignore = d.maybe(() => d.int(0, classes - 1), 0.3);
  return {
    version: d.pick([12, 13, 14]),
    attributes: {
      ...d.some({ reduction: d.pick(["none", "mean", "sum"]) }),
      ...(ignore === null || classes === 1 ? {} : { ignore_index: ignore }),
    },
    inputs: [
      d.tensor("float32", shape),
      d.tensor("int64", shape.toSpliced(1, 1), 0, classes - 1),
      d.maybe(() => d.tensor("float32", [classes], 0.1, 2)),
    ],
    outputs: outputs === 2 ? d.int(1, 2) : 1,
  };
}
