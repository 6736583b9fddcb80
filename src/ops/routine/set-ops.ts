/**
 * Tensors as sets of their elements: what is in one, in both, in only one of them, as a list in ascending order. Functions only, no methods,
 * made of other ops. How many elements there are depends on values. NaN is equal to none, but each tensor counts as having one at most.
 */
import { item } from "../../tensor/access/access.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { eq, isnan } from "../elementwise/comparison.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { freeing } from "../freeing.ts";
import { cat } from "../movement/join.ts";
import { maskedSelect } from "../movement/masked-select.ts";
import type { Promote } from "../op-types.ts";
import { sum } from "../reduce/reduce.ts";
import { narrow, reshape } from "../views.ts";
import { routineOfValues } from "./routine-op.ts";
import { isin } from "./search-ops.ts";
import { unique } from "./unique-ops.ts";

/** Of two sets, in their common dtype. */
export interface SetOfBoth extends OpFunction {
  <A extends Tensor, B extends Tensor>(x: A, other: B): Tensor<[number], Promote<A["dtype"], B["dtype"]>, "none">;
}
/** The type of setdiff1d. */
export interface SetOfFirst extends OpFunction {
  <A extends Tensor>(x: A, other: Tensor): Tensor<[number], A["dtype"], "none">;
}
interface Given {
  readonly x: Tensor;
  readonly other: Tensor;
}

const flat = (t: Tensor): Tensor => reshape(t, [t.size]);

/** The distinct elements in ascending order; NaNs come last, and the first of them stays. */
function distinct(x: Tensor): Tensor {
  const found = unique(x);
  return narrow(found, 0, 0, found.size - Math.max(Number(item(sum(isnan(found)))) - 1, 0));
}

/** The elements that so many of both sets have. */
function inExactly(count: 1 | 2, { x, other }: Given): Tensor {
  const { output, counts } = unique(cat([distinct(x), distinct(other)]), { returnCounts: true });
  return maskedSelect(output, eq(counts, count));
}

function setOp<F extends OpFunction>(name: string, compute: (given: Given) => Tensor): F {
  const checked = (given: Given): Tensor => {
    checkTensor(name, given.x);
    checkTensor(name, given.other);
    return compute(given);
  };
  return routineOfValues(`${name}(x, other)`, freeing(checked) as typeof checked);
}

/** The elements of either tensor, each once, in ascending order. */
export const union1d: SetOfBoth = /* @__PURE__ */ setOp("union1d", ({ x, other }) =>
  distinct(cat([flat(x), flat(other)])),
);
/** The elements that both tensors have, each once, in ascending order. */
export const intersect1d: SetOfBoth = /* @__PURE__ */ setOp("intersect1d", (given) => inExactly(2, given));
/** The elements that exactly one of both tensors has, each once, in ascending order. */
export const setxor1d: SetOfBoth = /* @__PURE__ */ setOp("setxor1d", (given) => inExactly(1, given));
/** The elements of the first tensor that the other has not, each once, in ascending order. */
export const setdiff1d: SetOfFirst = /* @__PURE__ */ setOp("setdiff1d", ({ x, other }) => {
  const found = distinct(x);
  return maskedSelect(found, isin(found, other, { invert: true }));
});
