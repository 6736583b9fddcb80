/**
 * Ops of two operands whose values are not computed by one formula, but by loops over numbers, on bits, or by other ops. A formula then
 * stores the values with the dtype and shape of the result, and handles `out`.
 */
import { StridewiseError } from "../../base/errors.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { contiguous, to as converted } from "../../tensor/clone.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { storageOf, Tensor } from "../../tensor/tensor.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import { commonShape } from "../common-axes.ts";
import { compositeOp, fresh } from "../op.ts";
import { sumTo } from "../sum-to.ts";
import { to } from "../views.ts";
import { map, type OpFunction } from "./map.ts";

/** An operand: a tensor or a number. */
export type TensorOrNumber = Tensor | number;

/**
 * An op of two operands: `check` throws if they do not fit, `compute` returns the values, and `result` is a formula of x, other and
 * value for the result. The gradient is that of the formula's call, which has the values as a third argument.
 */
export function computedOp<F extends OpFunction>(
  name: string,
  result: string,
  check: (x: TensorOrNumber, other: TensorOrNumber) => void,
  compute: (x: TensorOrNumber, other: TensorOrNumber) => Tensor,
  gradient: GradientRule | null = null,
  second = "other",
): F {
  const store = map<OpFunction & ((...args: unknown[]) => Tensor)>(`${name}(x, other, value)`, result, null);
  store.operator.gradient = gradient;
  return compositeOp(
    `${name}(...; out)`,
    (x: TensorOrNumber, other: TensorOrNumber, options?: object) => {
      if (other === undefined) throw new StridewiseError(`${name}: ${second} is missing. Write ${name}(x, ${second})`);
      check(x, other);
      const isMeta = [x, other].some((one) => one instanceof Tensor && one.device.type === "meta");
      const value = isMeta ? 0 : compute(x, other);
      return store(x, other, value, options);
    },
    "elementwise",
  );
}

/** Throws unless both operands are tensors. */
export function checkTensors(name: string, x: unknown, other: unknown): void {
  for (const [key, one] of Object.entries({ x, other }))
    if (!(one instanceof Tensor))
      throw new StridewiseError(`${name}: ${key} must be a tensor, got ${describeValue(one)}. Create one: tensor(...)`);
}

/** A dense tensor in the shape, or of one element; a number stays a number. Call it for all operands before `windowOf`. */
export function denseIn(name: string, dtype: DType, one: TensorOrNumber, shape: readonly number[]): TensorOrNumber {
  if (!(one instanceof Tensor)) return Number(one);
  const t = converted(one, dtype);
  return contiguous(one.size === 1 ? t : expand(t, shape, name));
}

const kinds = { f64: 8, i32: 4 } as const;

/** A window of the memory of a dense tensor, for reading, or if `isWritten` for writing. */
export function windowOf(t: Tensor, kind: "f64", isWritten?: boolean): Float64Array;
export function windowOf(t: Tensor, kind: "i32", isWritten?: boolean): Int32Array;
export function windowOf(t: Tensor, kind: "f64" | "i32", isWritten = false): Float64Array | Int32Array {
  const storage = storageOf(t, "windowOf");
  const memory = isWritten ? storage.writable() : storage.readable();
  const { itemsize } = dtypes[t.dtype];
  const first = (storage.byteOffset + t.start * itemsize) / kinds[kind];
  return memory.array(kind).subarray(first, first + (t.size * itemsize) / kinds[kind]);
}

/** The broadcast shape of both operands. */
export const shapeTogether = (name: string, x: TensorOrNumber, other: TensorOrNumber): number[] =>
  commonShape(
    name,
    [x, other].filter((one) => one instanceof Tensor),
    ["x", "other"],
  );

/** Applies fn to pairs of elements, broadcast, in float64. */
export function overNumbers(
  name: string,
  fn: (a: number, b: number) => number,
  x: TensorOrNumber,
  other: TensorOrNumber,
): Tensor {
  const shape = shapeTogether(name, x, other);
  const result = fresh("float64", shape);
  const dense = [x, other].map((one) => denseIn(name, "float64", one, shape));
  const values = windowOf(result, "f64", true);
  const [a, b] = dense.map((one) => (one instanceof Tensor ? windowOf(one, "f64") : Float64Array.of(one))) as [
    Float64Array,
    Float64Array,
  ];
  const stepA = a.length === 1 ? 0 : 1;
  const stepB = b.length === 1 ? 0 : 1;
  for (let i = 0; i < values.length; i++) values[i] = fn(a[i * stepA], b[i * stepB]);
  return result;
}

/** The gradient of an op of two operands for the second one; for the first one, the backward pass throws. */
export const byOther =
  (name: string, gradient: (g: Tensor, x: Tensor, other: Tensor) => Tensor): GradientRule =>
  ({ args, save, needs }) => {
    const [x, other] = (args as readonly TensorOrNumber[]).map((one) =>
      one instanceof Tensor ? save(one) : () => one,
    ) as [() => Tensor, () => Tensor];
    if (needs(args[0]))
      return () => {
        throw new StridewiseError(
          `backward: the derivative of ${name} with respect to x is not implemented. Detach x: ${name}(x.detach(), other)`,
        );
      };
    return ([g]) => {
      const at = other();
      return [null, to(sumTo(gradient(g, x(), at), sizesOf(at)), at.dtype)];
    };
  };
