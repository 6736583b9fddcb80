/** ONNX Runtime's native code for Node. */
import { prepareOrt } from "./ort.ts";
import type { Prepare } from "./peer.ts";

export const prepare: Prepare = async (row) => {
  const ort = await import("onnxruntime-node");
  return prepareOrt(row, "ort-node", ort, ort.env.versions.node ?? "");
};
