/** Loads and runs a mutated model within limits, and says how it ends. */

import { StridewiseError } from "../../src/base/errors.ts";
import { boot } from "../../src/boot.ts";
import { memoryStatistics, Tensor, zeros } from "../../src/index.ts";
import type { OnnxInput, OnnxModel, ValueType } from "../../src/onnx/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import { TextTensor, tensorsIn, ValueSequence } from "../../src/onnx/values.ts";

/** The limits of one mutated model. */
export const limits = { maxNodes: 20_000, maxSteps: 20_000, maxBytes: 2 ** 26 };
/** The longest time of one model in milliseconds. */
export const maxTime = 5000;

/** A value of a declared type; axes of unknown sizes have size 2. */
function inputOf({ kind, dtype, shape }: ValueType): OnnxInput {
  const sizes = (shape ?? [2]).map((size) => (typeof size === "number" ? size : 2));
  const count = sizes.reduce((a, b) => a * b, 1);
  if (!(count <= 2 ** 16) || sizes.some((size) => !(size >= 0))) return 0;
  if (kind === "text") return new TextTensor(sizes, new Array<string>(count).fill("a b"));
  if (kind === "sequence") return new ValueSequence([zeros([2])]);
  return kind === "tensor" && dtype !== null ? zeros(sizes, { dtype }) : 1;
}

/** The first cause of an error. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** How a model ended: with outputs, with a named error, or wrongly. */
export interface Ending {
  readonly kind: "outputs" | "error" | "fault";
  /** The message of the error, or what is wrong. */
  readonly text: string;
}

/** Returns how a model ended. It is a fault to throw another error than a named one, to take too long, and to keep memory. */
export function endingOf(bytes: Uint8Array): Ending {
  boot();
  const start = performance.now();
  const { live } = memoryStatistics();
  let model: OnnxModel | null = null;
  let fault = "";
  let message: string | null = null;
  const given: OnnxInput[] = [];
  try {
    model = prepareModel(readModel(bytes), limits);
    const inputs = Object.fromEntries(model.inputs.map(({ name, type }) => [name, inputOf(type)]));
    given.push(...Object.values(inputs));
    for (let round = 0; round < 3; round++)
      for (const value of Object.values(model.run(inputs))) for (const t of tensorsIn(value)) t.dispose();
  } catch (error) {
    const root = rootOf(error);
    message = (error as Error).message;
    if (!(error instanceof StridewiseError) || !(root instanceof StridewiseError))
      fault = `${String(root instanceof Error ? root.stack : root)
        .split("\n")
        .slice(0, 4)
        .join(" ")} in ${message.slice(0, 200)}`;
  }
  model?.dispose();
  for (const value of given) if (value instanceof Tensor) value.dispose();
  const time = performance.now() - start;
  if (fault === "" && time > maxTime) fault = `took ${Math.round(time)} ms`;
  const more = memoryStatistics().live - live;
  if (fault === "" && more > limits.maxBytes) fault = `left ${more} bytes`;
  if (fault !== "") return { kind: "fault", text: fault };
  return message === null ? { kind: "outputs", text: "" } : { kind: "error", text: message };
}
