/**
 * TensorFlow.js, for both of its backends: `tidy` frees intermediate results, and each result is disposed. No op writes
 * to existing memory.
 */
import type { Tensor } from "@tensorflow/tfjs-core";
import { arraysOf, type Row } from "../rows/row.ts";
import { entryOf, keepingLast, type Ready } from "./peer.ts";

export async function prepareTfjs(row: Row, name: "tfjs-wasm" | "tfjs-cpu"): Promise<Ready> {
  const tf = await import("@tensorflow/tfjs-core");
  await tf.setBackend(name === "tfjs-wasm" ? "wasm" : "cpu");
  await tf.ready();
  await addGradients();
  const arrays = arraysOf(row, (values, shape) => tf.tensor(values, shape) as Tensor);
  const body = entryOf(row, name)(tf, arrays) as () => Tensor;
  const results = keepingLast(
    () => tf.tidy(body),
    (result) => result.dispose(),
  );
  return { version: tf.version_core, call: results.call, read: () => results.last().dataSync() as Float32Array };
}

/**
 * Its build for Node has no gradients, and the build that has them is not a module that Node can load. It is bundled
 * with this file and registers them where all copies of the library look. Without it the training rows fail with an
 * error.
 */
async function addGradients(): Promise<void> {
  try {
    await import("../node_modules/@tensorflow/tfjs-core/dist/register_all_gradients.js");
  } catch {
    // Not installed: importing the library itself has failed before.
  }
}
