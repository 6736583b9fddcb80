/** ONNX Runtime as used in browsers: WebAssembly with SIMD, one thread unless the row says otherwise. */
import { prepareOrt } from "./ort.ts";
import type { Prepare } from "./peer.ts";

export const prepare: Prepare = async (row) => {
  const ort = await import("onnxruntime-web");
  ort.env.wasm.numThreads = row.threads ?? 1;
  return prepareOrt(row, "ort-web", ort, ort.env.versions.web ?? "");
};
