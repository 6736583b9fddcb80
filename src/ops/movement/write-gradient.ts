/**
 * Gradients of writing by index along an axis: a source gets the gradient of the places that its elements went to, and the tensor that
 * was written to its own, but where something took the place of what was there. An in-place op has the rule of the op that copies.
 */

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
import type { Combining } from "./combine.ts";
import { fromStart } from "./gather-gradient.ts";
import { cleared, collect, cutTo, filledTo, lasting, rowsOf, spread } from "./spread.ts";

interface Options {
  readonly alpha?: number;
  readonly reduce?: "add" | "multiply";
  readonly includeSelf?: boolean;
}
type WriteArguments = readonly [x: Tensor, axis: number, index: Tensor, source: Tensor | number, ...more: unknown[]];

/** Whether an index says where one element goes, or one row. */
export type Reach = "element" | "row";

const argsOf = (call: RecordedCall): WriteArguments => call.args as unknown as WriteArguments;

/** Where the elements of a source went. */
class Places {
  /** The shape of what was written. */
  declare readonly shape: readonly number[];
  declare readonly axis: number;
  /** The indices as they were given. */
  readonly given: () => Tensor;
  readonly #call: RecordedCall;
  readonly #reach: Reach;
  readonly #target: readonly number[];
  readonly #sourceShape: readonly number[];

  constructor(call: RecordedCall, reach: Reach) {
    const [x, axis, index, source] = argsOf(call);
    this.axis = axisOf("index", x, axis);
    this.#target = sizesOf(x);
    this.#call = call;
    this.#reach = reach;
    this.shape = reach === "element" ? sizesOf(index) : x.rank === 0 ? [] : this.#target.with(this.axis, index.size);
    this.#sourceShape = source instanceof Tensor ? sizesOf(source) : this.shape;
    this.given = call.save(index);
  }

  index(): Tensor {
    if (this.#reach === "element") return this.given();
    const rows = fromStart(this.given(), this.#target[this.axis] ?? 1);
    return this.shape.length === 0 && rows.size !== 1 ? rows : rowsOf(rows, this.axis, this.shape);
  }

  /** The elements of a tensor like the target that those of the source met. */
  met(t: Tensor): Tensor {
    return collect(t, this.axis, this.index());
  }

  /** The same, as a gradient of the source: 0 for elements that went nowhere. */
  back(t: Tensor): Tensor {
    return filledTo(t, this.#sourceShape);
  }

  /** The same for a source that took the place of what was there: an element that was overwritten in turn gets 0. */
  backOfLast(t: Tensor): Tensor {
    const { given, axis, shape } = this;
    const met = (all: Tensor): Tensor => reshape(this.met(all), shape);
    const write = (none: Tensor, numbers: Tensor): unknown => this.#call.again(none, axis, given(), numbers);
    return this.back(lasting(met(t), this.#target, write, met));
  }

  /** Elements like those written, added up where they go. */
  spread(t: Tensor): Tensor {
    return spread(reshape(t, sizesOf(this.index())), this.axis, this.index(), this.#target);
  }

  cleared(t: Tensor): Tensor {
    return cleared(t, this.axis, this.index());
  }

  /** Where something was written. */
  isCleared({ device }: Tensor): Tensor {
    return eq(this.cleared(ones(this.#target, { dtype: "int8", device: device.type as "cpu" })), 0);
  }
}

/** Elements added to what is there, `alpha` times. */
export const addGradient =
  (reach: Reach): GradientRule =>
  (call) => {
    const source = argsOf(call)[3];
    if (!call.needs(source)) return ([g]) => [g];
    const alpha = (call.args[4] as Options | undefined)?.alpha ?? 1;
    const places = new Places(call, reach);
    return ([g]) => {
      const back = places.back(places.met(g));
      return [g, null, null, alpha === 1 ? back : mul(back, alpha)];
    };
  };

/** Elements in place of what is there. */
export const setGradient =
  (reach: Reach): GradientRule =>
  (call) => {
    const [x, , , source] = argsOf(call);
    const places = new Places(call, reach);
    const [needsX, needsSource] = [call.needs(x), call.needs(source)];
    return ([g]) => [needsX ? places.cleared(g) : null, null, null, needsSource ? places.backOfLast(g) : null];
  };

/** One value, a number or a tensor of one element, in rows. */
export const fillGradient: GradientRule = (call) => {
  const [x, , , value] = argsOf(call);
  const places = new Places(call, "row");
  const dtype = value instanceof Tensor && call.needs(value) ? value.dtype : null;
  const needsX = call.needs(x);
  return ([g]) => [
    needsX ? places.cleared(g) : null,
    null,
    null,
    // Each place counts once, however often the index names it.
    dtype === null ? null : to(sum(where(places.isCleared(g), g, 0)), dtype),
  ];
};

/** What scatter does depends on an option. */
export const scatterGradient: GradientRule = (call) => {
  const reduce = (call.args[4] as Options | undefined)?.reduce;
  if (reduce === undefined) return setGradient("element")(call);
  return reduce === "add" ? addGradient("element")(call) : productBackward(call, new Places(call, "element"), true);
};

/** Elements combined with what is there. */
export const combineGradient =
  (reach: Reach): GradientRule =>
  (call) => {
    const reduce = call.args[4] as Combining;
    const includeSelf = (call.args[5] as Options | undefined)?.includeSelf ?? true;
    const places = new Places(call, reach);
    if (reduce === "prod") return productBackward(call, places, includeSelf);
    if (reduce === "amax" || reduce === "amin") return extremeBackward(call, places, includeSelf);
    const isMean = reduce === "mean";
    return ([given]) => {
      let g = given;
      if (isMean) {
        const counts = places.spread(expand(ones([], { dtype: g.dtype }), places.shape));
        g = div(g, includeSelf ? add(counts, 1) : where(eq(counts, 0), 1, counts));
      }
      return [includeSelf ? g : places.cleared(g), null, null, places.back(places.met(g))];
    };
  };

/** All elements that are the largest, or smallest, have equal shares. */
function extremeBackward(call: RecordedCall, places: Places, includeSelf: boolean): Backward {
  const [x, , , source] = argsOf(call) as readonly [Tensor, number, Tensor, Tensor];
  const [self, written, result] = [call.save(x), call.save(source), call.saveResult()];
  return ([g]) => {
    const { dtype } = g;
    const equal = to(eq(self(), result()), dtype);
    const mine = includeSelf ? equal : places.cleared(equal);
    const from = cutTo(written(), places.shape);
    const theirs = to(eq(from, reshape(places.met(result()), places.shape)), dtype);
    const share = div(g, add(mine, places.spread(theirs)));
    return [mul(share, mine), null, null, places.back(mul(places.met(share), theirs))];
  };
}

/** Each factor gets the product of the others; what is divided by is no 0: a factor of 0 is left out of the product first. */
function productBackward(call: RecordedCall, places: Places, includeSelf: boolean): Backward {
  const [x, axis, , source, ...rest] = argsOf(call);
  const [needsX, needsSource] = [call.needs(x), call.needs(source)];
  const self = call.save(x);
  const result = needsSource ? call.saveResult() : null;
  const written = source instanceof Tensor ? call.save(source) : () => source;
  const product = (t: Tensor, from: Tensor | number): Tensor =>
    call.again(clone(t), axis, places.given(), from, ...rest) as Tensor;
  const ofSelf = (g: Tensor): Tensor => {
    const factor = where(eq(self(), 0), 1, self());
    const passed = div(mul(g, conjugate(product(factor, written()))), conjugate(factor));
    return includeSelf ? passed : places.cleared(passed);
  };
  const ofSource = (g: Tensor): Tensor => {
    const from = cutTo(written() as Tensor, places.shape);
    const isZero = eq(from, 0);
    const count = reshape(places.met(places.spread(to(isZero, g.dtype))), places.shape);
    const isOnly = logicalAnd(isZero, eq(count, 1));
    const others = product(self(), where(isOnly, 1, from));
    const met = (t: Tensor): Tensor => reshape(places.met(mul(g, conjugate(t))), places.shape);
    const quotient = div(met((result as () => Tensor)()), conjugate(where(isZero, 1, from)));
    return places.back(where(isOnly, met(others), quotient));
  };
  return ([g]) => [needsX ? ofSelf(g) : null, null, null, needsSource ? ofSource(g) : null];
}
