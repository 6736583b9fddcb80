/**
 * Structured cloning (structuredClone, postMessage) copies the fields of an object and loses its class and its private fields. A field with
 * a symbol makes it throw instead, and the error shows the text of the symbol: what to send. Costs nothing but the field.
 */

/** Of storages, and so of tensors and all that holds them. */
export const tensorsAreMessages: symbol = /* @__PURE__ */ Symbol(
  "stridewise: tensors cannot be cloned or posted. Send toMessage() and receive with fromMessage(message)",
);

/** Of generators. */
export const generatorsAreStates: symbol = /* @__PURE__ */ Symbol(
  "stridewise: generators cannot be cloned or posted. Send getState() and receive with setState(state)",
);
