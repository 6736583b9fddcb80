/** TensorFlow.js on its WebAssembly backend, with SIMD and one thread. */
import type { Prepare } from "./peer.ts";
import { prepareTfjs } from "./tfjs.ts";

export const prepare: Prepare = async (row) => {
  const { setThreadsCount } = await import("@tensorflow/tfjs-backend-wasm");
  setThreadsCount(1);
  return prepareTfjs(row, "tfjs-wasm");
};
