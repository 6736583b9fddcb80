/**
 * Tensors of another copy of this package, such as one that a dependency brought along. Their memory and their classes are not those of
 * this copy, so they are refused, in words that say why. Every copy brands its tensors under one symbol, with an object of its own.
 */

/** The property that every tensor has, of whatever copy. */
export const tensorBrand: unique symbol = Symbol.for("stridewise.tensor") as never;

/** The value of that property in this copy. */
export const ownBrand: object = {};

/** The words for a tensor of another copy; empty for anything else. */
export const foreign = (value: unknown): string =>
  (Object(value)[tensorBrand] ?? ownBrand) === ownBrand
    ? ""
    : "a tensor that comes from another copy of stridewise (see npm ls stridewise)";
