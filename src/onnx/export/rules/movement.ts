/** Ops that move elements: joining, padding, reversing and repeating, and copies. */

import { product } from "../../../base/ints.ts";
import { mapValues, type Node, Value, valuesIn } from "../../../graph/ir.ts";
import { noGrad, scope, tensor } from "../../../index.ts";
import type { Int } from "../../../layout/int.ts";
import { outsideModes } from "../../../tensor/dispatch/modes.ts";
import { sizesOf } from "../../../tensor/geometry.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import { numbersOf } from "../../call.ts";
import { NotExported, type Operand } from "../graph-writer.ts";
import { isOptions, type Rule, type RuleCall } from "../rule-call.ts";
import { numberOfSize } from "../size-nodes.ts";
import { expanded, exportView, gatherNumbers, narrowed, reshaped, strided, stridedScattered } from "./views.ts";

const valuesAt = (call: RuleCall): readonly Value[] => {
  const list = call.node.args[0];
  return Array.isArray(list) ? (list as readonly Value[]) : [list as Value];
};

const cat: Rule = (call) => {
  const { dtype, shape } = call.result;
  const axis = call.axis(call.number(1, "axis", 0), shape.length);
  const parts = valuesAt(call).filter(({ type }) => type.shape.length === shape.length);
  return call.op(
    "Concat",
    parts.map((value) => call.writer.cast(call.operand(value), dtype)),
    { axis },
  );
};

const stack: Rule = (call) => {
  const { dtype, shape } = call.result;
  const axis = call.axis(call.number(1, "axis", 0), shape.length);
  const one = shape.with(axis, 1);
  const parts = valuesAt(call).map((value) => call.sizes.reshape(call.writer.cast(call.operand(value), dtype), one));
  return call.op("Concat", parts, { axis });
};

const padModes: Readonly<Record<string, string>> = {
  constant: "constant",
  reflect: "reflect",
  replicate: "edge",
  circular: "wrap",
};

/** Padding by pairs for the last axes, the last one first. */
const pad: Rule = (call) => {
  const pairs = call.numbers(1, "pad") as readonly number[];
  const mode = padModes[(call.option("mode") as string | undefined) ?? "constant"];
  const axes = Array.from({ length: pairs.length / 2 }, (_, k) => call.rank() - 1 - k);
  const pads = call.writer.list([...axes.map((_, k) => pairs[2 * k]), ...axes.map((_, k) => pairs[2 * k + 1])]);
  const fill = call.node.op.name === "constantPadNd" ? call.get(2, "value") : call.option("value");
  const x = call.input();
  if (mode !== "constant") return call.op("Pad", [x, pads, null, call.writer.list(axes)], { mode });
  const value = call.scalar(
    x,
    typeof fill === "bigint" || typeof fill === "boolean" ? fill : ((fill as number | undefined) ?? 0),
  );
  return call.op("Pad", [x, pads, value, call.writer.list(axes)], { mode });
};

const flip: Rule = (call) => {
  const axes = call.axes();
  if (axes.length === 0) return call.input();
  const list = (value: number): Operand => call.writer.list(axes.map(() => value));
  return call.op("Slice", [call.input(), list(-1), list(-(2 ** 31)), call.writer.list(axes), list(-1)]);
};

/** Moves elements along an axis around its end. */
function rolled(call: RuleCall, x: Operand, by: number, axis: number, size: Int): Operand {
  const count = numberOfSize(size);
  if (count === 0 || by === 0) return x;
  const cut = count === null ? -by : -(((by % count) + count) % count);
  if (cut === 0) return x;
  const slice = (from: number, to: number): Operand =>
    call.op("Slice", [x, call.writer.list([from]), call.writer.list([to]), call.writer.list([axis])]);
  return call.op("Concat", [slice(cut, 2 ** 31 - 1), slice(0, cut)], { axis });
}

const roll: Rule = (call) => {
  const shifts = call.numbers(1, "shifts") as readonly number[];
  const axes = call.numbers(2, "axes");
  const { shape } = call.type();
  if (axes === undefined) {
    const sizes = call.concrete(shape);
    const flat = call.op("Reshape", [call.input(), call.writer.list([-1])]);
    return call.fit(
      rolled(
        call,
        flat,
        shifts[0],
        0,
        sizes.reduce((a, b) => a * b, 1),
      ),
    );
  }
  return axes.reduce((x, each, k) => {
    const axis = call.axis(each);
    // With a symbolic size, a shift past the end would need its remainder.
    if (numberOfSize(shape[axis]) === null && Math.abs(shifts[k]) > 1)
      throw new NotExported("shifts a symbolic axis by more than 1");
    return rolled(call, x, shifts[k] ?? shifts[0], axis, shape[axis]);
  }, call.input());
};

/** Repeats each row of an axis in its place. */
const repeatedRows: Rule = (call) => {
  const axis = call.axis(call.number(2, "axis"));
  const { shape } = call.type();
  const rows = call.sizes.reshape(call.input(), shape.toSpliced(axis + 1, 0, 1));
  const sizes = call.sizes.list(shape.toSpliced(axis + 1, 0, call.number(1, "times")));
  return call.sizes.reshape(call.op("Expand", [rows, sizes]), call.result.shape);
};

const repeat: Rule = (call) => {
  const counts = call.node.args
    .slice(1)
    .flat()
    .filter((each) => !isOptions(each) && each !== undefined) as readonly Int[];
  const { shape } = call.type();
  const rank = Math.max(counts.length, shape.length);
  const ones = (count: number): number[] => new Array<number>(count).fill(1);
  const x =
    rank === shape.length ? call.input() : call.sizes.reshape(call.input(), [...ones(rank - shape.length), ...shape]);
  return call.op("Tile", [x, call.sizes.list([...ones(rank - counts.length), ...counts])]);
};

const triangle =
  (upper: number): Rule =>
  (call) =>
    call.op("Trilu", [call.input(), call.writer.number("int64", call.number(1, "diagonal", 0))], { upper });

/** A copy, optionally with a different dtype. */
const clone: Rule = (call) => call.writer.cast(call.input(), call.result.dtype);

/** A value that is written over a whole tensor. */
const written: Rule = (call) => {
  const { dtype, shape } = call.result;
  const source = call.node.args[1];
  const value =
    source instanceof Value
      ? call.writer.cast(call.operand(source), dtype)
      : call.writer.number(dtype, source as number);
  const own = source instanceof Value ? source.type.shape : [];
  return String(own) === String(shape) ? value : call.op("Expand", [value, call.sizes.list(shape)]);
};

/**
 * An op that moves elements of one or more tensors, and fills the others with 0: it is run over the indices of the elements, counted from 1, so each
 * element of the result is the index of its source.
 */
const moved: Rule = (call) => {
  const { node } = call;
  const values = [...new Set(valuesIn(node.args))];
  const counts = values.map(({ type }) => product(call.concrete(type.shape)));
  const starts = values.map((_, k) => counts.slice(0, k).reduce((a, b) => a + b, 1));
  const { numbers, sizes } = outsideModes(() => numbersMoved(node, values, starts));
  const flat = values.map((value) => {
    const operand = call.writer.cast(call.operand(value), call.result.dtype);
    return call.op("Reshape", [operand, call.writer.list([-1])]);
  });
  const zero = call.op("Reshape", [call.writer.number(call.result.dtype, 0), call.writer.list([1])]);
  const hasZeros = numbers.includes(0);
  const parts = hasZeros ? [zero, ...flat] : flat;
  const all = parts.length === 1 ? parts[0] : call.op("Concat", parts, { axis: 0 });
  return gatherNumbers(call, all, hasZeros ? numbers : numbers.map((each) => each - 1), sizes);
};

/** Runs the op of a node over tensors of the flat indices of their elements. */
function numbersMoved(
  { op, args }: Node,
  values: readonly Value[],
  starts: readonly number[],
): { readonly numbers: readonly number[]; readonly sizes: readonly number[] } {
  let result = { numbers: [] as readonly number[], sizes: [] as readonly number[] };
  noGrad(() =>
    scope(() => {
      const tensors = values.map(({ type }, k) => {
        const shape = type.shape as readonly number[];
        const list = Array.from({ length: product(shape) }, (_, at) => starts[k] + at);
        return tensor(list, { dtype: "int32" }).reshape([...shape]);
      });
      const own = args.map((arg) => mapValues(arg, (value) => tensors[values.indexOf(value)]));
      const t = op.call(own) as Tensor;
      result = { numbers: numbersOf(t as never).map(Number), sizes: sizesOf(t) };
    }),
  );
  return result;
}

/** Sums of windows: the elements of columns are added where `unfold` reads them. */
const fold: Rule = (call) => {
  const columns = call.concrete(call.type().shape);
  const [kernel, output] = [call.numbers(2, "kernelSize"), call.numbers(1, "outputSize")] as (readonly number[])[];
  const pair = (list: readonly number[] | undefined, fallback: number): readonly number[] =>
    list === undefined ? [fallback, fallback] : list.length === 1 ? [list[0], list[0]] : list;
  const attributes = {
    dilations: pair(call.numbers(-1, "dilation"), 1),
    pads: [...pair(call.numbers(-1, "padding"), 0), ...pair(call.numbers(-1, "padding"), 0)],
    strides: pair(call.numbers(-1, "stride"), 1),
  };
  const batch = columns.length === 3 ? call.input() : call.sizes.reshape(call.input(), [1, ...columns]);
  const image = call.op(
    "Col2Im",
    [batch, call.writer.list(pair(output, 1)), call.writer.list(pair(kernel, 1))],
    attributes,
  );
  return call.fit(image);
};

/** A tensor with one value. */
const filled =
  (value: number | null): Rule =>
  (call) => {
    const { dtype, shape } = call.result;
    const fill = value ?? (call.get(1, "value") as number);
    return call.op("Expand", [call.writer.number(dtype, fill), call.sizes.list(shape)]);
  };

/** Evenly spaced numbers; the sizes may be symbolic. */
const arange: Rule = (call) => {
  const bounds = call.node.args.filter((arg) => !isOptions(arg) && arg !== undefined) as readonly Int[];
  const [start, end, step] = bounds.length === 1 ? [0, bounds[0], 1] : [bounds[0], bounds[1], bounds[2] ?? 1];
  if (![start, end, step].every((each) => numberOfSize(each) === null || Number.isInteger(numberOfSize(each))))
    throw new NotExported("counts by fractions up to a symbolic end");
  const scalar = (size: Int): Operand => call.op("Reshape", [call.sizes.size(size), call.writer.list([])]);
  return call.writer.cast(call.op("Range", [scalar(start), scalar(end), scalar(step)]), call.result.dtype);
};

const byNumbers = Object.fromEntries(
  "diag diagEmbed pixelShuffle pixelUnshuffle channelShuffle unfold windows.unfold blockDiag selectScatter sliceScatter diagonalScatter"
    .split(" ")
    .map((name) => [name, moved]),
);

export const movements: Readonly<Record<string, Rule>> = {
  ...byNumbers,
  view: reshaped,
  reshape: reshaped,
  squeeze: reshaped,
  unsqueeze: reshaped,
  flatten: reshaped,
  unflatten: reshaped,
  expand: expanded,
  narrow: narrowed,
  asStrided: strided,
  asStridedScatter: stridedScattered,
  transpose: exportView,
  cat,
  stack,
  pad,
  constantPadNd: pad,
  fold,
  flip,
  roll,
  repeat,
  "repeatInterleave.number": repeatedRows,
  triu: triangle(1),
  tril: triangle(0),
  clone,
  contiguous: clone,
  copy_: written,
  fill_: written,
  zero_: filled(0),
  zeros: filled(0),
  ones: filled(1),
  full: filled(null),
  arange,
};
