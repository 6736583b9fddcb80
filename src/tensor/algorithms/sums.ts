/**
 * Sums on kernels: of all elements, and of columns into the elements of a destination.
 * A sum of all elements is in float64 (complex numbers in complex128), of integers up to 32 bits in int64, in an order that the
 * layout fixes. Columns are added one row after the other, rounded to the destination's dtype after each, as the loops do it. Where there is no
 * storage or no strides nothing is done.
 */

import { fixedStorage } from "../../kernel/copy.ts";
import { reader } from "../../kernel/element.ts";
import { cast, type Scalar } from "../../kernel/ir/scalar.ts";
import { shortName } from "../../kernel/map/short-name.ts";
import { runMap } from "../../kernel/program/lower-map.ts";
import { runReduce } from "../../kernel/program/lower-reduce.ts";
import { withWorkspace } from "../../kernel/program/run-program.ts";
import { ReduceKernel } from "../../kernel/reduce/spec.ts";
import { refineFlat } from "../../layout/flat.ts";
import { type DType, dtypes, isComplexDType, isIntegerDType, type Value } from "../../storage/dtype.ts";
import { flatLayoutOf } from "../geometry.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";
import { arithmeticKernel } from "./arithmetic-kernels.ts";
import { mayDisturb } from "./in-order.ts";
import { flatMode, stepsOver } from "./outer-products.ts";
import { isComposedTensor, operandInOrder, stridedAxes } from "./strided-axes.ts";

let kernels: Map<DType, ReduceKernel> | null = null;

/** What the sum of all elements is computed in; null for 64-bit integers, whose sums may need more bits. */
function totalType(dtype: DType): DType | null {
  const { category, itemsize } = dtypes[dtype];
  if (category === "complex") return "complex128";
  if (category === "float") return "float64";
  return itemsize < 8 ? "int64" : null;
}

function sumKernel(dtype: DType, total: DType): ReduceKernel {
  kernels ??= new Map();
  let kernel = kernels.get(dtype);
  if (kernel === undefined) {
    kernel = new ReduceKernel({
      name: `${shortName(dtype)}_sum_in_${shortName(total)}`,
      outputs: [total],
      inputs: [dtype],
      scalars: [],
      accumulators: [{ fn: "add", total }],
      terms: ([x]) => [cast(total, x as Scalar)],
      finish: ([sum]) => [sum as Scalar],
    });
    kernels.set(dtype, kernel);
  }
  return kernel;
}

/** The sum of all elements, integers as bigint; null if kernels cannot give it. */
export function sumOfAll(t: Tensor, who: string): Value | null {
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

/** Adds every row of a source (Red, Batch) to the destination; false, and nothing is done, if kernels cannot do it. */
export function addRows(source: Tensor, destination: Tensor, who: string): boolean {
  const [from, to] = [source.type, destination.type];
  if (from === null || to === null) return false;
  for (const t of [source, destination]) if (computedEngine(t, who) !== null || isComposedTensor(t)) return false;
  const isInteger = (dtype: DType): boolean => isIntegerDType(dtype) || dtype === "bool";
  const isComplex = (dtype: DType): boolean => isComplexDType(dtype);
  // What cannot be added is refused, element by element, by the loops.
  if (isInteger(to) ? !isInteger(from) : isComplex(from) && !isComplex(to)) return false;
  if (destination.size === 0 || source.size === 0 || mayDisturb(destination, source, who)) return false;
  const refined = refineFlat([flatLayoutOf(destination), flatMode(source, 1)]);
  if (refined === undefined) return false;
  const arithmetic = isComplex(to) ? "complex" : isInteger(to) ? "long" : "real";
  const kernel = arithmeticKernel("add", arithmetic, to, [to, from]);
  const { sizes: shape, strides } = refined;
  const [storage, readStorage] = [wholeMemory(destination, who), wholeMemory(source, who)];
  const sums = { storage, dtype: to, offset: destination.start, shape, stride: strides[0] as readonly number[] };
  for (const step of stepsOver(source, 0)) {
    const stride = strides[1] as readonly number[];
    runMap(kernel, [sums, sums, { storage: readStorage, dtype: from, offset: source.start + step, shape, stride }]);
  }
  return true;
}
