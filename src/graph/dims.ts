/**
 * Dimensions of compiled functions: named sizes with bounds. The shapes in `compile(fn, { inputs })` name them; each call is checked against them
 * before anything runs.
 */
import { wrongKind } from "../base/arguments.ts";
import { ShapeError, StridewiseError } from "../base/errors.ts";
import { show } from "../base/show.ts";
import { type Expr, sym } from "../expr/index.ts";
import { checkOptions } from "../ops/signature.ts";
import { sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";

export interface DimOptions {
  /** The smallest size. Default: 0. */
  readonly min?: number | undefined;
  /** The largest size. Default: none. */
  readonly max?: number | undefined;
  /** A number that divides every size. Default: 1. */
  readonly multipleOf?: number | undefined;
}

/** A dimension whose size differs from call to call. Create it with `dim`. */
export class Dim {
  declare readonly name: string;
  declare readonly min: number;
  declare readonly max: number;
  declare readonly multipleOf: number;

  constructor(name: string, min: number, max: number, multipleOf: number) {
    this.name = name;
    this.min = min;
    this.max = max;
    this.multipleOf = multipleOf;
  }

  /** The symbol of the dimension in graphs. */
  get symbol(): Expr {
    const { min, max, multipleOf } = this;
    return sym(this.name, { min, ...(max < Infinity && { max }), divisibleBy: multipleOf });
  }
}

/** Returns a dimension for the shapes of `compile(fn, { inputs })`. Axes with the same dimension have the same size in every call. */
export function dim(name: string, options: DimOptions = {}): Dim {
  if (typeof name !== "string" || !/^[a-zA-Z]\w*$/.test(name)) throw wrongKind("dim", "a name such as n", name);
  checkOptions("dim", options, "min", "max", "multipleOf");
  const { min = 0, max = Infinity, multipleOf = 1 } = options;
  const isSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  if (!isSize(min) || !(isSize(max) || max === Infinity) || !isSize(multipleOf) || multipleOf === 0 || min > max)
    throw new StridewiseError(
      `dim: ${name} needs integers 0 <= min <= max and multipleOf >= 1, got min ${min}, max ${max}, multipleOf ${multipleOf}`,
    );
  return new Dim(name, min, max, multipleOf);
}

/** The shape of an input: numbers are fixed sizes, `null` stands for any size. */
export type InputShape = readonly (number | Dim | null)[];

/** Throws unless the tensors of a call have the declared shapes. */
export function checkShapes(shapes: readonly InputShape[], tensors: readonly Tensor[]): void {
  if (shapes.length !== tensors.length)
    throw new ShapeError(`compile: inputs declares ${shapes.length} tensors, but the call has ${tensors.length}`);
  const dimSizes = new Map<Dim, { readonly size: number; readonly where: string }>();
  shapes.forEach((shape, k) => {
    const sizes = sizesOf(tensors[k]);
    if (sizes.length !== shape.length)
      throw new ShapeError(`compile: tensor ${k} must have ${shape.length} axes, got shape ${show(sizes)}`);
    shape.forEach((expected, axis) => {
      const size = sizes[axis];
      const where = `axis ${axis} of tensor ${k}`;
      if (typeof expected === "number" && expected !== size)
        throw new ShapeError(`compile: ${where} must have size ${expected}, got shape ${show(sizes)}`);
      if (!(expected instanceof Dim)) return;
      const { name, min, max, multipleOf } = expected;
      if (size < min || size > max || size % multipleOf !== 0)
        throw new ShapeError(
          `compile: ${name} is ${size} (${where}), but it must be ${multipleOf === 1 ? "an integer" : `a multiple of ${multipleOf}`} from ${min} to ${max}`,
        );
      const earlier = dimSizes.get(expected);
      if (earlier !== undefined && earlier.size !== size)
        throw new ShapeError(`compile: ${name} is ${earlier.size} (${earlier.where}) and ${size} (${where})`);
      dimSizes.set(expected, { size, where });
    });
  });
}

/** Throws unless a value is a list of shapes. */
export function checkInputs(inputs: unknown): asserts inputs is readonly InputShape[] {
  const isSize = (size: unknown): boolean =>
    size === null || size instanceof Dim || (typeof size === "number" && Number.isSafeInteger(size) && size >= 0);
  if (!Array.isArray(inputs) || !inputs.every((shape) => Array.isArray(shape) && shape.every(isSize)))
    throw wrongKind("compile", "inputs: a list of shapes, each a list of sizes, dimensions (dim) and nulls", inputs);
}
