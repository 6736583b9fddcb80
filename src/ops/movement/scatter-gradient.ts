/**
 * Gradients of writing by index along an axis. A source gets the gradients of the elements that it was written to; the tensor gets its
 * own gradient, with 0 where its elements were replaced. An in-place op has the rule of the op that copies.
 */

import { deviceOption } from "../../storage/device.ts";
import { axisOf } from "../../tensor/axes.ts";
import { ones } from "../../tensor/create/create.ts";
import type { Backward, GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import { add, div, mul } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { eq, logicalAnd } from "../elementwise/comparison.ts";
import { sum } from "../reduce/reduce.ts";
import { clone, expand, reshape, to } from "../views.ts";
import {
  cropTo,
  gatherUnchecked,
  nonNegativeIndex,
  padTo,
  rowIndices,
  scatterAddUnchecked,
  zeroAt,
  zeroOverwritten,
} from "./gather-scatter.ts";

/** The reduction of values that are written to the same element. */
export type ScatterReduction = "sum" | "prod" | "mean" | "amax" | "amin";

interface Options {
  readonly alpha?: number;
  readonly reduce?: "add" | "multiply";
  readonly includeSelf?: boolean;
}
type WriteArguments = readonly [x: Tensor, axis: number, index: Tensor, source: Tensor | number, ...more: unknown[]];

/** Whether an index addresses one element, or one row. */
export type IndexKind = "element" | "row";

const argsOf = (call: RecordedCall): WriteArguments => call.args as unknown as WriteArguments;

/** The elements of the tensor that a recorded call has written to. */
class WrittenElements {
  /** The shape of the values that were written. */
  declare readonly shape: readonly number[];
  declare readonly axis: number;
  /** The index argument of the call. */
  readonly indexArgument: () => Tensor;
  readonly #call: RecordedCall;
  readonly #indexKind: IndexKind;
  readonly #target: readonly number[];
  readonly #sourceShape: readonly number[];

  constructor(call: RecordedCall, indexKind: IndexKind) {
    const [x, axis, index, source] = argsOf(call);
    this.axis = axisOf("index", x, axis);
    this.#target = sizesOf(x);
    this.#call = call;
    this.#indexKind = indexKind;
    this.shape =
      indexKind === "element" ? sizesOf(index) : x.rank === 0 ? [] : this.#target.with(this.axis, index.size);
    this.#sourceShape = source instanceof Tensor ? sizesOf(source) : this.shape;
    this.indexArgument = call.save(index);
  }

  index(): Tensor {
    if (this.#indexKind === "element") return this.indexArgument();
    const rows = nonNegativeIndex(this.indexArgument(), this.#target[this.axis] ?? 1);
    return this.shape.length === 0 && rows.size !== 1 ? rows : rowIndices(rows, this.axis, this.shape);
  }

  /** The elements of a tensor of the target's shape at the indices. */
  at(t: Tensor): Tensor {
    return gatherUnchecked(t, this.axis, this.index());
  }

  /** The gradient of the source: 0 for its elements that were not written. */
  back(t: Tensor): Tensor {
    return padTo(t, this.#sourceShape);
  }

  /** The gradient of a source that replaced elements: 0 for its elements that were overwritten by later ones. */
  backOfLast(t: Tensor): Tensor {
    const { indexArgument, axis, shape } = this;
    const read = (all: Tensor): Tensor => reshape(this.at(all), shape);
    const write = (zeros: Tensor, numbers: Tensor): unknown => this.#call.again(zeros, axis, indexArgument(), numbers);
    return this.back(zeroOverwritten(read(t), this.#target, write, read));
  }

  /** Adds up values at the indices. */
  scatterAdd(t: Tensor): Tensor {
    return scatterAddUnchecked(reshape(t, sizesOf(this.index())), this.axis, this.index(), this.#target);
  }

  withZeros(t: Tensor): Tensor {
    return zeroAt(t, this.axis, this.index());
  }

  /** A mask of the elements that were written. */
  isWritten({ device }: Tensor): Tensor {
    return eq(this.withZeros(ones(this.#target, { dtype: "int8", device: deviceOption(device) })), 0);
  }
}

/** The gradient of adding a source, times `alpha`. */
export const addGradient =
  (indexKind: IndexKind): GradientRule =>
  (call) => {
    const source = argsOf(call)[3];
    if (!call.needs(source)) return ([g]) => [g];
    const alpha = (call.args[4] as Options | undefined)?.alpha ?? 1;
    const written = new WrittenElements(call, indexKind);
    return ([g]) => {
      const back = written.back(written.at(g));
      return [g, null, null, alpha === 1 ? back : mul(back, alpha)];
    };
  };

/** The gradient of replacing elements. */
export const setGradient =
  (indexKind: IndexKind): GradientRule =>
  (call) => {
    const [x, , , source] = argsOf(call);
    const written = new WrittenElements(call, indexKind);
    const [needsX, needsSource] = [call.needs(x), call.needs(source)];
    return ([g]) => [needsX ? written.withZeros(g) : null, null, null, needsSource ? written.backOfLast(g) : null];
  };

/** The gradient of filling rows with one value, a number or a 0-d tensor. */
export const fillGradient: GradientRule = (call) => {
  const [x, , , value] = argsOf(call);
  const written = new WrittenElements(call, "row");
  const dtype = value instanceof Tensor && call.needs(value) ? value.dtype : null;
  const needsX = call.needs(x);
  return ([g]) => [
    needsX ? written.withZeros(g) : null,
    null,
    null,
    // Each element counts once, even if its index occurs several times.
    dtype === null ? null : to(sum(where(written.isWritten(g), g, 0)), dtype),
  ];
};

/** The gradient of scatter, which depends on the option `reduce`. */
export const scatterGradient: GradientRule = (call) => {
  const reduce = (call.args[4] as Options | undefined)?.reduce;
  if (reduce === undefined) return setGradient("element")(call);
  return reduce === "add"
    ? addGradient("element")(call)
    : productBackward(call, new WrittenElements(call, "element"), true);
};

/** The gradient of combining a source with the elements. */
export const combineGradient =
  (indexKind: IndexKind): GradientRule =>
  (call) => {
    const reduce = call.args[4] as ScatterReduction;
    const includeSelf = (call.args[5] as Options | undefined)?.includeSelf ?? true;
    const written = new WrittenElements(call, indexKind);
    if (reduce === "prod") return productBackward(call, written, includeSelf);
    if (reduce === "amax" || reduce === "amin") return extremeBackward(call, written, includeSelf);
    const isMean = reduce === "mean";
    return ([ofResult]) => {
      let g = ofResult;
      if (isMean) {
        const counts = written.scatterAdd(
          expand(ones([], { dtype: g.dtype, device: deviceOption(g.device) }), written.shape),
        );
        g = div(g, includeSelf ? add(counts, 1) : where(eq(counts, 0), 1, counts));
      }
      return [includeSelf ? g : written.withZeros(g), null, null, written.back(written.at(g))];
    };
  };

/** All elements that are the largest, or smallest, get equal shares of the gradient. */
function extremeBackward(call: RecordedCall, written: WrittenElements, includeSelf: boolean): Backward {
  const [x, , , source] = argsOf(call) as readonly [Tensor, number, Tensor, Tensor];
  const [self, values, result] = [call.save(x), call.save(source), call.saveResult()];
  return ([g]) => {
    const { dtype } = g;
    const equal = to(eq(self(), result()), dtype);
    const mine = includeSelf ? equal : written.withZeros(equal);
    const from = cropTo(values(), written.shape);
    const theirs = to(eq(from, reshape(written.at(result()), written.shape)), dtype);
    const share = div(g, add(mine, written.scatterAdd(theirs)));
    return [mul(share, mine), null, null, written.back(mul(written.at(share), theirs))];
  };
}

/** Each factor gets the product of the other ones: the product divided by it, or if it is 0, the product computed without it. */
function productBackward(call: RecordedCall, written: WrittenElements, includeSelf: boolean): Backward {
  const [x, axis, , source, ...rest] = argsOf(call);
  const [needsX, needsSource] = [call.needs(x), call.needs(source)];
  const self = call.save(x);
  const result = needsSource ? call.saveResult() : null;
  const values = source instanceof Tensor ? call.save(source) : () => source;
  const product = (t: Tensor, from: Tensor | number): Tensor =>
    call.again(clone(t), axis, written.indexArgument(), from, ...rest) as Tensor;
  const ofSelf = (g: Tensor): Tensor => {
    const factor = where(eq(self(), 0), 1, self());
    const passed = div(mul(g, conjugate(product(factor, values()))), conjugate(factor));
    return includeSelf ? passed : written.withZeros(passed);
  };
  const ofSource = (g: Tensor): Tensor => {
    const from = cropTo(values() as Tensor, written.shape);
    const isZero = eq(from, 0);
    const count = reshape(written.at(written.scatterAdd(to(isZero, g.dtype))), written.shape);
    const isOnly = logicalAnd(isZero, eq(count, 1));
    const others = product(self(), where(isOnly, 1, from));
    const at = (t: Tensor): Tensor => reshape(written.at(mul(g, conjugate(t))), written.shape);
    const quotient = div(at((result as () => Tensor)()), conjugate(where(isZero, 1, from)));
    return written.back(where(isOnly, at(others), quotient));
  };
  return ([g]) => [needsX ? ofSelf(g) : null, null, null, needsSource ? ofSource(g) : null];
}
