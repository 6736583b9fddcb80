/**
 * Tensors that come from outside this copy of the package, and objects that cannot be cloned.
 *
 * Tensors of another copy, such as one that a dependency brought along, have other memory and other classes, so they are refused with a
 * message that says why. Every copy brands its tensors under one symbol, with an object of its own.
 *
 * Structured cloning (structuredClone, postMessage) copies the fields of an object and loses its class and its private fields. A field with
 * a symbol makes it throw instead, and the error shows the text of the symbol: what to send. It costs only the field.
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

/** Of storages, and so of tensors and all that holds them. */
export const tensorsAreMessages: symbol = /* @__PURE__ */ Symbol(
  "stridewise: tensors cannot be cloned or posted. Send toMessage() and receive with fromMessage(message)",
);

/** Of generators. */
export const generatorsAreStates: symbol = /* @__PURE__ */ Symbol(
  "stridewise: generators cannot be cloned or posted. Send getState() and receive with setState(state)",
);
