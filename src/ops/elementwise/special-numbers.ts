/**
 * Ops that compute the values of their elements in some other way than by one formula: by loops over numbers that end when a series
 * does, on the bits of numbers, by other ops. A formula then brings the values to the result: its dtype, its shape, `out`.
 */
import { StridewiseError } from "../../base/errors.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { contiguous, to as converted } from "../../tensor/clone.ts";
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
export type Operand = Tensor | number;

/**
 * An op of two operands: `compute` gives the values of the elements, or refuses the operands by `check`; `result` is a formula that has
 * what the values become, by x, other and value. The gradient is that of this formula's call, with the values as a third argument.
 */
export function computedOp<F extends OpFunction>(
  name: string,
  result: string,
  check: (x: Operand, other: Operand) => void,
  compute: (x: Operand, other: Operand) => Tensor,
  gradient: GradientRule | null = null,
): F {
  const store = map<OpFunction & ((...args: unknown[]) => Tensor)>(`${name}(x, other, value)`, result, null);
  store.operator.gradient = gradient;
  return compositeOp(
    `${name}(...; out)`,
    (x: Operand, other: Operand, options?: object) => {
      if (other === undefined) throw new StridewiseError(`${name}: other is missing. Write ${name}(x, other)`);
      check(x, other);
      const isMeta = [x, other].some((one) => one instanceof Tensor && one.device.type === "meta");
      const value = isMeta ? 0 : compute(x, other);
      return store(x, other, value, options);
    },
    "elementwise",
  );
}

/** Refuses numbers where PyTorch takes tensors alone. */
export function checkTensors(name: string, x: unknown, other: unknown): void {
  for (const [place, one] of [x, other].entries())
    if (!(one instanceof Tensor))
      throw new StridewiseError(
        `${name}: argument '${place === 0 ? "input" : "other"}' (position ${place + 1}) must be Tensor, not ${typeof one}. Make one: tensor(...)`,
      );
}

/** The elements of a dense tensor in the shape, or a single one; a number as it is. Ask for all windows after all are dense. */
export function denseIn(name: string, dtype: DType, one: Operand, shape: readonly number[]): Operand {
  if (!(one instanceof Tensor)) return Number(one);
  const t = converted(one, dtype);
  return contiguous(one.size === 1 ? t : expand(t, shape, name));
}

const kinds = { f64: 8, i32: 4 } as const;

/** The elements of a dense tensor as an array of numbers: its memory itself, to be read, or if `isWritten` to be written. */
export function windowOf(t: Tensor, kind: "f64", isWritten?: boolean): Float64Array;
export function windowOf(t: Tensor, kind: "i32", isWritten?: boolean): Int32Array;
export function windowOf(t: Tensor, kind: "f64" | "i32", isWritten = false): Float64Array | Int32Array {
  const storage = storageOf(t, "windowOf");
  const memory = isWritten ? storage.writable() : storage.readable();
  const { itemsize } = dtypes[t.dtype];
  const first = (storage.byteOffset + t.start * itemsize) / kinds[kind];
  return memory.array(kind).subarray(first, first + (t.size * itemsize) / kinds[kind]);
}

/** The shape that operands have together. */
export const shapeTogether = (name: string, x: Operand, other: Operand): number[] =>
  commonShape(
    name,
    [x, other].filter((one) => one instanceof Tensor),
    ["x", "other"],
  );

/** fn over the elements of both, broadcast, as float64. */
export function overNumbers(name: string, fn: (a: number, b: number) => number, x: Operand, other: Operand): Tensor {
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

/** The gradient of an op of two operands by the second one alone; by the first one it is not known. */
export const byOther =
  (name: string, passed: (g: Tensor, x: Tensor, other: Tensor) => Tensor): GradientRule =>
  ({ args, save, needs }) => {
    const [x, other] = (args as readonly Operand[]).map((one) => (one instanceof Tensor ? save(one) : () => one)) as [
      () => Tensor,
      () => Tensor,
    ];
    if (needs(args[0]))
      return () => {
        throw new StridewiseError(`backward: the derivative for '${name}: input' is not implemented`);
      };
    return ([g]) => {
      const at = other();
      return [null, to(sumTo(passed(g, x(), at), sizesOf(at)), at.dtype)];
    };
  };
