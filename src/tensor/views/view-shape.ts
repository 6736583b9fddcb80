/**
 * Shapes of views: the size of a -1, and the strides of a view with a different shape, if it exists.
 * Pure functions on numbers, as PyTorch defines them.
 *
 * Broadcasting: shapes are aligned at the last axis, and a size of 1 (or a missing axis) matches any other size.
 */
import { ShapeError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { show } from "../../base/show.ts";
import { reachOf } from "../../layout/flat.ts";
import { equalInt, type Int, isOne } from "../../layout/int.ts";
import { isRowMajor, rowMajorStrides } from "../contiguity.ts";
import { checkRank } from "../geometry.ts";

type Numbers = readonly number[];

/** Throws unless `shape` is an array. `next` is the argument after it: a number if the sizes were passed one by one. */
export function checkArray(who: string, shape: unknown, next?: unknown): asserts shape is readonly unknown[] {
  if (Array.isArray(shape)) return;
  const sizes = typeof next === "number" ? [shape, next] : [shape];
  throw new ShapeError(
    `${who}: shape must be an array, got ${sizes.map(describe).join(" and ")}` +
      (typeof shape !== "number" ? "" : sizes.length > 1 ? `. Write ${who}(${show(sizes)})` : `. Write [${shape}]`),
  );
}

/** Throws unless `shape` is a list of sizes, at most 64 of them. */
export function checkShape(who: string, shape: unknown): asserts shape is Numbers {
  checkArray(who, shape);
  checkRank(shape.length, who);
  for (const size of shape)
    if (!Number.isSafeInteger(size) || (size as number) < 0)
      throw new ShapeError(
        `${who}: ${describe(size)} is not a size in ${show(shape.map(describe))}; sizes must be non-negative integers`,
      );
}

/** Throws unless sizes, strides and an offset are valid together, for any memory. */
export function checkStrided(who: string, sizes: Numbers, strides: Numbers, offset: number): void {
  checkShape(who, sizes);
  checkArray(who, strides);
  if (sizes.length !== strides.length)
    throw new ShapeError(
      `${who}: sizes and strides must have the same length, got ${sizes.length} and ${strides.length}`,
    );
  if (!strides.every(Number.isSafeInteger))
    throw new ShapeError(`${who}: strides must be integers, got ${show(strides)}`);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new ShapeError(`${who}: the storage offset must be a non-negative integer, got ${offset}`);
}

/** The first and last element of a geometry; throws if it reaches outside the `count` elements of the memory. */
export function checkReach(
  who: string,
  shape: Numbers,
  strides: Numbers,
  offset: number,
  count = Infinity,
): readonly [low: number, high: number] {
  checkStrided(who, shape, strides, offset);
  if (shape.includes(0)) return [offset, offset - 1];
  const [low, high] = reachOf(shape, strides, offset);
  if (low < 0 || high >= count)
    throw new ShapeError(
      `${who}: shape ${show(shape)} with strides ${show(strides)} from offset ${offset} takes elements ${low} to ${high}, but ${low < 0 ? "memory starts at 0" : `the memory has ${count}`}`,
    );
  return [low, high];
}

const describe = (value: unknown): string => (typeof value === "string" ? `"${value}"` : String(value));

/** The shape with its -1 replaced by the size that fits `size` elements. */
export function inferShape(who: string, shape: Numbers, size: number): Numbers {
  let inferred = -1;
  let known = 1;
  for (let i = 0; i < shape.length; i++) {
    const at = shape[i];
    if (at === -1) {
      if (inferred >= 0) throw new ShapeError(`${who}: only one size can be -1, got ${show(shape)}`);
      inferred = i;
    } else if (Number.isSafeInteger(at) && at >= 0) known *= at;
    else throw new ShapeError(`${who}: invalid size ${describe(at)} in ${show(shape.map(String))}`);
  }
  const invalid = (): ShapeError =>
    new ShapeError(`${who}: shape '${show(shape.map(String))}' is invalid for input of size ${size}`);
  if (inferred < 0) {
    if (known !== size) throw invalid();
    return shape;
  }
  if (known === 0) {
    if (size !== 0) throw invalid();
    throw new ShapeError(
      `${who}: cannot reshape tensor of 0 elements into shape ${show(shape)} because -1 can be any size`,
    );
  }
  if (size % known !== 0) throw invalid();
  return shape.map((at) => (at === -1 ? size / known : at));
}

/**
 * The strides with which `to` reads the elements of (from, strides) in row-major order, or null if no strides do.
 * Walks both shapes from the last axis, one run of mergeable axes at a time.
 */
export function viewStrides(from: Numbers, strides: Numbers, to: Numbers): number[] | null {
  if (from.includes(0))
    return from.length === to.length && from.every((size, i) => size === to[i]) ? strides.slice() : rowMajorStrides(to);
  if (isRowMajor(from, strides) && strides.length > 0) {
    // The common case. The general walk below handles axes of size 1 in the same way.
    const last = strides[strides.length - 1];
    if (last === 1) return rowMajorStrides(to);
  }
  const result = new Array<number>(to.length).fill(1);
  let at = to.length - 1;
  let step = from.length === 0 ? 1 : strides[from.length - 1];
  let run = 1;
  let covered = 1;
  for (let axis = from.length - 1; axis >= 0; axis--) {
    run *= from[axis];
    const ends = axis === 0 || (from[axis - 1] !== 1 && strides[axis - 1] !== run * step);
    if (!ends) continue;
    while (at >= 0 && (covered < run || to[at] === 1)) {
      result[at] = covered * step;
      covered *= to[at];
      at--;
    }
    if (covered !== run) return null;
    if (axis > 0) {
      step = strides[axis - 1];
      run = 1;
      covered = 1;
    }
  }
  return at < 0 || from.length === 0 ? result : null;
}

/** The shape that all shapes broadcast to. */
export function broadcastShapes(...shapes: readonly (readonly number[])[]): number[] {
  for (const shape of shapes) checkShape("broadcastShapes", shape);
  return shapes.reduce<number[]>((a, b) => broadcastTwo("broadcastShapes", a, b), []);
}

/** Sizes that are numbers or symbols. */
export type Sizes = readonly Int[];

/** True unless two sizes are known to differ. */
export const mayEqual = (a: Int, b: Int): boolean => equalInt(a, b) !== false;

/** The shape that two shapes broadcast to; errors show `whole`, the shapes that these are a part of. */
export function broadcastSizes(who: string, a: Sizes, b: Sizes, whole: readonly [Sizes, Sizes] = [a, b]): Int[] {
  const rank = Math.max(a.length, b.length);
  return listOf(rank, (axis) => {
    const x = a[axis - rank + a.length] ?? 1;
    const y = b[axis - rank + b.length] ?? 1;
    if (isOne(x)) return y;
    if (isOne(y) || mayEqual(x, y)) return x;
    throw new ShapeError(
      `${who}: the shapes ${whole.map(show).join(" and ")} do not broadcast: the sizes ${x} and ${y} at axis ${axis} must be equal, or one of them 1`,
    );
  });
}

/** The same for shapes of numbers. */
export const broadcastTwo = broadcastSizes as (who: string, a: readonly number[], b: readonly number[]) => number[];
