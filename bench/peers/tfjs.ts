/**
 * TensorFlow.js, for both of its backends: intermediate results go with `tidy`, each result is disposed. No op writes to
 * memory that exists.
 */
import type { Tensor } from "@tensorflow/tfjs-core";
import { arraysOf, type Row } from "../rows/row.ts";
import { entryOf, keepingLast, type Ready } from "./peer.ts";

export async function prepareTfjs(row: Row, name: "tfjs-wasm" | "tfjs-cpu"): Promise<Ready> {
  const tf = await import("@tensorflow/tfjs-core");
  await tf.setBackend(name === "tfjs-wasm" ? "wasm" : "cpu");
  await tf.ready();
  const arrays = arraysOf(row, (values, shape) => tf.tensor(values, shape) as Tensor);
  const body = entryOf(row, name)(tf, arrays) as () => Tensor;
  const results = keepingLast(
    () => tf.tidy(body),
    (result) => result.dispose(),
  );
  return { version: tf.version_core, call: results.call, read: () => results.last().dataSync() as Float32Array };
}
