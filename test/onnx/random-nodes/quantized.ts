/** Cases of quantized operators. */
import { type CaseMaker, type Draw, shaped } from "./draw.ts";
import { factors, windows } from "./networks.ts";

const scale = (d: Draw, shape: number[] = []) => d.tensor("float32", shape, 0.01, 0.1);
const bytes = ["int8", "uint8"] as const;
const scalarShape = (d: Draw): number[] => d.pick([[], [1]]);

/** A quantized tensor with its scale and zero point, as three inputs. */
const quantized = (d: Draw, shape: number[], dtype: "int8" | "uint8" = d.pick(bytes)) =>
  [d.tensor(dtype, shape, -128, 255), scale(d), d.tensor(dtype, [], -128, 255)] as const;

/** ONNX Runtime ends in a crash for tensors without elements. */
const filled = (shape: readonly number[]): number[] => shape.map((size) => size || 1);

const qbinary: CaseMaker = (d) => {
  const shape = filled(d.shape());
  const dtype = d.pick(bytes);
  return {
    version: 17,
    inputs: [
      ...quantized(d, shape, dtype),
      ...quantized(d, d.broadcastable(shape), dtype),
      scale(d),
      d.tensor(dtype, [], -128, 255),
    ],
    slack: 1,
  };
};

const qunary =
  (attributes: (d: Draw) => Record<string, never> | Record<string, { float: number }> = () => ({})): CaseMaker =>
  (d) => {
    const dtype = d.pick(bytes);
    return {
      version: 17,
      attributes: attributes(d),
      inputs: [...quantized(d, filled(d.shape(1)), dtype), scale(d), d.tensor(dtype, [], -128, 255)],
      slack: 1,
    };
  };

export const quantizedCases: Readonly<Record<string, CaseMaker>> = {
  QuantizeLinear: (d) => {
    const version = d.pick([10, 13, 19, 21]);
    const shape = d.list(d.int(1, 4), () => d.int(1, 5));
    const axis = d.axis(shape.length);
    const mode = d.pick(version < 13 ? ["scalar"] : version < 21 ? ["scalar", "axis"] : ["scalar", "axis", "block"]);
    const block = d.int(1, 3);
    const size = shape.at(axis) as number;
    const form = mode === "scalar" ? [] : mode === "axis" ? [size] : shape.with(axis, Math.ceil(size / block));
    const dtype = d.pick(version >= 21 ? ([...bytes, "int16", "uint16"] as const) : bytes);
    const zero = d.maybe(() => d.tensor(dtype, form, -100, 200), 0.8);
    return {
      version,
      attributes: { ...(mode === "scalar" ? {} : { axis }), ...(mode === "block" ? { block_size: block } : {}) },
      inputs: [d.tensor("float32", shape, -9, 9), scale(d, form), zero],
    };
  },
  DequantizeLinear: (d) => {
    const version = d.pick([10, 13, 19, 21]);
    const shape = d.list(d.int(1, 4), () => d.int(1, 5));
    const axis = d.axis(shape.length);
    const mode = d.pick(version < 13 ? ["scalar"] : version < 21 ? ["scalar", "axis"] : ["scalar", "axis", "block"]);
    const block = d.int(1, 3);
    const size = shape.at(axis) as number;
    const form = mode === "scalar" ? [] : mode === "axis" ? [size] : shape.with(axis, Math.ceil(size / block));
    const dtype = d.pick(
      version >= 21 ? ([...bytes, "int16", "uint16", "int32"] as const) : ([...bytes, "int32"] as const),
    );
    const zero = dtype === "int32" ? null : d.maybe(() => d.tensor(dtype, form, -100, 200), 0.8);
    return {
      version,
      attributes: { ...(mode === "scalar" ? {} : { axis }), ...(mode === "block" ? { block_size: block } : {}) },
      inputs: [d.tensor(dtype, shape, -200, 200), scale(d, form), zero],
    };
  },
  DynamicQuantizeLinear: (d) => ({
    version: 11,
    inputs: [
      d.tensor(
        "float32",
        d.shape().map((s) => s || 1),
        d.pick([-9, 0, 2]),
        d.pick([3, 9]),
      ),
    ],
    outputs: 3,
    slack: 1,
  }),
  MatMulInteger: (d) => {
    const [a, b] = factors(d);
    const [ta, tb] = [d.pick(bytes), d.pick(bytes)];
    return {
      version: 10,
      inputs: [
        d.tensor(ta, a, -128, 255),
        d.tensor(tb, b, -128, 255),
        d.maybe(() => d.tensor(ta, [], -128, 255)),
        d.maybe(() => d.tensor(tb, b.length > 1 && d.chance(0.4) ? [b.at(-1) as number] : [], -128, 255)),
      ],
    };
  },
  QLinearMatMul: (d) => {
    const [a, b] = factors(d);
    const dtype = d.pick(bytes);
    return {
      version: d.pick([10, 21]),
      inputs: [...quantized(d, a, dtype), ...quantized(d, b, dtype), scale(d), d.tensor(dtype, [], -128, 255)],
      slack: 1,
    };
  },
  ConvInteger: (d) => {
    const group = d.int(1, 2);
    const [channels, filters] = [group * d.int(1, 3), group * d.int(1, 3)];
    const { kernel, sizes, attributes } = windows(d, 2);
    return {
      version: 10,
      attributes: { ...attributes, group },
      inputs: [
        d.tensor("uint8", [d.int(1, 2), channels, ...sizes], 0, 255),
        d.tensor(d.pick(bytes), [filters, channels / group, ...kernel], -128, 255),
        d.maybe(() => d.tensor("uint8", [], 0, 255)),
      ],
    };
  },
  QLinearConv: (d) => {
    const group = d.int(1, 2);
    const [channels, filters] = [group * d.int(1, 3), group * d.int(1, 3)];
    const { kernel, sizes, attributes } = windows(d, d.int(1, 3));
    const [dtype, weightType] = d.pick([
      ["uint8", "uint8"],
      ["uint8", "int8"],
      ["int8", "int8"],
    ] as const);
    const perChannel = d.chance(0.5);
    return {
      version: 10,
      attributes: { ...attributes, group },
      inputs: [
        ...quantized(d, [d.int(1, 2), channels, ...sizes], dtype),
        d.tensor(weightType, [filters, channels / group, ...kernel], -128, 255),
        scale(d, perChannel ? [filters] : []),
        perChannel
          ? shaped(
              d.list(filters, () => (weightType === "int8" ? 0 : 128)),
              weightType,
              [filters],
            )
          : d.tensor(weightType, [], -128, 255),
        scale(d),
        d.tensor(dtype, [], -128, 255),
        d.maybe(() => d.tensor("int32", [filters], -500, 500)),
      ],
      slack: 1,
    };
  },
  "com.microsoft.QLinearAdd": qbinary,
  "com.microsoft.QLinearMul": qbinary,
  "com.microsoft.QLinearSigmoid": qunary(),
  "com.microsoft.QLinearLeakyRelu": qunary(
    (d) => d.some({ alpha: { float: d.real(0, 1) } }) as Record<string, { float: number }>,
  ),
  "com.microsoft.QLinearGlobalAveragePool": (d) => {
    const last = d.int(0, 1);
    const dtype = d.pick(bytes);
    return {
      version: 17,
      attributes: { channels_last: last },
      inputs: [
        ...quantized(
          d,
          d.list(4, () => d.int(1, 4)),
          dtype,
        ),
        scale(d),
        d.tensor(dtype, [], -128, 255),
      ],
      slack: 1,
    };
  },
  "com.microsoft.QLinearAveragePool": (d) => {
    const { kernel, sizes, attributes } = windows(d, 2, { pool: true, dilated: false });
    const dtype = d.pick(bytes);
    return {
      version: 17,
      attributes: { ...attributes, kernel_shape: kernel, ...d.some({ count_include_pad: d.int(0, 1) }) },
      inputs: [...quantized(d, [1, 2, ...sizes], dtype), scale(d), d.tensor(dtype, [], -128, 255)],
      slack: 1,
    };
  },
  "com.microsoft.QLinearSoftmax": (d) => {
    // The only element of a row is 256 / 256, which wraps around there.
    const shape = d.list(d.int(1, 4), () => d.int(2, 5));
    const dtype = d.pick(bytes);
    return {
      version: 17,
      attributes: { axis: d.axis(shape.length), opset: d.pick([11, 13]) },
      inputs: [
        ...quantized(d, shape, dtype),
        shaped([1 / 256], "float32", []),
        d.tensor(dtype, [], dtype === "int8" ? -128 : 0, dtype === "int8" ? -128 : 0),
      ],
      slack: 1,
    };
  },
  "com.microsoft.QLinearConcat": (d) => {
    const shape = d.list(d.int(1, 4), () => d.int(1, 4));
    const axis = d.axis(shape.length);
    const dtype = d.pick(bytes);
    return {
      version: 17,
      attributes: { axis },
      inputs: [
        scale(d),
        d.tensor(dtype, [], -128, 255),
        ...d.list(d.int(1, 3), () => quantized(d, shape.with(axis, d.int(1, 3)), dtype)).flat(),
      ],
      slack: 1,
    };
  },
  "com.microsoft.DynamicQuantizeMatMul": (d) => {
    const [m, k, n] = [d.int(1, 4), d.int(1, 6), d.int(1, 4)];
    const per = d.chance(0.5);
    const dtype = d.pick(bytes);
    return {
      version: 17,
      inputs: [
        d.tensor("float32", [...d.shape(0, 1).map((s) => s || 1), m, k]),
        d.tensor(dtype, [k, n], -128, 255),
        scale(d, per ? [n] : scalarShape(d)),
        d.maybe(() => d.tensor(dtype, per ? [n] : [], -128, 255)),
        d.maybe(() => d.tensor("float32", [n])),
      ],
      slack: 1e-3,
    };
  },
  "com.microsoft.MatMulIntegerToFloat": (d) => {
    const [m, k, n] = [d.int(1, 4), d.int(1, 6), d.int(1, 4)];
    const [ta, tb] = [d.pick(bytes), d.pick(bytes)];
    return {
      version: 17,
      inputs: [
        d.tensor(ta, [m, k], -128, 255),
        d.tensor(tb, [k, n], -128, 255),
        scale(d),
        scale(d, d.pick([[], [n]])),
        d.maybe(() => d.tensor(ta, [], -128, 255)),
        d.maybe(() => d.tensor(tb, [], -128, 255)),
        d.maybe(() => d.tensor("float32", [n])),
      ],
    };
  },
  "com.microsoft.MatMulNBits": (d) => {
    const [bits, block] = [d.pick([4, 8]), d.pick([16, 32])];
    const [m, k, n] = [d.int(1, 4), d.int(1, 70), d.int(1, 5)];
    const blocks = Math.ceil(k / block);
    const zero = d.maybe(() => d.tensor("uint8", [n * Math.ceil((blocks * bits) / 8)], 0, 255));
    return {
      version: 17,
      attributes: { K: k, N: n, bits, block_size: block },
      inputs: [
        d.tensor("float32", [...d.shape(0, 1).map((s) => s || 1), m, k]),
        d.tensor("uint8", [n, blocks, (block * bits) / 8], 0, 255),
        scale(d, [n * blocks]),
        zero,
      ],
      slack: 1e-3,
      weights: d.pick([[1, 2, 3], [1]]),
    };
  },
  "com.microsoft.QGemm": (d) => {
    const [m, k, n] = [d.int(1, 4), d.int(1, 6), d.int(1, 4)];
    const [transA, transB] = [d.int(0, 1), d.int(0, 1)];
    const [ta, tb] = [d.pick(bytes), d.pick(bytes)];
    const isReal = d.chance(0.3);
    return {
      version: 17,
      attributes: { transA, transB, ...d.some({ alpha: { float: d.real(0.5, 2) } }) },
      inputs: [
        d.tensor(ta, transA ? [k, m] : [m, k], -128, 255),
        scale(d),
        d.tensor(ta, [], -128, 255),
        d.tensor(tb, transB ? [n, k] : [k, n], -128, 255),
        scale(d),
        d.tensor(tb, [], -128, 255),
        d.maybe(() => d.tensor("int32", d.pick([[n], [1, n], [m, n]]), -500, 500)),
        ...(isReal ? [] : [scale(d), d.tensor(ta, [], -128, 255)]),
      ],
      slack: isReal ? 1e-3 : 1,
    };
  },
};
