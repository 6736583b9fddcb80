/** Cases of operators that move elements, and of operators on shapes. */
import { type CaseMaker, type Draw, numberTypes, shaped } from "./draw.ts";

const all = [...numberTypes, "bool"] as const;
const anything = (d: Draw, shape: number[]) => (d.chance(0.08) ? d.texts(shape) : d.special(d.pick(all), shape));
const since = (d: Draw, from: number) =>
  d.pick([7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23].filter((v) => v >= from));
const product = (sizes: readonly number[]) => sizes.reduce((a, b) => a * b, 1);

/** A shape with the same number of elements, with axes of size 1. */
function otherShape(d: Draw, shape: readonly number[]): number[] {
  const parts = shape.flatMap((size) => (size === 4 && d.chance(0.5) ? [2, 2] : [size]));
  const merged: number[] = [];
  for (const size of d.shuffled(parts)) {
    if (merged.length > 0 && d.chance(0.3)) merged.push((merged.pop() as number) * size);
    else merged.push(size);
  }
  if (d.chance(0.3)) merged.splice(d.int(0, merged.length), 0, 1);
  return merged;
}

/** Inputs or attributes, by the version. */
const listed = (d: Draw, version: number, inputSince: number, name: string, list: number[] | null) =>
  version >= inputSince
    ? { attributes: {}, extra: [list === null ? null : d.longs(list)] }
    : { attributes: list === null ? {} : { [name]: list }, extra: [] };

const reduce =
  (types: readonly (typeof all)[number][], inputSince: number, low = -3, high = 3): CaseMaker =>
  (d) => {
    const version = since(d, 7);
    // ONNX Runtime returns wrong shapes of empty reductions.
    const shape = d.shape().map((size) => size || 1);
    const axes = d.maybe(
      () => (version < 11 ? d.axes(shape.length).map((a) => (a + shape.length) % shape.length) : d.axes(shape.length)),
      0.7,
    );
    const { attributes, extra } = listed(d, version, inputSince, "axes", axes);
    return {
      version,
      attributes: {
        ...attributes,
        ...d.some({ keepdims: d.int(0, 1) }),
        ...(version >= inputSince ? d.some({ noop_with_empty_axes: d.int(0, 1) }) : {}),
      },
      inputs: [d.tensor(d.pick(types), shape, low, high), ...extra],
    };
  };
const sums = ["float32", "float64", "float16", "int32", "int64"] as const;

const scatterLike =
  (hasReduction: number): CaseMaker =>
  (d) => {
    const version = since(d, Math.max(11, hasReduction > 99 ? 11 : 11));
    const shape = d.list(d.int(1, 4), () => d.int(1, 4));
    const axis = d.axis(shape.length);
    const part = shape.map((s) => d.int(d.chance(0.05) ? 0 : 1, s));
    const size = shape.at(axis) as number;
    const reduction =
      version >= 18
        ? d.pick(["none", "add", "mul", "min", "max"])
        : version >= 16
          ? d.pick(["none", "add", "mul"])
          : null;
    // Without a reduction, equal indices are undefined, so each line has different ones.
    const at = axis < 0 ? axis + shape.length : axis;
    const lines = product(part) === 0 ? 0 : product(part);
    const index = new Array<number>(lines).fill(0);
    const inner = product(part.slice(at + 1));
    const perms = new Map<string, number[]>();
    for (let k = 0; k < lines; k++) {
      const pos = Math.floor(k / inner) % part[at];
      const key = `${k % inner},${Math.floor(k / (inner * part[at]))}`;
      const perm = perms.get(key) ?? d.shuffled(d.list(size, (i) => i));
      perms.set(key, perm);
      index[k] = (reduction ?? "none") === "none" ? perm[pos] : d.int(0, size - 1);
      if (d.chance(0.3)) index[k] -= size;
    }
    const dtype = d.pick(reduction === null || reduction === "none" ? all : numberTypes.filter((t) => t !== "float16"));
    return {
      version,
      attributes: {
        ...(d.some({ axis }).axis === undefined && at === 0 ? {} : { axis }),
        ...(reduction === null ? {} : { reduction }),
      },
      inputs: [
        d.tensor(dtype, shape),
        shaped(
          d.pick(["int64", "int32"]) === "int32" ? index : index.map(BigInt),
          d.chance(0.5) ? "int64" : "int64",
          part,
        ),
        d.tensor(dtype, part),
      ],
    };
  };

export const movementCases: Readonly<Record<string, CaseMaker>> = {
  Identity: (d) => ({ version: since(d, 7), inputs: [anything(d, d.shape())] }),
  Shape: (d) => {
    const version = since(d, 7);
    return {
      version,
      attributes: version >= 15 ? d.some({ start: d.int(-6, 6), end: d.int(-6, 6) }) : {},
      inputs: [anything(d, d.shape())],
    };
  },
  Size: (d) => ({ version: since(d, 7), inputs: [anything(d, d.shape())] }),
  Reshape: (d) => {
    const version = since(d, 7);
    const shape = d.shape();
    const target = otherShape(d, shape);
    const allowzero = version >= 14 ? d.maybe(() => d.int(0, 1)) : null;
    if (product(shape) > 0) {
      for (const k of target.keys()) if (allowzero !== 1 && d.chance(0.2) && target[k] === shape[k]) target[k] = 0;
      if (target.length > 0 && d.chance(0.4)) target[d.int(0, target.length - 1)] = -1;
    }
    return {
      version,
      attributes: allowzero === null ? {} : { allowzero },
      inputs: [anything(d, shape), d.longs(target)],
    };
  },
  Squeeze: (d) => {
    const version = since(d, 7);
    const shape = d.shape().map((s) => (d.chance(0.4) ? 1 : s));
    const ones = shape.flatMap((s, k) => (s === 1 ? [version >= 11 && d.chance(0.3) ? k - shape.length : k] : []));
    const list = d.maybe(() => d.shuffled(ones).slice(0, d.int(0, ones.length)), 0.7);
    const { attributes, extra } = listed(d, version, 13, "axes", list?.length === 0 ? null : list);
    return { version, attributes, inputs: [anything(d, shape), ...extra] };
  },
  Unsqueeze: (d) => {
    const version = since(d, 7);
    const shape = d.shape(0, 4);
    const count = d.int(1, 3);
    const axes = d.axes(shape.length + count, count).map((a) => (version < 11 && a < 0 ? a + shape.length + count : a));
    const { attributes, extra } = listed(d, version, 13, "axes", axes);
    return { version, attributes, inputs: [anything(d, shape), ...extra] };
  },
  Flatten: (d) => {
    const version = since(d, 7);
    const shape = d.shape(1);
    return {
      version,
      attributes: d.some({ axis: d.int(version >= 11 ? -shape.length : 0, shape.length) }),
      inputs: [anything(d, shape)],
    };
  },
  Transpose: (d) => {
    const shape = d.shape();
    return {
      version: since(d, 7),
      attributes: shape.length === 0 ? {} : d.some({ perm: d.shuffled(shape.map((_, k) => k)) }),
      inputs: [anything(d, shape)],
    };
  },
  Expand: (d) => {
    const shape = d.shape();
    const from = d.broadcastable(shape);
    return {
      version: since(d, 8),
      inputs: [
        d.special(d.pick(all), from),
        d.longs(
          shape
            .map((s) => (d.chance(0.2) ? 1 : s))
            .map((s, k) => ((from[k - shape.length + from.length] ?? 1) !== 1 && s === 1 ? 1 : s)),
        ),
      ],
    };
  },
  Slice: (d) => {
    const version = since(d, 7);
    const shape = d.shape(1);
    const axes = d
      .axes(shape.length, d.int(1, shape.length))
      .map((a) => (version < 10 && a < 0 ? a + shape.length : a));
    const starts = axes.map(() => (d.chance(0.1) ? d.pick([2 ** 31 - 1, -(2 ** 31)]) : d.int(-7, 7)));
    const steps = axes.map(() => (version < 10 ? 1 : d.pick([1, 1, 2, 3, -1, -2, -3])));
    // ONNX Runtime takes 2^31 - 1 for the end in either direction.
    const ends = steps.map((step) => (d.chance(0.2) ? (step > 0 ? 2 ** 31 - 1 : -(2 ** 31)) : d.int(-7, 7)));
    const x = d.special(d.pick(all), shape);
    if (version < 10) return { version, attributes: { starts, ends, axes }, inputs: [x] };
    const whole = axes.every((a, k) => a === k) && d.chance(0.7);
    const dtype = d.pick(["int64", "int32"] as const);
    const numbers = (list: number[]) => shaped(dtype === "int64" ? list.map(BigInt) : list, dtype, [list.length]);
    const inputs = [x, numbers(starts), numbers(ends), whole ? null : numbers(axes), numbers(steps)];
    return { version, inputs };
  },
  Concat: (d) => {
    const shape = d.shape(1);
    const axis = d.axis(shape.length);
    const version = since(d, 11);
    const text = d.chance(0.08);
    const dtype = d.pick(all);
    return {
      version,
      attributes: { axis },
      inputs: d.list(d.int(1, 5), () => {
        const s = shape.with(axis, d.size());
        return text ? d.texts(s) : d.special(dtype, s);
      }),
    };
  },
  Split: (d) => {
    const version = since(d, 7);
    const shape = d.shape(1);
    const axis = version < 11 ? d.int(0, shape.length - 1) : d.axis(shape.length);
    const outputs = d.int(1, 4);
    const isEven = d.chance(0.4);
    const parts = d.list(outputs, () => d.int(d.chance(0.1) ? 0 : 1, 3));
    const size = isEven
      ? version >= 18 && d.chance(0.5)
        ? d.int(outputs, 9)
        : outputs * d.int(1, 3)
      : parts.reduce((a, b) => a + b, 0);
    const { attributes, extra } = listed(d, version, 13, "split", isEven ? null : parts);
    return {
      version,
      attributes: { ...attributes, axis, ...(isEven && version >= 18 ? { num_outputs: outputs } : {}) },
      inputs: [anything(d, shape.with(axis, size)), ...extra],
      outputs,
    };
  },
  Tile: (d) => {
    const shape = d.shape(0, 4);
    return {
      version: since(d, 7),
      inputs: [d.special(d.pick(all), shape), d.longs(shape.map(() => d.int(d.chance(0.1) ? 0 : 1, 3)))],
    };
  },
  Pad: (d) => {
    const version = since(d, 7);
    const mode = d.pick(version >= 19 ? ["constant", "reflect", "edge", "wrap"] : ["constant", "reflect", "edge"]);
    const shape = d.list(d.int(1, 4), () => d.int(2, 5));
    if (mode === "constant" && d.chance(0.2)) shape[0] = d.pick([0, 1]);
    const isPart = version >= 18 && d.chance(0.5);
    const axes = isPart ? d.axes(shape.length, d.int(1, shape.length)) : shape.map((_, k) => k);
    const pads = [...axes, ...axes].map((a) => {
      const size = shape.at(a) as number;
      return d.chance(0.15) ? -d.int(0, size >> 1) : d.int(0, mode === "constant" ? 4 : mode === "edge" ? 6 : size - 1);
    });
    const dtype = d.pick(version < 11 ? (["float32", "float64"] as const) : all);
    const attributes = d.chance(0.2) && mode === "constant" ? {} : { mode };
    if (version < 11)
      return {
        version,
        attributes: { ...attributes, pads, ...d.some({ value: { float: d.real(-3, 3) } }) },
        inputs: [d.tensor(dtype, shape)],
      };
    const value = d.maybe(() => d.tensor(dtype, d.pick([[], [1]])));
    return {
      version,
      attributes,
      inputs: [d.tensor(dtype, shape), d.longs(pads), value, ...(isPart ? [d.longs(axes)] : [])],
    };
  },
  CenterCropPad: (d) => {
    const shape = d.list(d.int(1, 4), () => d.int(1, 6));
    const axes = d.maybe(() => d.axes(shape.length, d.int(1, shape.length)));
    return {
      version: since(d, 18),
      attributes: axes === null ? {} : { axes },
      inputs: [d.tensor(d.pick(all), shape), d.longs((axes ?? shape).map(() => d.int(1, 9)))],
    };
  },
  DepthToSpace: (d) => {
    const blocksize = d.int(1, 3);
    const version = since(d, 7);
    return {
      version,
      attributes: { blocksize, ...(version >= 11 ? d.some({ mode: d.pick(["DCR", "CRD"]) }) : {}) },
      inputs: [d.tensor(d.pick(numberTypes), [d.int(0, 2), blocksize ** 2 * d.int(1, 3), d.int(1, 4), d.int(1, 4)])],
    };
  },
  SpaceToDepth: (d) => {
    const blocksize = d.int(1, 3);
    return {
      version: since(d, 7),
      attributes: { blocksize },
      inputs: [
        d.tensor(d.pick(numberTypes), [d.int(0, 2), d.int(1, 3), blocksize * d.int(1, 3), blocksize * d.int(1, 3)]),
      ],
    };
  },
  Trilu: (d) => ({
    version: since(d, 14),
    attributes: d.some({ upper: d.int(0, 1) }),
    inputs: [
      d.special(d.pick(all), d.shape(2)),
      d.maybe(() => d.longs([d.chance(0.1) ? d.pick([1000000, -1000000]) : d.int(-6, 6)], d.pick([[], [1]]))),
    ],
  }),
  Gather: (d) => {
    const shape = d.shape(1);
    const axis = d.axis(shape.length);
    const size = shape.at(axis) as number;
    const version = since(d, 7);
    const low = version >= 11 ? -size : 0;
    const index = d.tensor(d.pick(["int64", "int32"]), size === 0 ? [0] : d.shape(0, 3), low, size - 1);
    return { version, attributes: axis === 0 && d.chance(0.5) ? {} : { axis }, inputs: [anything(d, shape), index] };
  },
  GatherElements: (d) => {
    const shape = d.list(d.int(1, 4), () => d.int(1, 4));
    const axis = d.axis(shape.length);
    const size = shape.at(axis) as number;
    const part = shape.map((s) => d.int(d.chance(0.05) ? 0 : 1, s)).with(axis, d.int(0, 6));
    return {
      version: since(d, 11),
      attributes: axis === 0 && d.chance(0.5) ? {} : { axis },
      inputs: [d.special(d.pick(all), shape), d.tensor(d.pick(["int64", "int32"]), part, -size, size - 1)],
    };
  },
  GatherND: (d) => {
    const shape = d.list(d.int(1, 5), () => d.int(1, 4));
    const version = since(d, 11);
    const batch = version >= 12 ? d.int(0, Math.min(2, shape.length - 1)) : 0;
    const count = d.int(1, shape.length - batch);
    const outer = [...shape.slice(0, batch), ...d.list(d.int(batch === 0 ? 0 : 0, 2), () => d.size())];
    const rows = product(outer);
    const index = d.list(rows * count, (k) => {
      const size = shape[batch + (k % count)];
      return BigInt(d.int(-size, size - 1));
    });
    return {
      version,
      attributes: version >= 12 ? { batch_dims: batch } : {},
      inputs: [anything(d, shape), shaped(index, "int64", [...outer, count])],
    };
  },
  ScatterElements: scatterLike(0),
  ScatterND: (d) => {
    const version = since(d, 11);
    const shape = d.list(d.int(1, 4), () => d.int(1, 4));
    const count = d.int(1, shape.length);
    const reduction =
      version >= 18
        ? d.pick(["none", "add", "mul", "min", "max"])
        : version >= 16
          ? d.pick(["none", "add", "mul"])
          : null;
    const total = product(shape.slice(0, count));
    const isUnique = (reduction ?? "none") === "none";
    const outer = d.chance(0.3) ? [d.int(1, 2), d.int(1, 2)] : [d.int(d.chance(0.1) ? 0 : 1, 4)];
    if (isUnique && product(outer) > total) outer.fill(1);
    const spots = d.shuffled(d.list(total, (k) => k)).slice(0, isUnique ? product(outer) : 0);
    const rows = d.list(product(outer), (k) => (isUnique ? spots[k] : d.int(0, total - 1)));
    const index = rows.flatMap((flat) => {
      const list: bigint[] = [];
      let rest = flat;
      for (let k = count - 1; k >= 0; k--) {
        const at = rest % shape[k];
        list.unshift(BigInt(d.chance(0.2) ? at - shape[k] : at));
        rest = Math.floor(rest / shape[k]);
      }
      return list;
    });
    const dtype = d.pick(isUnique ? all : numberTypes.filter((t) => t !== "float16"));
    return {
      version,
      attributes: reduction === null ? {} : { reduction },
      inputs: [
        d.tensor(dtype, shape),
        shaped(index, "int64", [...outer, count]),
        d.tensor(dtype, [...outer, ...shape.slice(count)]),
      ],
    };
  },
  OneHot: (d) => {
    const shape = d.shape(0, 3);
    const depth = d.int(1, 5);
    const axis = d.axis(shape.length + 1);
    const dtype = d.pick(["int64", "int32", "float32"] as const);
    const out = d.pick(["float32", "int64", "int32"] as const);
    const version = since(d, 9);
    return {
      version,
      attributes: d.some({ axis }),
      inputs: [
        d.tensor(dtype, shape, version >= 11 ? -depth - 1 : 0, depth),
        d.tensor(d.pick(["int64", "int32", "float32"]), d.pick([[], [1]]), depth, depth),
        d.tensor(out, [2]),
      ].map((t, k) => (k === 0 && dtype === "float32" ? (t.round() as typeof t) : t)),
    };
  },
  NonZero: (d) => ({
    version: since(d, 9),
    inputs: [d.tensor(d.pick(["float32", "int32", "int64", "uint8", "bool"]), d.shape(1), -1, 1)],
  }),
  Compress: (d) => {
    const shape = d.shape(1);
    const axis = d.maybe(() => d.axis(shape.length));
    const size = axis === null ? product(shape) : (shape.at(axis) as number);
    return {
      version: since(d, 9),
      attributes: axis === null ? {} : { axis },
      inputs: [anything(d, shape), d.tensor("bool", [d.int(0, size)])],
    };
  },
  Range: (d) => {
    const dtype = d.pick(["float32", "float64", "int16", "int32", "int64"] as const);
    const one = (low: number, high: number) => d.tensor(dtype, [], low, high);
    return {
      version: since(d, 11),
      inputs: [one(-9, 9), one(-9, 9), one(1, 3).mul(d.pick([1, -1]))],
      weights: d.pick([[], [0, 1, 2]]),
    };
  },
  ConstantOfShape: (d) => ({ version: since(d, 9), inputs: [d.longs(d.shape(0, 4))] }),
  EyeLike: (d) => ({
    version: since(d, 9),
    attributes: d.some({ k: d.int(-5, 5), dtype: d.pick([1, 6, 7, 11]) }),
    inputs: [d.tensor(d.pick(["float32", "int32", "int64", "float64"]), d.shape(2, 2))],
  }),
  ReverseSequence: (d) => {
    const shape = d.list(d.int(2, 4), () => d.int(1, 5));
    const time = d.int(0, 1);
    return {
      version: since(d, 10),
      attributes: time === 1 ? { time_axis: 1, batch_axis: 0 } : d.some({ time_axis: 0, batch_axis: 1 }),
      inputs: [anything(d, shape), d.tensor("int64", [shape[1 - time]], 1, shape[time])],
    };
  },
  ReduceSum: reduce(sums, 13),
  ReduceMean: reduce(sums, 18),
  ReduceMax: reduce([...sums, "int8", "uint8", "bool"], 18),
  ReduceMin: reduce([...sums, "int8", "uint8", "bool"], 18),
  ReduceProd: reduce(sums, 18),
  ReduceL1: reduce(sums, 18),
  ReduceL2: reduce(sums, 18),
  ReduceLogSum: reduce(["float32", "float64", "float16"], 18, 1, 4),
  ReduceLogSumExp: reduce(["float32", "float64"], 18),
  ReduceSumSquare: reduce(sums, 18),
  CumSum: (d) => {
    const shape = d.shape(1);
    return {
      version: since(d, 11),
      attributes: d.some({ exclusive: d.int(0, 1), reverse: d.int(0, 1) }),
      inputs: [
        d.tensor(d.pick(["float32", "float64", "int32", "int64"]), shape),
        d.chance(0.5) ? d.longs([d.axis(shape.length)], []) : d.tensor("int32", [1], 0, 0),
      ],
    };
  },
  ArgMax: (d) => argExtreme(d),
  ArgMin: (d) => argExtreme(d),
  TopK: (d) => {
    const version = since(d, 7);
    const shape = d.shape(1);
    const axis = d.axis(shape.length);
    const k = d.int(0, shape.at(axis) as number);
    const dtype = d.pick(
      version < 11 ? (["float32", "float64"] as const) : (["float32", "float64", "int32", "int64"] as const),
    );
    const x = d.tensor(dtype, shape, -3, 3);
    if (version < 10)
      return {
        version,
        attributes: { axis: axis < 0 ? axis + shape.length : axis, k: Math.max(1, k) },
        inputs: [x],
        outputs: 2,
      };
    return {
      version,
      attributes: { axis, ...(version >= 11 ? d.some({ largest: d.int(0, 1) }) : {}) },
      inputs: [x, d.longs([k])],
      outputs: 2,
    };
  },
  Hardmax: (d) => {
    const version = since(d, 7);
    const shape = d.shape(1);
    return {
      version,
      attributes: d.some({ axis: version < 11 ? d.int(0, shape.length - 1) : d.axis(shape.length) }),
      inputs: [d.tensor("float32", shape).round()],
    };
  },
  Unique: (d) => {
    const shape = d.list(d.int(1, 3), () => d.int(1, 4));
    return {
      version: since(d, 11),
      attributes: d.some({ axis: d.axis(shape.length), sorted: d.int(0, 1) }),
      inputs: [
        d.chance(0.1)
          ? d.texts(shape)
          : (d
              .tensor(d.pick(["float32", "int64", "int8", "float64"]), shape, -1, 1)
              .to("float64")
              .round()
              .to(d.pick(["float32", "int64", "int8", "float64"])) as never),
      ],
      outputs: 4,
    };
  },
};

function argExtreme(d: Draw) {
  const version = since(d, 7);
  // ONNX Runtime returns wrong shapes of empty reductions.
  const shape = d.shape(1).map((size) => size || 1);
  return {
    version,
    attributes: d.some({
      axis: version < 11 ? d.int(0, shape.length - 1) : d.axis(shape.length),
      keepdims: d.int(0, 1),
      ...(version >= 12 ? { select_last_index: d.int(0, 1) } : {}),
    }),
    inputs: [d.tensor(d.pick(["float32", "float64", "int32", "int64", "int8", "uint8"]), shape, -2, 2)],
  };
}
