/**
 * reduce, batchReduce and logicalReduce fold elements by an operation, in the order of their 1-D indices.
 *
 * Postconditions: reduce(t, initial, op) = op(... op(op(initial, t(0)), t(1)) ...). batchReduce folds every column of (Red, Batch), starting from
 * the destination's element and rounding to its dtype at each step. logicalReduce folds the modes under integers. The default operation, a
 * sum, runs on kernels, which may sum all elements in a different order.
 *
 * Kernels require storage and strides. They sum all elements in float64, complex numbers in complex128 and integers of up to 32 bits in
 * int64, in an order fixed by the layout. Columns are summed row by row, rounded to the destination's dtype after each row, as in the loops.
 */

import { OverflowError, ShapeError } from "../../base/errors.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { fixedStorage } from "../../kernel/copy.ts";
import { type IntegerForm, reader, rounder } from "../../kernel/element.ts";
import { cast } from "../../kernel/ir/scalar.ts";
import { shortName } from "../../kernel/map/short-name.ts";
import { runMap } from "../../kernel/program/lower-map.ts";
import { runReduce } from "../../kernel/program/lower-reduce.ts";
import { withWorkspace } from "../../kernel/program/run-program.ts";
import { ReduceKernel } from "../../kernel/reduce/spec.ts";
import { hasUnderscore, type SliceCoord } from "../../layout/coord.ts";
import { refineFlat } from "../../layout/flat.ts";
import { formatLayout } from "../../layout/format.ts";
import { joinModes, type Layout, makeLayout, onInner } from "../../layout/layout.ts";
import { dice, slice } from "../../layout/modes.ts";
import { rank } from "../../layout/queries.ts";
import {
  type Complex,
  type DType,
  DTypeError,
  dtypes,
  isComplex,
  isComplexDType,
  isIntegerDType,
  type Value,
  type ValueOf,
} from "../../storage/dtype.ts";
import { indexReader } from "../elements.ts";
import { flatLayoutOf, isComposedTensor, sizesOf } from "../geometry.ts";
import { checkNoSelfOverlap, checkTensor } from "../operand.ts";
import { computedEngine, heldView, type Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";
import { wholeMemory } from "../whole-memory.ts";
import { arithmeticKernel } from "./arithmetic.ts";
import { checkDestination, checkFunction, elementWriter, noteWrite, numberType } from "./destination.ts";
import { mayDisturb, operandInOrder, stridedAxes, undisturbedReader, visitInOrder } from "./in-order.ts";
import { flatMode, stepsOver } from "./outer-products.ts";

/** Returns the sum of two values. true counts as 1; bigints can be added to integers, complex numbers to any number. */
export function plus(a: Value, b: Value): Value {
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (isComplex(a) || isComplex(b)) {
    const [x, y] = [asComplex(a), asComplex(b)];
    return { re: x.re + y.re, im: x.im + y.im };
  }
  if (typeof a === "bigint" || typeof b === "bigint") return asBigInt(a) + asBigInt(b);
  return Number(a) + Number(b);
}

const asComplex = (value: Value): Complex => (isComplex(value) ? value : { re: Number(value), im: 0 });

function asBigInt(value: Exclude<Value, Complex>): bigint {
  if (typeof value === "number" && !Number.isInteger(value))
    throw new DTypeError(`plus: cannot add ${value} to a bigint, it is not an integer. Start from the number 0`);
  return BigInt(value);
}

/**
 * Returns the sum of the elements and `initial`. Numbers are summed in float64. Sums of integers are exact and throw past 2^53;
 * if `initial` is a bigint, they have no limit.
 */
export function reduce(tensor: Tensor, initial: bigint): bigint;
export function reduce<D extends DType>(
  tensor: Tensor<Shape, D>,
  initial: number,
): D extends "complex64" | "complex128" ? Complex : number;
export function reduce(tensor: Tensor, initial: Complex): Complex;
/** Folds the elements by an operation; int64 and uint64 are passed as bigints if `initial` is one. */
export function reduce<D extends DType, T>(
  tensor: Tensor<Shape, D>,
  initial: T,
  op: (sofar: T, value: T extends bigint ? Value : ValueOf<D>) => T,
): T;
export function reduce(tensor: Tensor, initial: unknown, op: (sofar: never, value: never) => unknown = plus): unknown {
  const fold = op as (sofar: unknown, value: unknown) => unknown;
  checkTensor("reduce", tensor);
  checkFunction(op, "reduce");
  if (op === plus) numberType(tensor, "reduce");
  let sofar = initial;
  const total = op === plus && typeof initial !== "bigint" ? sumOfAll(tensor, "reduce") : null;
  if (total !== null) sofar = plus(initial as Value, typeof total === "bigint" ? Number(total) : total);
  const take = (value: Value): void => {
    sofar = fold(sofar, value);
  };
  if (total === null) visitInOrder(tensor, take, typeof initial === "bigint" ? "bigint" : "number", "reduce");
  if (op === plus && typeof sofar === "number" && isIntegral(tensor) && Math.abs(sofar) > Number.MAX_SAFE_INTEGER)
    throw new OverflowError(
      `reduce: the sum of these ${tensor.type} elements is past 2^53 - 1, the largest exact number. Start from a bigint: reduce(tensor, 0n)`,
    );
  return sofar;
}

const isIntegral = (t: Tensor): boolean => t.type !== null && isIntegerDType(t.type);

/** Folds column i of a source (Red, Batch) into element i of the destination. */
export function batchReduce(
  source: Tensor,
  destination: Tensor,
  op: (sofar: Value, value: Value) => Value = plus,
): void {
  foldColumns(source, destination, op, "batchReduce");
}

function foldColumns(
  source: Tensor,
  destination: Tensor,
  op: (sofar: Value, value: Value) => Value,
  who: string,
): void {
  checkTensor(who, source);
  checkTensor(who, destination);
  checkFunction(op, who);
  const to = numberType(destination, who);
  checkDestination(destination, who);
  checkNoSelfOverlap(destination, who);
  const [length, count] = sizesOf(source) as [number, number];
  if (source.rank !== 2 || count !== destination.size)
    throw new ShapeError(
      `${who}: the source ${formatLayout(source.layout)} must have two modes (Red, Batch), with Batch of the size ${destination.size} of the destination ${formatLayout(destination.layout)}`,
    );
  if (op === plus && addRows(source, destination, who)) {
    noteWrite(destination);
    return;
  }
  // The default sum of 64-bit integers is exact; other operations receive numbers.
  const form: IntegerForm = op === plus && isIntegerDType(to) ? "bigint" : "number";
  const read = undisturbedReader(source, destination, who, form);
  const sofarOf = indexReader(destination, who, form);
  const write = elementWriter(destination, who);
  const rounded = rounder(to, form);
  for (let i = 0; i < count; i++) {
    let sofar = sofarOf(i);
    for (let k = 0; k < length; k++) sofar = rounded(op(sofar, read(k + length * i)));
    write(i, sofar);
  }
  noteWrite(destination);
}

/**
 * Folds the modes under integers of the profile into the destination, which has one element for each coordinate of the modes
 * under `_`: logicalReduce(t, sums, [0, _]) sums the columns of a matrix.
 */
export function logicalReduce(
  source: Tensor,
  destination: Tensor,
  profile: SliceCoord,
  op: (sofar: Value, value: Value) => Value = plus,
): void {
  checkTensor("logicalReduce", source);
  const columns = onInner("logicalReduce", source.layout, (layout) =>
    joinModes([
      oneMode(hasInteger(profile), dice(profile, layout)),
      oneMode(hasUnderscore(profile), slice(profile as never, layout)),
    ]),
  );
  foldColumns(heldView(source, columns, source.start), destination, op, "logicalReduce");
}

const hasInteger = (profile: SliceCoord): boolean =>
  Array.isArray(profile) ? profile.some(hasInteger) : !hasUnderscore(profile);

const oneMode = (isAny: boolean, layout: Layout): Layout =>
  isAny && rank(layout) > 0 ? layout : (makeLayout(1, 0) as Layout);

const kernels: Map<DType, ReduceKernel> = /* @__PURE__ */ new Map();

/** Returns the dtype that all elements are summed in, or null for 64-bit integers, whose sums may need more bits. */
function totalType(dtype: DType): DType | null {
  const { category, itemsize } = dtypes[dtype];
  if (category === "complex") return "complex128";
  if (category === "float") return "float64";
  return itemsize < 8 ? "int64" : null;
}

function sumKernel(dtype: DType, total: DType): ReduceKernel {
  const make = (): ReduceKernel =>
    new ReduceKernel({
      name: `${shortName(dtype)}_sum_in_${shortName(total)}`,
      outputs: [total],
      inputs: [dtype],
      scalars: [],
      accumulators: [{ fn: "add", total }],
      terms: ([x]) => [cast(total, x)],
      finish: ([sum]) => [sum],
    });
  return getOrCompute(kernels, dtype, make);
}

/** Returns the sum of all elements, integers as bigint, or null if kernels do not support it. */
function sumOfAll(t: Tensor, who: string): Value | null {
  const total = t.type === null ? null : totalType(t.type);
  const axes = total === null || t.size === 0 ? null : stridedAxes([t], who);
  if (total === null || axes === null) return null;
  return withWorkspace(16, (memory, byteOffset) => {
    const output = { storage: fixedStorage(memory, byteOffset), dtype: total, offset: 0, shape: [], stride: [] };
    runReduce(sumKernel(t.dtype, total), [output], [operandInOrder(t, axes, 0, who)]);
    const { array, itemsize } = dtypes[total];
    return reader(total, "bigint")(memory.array(array), byteOffset / itemsize);
  });
}

/** Adds every row of a source (Red, Batch) to the destination. Does nothing and returns false if kernels do not support it. */
function addRows(source: Tensor, destination: Tensor, who: string): boolean {
  const [from, to] = [source.type, destination.type];
  if (from === null || to === null) return false;
  for (const t of [source, destination]) if (computedEngine(t, who) !== null || isComposedTensor(t)) return false;
  const isInteger = (dtype: DType): boolean => isIntegerDType(dtype) || dtype === "bool";
  const isComplex = (dtype: DType): boolean => isComplexDType(dtype);
  // The elementwise loops throw for elements that cannot be added.
  if (isInteger(to) ? !isInteger(from) : isComplex(from) && !isComplex(to)) return false;
  if (destination.size === 0 || source.size === 0 || mayDisturb(destination, source, who)) return false;
  const refined = refineFlat([flatLayoutOf(destination), flatMode(source, 1)]);
  if (refined === undefined) return false;
  const arithmetic = isComplex(to) ? "complex" : isInteger(to) ? "long" : "real";
  const kernel = arithmeticKernel("add", arithmetic, to, [to, from]);
  const { sizes: shape, strides } = refined;
  const [storage, readStorage] = [wholeMemory(destination, who), wholeMemory(source, who)];
  const sums = { storage, dtype: to, offset: destination.start, shape, stride: strides[0] };
  for (const step of stepsOver(source, 0)) {
    const stride = strides[1];
    runMap(kernel, [sums, sums, { storage: readStorage, dtype: from, offset: source.start + step, shape, stride }]);
  }
  return true;
}
