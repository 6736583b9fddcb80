/**
 * Tensors of other copies of the package, and objects that cannot be cloned.
 *
 * Tensors of another copy, such as one that a dependency installed, have other memory and other classes, so ops reject them with a
 * message that says why. Every copy brands its tensors under one symbol, with its own object.
 *
 * Structured cloning (structuredClone, postMessage) copies the fields of an object and loses its class and its private fields. A field
 * that holds a symbol makes it throw instead, and the error shows the text of the symbol, which says what to send.
 */

/** The property of the tensors of all copies. */
export const tensorBrand: unique symbol = Symbol.for("stridewise.tensor") as never;

/** The value of that property in this copy. */
export const ownBrand: object = {};

/** The description of a tensor of another copy; empty for other values. */
export const foreign = (value: unknown): string =>
  (Object(value)[tensorBrand] ?? ownBrand) === ownBrand
    ? ""
    : "a tensor that comes from another copy of stridewise (see npm ls stridewise)";

/** The field of storages, and so of tensors and objects that hold them. */
export const tensorsAreMessages: symbol = /* @__PURE__ */ Symbol(
  "stridewise: tensors cannot be cloned or posted. Send toMessage() and receive with fromMessage(message)",
);

/** The field of generators. */
export const generatorsAreStates: symbol = /* @__PURE__ */ Symbol(
  "stridewise: generators cannot be cloned or posted. Send getState() and receive with setState(state)",
);
